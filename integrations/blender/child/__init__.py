# SPDX-License-Identifier: GPL-3.0-or-later
"""The freshtake child: a separate process that does all the work."""
