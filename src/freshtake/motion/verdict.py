"""Check whether a motion is fit for use, with the same few checks for every method.

The takes set the standard. A motion is green if it stays within the range of the takes; amber if it can be used, but a
sentence states where to look; red if no body moves like this: commands write a red motion only on request.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.body.rooting import rooted_like
from freshtake.motion.body_limits import BEND, DEPTH, PEAK, BodyCheck, BodyLimits, Figure, learn_limits, targets
from freshtake.motion.clip import Clip
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.gait import STANDING, Gait
from freshtake.motion.planting.contacts import LIFTED, NEAR_FLOOR, floor_heights, foot_contacts
from freshtake.motion.skeleton import compatible
from freshtake.numeric.arrays import Floats, Ints

GREEN, AMBER, RED = "green", "amber", "red"
# Excess over its limit above which a figure of the body is red: radians, leg lengths, logarithm.
IMPOSSIBLE = {BEND: math.radians(30.0), DEPTH: 0.15, PEAK: math.log(4.0)}
LENGTHENED = (0.005, 0.05)  # leg lengths by which a bone may leave the takes' range: amber, red
DRAW_AGAIN = "try another --seed or less --amount"
# Larger values are a sign of a damaged model: body lengths per second, body lengths from the origin, any number.
FLUNG = (100.0, 1e6, 1e7)
NUMBERS = ("positions", "points", "vertices")  # the arrays of motions without bones
SLIDES = (1.5, 0.05)  # factor over the takes' speed of feet near the floor, and legs per second in addition
# A changed gait, compared with its source: amber, red.
GAIT_STRIDES = (0.1, 0.5)  # fraction of missing or additional strides
GAIT_FACTORS = {"slide": (1.3, 2.5), "jerk": (1.5, 3.0), "pace": (1.35, 2.0)}

M = TypeVar("M")


class Remark(NamedTuple):
    """One fault: the check that failed, how serious it is, a description, the frame, and what to do about it."""

    check: str
    color: str
    what: str
    frame: int | None
    remedy: str


class Verdict(NamedTuple):
    """All remarks on one motion."""

    name: str
    remarks: tuple[Remark, ...] = ()

    @property
    def color(self) -> str:
        """The worst color of all remarks; green if there are none."""
        colors = {remark.color for remark in self.remarks}
        return RED if RED in colors else AMBER if AMBER in colors else GREEN

    @property
    def sentences(self) -> list[str]:
        """The remarks in words, worst first."""
        return [
            f"{self.name}{'' if remark.frame is None else f', frame {remark.frame}'}: {remark.what}; {remark.remedy}"
            for remark in self.worst_first
        ]

    @property
    def worst_first(self) -> list[Remark]:
        """The remarks, red ones first."""
        return sorted(self.remarks, key=lambda remark: remark.color != RED)

    def as_dict(self) -> dict[str, Any]:
        """Return the color and the remarks in words, for JSON."""
        return {"color": self.color, "remarks": self.sentences}


@dataclass(frozen=True, eq=False)
class Standard:
    """The standard that takes set, learned by `standard_of`; lengths are in leg lengths of their body.

    `shortest` and `longest` (joints,) are the distances of joints from their parents, `fastest` the highest speed of a
    joint, `floor` (foot joints,) the heights of planted feet, `slide` the mean speed of feet near the floor, `hover`
    the height of the lowest foot joint above the floor.
    """

    first: Clip
    limits: BodyLimits
    shortest: Floats
    longest: Floats
    fastest: float
    floor: Floats
    slide: float
    hover: float


def standard_of(takes: Sequence[Clip], limits: BodyLimits | None = None) -> Standard:
    """Learn the limits of a body's motions from takes on one skeleton; `limits` come from `learn_limits`."""
    if not takes:
        raise UsageError("a motion is checked against takes: give at least one")
    lengths = [_lengths(take) for take in takes]
    # Without contacts in any take, as with swimmers, there is no floor.
    floor = floor_heights(takes) if any(foot_contacts(take) for take in takes) else np.zeros(0)
    placed = [(take, take.positions()) for take in takes]
    return Standard(
        takes[0], limits or learn_limits(takes),
        np.min([rows.min(axis=0) for rows in lengths], axis=0), np.max([rows.max(axis=0) for rows in lengths], axis=0),
        max(float(_speeds(*take).max(initial=0.0)) for take in placed), floor,
        max(_slide(*take, floor)[0] for take in placed), max(_hover(*take, floor) for take in placed),
    )  # fmt: skip


def assess(
    clip: Clip,
    standard: Standard,
    *,
    amount: float = 1.0,
    rate: float = 1.0,
    same_body: bool = True,
    name: str = "",
    remedy: str = DRAW_AGAIN,
) -> Verdict:
    """Compare a motion with its takes, and return a remark on the worst frame of each check that fails.

    `amount` is the amount of variation with which the motion was drawn, `rate` its requested pace relative to the
    takes. A motion of another body than the takes' (`same_body` false) only has to keep its bones and must not be
    faster. `remedy` is the advice for a body that exceeds its limits; `name` names the motion, by default with the
    clip's name.
    """
    if not (np.isfinite(clip.root).all() and np.isfinite(clip.rotations).all()):
        frame = int(np.argmin(np.isfinite(clip.root).all(axis=1) & np.isfinite(clip.rotations).all(axis=(1, 2))))
        return Verdict(name or clip.name, (Remark("finite", RED, "a number is not finite", frame, "report it"),))
    take = standard.first
    same = same_body and compatible(clip.skeleton, take.skeleton)
    if same and not (clip.skeleton is take.skeleton and clip.up == take.up):  # variants have the takes' skeleton
        # A converted file is checked with the axis, unit and root of the takes. A body that only has different
        # proportions is not scaled: units differ by more.
        clip = rooted_like(with_up(clip, take.up), take.skeleton)
        size = leg_length(take.skeleton) / leg_length(clip.skeleton)
        clip = clip if 0.5 < size < 2.0 else scaled(clip, size)
    places = clip.positions()
    remarks = [_too_fast(clip, places, standard, rate, remedy), _lengthened(clip, standard, same)]
    if same:
        remarks += _body(standard.limits.check(clip, amount=amount, rate=rate), remedy)
        hover = _hover(clip, places, standard.floor)
        if hover > standard.hover + LIFTED:
            what = f"no foot comes nearer to the floor than {100 * hover:.0f} % of a leg"
            remarks.append(Remark("floor", AMBER, what, 0, "put it on the floor with freshtake plant"))
        remarks.append(_sliding(clip, places, standard, rate))
    return Verdict(name or clip.name or "the motion", tuple(filter(None, remarks)))


def require_possible(verdicts: Sequence[Verdict], keep_going: bool, warn: Callable[[str], None] | None) -> None:
    """Refuse motions that no body could make, unless `keep_going`; report all other remarks by kind."""

    def first_of(sentences: list[str]) -> str:
        if len(sentences) == 1:
            return sentences[0]
        of = f" of {len(verdicts)}" if len(sentences) <= len(verdicts) else ""  # one motion may have several remarks
        return f"{sentences[0]} (and {len(sentences) - 1} more{of})"

    red = [verdict.sentences[0] for verdict in verdicts if verdict.color == RED]
    if red and not keep_going:
        raise UsageError(f"{first_of(red)}; --keep-going writes it anyway")
    if warn is None:
        return
    by_check: dict[str, list[str]] = {}
    for verdict in verdicts:
        for remark, sentence in zip(verdict.worst_first, verdict.sentences, strict=True):
            by_check.setdefault(remark.check, []).append(sentence)
    for sentences in by_check.values():
        warn(first_of(sentences))


def require_unflung(motion: M, *, resumed: bool = False) -> M:
    """Return a model's result, or refuse it if the body is flung about: then the model file is damaged.

    A `resumed` result continues a motion, which may already have traveled any distance.
    """
    if not isinstance(motion, Clip):
        numbers: Any = next((getattr(motion, name) for name in NUMBERS if hasattr(motion, name)), motion)
        if resumed and numbers.ndim == 3 and len(numbers):
            numbers = numbers - numbers[:1, :1]
        if bool((np.abs(numbers) > FLUNG[2]).any()):  # a gap in a marker is NaN, which never compares as larger
            raise UsageError("this model makes numbers that no recording has: it is damaged, so learn it again")
        return motion
    size = float(np.linalg.norm(motion.skeleton.offsets, axis=1).sum())
    if size == 0.0 or len(motion) == 0:
        return motion
    step = float(np.abs(np.diff(motion.root, axis=0)).max(initial=0.0))
    # A walk that streams for a day is a hundred kilometers from the origin, which is not a sign of damage.
    farthest = float(np.abs(motion.root - motion.root[0] if resumed else motion.root).max())
    if step > max(FLUNG[0] * motion.frame_time, 1.0) * size or farthest > min(FLUNG[1] * size, FLUNG[2]):
        raise UsageError("this model flings the body about as no body moves: it is damaged, so learn it again")
    return motion


def check_result(
    motion: Any,
    takes: Sequence[Any],
    *,
    name: str,
    keep_going: bool,
    warn: Callable[[str], None] | None,
    same_body: bool = True,
    most_off: float | None = None,
    remedy: str = DRAW_AGAIN,
    more: Sequence[Remark] = (),
) -> list[Verdict]:
    """Check a motion of any method against its takes, refuse what no body could do, and return a list of one verdict.

    The list is empty for motions without a skeleton. `most_off` is the largest distance of the motion from its path, in
    its unit of length; `more` are remarks of the method itself, such as `gait_remarks`; for the others see `assess` and
    `require_possible`.
    """
    clips = [take for take in takes if isinstance(take, Clip)]
    if not clips or not isinstance(motion, Clip):
        return []
    verdict = assess(motion, standard_of(clips), same_body=same_body, name=name, remedy=remedy)
    verdict = verdict._replace(remarks=(*verdict.remarks, *more))
    if most_off is not None:
        verdict = off_the_path(verdict, most_off, leg_length(motion.skeleton))
    require_possible([verdict], keep_going, warn)
    return [verdict]


def verdict_line(verdicts: Sequence[Verdict], what: str) -> str:
    """Return the verdict in one line: how many motions passed all checks."""
    green = sum(verdict.color == GREEN for verdict in verdicts)
    if green == len(verdicts):
        return f"checked {what}: bodies, floor, feet, speeds and jolts are as in the takes"
    share = f"{green} of {len(verdicts)} are" if len(verdicts) > 1 else "not all is"
    return f"checked {what}: {share} as in the takes; see the notes"


def off_the_path(verdict: Verdict, most_off: float, leg: float) -> Verdict:
    """Add a remark if a motion is farther off its path than a step, about a leg length."""
    if most_off <= leg:
        return verdict
    what = f"it is up to {most_off / leg:.1f} leg lengths off its path"
    remark = Remark("path", AMBER, what, None, "give it wider curves, or takes that turn as it does")
    return verdict._replace(remarks=(*verdict.remarks, remark))


def gait_remarks(new: Gait, source: Gait, taught: tuple[Gait, Gait] | None, share: float | None = 1.0) -> list[Remark]:
    """Compare a changed gait with its source and with the takes from which the change was learned.

    `taught` are mean gaits of the takes before and after the change, None if they are unknown; `share` is the requested
    fraction of the change, None if the speed cannot be predicted.
    """
    after = source if taught is None else taught[1]
    remarks: list[Remark] = []

    def compare(check: str, value: float, limits: tuple[float, float], what: str, remedy: str) -> None:
        if value > limits[0]:
            remarks.append(Remark(check, AMBER if value <= limits[1] else RED, what, None, remedy))

    lost = abs(new.strides - source.strides)
    # One step more or less depends on how the ends are cut; a body that stays on the spot may step into a stronger
    # punch.
    if lost > 0.5 and source.speed > STANDING:
        what = f"{source.strides:g} strides became {new.strides:g}"
        remedy = "give takes of both kinds with the same number of cycles"
        compare("strides", lost / max(source.strides, 0.5), GAIT_STRIDES, what, remedy)
    slides = [f"{100 * gait.slide:.0f}" for gait in (new, source, after)]
    what = f"feet slide at {slides[0]} % of a leg a second, in the clip at {slides[1]}, in the takes at {slides[2]}"
    remedy = "give more pairs, or pairs that move and turn like the clip"
    compare("feet", new.slide / max(source.slide, after.slide, SLIDES[1]), GAIT_FACTORS["slide"], what, remedy)
    shaking = new.jerk / max(source.jerk, after.jerk, 1e-9)
    what = f"it shakes {shaking:.1f} times as much as the takes"
    compare("jerk", shaking, GAIT_FACTORS["jerk"], what, "give more takes, or a clip that is more like them")
    if share is not None and taught is not None and min(source.speed, taught[0].speed) > STANDING:
        expected = source.speed * (after.speed / taught[0].speed) ** min(share, 1.0)
        off = max(new.speed, 1e-3) / max(expected, 1e-3)
        what = f"it moves at {new.speed:.2f} leg lengths a second, but {expected:.2f} were expected"
        remedy = "--speed source or --speed style sets it"
        compare("pace", max(off, 1.0 / off), GAIT_FACTORS["pace"], what, remedy)
    return remarks


def _too_fast(clip: Clip, places: Floats, standard: Standard, rate: float, remedy: str) -> Remark | None:
    speeds = _speeds(clip, places)
    fastest = float(speeds.max(initial=0.0))
    # Ten lengths a second are possible for any body; above that, the takes set the limit.
    if fastest <= max(20.0, 2.0 * standard.fastest * max(rate, 1.0)):
        return None
    frame, joint = np.unravel_index(int(speeds.argmax()), speeds.shape)
    name = clip.skeleton.names[clip.skeleton.body()[int(joint)]]
    what = f"{name} moves at {fastest:.0f} leg lengths a second, in the takes at most "
    return Remark("speed", RED, f"{what}{standard.fastest:.1f}", int(frame), remedy)


def _lengthened(clip: Clip, standard: Standard, same: bool) -> Remark | None:
    """Find bones that leave the range of the takes, or, if the takes are another body's, bones that change."""
    lengths = _lengths(clip)
    low, high = (standard.shortest, standard.longest) if same else (lengths[:1], lengths[:1])
    off = np.maximum(lengths - high, low - lengths)
    off[:, sorted({0, *targets(clip.skeleton)})] = 0.0
    worst = float(off.max(initial=0.0))
    if worst <= LENGTHENED[0]:
        return None
    frame, joint = np.unravel_index(int(off.argmax()), off.shape)
    name, color = clip.skeleton.names[int(joint)], RED if worst > LENGTHENED[1] else AMBER
    what = f"{name} is {100 * worst:.1f} % of a leg too near to its parent or too far from it"
    return Remark("bones", color, what, int(frame), "check the rig with freshtake info")


def _body(check: BodyCheck, remedy: str) -> list[Remark | None]:
    """Return a remark for each kind of body limit that is exceeded, preferably a red remark."""
    remarks: dict[str, Remark] = {}
    for k, sentence in zip(np.flatnonzero(check.over).tolist(), check.sentences, strict=True):
        figure: Figure = check.figures[k]
        beyond = float(check.measured.values[k] - check.limits[k])
        color = RED if beyond > IMPOSSIBLE.get(figure.kind, math.inf) else AMBER
        remark = Remark(figure.kind, color, sentence, int(check.measured.frames[k]), remedy)
        if figure.kind not in remarks or (color == RED and remarks[figure.kind].color == AMBER):
            remarks[figure.kind] = remark
    return list(remarks.values())


def _sliding(clip: Clip, places: Floats, standard: Standard, rate: float) -> Remark | None:
    slide, frame = _slide(clip, places, standard.floor)
    if slide <= SLIDES[0] * standard.slide * max(rate, 1.0) + SLIDES[1]:
        return None
    speeds = f"{100 * slide:.0f} % of a leg a second, in the takes at {100 * standard.slide:.0f}"
    return Remark("feet", AMBER, f"feet on the floor slide at {speeds}", frame, "plant them with freshtake plant")


def _speeds(clip: Clip, places: Floats) -> Floats:
    """Return (frames - 1, joints of the body): leg lengths per second."""
    moved = np.diff(places[:, clip.skeleton.body()], axis=0)
    return np.asarray(np.linalg.norm(moved, axis=-1) / (clip.frame_time * leg_length(clip.skeleton)))


def _lengths(clip: Clip) -> Floats:
    """Return (frames or 1, joints): distances from the parents in leg lengths."""
    return np.asarray(np.linalg.norm(clip.bone_offsets(), axis=-1) / leg_length(clip.skeleton))


def _foot_joints(clip: Clip) -> Ints:
    return np.array([joint for foot in feet(clip.skeleton) for joint in foot.joints], dtype=np.intp)


def _hover(clip: Clip, places: Floats, floor: Floats) -> float:
    """Return the smallest height of a foot joint above the floor, in leg lengths."""
    if not len(floor):
        return 0.0
    heights = places[:, _foot_joints(clip), clip.up_index] - floor
    return float(heights.min()) / leg_length(clip.skeleton)


def _slide(clip: Clip, places: Floats, floor: Floats) -> tuple[float, int]:
    """Return the mean speed of feet near the floor in two frames, in legs per second, and the frame of the fastest."""
    joints = _foot_joints(clip)
    if not len(floor) or len(clip) < 2:
        return 0.0, 0
    leg, positions = leg_length(clip.skeleton), places[:, joints]
    low = positions[..., clip.up_index] - floor < NEAR_FLOOR * leg
    near = low[1:] & low[:-1]
    moved = np.diff(np.delete(positions, clip.up_index, axis=-1), axis=0)
    speed = np.linalg.norm(moved, axis=-1) / (clip.frame_time * leg)
    if not near.any():
        return 0.0, 0
    return float(speed[near].mean()), int(np.where(near, speed, 0.0).max(axis=1).argmax())
