"""Options that belong together, as values that commands share: where results go, how long, how much, whose feet.

Annotations are values here, not text (no `from __future__`): fields are inherited by groups in other modules, which
could not resolve their names.
"""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from freshtake.cli.console import warn
from freshtake.cli.options import (
    Amount,
    AmountOfTime,
    BodyMaps,
    Character,
    ClosingFrame,
    Ending,
    InPlace,
    Lock,
    Out,
    Parts,
    Plant,
    RootMotion,
    Unit,
    option_group,
)
from freshtake.cli.outputs import Force, Frames, KeepGoing, Seconds, prepare

if TYPE_CHECKING:
    from freshtake.variation.amount import Amount as ChosenAmount
    from freshtake.workflows.lengths import Length as ChosenLength
    from freshtake.workflows.motion_delivering import Delivery
    from freshtake.workflows.motion_finishing import Finish
    from freshtake.workflows.motion_retargeting import Onto

OutName = Parameter(name=["--out", "-o"])


@option_group
class Output:
    """Where the result goes, and whether it may replace what is there."""

    out: Out
    force: Force = False

    def prepare(self, *others: Path | None) -> Path:
        """Refuse targets that are there already; where the result goes."""
        prepare(self.out, *others, force=self.force)
        return self.out


@option_group
class ModelOutput(Output):
    """Where a model goes."""

    out: Annotated[Path, OutName, Parameter(help="The model to write (.ftm).")]


@option_group
class ClipsOutput(Output):
    """Where one clip goes, or the folder of several."""

    out: Annotated[Path, OutName, Parameter(help="The file to write; for several clips a folder.")]


@option_group
class Length:
    """How long a motion is to be."""

    frames: Frames = None
    seconds: Seconds = None

    def value(self) -> "ChosenLength":
        """In frames or seconds; one of them has to be given."""
        from freshtake.workflows.lengths import length_of

        return length_of(self.frames, self.seconds)

    def value_or_none(self) -> "ChosenLength | None":
        """The same; None where no length is given."""
        return None if self.frames is None and self.seconds is None else self.value()


@option_group
class Amounts:
    """How far variants differ."""

    amount: Amount = 1.0
    amount_time: AmountOfTime = None
    part: Parts = ()

    def value(self) -> "ChosenAmount":
        """As the model takes it."""
        from freshtake.workflows.goal_options import amount_from

        return amount_from(self.amount, self.amount_time, self.part)


@option_group
class Feet:
    """Whether feet are held, and how still."""

    plant: Plant = True
    lock: Lock = "soft"

    def value(self) -> Literal[False, "soft", "hard"]:
        """How still feet stand; False where they are left alone."""
        return self.plant and self.lock


@option_group
class Travel:
    """Where the travel of a motion is."""

    root_motion: RootMotion = None
    in_place: InPlace = False

    def value(self, closing: bool = False) -> "Delivery":
        """As motions are delivered; with `closing`, loops end with their first frame again."""
        from freshtake.workflows.motion_delivering import chosen_delivery

        return chosen_delivery(self.root_motion, self.in_place, closing)


@option_group
class LoopTravel:
    """How loops end, and where their travel is."""

    closing_frame: ClosingFrame = False
    travel: Travel = Travel()

    def value(self) -> "Delivery":
        """As motions are delivered."""
        return self.travel.value(self.closing_frame)


@option_group
class OntoCharacter:
    """The character that motion is put onto."""

    character: Character = None
    body_map: BodyMaps = None

    def value(self) -> "Onto | None":
        """The character, read from its file; None where none is named."""
        from freshtake.workflows.motion_retargeting import chosen_character

        return chosen_character(self.character, self.body_map, warn)


@option_group
class ClipFiles:
    """Whose body the clips of a folder become, and the kind of its files."""

    onto: OntoCharacter = OntoCharacter()
    format: Ending = None


@option_group
class Finishing:
    """What is done to a motion before it is written."""

    feet: Feet = Feet()
    onto: OntoCharacter = OntoCharacter()
    unit: Unit = None
    keep_going: KeepGoing = False

    def value(self, delivery: "Delivery | None" = None) -> "Finish":
        """As workflows take it."""
        from freshtake.workflows.motion_finishing import Finish

        return Finish(self.feet.value(), delivery, self.onto.value(), self.unit, keep_going=self.keep_going)


FINISHING, CLIP_FILES = Finishing(), ClipFiles()
LENGTH, AMOUNTS, FEET, TRAVEL, LOOP_TRAVEL, ONTO = Length(), Amounts(), Feet(), Travel(), LoopTravel(), OntoCharacter()


def given(group: Any) -> dict[str, Any]:
    """The options of a group that were given, by name: what is None is left to the settings' own defaults."""
    values = {field.name: getattr(group, field.name) for field in fields(group)}
    return {name: value for name, value in values.items() if value is not None}
