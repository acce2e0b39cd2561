"""What a model says about how its kind of system was chosen."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """What was chosen, why, and the held-out errors of every kind tried (degrees RMS per joint)."""

    kind: str
    why: str
    errors: dict[str, float]
