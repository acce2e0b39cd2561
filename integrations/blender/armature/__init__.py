# SPDX-License-Identifier: GPL-3.0-or-later
"""Any armature to a motion of plain arrays and back, exactly."""
