"""New takes from a few: learn, and vary."""

from __future__ import annotations

from typing import Any

from freshtake.bridge.jobs.motion_options import finish_options, length_option
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import UsageError
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.workflows.model_describing import variation_facts
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.variation_learning import variation_learn
from freshtake.workflows.variation_varying import VariantOptions, variation_vary


def learn(request: Request) -> Answer:
    """A model from takes of one movement."""
    model = variation_learn(
        request.files(),
        request.target,
        cyclic=request.get("cyclic", bool),
        pieces=request.get("pieces", str, default="auto"),
        keep=request.get("keep", bool, default=False),
        seed=request.get("seed", int, default=0),
        reading={"warn": request.note},
        report=request.report,
        warn=request.note,
    )
    return request.answer({"facts": variation_facts(model)})


def parts(request: Request) -> Answer:
    """What a model's `parts` may name: parts of the body, then joints."""
    model = model_of(request.model(), "variation")
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    from freshtake.variation.amount import names_of_parts

    return request.answer({"parts": names_of_parts(model.dofs, skeleton)})


def vary(request: Request) -> Answer:
    """Variants of a model; number k of a seed is the same whatever else is made with it."""
    number, first, seed = (
        request.get(name, int, default=usual) for name, usual in (("number", 1), ("first", 1), ("seed", 0))
    )
    options = VariantOptions(
        amount=Amount(request.number("amount", 1.0), request.number("tempo"), request.get("parts", dict, default={})),
        cycles=request.get("cycles", int),
        length=length_option(request, needed=False),
        goals=Goals(start=_pose(request, "start"), end=_pose(request, "end")),
        loop=request.get("loop", bool, default=False),
        seed=seed,
        first=first,
    )
    out = request.folder / "variants"
    made = variation_vary(
        request.model(), out, number, options=options, finish=finish_options(request), report=request.report,
        warn=request.note,
    )  # fmt: skip
    names: list[dict[str, Any]] = [
        {"seed": seed, "number": first + k, "name": path.stem} for k, path in enumerate(made.paths)
    ]
    return request.answer({"made": names}, made.paths)


def _pose(request: Request, key: str) -> PosePin | None:
    if request.params.get(key) is None:
        return None
    clips = request.clips(key)
    if len(clips) != 1:
        raise UsageError(f"one pose is given as the {key} of variants, not {len(clips)}")
    return PosePin(clips[0])
