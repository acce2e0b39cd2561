"""Motion that changes between classes."""

from __future__ import annotations

from freshtake.bridge.jobs.motion_options import finish_options, length_option
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import UsageError
from freshtake.workflows.density_blending import (
    BlendOptions,
    ClassRules,
    control_of,
    density_facts,
    density_learn,
    density_sample,
)


def blend_learn(request: Request) -> Answer:
    """A model from classes of takes: their names, each with the numbers of its clips."""
    files, classes = request.files(), request.get("classes", dict, default={})
    takes = {}
    for name, numbers in classes.items():
        if not isinstance(numbers, list) or not all(type(k) is int and 0 <= k < len(files) for k in numbers):
            raise UsageError(f"the class {name!r} does not say which of the {len(files)} clips it has")
        takes[name] = [files[k] for k in numbers]
    model = density_learn(
        takes, request.target, rules=ClassRules(alone=request.get("alone", bool, default=False)),
        reading={"warn": request.note}, report=request.report, warn=request.note,
    )  # fmt: skip
    return request.answer({"facts": density_facts(model)})


def blend_sample(request: Request) -> Answer:
    """So much motion with these weights."""
    length = length_option(request)
    assert length is not None
    options = BlendOptions(
        weights=_weights(request),
        control=control_of(request.number("speed"), request.number("turn")),
        seed=request.get("seed", int, default=0),
    )
    target = request.folder / "blend.npz"
    density_sample(
        request.model(), target, length, options=options, finish=finish_options(request), report=request.report,
        warn=request.note,
    )  # fmt: skip
    return request.answer({}, [target])


def _weights(request: Request) -> str | None:
    """Weights as the command line spells them; of a mapping, their shares count."""
    weights = request.get("weights", str, dict)
    if weights is None or isinstance(weights, str):
        return weights
    values = [value for value in weights.values() if isinstance(value, int | float) and value >= 0.0]
    total = float(sum(values))
    if len(values) < len(weights) or not 0.0 < total < 1e9:
        raise UsageError("weights are numbers of 0 or more, at least one of them above 0")
    return ",".join(f"{name}:{value / total!r}" for name, value in weights.items())
