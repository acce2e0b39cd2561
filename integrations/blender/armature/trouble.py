# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong on purpose: one sentence for the user."""


class Trouble(Exception):
    """Why it cannot be done, and what helps, in one sentence."""


class CannotRead(Trouble):
    """An Action that is no motion of this armature."""


class CannotWrite(Trouble):
    """A motion that cannot be put on this armature."""
