# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert any armature's motion to plain arrays and back, exactly."""
