"""`freshtake learn`: a few takes of one movement to a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Json, Seed
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.variation import VariationModel


def learn(
    clips: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The model to write (.ftm).")],
    force: Force = False,
    cyclic: Annotated[
        bool | None, Parameter(negative="--acyclic", help="Whether the motion repeats; default: told from the clips.")
    ] = None,
    structure: Annotated[
        Path | None, Parameter(help="A model whose structure is taken over: then one clip is enough.")
    ] = None,
    method: Annotated[
        str | None,
        Parameter(help="`default`; `kernel`: as in the paper, made to hold; `paper`: to the letter (Lau 2009)."),
    ] = None,
    order: Annotated[int | None, Parameter(help="How many frames predict the next: 1, 2 (default) or 3.")] = None,
    neighbors: Annotated[
        int | None,
        Parameter(help="How many similar moments each prediction is made from (neighbors); default: from the data."),
    ] = None,
    kernel_width: Annotated[
        float | None, Parameter(help="How similar moments must be to count (kernel width); default: from the data.")
    ] = None,
    velocity_weight: Annotated[
        float | None, Parameter(help="How much velocity counts beside the pose; default: from the data.")
    ] = None,
    max_parents: Annotated[
        int | None,
        Parameter(
            help="From how many numbers each number may be predicted, its own past included (parents of a node)."
        ),
    ] = None,
    prior_starts: Annotated[
        int | None,
        Parameter(help="How often the search for what first poses have in common starts anew (prior network)."),
    ] = None,
    thorough: Annotated[
        bool | None, Parameter(negative=(), help="Search longer: all candidates, several cores, more starts.")
    ] = None,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn a model from a few takes of one movement (usually four); `vary` and `stream` make new motion with it.

    **Examples**

    ```
    freshtake learn walk_*.bvh -o walk.ftm
    freshtake learn walks/ -o walk.ftm
    freshtake learn a_1.csv a_2.csv a_3.csv a_4.csv -o a.ftm
    freshtake learn one_jump.bvh -o jump.ftm --structure jumps.ftm
    ```

    Parameters
    ----------
    clips
        Takes of one movement on one skeleton at one rate, each from start to end, or one cycle each; files or folders.
    """
    from freshtake.variation import Settings
    from freshtake.workflows import variation_learn as run

    prepare(out, force=force)
    given: dict[str, Any] = {
        "method": method, "order": order, "neighbors": neighbors, "kernel_width": kernel_width,
        "velocity_weight": velocity_weight, "max_parents": max_parents, "prior_starts": prior_starts,
        "thorough": thorough,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if structure is not None and (given or cyclic is not None):
        raise UsageError("--structure brings its own settings: leave the others out")
    with progress_bar() as report:
        model = run(
            files(clips), out, Settings(**given),
            cyclic=cyclic, seed=seed, structure=structure, reading=reading.options(), report=report, warn=warn,
        )  # fmt: skip
    _print(model, out, json)
    return 0


def _print(model: VariationModel, out: Path, json: bool) -> None:
    from freshtake.workflows import model_facts

    facts = model_facts(model)
    if json:
        print_json({"written": str(out), **facts})
        return
    plural = "" if facts["examples"] == 1 else "s"
    kind = "a movement that repeats (cyclic)" if facts["motion"] == "cyclic" else "a movement that ends by itself"
    output().print(
        f"wrote {out}: {facts['examples']} take{plural} at {facts['fps']:g} fps, {kind}; "
        f"next: freshtake vary {out} -n 15 -o variants/",
        markup=False,
    )
