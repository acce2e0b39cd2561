# SPDX-License-Identifier: GPL-3.0-or-later
"""freshtake in Blender: variants of the takes of an armature."""
