"""Evaluation of variants: figures next to the figures of real takes, and a study with people."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from freshtake.requests.fields import Option, OutNames, Reading, Request, Seed


@dataclass(frozen=True, kw_only=True)
class Evaluate(Reading):
    """Compare variants with real takes."""

    inputs: Annotated[list[Path] | None, Option("The clips that the model learned from.")] = None
    outputs: Annotated[list[Path] | None, Option("The variants to assess.")] = None
    extra: Annotated[list[Path] | None, Option("Additional real takes of the same action: the target.")] = None
    out: Annotated[Path | None, Option("Report: a page (.html), or a folder with pictures.", names=OutNames)] = None
    action: Annotated[
        str, Option("Peaks to count: auto, none, root-height, hand-height, hand-speed, left- or right-hand-speed.")
    ] = "auto"
    baselines: Annotated[bool, Option("Also score noise, combinations and replays of the inputs.")] = False
    title: Annotated[str, Option("Heading of the report.")] = ""
    model: Annotated[
        Path | None, Option("The model that made the variants; the report then shows which joints vary together.")
    ] = None
    seed: Seed = 7


@dataclass(frozen=True, kw_only=True)
class StudyPlan(Request):
    """The size of a study; the defaults are the paper's."""

    motion: Annotated[str, Option("Name of the movement.")] = "motion"
    experiment: Annotated[
        str, Option("A: how natural, B: how repetitive, C: find clones in a crowd, D: choose one of two; AB: both.")
    ] = "AB"
    participants: Annotated[int, Option("People who take part.", least=1, most=10_000)] = 15
    trials: Annotated[int, Option("Stimuli that each person watches per experiment.", least=1, most=10_000)] = 15
    sequences: Annotated[
        int, Option("Long sequences or crowds per condition, in experiments B and C.", least=1, most=1000)
    ] = 15
    clips: Annotated[
        int, Option("Clips joined into a long sequence, or repeated by each character of a crowd.", least=1, most=1000)
    ] = 15
    blend: Annotated[float, Option("Seconds over which one clip blends into the next.", least=0.0, most=60.0)] = 0.25
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class StudyDesign(StudyPlan, Reading):
    """Write a study: stimuli, a table of ratings to fill in, and the key."""

    variants: Annotated[list[Path] | None, Option("Variants to assess.")] = None
    inputs: Annotated[list[Path] | None, Option("The takes they were learned from: replayed in experiment B.")] = None
    captured: Annotated[list[Path] | None, Option("Real takes for experiments A and D; default: the inputs.")] = None
    out: Annotated[Path, Option("Folder for the study; new or empty.", names=OutNames)]
    format: Annotated[str, Option("File format of the stimuli.")] = "bvh"


@dataclass(frozen=True, kw_only=True)
class StudyAnalyze(Request):
    """Analyze the scores of studies."""

    tables: Annotated[list[Path], Option("Filled-in tables of ratings, or folders of their studies.", positional=True)]
    key: Annotated[Path | None, Option("The key; default: key.csv next to each table.")] = None
    out: Annotated[Path | None, Option("Picture of the means (.png, .svg, .pdf): figure 8.", names=OutNames)] = None
