"""Whether a translation is sound: strides, sliding, speed and jerk against its source and the teacher's takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.edit import heading
from freshtake.motion.features.ground import ground_of
from freshtake.motion.verdict import AMBER, GREEN, RED, SLIDES
from freshtake.numeric.arrays import Floats
from freshtake.style.warping.correspondence import STANDING

LEVELS = (GREEN, AMBER, RED)
FACTORS = {"slide": (SLIDES[0], 2.5), "jerk": (1.5, 3.0), "speed": (1.35, 2.0)}  # amber, red: by which factor it is off
STRIDES = (0.1, 0.5)  # share of the source's strides that are missing or too many: amber, red
PASSED = 0.2  # share of the usual step by which an ankle passes the other in a stride
JERK_RATE = 30.0  # frames a second at which jerk is measured


class Gait(NamedTuple):
    """How a clip goes: its strides, its speed in leg lengths a second, how fast feet slide, and its mean jerk.

    `slide` is the mean speed of the slowest foot joint, in leg lengths a second, whatever is taken for a footplant: a
    foot that slides too fast to count as standing slides all the same.
    """

    strides: float
    speed: float
    slide: float
    jerk: float


class Remark(NamedTuple):
    """A level (amber or red) and a sentence."""

    level: str
    text: str


def gait_of(clip: Clip) -> Gait | None:
    """Measure a clip; None where it has no two feet."""
    both, leg = feet(clip.skeleton), leg_length(clip.skeleton)
    if len(both) != 2 or len(clip) < 8:
        return None
    places = clip.positions() / leg
    ground = ground_of(places[:, 0], clip.up)
    stride = max(1, round(0.1 / clip.frame_time))  # swaying within a step is no travel
    way = np.abs(np.diff(ground[::stride])).sum() + abs(ground[-1] - ground[::stride][-1])
    soles = [joint for foot in both for joint in foot.joints]
    slowest = np.linalg.norm(np.diff(places[:, soles], axis=0), axis=-1).min(axis=1) / clip.frame_time
    step = max(1, round(clip.fps / JERK_RATE))
    third = np.linalg.norm(np.diff(places[::step], 3, axis=0), axis=-1) / (step * clip.frame_time) ** 3
    ahead = (ground_of(places[:, both[0].ankle] - places[:, both[1].ankle], clip.up) * np.exp(-1j * heading(clip))).real
    return Gait(
        float(_strides(ahead)), float(way / clip.duration), float(slowest.mean()),
        float(third.mean()) if third.size else 0.0,
    )  # fmt: skip


def _strides(ahead: Floats) -> int:
    """Count how often an ankle passes the other one, by a share of the clip's usual step and more."""
    least = PASSED * float(np.percentile(np.abs(ahead), 90))
    sides = np.sign(ahead[np.abs(ahead) > max(least, 1e-9)])
    return int(((sides[1:] > 0) & (sides[:-1] < 0)).sum())


def mean_gait(gaits: Sequence[Gait | None]) -> Gait | None:
    """Return the mean over clips; None where one of them has no gait."""
    known = [gait for gait in gaits if gait is not None]
    return Gait(*np.mean(known, axis=0).tolist()) if known and len(known) == len(gaits) else None


def remarks_on(
    made: Gait, source: Gait, teacher: tuple[Gait, Gait] | None, strength: float | None = 1.0
) -> list[Remark]:
    """Compare a translation with its source and with the takes that taught the style; nothing is said of a sound one.

    Args:
        made: the gait of the translation.
        source: that of the clip that was translated.
        teacher: mean gaits of the source style and of the target style in the examples, if they are known.
        strength: of the style; None where parts of the body have different ones, and speeds cannot be foreseen.
    """
    taught = teacher[1] if teacher is not None else source
    found = []
    lost = abs(made.strides - source.strides)
    if lost > 1 and (level := _level(lost / max(source.strides, 1.0), STRIDES)):
        found.append(Remark(level, f"{source.strides:.0f} strides became {made.strides:.0f}"))
    usual = max(source.slide, taught.slide, SLIDES[1])
    if level := _level(made.slide / usual, FACTORS["slide"]):
        found.append(
            Remark(
                level,
                f"feet that stand slide by {made.slide:.2f} leg lengths a second ({source.slide:.2f} in the clip, "
                f"{taught.slide:.2f} in the takes of the style)",
            )
        )
    if level := _level(made.jerk / max(source.jerk, taught.jerk, 1e-9), FACTORS["jerk"]):
        found.append(Remark(level, f"it shakes {made.jerk / max(source.jerk, taught.jerk, 1e-9):.1f} times as much"))
    if strength is not None and source.speed > STANDING and teacher is not None and teacher[0].speed > STANDING:
        expected = source.speed * (taught.speed / teacher[0].speed) ** min(strength, 1.0)
        off = max(made.speed, 1e-3) / max(expected, 1e-3)
        if level := _level(max(off, 1.0 / off), FACTORS["speed"]):
            found.append(
                Remark(level, f"it goes at {made.speed:.2f} leg lengths a second, where {expected:.2f} were expected")
            )
    return found


def _level(value: float, limits: tuple[float, float]) -> str:
    """Return the level that a value has reached; nothing below the first limit."""
    return "" if value <= limits[0] else LEVELS[1] if value <= limits[1] else LEVELS[2]


def worst(remarks: Sequence[Remark]) -> str:
    """Return the highest level among remarks; green where there are none."""
    return max((remark.level for remark in remarks), key=LEVELS.index, default=LEVELS[0])
