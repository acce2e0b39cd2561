# SPDX-License-Identifier: GPL-3.0-or-later
"""The freshtake child: a process of its own that does all the work."""
