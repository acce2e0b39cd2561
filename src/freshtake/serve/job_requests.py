"""Bodies of job requests, one per task. Fields shared with a request of `requests/` are derived from it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from freshtake.requests.blending import Classes
from freshtake.requests.evaluation import StudyPlan
from freshtake.requests.fields import LARGEST_AMOUNT, LARGEST_SEED
from freshtake.requests.style import STRONGEST, StyleLearning, Styling
from freshtake.requests.texturing import Playing, TextureLearning
from freshtake.requests.variation import Learning, Redrawing, Variants
from freshtake.serve.drawing import MOST, MOST_POINTS, MOST_VARIANTS
from freshtake.serve.items import Id, Name, Shape, shape_of

Ids = Annotated[list[Id], Field(min_length=1, max_length=1000)]
SomeIds = Annotated[list[Id], Field(max_length=1000)]
OneId = Annotated[list[Id], Field(min_length=1, max_length=1)]
Frame = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Amount = Annotated[float, Field(ge=0.0, le=LARGEST_AMOUNT)]
PartName = Annotated[str, Field(max_length=80)]
Parts = Annotated[dict[PartName, Amount], Field(max_length=100)]
# The page shows the complete result, so its length is limited.
Seconds = Annotated[float, Field(ge=0.1, le=600.0)]
ByName = Annotated[dict[Annotated[str, Field(min_length=1, max_length=60)], Ids], Field(max_length=20)]
Step = Annotated[str, Field(max_length=40)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=-STRONGEST, le=STRONGEST)]
Pen = Annotated[list[tuple[Finite, Finite, Finite]], Field(min_length=1, max_length=MOST_POINTS)]
Drawing = Annotated[list[Pen], Field(max_length=60)]
Drawings = Annotated[list[Drawing], Field(min_length=1, max_length=MOST)]
Baseline = Literal["strawman", "perlin", "pca", "convex", "replay"]


class Learn(shape_of(Learning)):  # type: ignore[misc]
    """Learn a model from takes (or strokes) of one movement."""

    task: Literal["learn"]
    items: Ids
    name: Annotated[str, Field(max_length=120)] | None = None


class PoseAt(Shape):
    """The pose of an item at a frame, to be reached by variants at a time in seconds."""

    item: Id
    frame: Frame
    second: Annotated[float, Field(ge=0.0, le=3600.0)]


Pins = Annotated[list[PoseAt], Field(max_length=50)]


class Vary(shape_of(Variants)):  # type: ignore[misc]
    """Make variants of a model, one item each, numbered from `first`: the same ones as `freshtake vary --seed`."""

    task: Literal["vary"]
    items: OneId
    count: Annotated[int, Field(ge=1, le=1000)] = 15
    parts: Parts = Field(default_factory=dict)
    seconds: Seconds | None = None
    pins: Pins = Field(default_factory=list)


class Again(shape_of(Variants, optional=True)):  # type: ignore[misc]
    """Remake variants from their seeds, with changed settings if given.

    `seconds` of null means the natural length. `replace` replaces the old variants; requests with the same `step` are
    undone together.
    """

    task: Literal["again"]
    items: Ids
    replace: bool = False
    step: Step | None = None
    parts: Parts | None = None
    seconds: Seconds | None = None
    pins: Pins | None = None


class Redraw(shape_of(Redrawing)):  # type: ignore[misc]
    """Redraw a stretch of a take or variant, or a part of the body, with a model of the movement.

    Each result is a new variant; the item does not change.
    """

    task: Literal["redraw"]
    items: OneId
    model: Id
    count: Annotated[int, Field(ge=1, le=60)] = 4


class Repair(Shape):
    """Repair takes with all repairs of their findings."""

    task: Literal["repair"]
    items: Ids


class Cut(Shape):
    """Cut takes into their cycles, or into every repetition of a range of frames or of another take."""

    task: Literal["cut"]
    items: Ids
    how: Literal["cycles", "repeats"]
    first: Frame | None = None
    last: Frame | None = None
    like: Id | None = None


class Export(Shape):
    """Export items to a file to download; `pack` makes loops from models (or from the models of variants)."""

    task: Literal["export"]
    items: Ids
    format: Literal["bvh", "glb", "fbx", "usd", "npz", "csv", "pack"]
    character: Id | None = None
    in_place: bool = False
    number: Annotated[int, Field(ge=1, le=200)] = 12
    name: Annotated[str, Field(max_length=80)] | None = None


class Drawn(Shape):
    """Drawings of one character: pen strokes, each a list of points x, y, seconds."""

    drawings: Drawings


class VariantsOf(Drawn):
    """Drawings, the number of variants to make, and how different they are."""

    number: Annotated[int, Field(ge=1, le=MOST_VARIANTS)] = 15
    amount: Amount = 1.0
    seed: Seed = 0


class Draw(VariantsOf):
    """Store a drawn character: its strokes, a model, and variants."""

    task: Literal["draw"]
    items: Annotated[list[Id], Field(max_length=0)] = Field(default_factory=list)
    name: Name = "character"


class StyleLearn(shape_of(StyleLearning)):  # type: ignore[misc]
    """Learn to translate normal takes (`items`) into a style (`targets`)."""

    task: Literal["style_learn"]
    items: Ids
    targets: Ids
    by: Literal["order", "content"] = "order"
    name: Name = "style"


class StyleApply(shape_of(Styling)):  # type: ignore[misc]
    """Translate takes into a style, or into a weighted mix of several."""

    task: Literal["style_apply"]
    items: Ids
    styles: Annotated[list[tuple[Id, Weight]], Field(min_length=1, max_length=8)]
    parts: Annotated[dict[PartName, Weight], Field(max_length=100)] = Field(default_factory=dict)


class BlendLearn(shape_of(Classes)):  # type: ignore[misc]
    """Learn named classes of takes; `items` are all takes."""

    task: Literal["blend_learn"]
    items: SomeIds = Field(default_factory=list)
    classes: Annotated[ByName, Field(min_length=2)]
    name: Name = "blend"


class BlendSample(Shape):
    """Make a motion of a blend from moments: time, weights by class, turn rate in degrees per second, speed factor."""

    task: Literal["blend_sample"]
    items: OneId
    course: Annotated[list[tuple[Finite, dict[str, Finite], Finite, Finite]], Field(min_length=1, max_length=20_000)]
    seconds: Seconds
    seed: Seed = 0
    plant: bool = True
    name: Name = "blend"


class TextureLearn(shape_of(TextureLearning)):  # type: ignore[misc]
    """Learn between which frames of takes to jump; `cells` are takes by name."""

    task: Literal["texture_learn"]
    items: Ids
    cells: ByName | None = None
    name: Name = "texture"


class TextureSample(shape_of(Playing)):  # type: ignore[misc]
    """Play a texture, or make a loop of the given length; 10 seconds by default."""

    task: Literal["texture_sample"]
    items: OneId
    seconds: Seconds | None = None
    plant: bool = True
    name: Name = "texture"


Metres = Annotated[float, Field(ge=-1000.0, le=1000.0)]
Point = tuple[Metres, Metres]
MOST_IN_CROWD = 1000  # characters; larger crowds are made on the command line, from the exported plan


class CrowdGroup(Shape):
    """Characters of one model: their number, the position they surround (x, z), their heading (degrees; null: any).

    With a `path` of at least two points, they start around its first point and follow it. A `size_range` of 0.1 makes
    bodies 0.9 to 1.1 times as large as recorded.
    """

    model: Id
    name: Name
    count: Annotated[int, Field(ge=1, le=MOST_IN_CROWD)] = 20
    amount: Amount = 1.0
    size_range: Annotated[float, Field(ge=0.0, le=0.5)] = 0.05
    spacing: Annotated[float, Field(ge=0.4, le=50.0)] = 1.5
    center: Point = (0.0, 0.0)
    heading: Annotated[float, Field(ge=-360.0, le=360.0)] | None = None
    path: Annotated[list[Point], Field(max_length=50)] = Field(default_factory=list)


class MakeCrowd(Shape):
    """Make a crowd of groups and its scene; with a `format` also files to download.

    `engine` chooses where it is made: here, on a Dask scheduler, or later by a render farm given a job, whose machines
    see the files in the folder `shared`.
    """

    task: Literal["crowd"]
    items: SomeIds = Field(default_factory=list)
    groups: Annotated[list[CrowdGroup], Field(min_length=1, max_length=20)]
    seconds: Annotated[float, Field(ge=0.5, le=60.0)] = 4.0
    seed: Seed = 0
    avoid: bool = True
    format: Literal["usd", "npz", "bvh", "zarr"] | None = None
    engine: Literal["local", "dask", "openjd", "flamenco"] = "local"
    scheduler: Annotated[str, Field(max_length=200)] | None = None
    shared: Annotated[str, Field(min_length=1, max_length=300)] = "/shared/crowd"

    @model_validator(mode="after")
    def _not_too_many(self) -> MakeCrowd:
        if sum(group.count for group in self.groups) > MOST_IN_CROWD:
            raise ValueError(f"at most {MOST_IN_CROWD} characters in total")
        return self


class Noise(Shape):
    """Make baselines from takes (`items`) that differ from them as much as the variants in `matched`."""

    task: Literal["noise"]
    items: Ids
    kind: Baseline = "strawman"
    number: Annotated[int, Field(ge=1, le=60)] = 4
    matched: SomeIds = Field(default_factory=list)
    seed: Seed = 0


class Evaluate(Shape):
    """Measure variants (`items`) against real takes."""

    task: Literal["evaluate"]
    items: Ids
    inputs: Annotated[list[Id], Field(min_length=2, max_length=1000)]
    baselines: Annotated[list[Baseline], Field(max_length=5)] = Field(default_factory=list)
    name: Name = "evaluation"


class StudyDesign(shape_of(StudyPlan)):  # type: ignore[misc]
    """Make a study of variants (`items`), the takes they were made from, and captured takes shown among them."""

    task: Literal["study_design"]
    items: Ids
    inputs: Ids
    captured: SomeIds = Field(default_factory=list)
    experiment: Annotated[str, Field(pattern="^A?B?C?D?$", min_length=1)] = "AB"
    name: Name = "study"
    participants: Annotated[int, Field(ge=1, le=200)] = 15
    trials: Annotated[int, Field(ge=2, le=100)] = 15
    clips: Annotated[int, Field(ge=1, le=60)] = 15
    sequences: Annotated[int, Field(ge=1, le=60)] = 15


JobRequest = Annotated[
    Learn | Vary | Again | Redraw | Repair | Cut | Export | Draw | StyleLearn | StyleApply | BlendLearn | BlendSample
    | TextureLearn | TextureSample | MakeCrowd | Noise | Evaluate | StudyDesign,
    Field(discriminator="task"),
]  # fmt: skip
