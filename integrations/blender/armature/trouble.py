# SPDX-License-Identifier: GPL-3.0-or-later
"""Expected errors: one sentence for the user."""


class Trouble(Exception):
    """Why it cannot be done and what to do about it, in one sentence."""


class CannotRead(Trouble):
    """An Action that does not fit this armature."""


class CannotWrite(Trouble):
    """A motion that does not fit this armature."""
