"""What makers of motion share: goals from files, motion from rows, paths on the ground, verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.joint_files import read_pins
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.orientation import unit_name, unit_of
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import turned
from freshtake.motion.features import Start
from freshtake.motion.verdict import Remark, Standard, Verdict, judge, off_the_path
from freshtake.numeric.arrays import Floats
from freshtake.requests.shared import Amounts, Steer
from freshtake.requests.variation import Vary
from freshtake.variation.amount import NATURAL, Amount, amount_of
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.variation.goals.steering import Followed, Steering, Travel, followed, from_the_first_point
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import read_path

if TYPE_CHECKING:
    from freshtake.variation.paper.model import PaperModel

_POSE = re.compile(r"(?P<file>.+?)(:(?P<frame>-?\d+))?(@(?P<time>-?[\d.]+))?")


def goals_of(request: Vary) -> Goals:
    """Return the goals of a request, with the files that they name."""
    if request.placed and not (request.start or request.end or request.pose):
        raise UsageError("only poses can be placed: add --begin, --end or --at, or leave --placed out")
    if request.placed and (request.heading is not None or request.path is not None):
        raise UsageError("placed poses say where to go: leave --heading and --path out, or --placed")
    return Goals(
        start=None if request.start is None else _pose(request.start, 0, request.placed),
        end=None if request.end is None else _pose(request.end, -1, request.placed),
        poses=[_pose(text, 0, request.placed) for text in request.pose],
        targets=[] if request.pins is None else read_pins(request.pins),
        speed=request.speed,
        steer=steering_of(request),
    )


def steering_of(request: Steer) -> Steering | None:
    """Return where a body goes; None where it is free."""
    if request.heading is not None and request.path is not None:
        raise UsageError("a heading and a path cannot both be followed: give one of them")
    if request.heading is not None:
        return Steering(np.radians(request.heading))
    return None if request.path is None else Steering(path=read_path(request.path))


def _pose(text: str, usual: int, placed: bool = False) -> PosePin:
    match = _POSE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a pose: write FILE, FILE:FRAME or FILE:FRAME@SECONDS")
    frame = usual if match["frame"] is None else int(match["frame"])
    try:
        time = float(match["time"] or 0.0)
    except ValueError:
        raise UsageError(f"{text!r} is not a pose: {match['time']!r} is not a number of seconds") from None
    return PosePin(read(Path(match["file"])), frame, time, placed=placed)


def amount_of_request(request: Amounts) -> Amount:
    """Return the amount as a model takes it."""
    return Amount(request.amount, request.amount_time, dict(request.parts))


MOST_FRAMES = 10_000_000


def motion_of(model: VariationModel | PaperModel, decoded: Any, name: str) -> Motion:
    """Return what a model made as a motion; plain rows become a stroke, whose dimensions are the DOFs."""
    if isinstance(decoded, np.ndarray):
        return Stroke(decoded, np.arange(len(decoded), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = decoded
    return motion


def begun(model: VariationModel, steer: Steering) -> tuple[Steering, Start]:
    """Return a path relative to its first point and initial direction, and where it begins."""
    travel = model.travel
    assert model.material.recipe is not None
    return from_the_first_point(steer, model.material.recipe, travel)


def judged(
    motion: Motion,
    standard: Standard | None,
    name: str,
    *,
    amount: float | Amount = 1.0,
    rate: float = 1.0,
    followed: Followed | None = None,
    restyled: Sequence[Remark] | None = None,
) -> list[Verdict]:
    """Return the verdict on a motion in a list, which is empty where there is no standard for it.

    `restyled` are the remarks on a translation into a style, which does what the takes do not: it is checked by
    them, and by the takes only in its bones and speeds.
    """
    if standard is None or not isinstance(motion, Clip):
        return []
    verdict = judge(
        motion, standard, amount=amount_of(amount).largest, rate=rate, name=name, same_body=restyled is None
    )
    verdict = verdict._replace(remarks=(*verdict.remarks, *(restyled or ())))
    if followed is not None:
        verdict = off_the_path(verdict, followed.most_off, leg_length(motion.skeleton))
    return [verdict]


def warn_of_amount(amount: float | Amount, warn: Callable[[str], None] | None) -> None:
    """Warn where an amount is larger than what recorded takes do."""
    most = amount_of(amount).largest
    if warn is not None and most > NATURAL:
        warn(f"an amount of {most:g} leaves the range of recorded takes, which ends at about {NATURAL:g}")


PLACES = {"y": [0, 2], "z": [0, 1]}  # columns of the ground, by the axis that points up


def seen_from_its_start(path: Floats, up: str) -> tuple[Floats, Start]:
    """Return a path relative to a body on its first point that faces its first stretch, and where that body is."""
    sign = 1.0 if up == "y" else -1.0  # heading 0 is +z where y is up, and -y where z is
    world = sign * path[:, 1] + 1j * path[:, 0]
    heading = float(np.angle(world[1] - world[0]))
    turned = (world - world[0]) * np.exp(-1j * heading)
    return np.stack([turned.imag, sign * turned.real], axis=1), Start((float(path[0, 0]), float(path[0, 1])), heading)


def placed(clip: Clip, start: Start) -> Clip:
    """Move a clip that begins at the origin, facing forward, to its start."""
    moved = turned(clip, start.heading)
    root = moved.root.copy()
    root[:, PLACES[clip.up]] += start.ground
    return moved.changed(root=root)


def followed_by(path: Floats, motion: Motion) -> Followed | None:
    """Measure how far a body came along a path, and how far off it was."""
    if not isinstance(motion, Clip) or len(motion) < 2:
        return None
    places = motion.root[:, PLACES[motion.up]]
    speed = float(np.linalg.norm(np.diff(places, axis=0), axis=1).mean() / motion.frame_time)
    return followed(Steering(path=path), Travel(speed, 0.0), places, motion.frame_time)


def path_sentence(followed: Sequence[Followed], motion: Motion) -> str:
    """Describe how far along its path a motion came, in the unit of the clip; for several motions, the range."""
    metres = unit_of(motion) if isinstance(motion, Clip) else None
    unit = "of the clip's units" if metres is None else unit_name(metres)
    least, most = min(one.along for one in followed), max(one.along for one in followed)
    gone = f"{most:.4g}" if f"{least:.4g}" == f"{most:.4g}" else f"{least:.4g} to {most:.4g}"
    mean = float(np.mean([one.mean_off for one in followed]))
    return (
        f"followed {gone} of the path's {followed[0].length:.4g} {unit}, "
        f"off by {_plain(mean)} on average and {_plain(max(one.most_off for one in followed))} at most"
    )


def _plain(length: float) -> str:
    """Format a length with two digits, and without an exponent for larger numbers."""
    return f"{length:.0f}" if length >= 10.0 else f"{length:.2g}"
