# SPDX-License-Identifier: GPL-3.0-or-later
"""Expected errors: one sentence for the user."""


class Trouble(Exception):
    """A request cannot be done: the reason and the remedy, in one sentence."""


class CannotRead(Trouble):
    """An Action that does not fit this armature."""


class CannotWrite(Trouble):
    """A motion that does not fit this armature."""
