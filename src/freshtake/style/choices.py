"""What a model says about how its kind of system was chosen."""

from __future__ import annotations

from typing import NamedTuple

ONE_STYLE = 5.0  # degrees: recorded takes of one style are 3 to 5 apart, of two styles 8 and more


class Choice(NamedTuple):
    """What was chosen, why, and its error on clips left out beside that of copying the source (degrees RMS per joint).

    Where there is nothing to leave out the error is 0.
    """

    kind: str
    why: str
    errors: dict[str, float]

    @property
    def hardly_differs(self) -> bool:
        """Whether source and target are as near to each other as two takes of one style."""
        return self.errors.get("copy", ONE_STYLE) < ONE_STYLE
