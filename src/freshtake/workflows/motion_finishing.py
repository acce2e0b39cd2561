"""The last steps before a motion is written: planted feet, character, travel, unit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from freshtake.formats.read_options import Motion
from freshtake.motion import Clip
from freshtake.workflows.motion_delivering import Delivery, delivered
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto


class Finish(NamedTuple):
    """How still feet stand, whose body it becomes, where its travel is; default unit and ending of files.

    With `keep_going`, motions that no body makes are written all the same (see motion.verdict).
    """

    plant: bool | str = True
    delivery: Delivery | None = None
    onto: Onto | None = None
    unit_m: float | None = None
    ending: str | None = None
    keep_going: bool = False

    def ready(self, motion: Motion) -> Motion:
        """A motion on its character, with its travel where it is wanted."""
        return delivered(put_onto(self.onto, motion), self.delivery or Delivery())

    def write(self, target: Path, motion: Motion | Sequence[Clip]) -> None:
        """Write what `ready` made."""
        write_onto(target, motion, self.unit_m, self.onto)


FINISH = Finish()
