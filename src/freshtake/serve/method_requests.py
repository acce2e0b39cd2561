"""Requests for jobs of the other methods: drawing, style, blend, texture, comparison, studies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from freshtake.serve.drawing import MOST, MOST_POINTS, MOST_VARIANTS
from freshtake.serve.items import Id, Name, Shape

Ids = Annotated[list[Id], Field(min_length=1, max_length=1000)]
SomeIds = Annotated[list[Id], Field(max_length=1000)]
OneId = Annotated[list[Id], Field(min_length=1, max_length=1)]
Seed = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0.1, le=600.0)]
ByName = Annotated[dict[Annotated[str, Field(min_length=1, max_length=60)], Ids], Field(max_length=20)]
Weight = Annotated[float, Field(ge=-4.0, le=4.0)]
Point = Annotated[list[float], Field(min_length=3, max_length=3)]
Pen = Annotated[list[Point], Field(min_length=1, max_length=MOST_POINTS)]
Drawing = Annotated[list[Pen], Field(max_length=60)]
Drawings = Annotated[list[Drawing], Field(min_length=1, max_length=MOST)]
Baseline = Literal["strawman", "perlin", "pca", "convex", "replay"]


class Draw(Shape):
    """Keep a drawn character: its strokes, a model, and variants."""

    task: Literal["draw"]
    items: Annotated[list[Id], Field(max_length=0)] = Field(default_factory=list)
    drawings: Drawings
    name: Name = "character"
    number: Annotated[int, Field(ge=1, le=MOST_VARIANTS)] = 15
    amount: Annotated[float, Field(ge=0.0, le=4.0)] = 1.0
    seed: Seed = 0


class StyleLearn(Shape):
    """Learn the way from takes as they are (`items`) to takes in a style (`targets`)."""

    task: Literal["style_learn"]
    items: Ids
    targets: Ids
    by: Literal["order", "content"] = "order"
    name: Name = "style"


class StyleApply(Shape):
    """Put takes into a style, or into several by weights."""

    task: Literal["style_apply"]
    items: Ids
    styles: Annotated[list[tuple[Id, Weight]], Field(min_length=1, max_length=8)]
    strength: Weight = 1.0
    plant: bool = True


class BlendLearn(Shape):
    """Learn classes of takes, by name; `items` are all of them."""

    task: Literal["blend_learn"]
    items: SomeIds = Field(default_factory=list)
    classes: Annotated[ByName, Field(min_length=2)]
    name: Name = "blend"


class BlendSample(Shape):
    """Motion of a blend along moments (second, weights by class, turn in degrees a second, times as fast)."""

    task: Literal["blend_sample"]
    items: OneId
    course: Annotated[list[tuple[float, dict[str, float], float, float]], Field(min_length=1, max_length=20_000)]
    seconds: Seconds
    seed: Seed = 0
    plant: bool = True
    name: Name = "blend"


class TextureLearn(Shape):
    """Learn where takes can be jumped within; `cells` are takes by name."""

    task: Literal["texture_learn"]
    items: Ids
    cells: ByName | None = None
    turns: bool = False
    jump_time: Annotated[float, Field(ge=0.1, le=60.0)] = 1.5
    largest_jump: Annotated[float, Field(gt=0.0, le=1000.0)] | None = None
    name: Name = "texture"


class TextureSample(Shape):
    """Play of a texture, or a loop of that length."""

    task: Literal["texture_sample"]
    items: OneId
    seconds: Seconds = 10.0
    loop: bool = False
    heading: Annotated[float, Field(ge=-1e6, le=1e6)] | None = None
    seed: Seed = 0
    plant: bool = True
    name: Name = "texture"


class Noise(Shape):
    """Baselines of takes (`items`), changed as much as the variants in `matched`."""

    task: Literal["noise"]
    items: Ids
    kind: Baseline = "strawman"
    number: Annotated[int, Field(ge=1, le=60)] = 4
    matched: SomeIds = Field(default_factory=list)
    clips: Annotated[int, Field(ge=1, le=60)] = 1
    seed: Seed = 0


class Evaluate(Shape):
    """Figures of variants (`items`) beside those of real takes."""

    task: Literal["evaluate"]
    items: Ids
    inputs: Annotated[list[Id], Field(min_length=2, max_length=1000)]
    extra: SomeIds = Field(default_factory=list)
    baselines: Annotated[list[Baseline], Field(max_length=5)] = Field(default_factory=list)
    name: Name = "evaluation"


class StudyDesign(Shape):
    """Make a study of variants (`items`), the takes they were made from, and captured takes to show among them."""

    task: Literal["study_design"]
    items: Ids
    inputs: Ids
    captured: SomeIds = Field(default_factory=list)
    experiments: Annotated[list[Literal["A", "B"]], Field(min_length=1, max_length=2)]
    name: Name = "study"
    participants: Annotated[int, Field(ge=1, le=200)] = 15
    trials: Annotated[int, Field(ge=2, le=100)] = 15
    clips: Annotated[int, Field(ge=1, le=60)] = 15
    sequences: Annotated[int, Field(ge=1, le=60)] = 15
    seed: Seed = 0


MethodRequest = (
    Draw | StyleLearn | StyleApply | BlendLearn | BlendSample | TextureLearn | TextureSample | Noise | Evaluate
    | StudyDesign
)  # fmt: skip
