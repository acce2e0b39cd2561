"""`freshtake learn`: a few takes of one movement to a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.option_groups import ModelOutput, given
from freshtake.cli.options import Json, Seed, option_group
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.variation import VariationModel
    from freshtake.variation.paper import PaperModel


@option_group
class Predicting:
    """How the next frame is predicted."""

    method: Annotated[
        str | None,
        Parameter(
            help="`default`, or `paper`: the paper's own networks (Lau 2009). The options below are for `paper`."
        ),
    ] = None
    order: Annotated[int | None, Parameter(help="How many frames predict the next: 1, 2 (default) or 3.")] = None
    neighbors: Annotated[
        int | None,
        Parameter(help="How many similar moments each prediction is made from (neighbors); default: from the data."),
    ] = None
    kernel_width: Annotated[
        float | None, Parameter(help="How similar moments must be to count (kernel width); default: from the data.")
    ] = None
    velocity_weight: Annotated[
        float | None, Parameter(help="How much velocity counts beside the pose; default: from the data.")
    ] = None
    max_parents: Annotated[
        int | None,
        Parameter(
            help="From how many numbers each number may be predicted, its own past included (parents of a node)."
        ),
    ] = None
    prior_starts: Annotated[
        int | None,
        Parameter(help="How many times the search over first poses is restarted (prior network)."),
    ] = None


PREDICTING = Predicting()


@option_group
class Learning:
    """What the movement is, and how it is learned."""

    cyclic: Annotated[
        bool | None,
        Parameter(negative="--acyclic", help="Whether the motion repeats; default: detected from the clips."),
    ] = None
    whole: Annotated[bool, Parameter(negative="", help="Learn from takes as they are: cut none of them.")] = False
    cycles: Annotated[bool, Parameter(negative="", help="Cut every take into its cycles.")] = False
    keep: Annotated[bool, Parameter(negative="", help="Learn from takes that are unlike the others too.")] = False
    structure: Annotated[
        Path | None, Parameter(help="Vary as the takes of this model do; of `paper`: reuse its networks for one take.")
    ] = None
    predicting: Predicting = PREDICTING

    def pieces(self) -> str:
        """Whether takes are cut, as workflows take it."""
        if self.whole and self.cycles:
            raise UsageError("--whole cuts no take and --cycles cuts every one: choose one")
        return "whole" if self.whole else "cycles" if self.cycles else "auto"


LEARNING = Learning()


def learn(
    clips: list[Path],
    /,
    *,
    to: ModelOutput,
    learning: Learning = LEARNING,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn a model from one take or a few (best four) of one movement; `vary` and `stream` make new motion with it.

    **Examples**

    ```
    freshtake learn walk_*.bvh -o walk.ftm
    freshtake learn walks/ -o walk.ftm
    freshtake learn one_long_walk.bvh -o walk.ftm
    freshtake learn one_jump.bvh -o jump.ftm
    freshtake learn a_1.csv a_2.csv a_3.csv a_4.csv -o a.ftm
    freshtake learn one_jump.bvh -o like_jumps.ftm --structure jumps.ftm
    freshtake learn jump_*.bvh -o jump.ftm --method paper
    ```

    Parameters
    ----------
    clips
        Takes of one movement on one skeleton at one rate, long or short; files or folders. What repeats is cut at one
        common phase, what is unlike the rest is left out, and both are reported.
    """
    from freshtake.variation import Settings
    from freshtake.workflows import variation_learn as run
    from freshtake.workflows.paper_method import is_paper_model, paper_learn, paper_settings

    out, settings = to.prepare(), given(learning.predicting)
    if learning.structure is not None and (settings or learning.cyclic is not None):
        raise UsageError("--structure brings its own settings: leave the others out")
    more: dict[str, Any] = {
        "cyclic": learning.cyclic, "seed": seed, "structure": learning.structure, "reading": reading.options(),
        "warn": warn,
    }  # fmt: skip
    model: VariationModel | PaperModel
    with progress_bar() as report:
        if settings.get("method") == "paper" or is_paper_model(learning.structure):
            model = paper_learn(files(clips), out, paper_settings(settings), report=report, **more)
        else:
            _refuse_options(settings)
            pieces, keep = learning.pieces(), learning.keep
            model = run(files(clips), out, Settings(), pieces=pieces, keep=keep, report=report, **more)
    _print(model, out, json)
    return 0


def _refuse_options(settings: dict[str, Any]) -> None:
    """Refuse options of the paper's own method where it was not chosen."""
    if settings.get("method", "default") != "default":
        raise UsageError(f"method must be one of default, paper, but is {settings['method']!r}")
    others = [name for name in settings if name != "method"]
    if others:
        raise UsageError(f"--{others[0].replace('_', '-')} is for --method paper: add that, or leave it out")


def _print(model: VariationModel | PaperModel, out: Path, json: bool) -> None:
    from freshtake.workflows import model_facts

    facts = model_facts(model)
    if json:
        print_json({"written": str(out), **facts})
        return
    plural = "" if facts["examples"] == 1 else "s"
    kind = "a movement that repeats (cyclic)" if facts["motion"] == "cyclic" else "a movement that ends by itself"
    say(
        f"wrote {out}: {facts['examples']} example{plural} at {facts['fps']:g} fps, {kind}; "
        f"next: freshtake vary {out} -n 15 -o variants/",
    )
