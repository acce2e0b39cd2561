"""Find clips of two styles with the same content: pairs by speed, turning and the limbs that act (Hsu 2005, §5.2)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import body_poses, facing
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.clip import Clip
from freshtake.motion.edit import heading
from freshtake.motion.features.angles import ground_of
from freshtake.motion.gait import STANDING
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.graphs import best_partners

# Differences that count as a distance of 1:
SPEED = 0.2  # fraction of a folder's usual speed
TURN = np.radians(12.0)  # turn rate, per second
DIRECTION = np.radians(30.0)  # direction of travel relative to the body
ACTING = 0.25  # fraction of the motion in other joints
LIMIT = 3.0  # pairs at a larger distance have different content
OPPOSITE = np.radians(120.0)  # styles whose usual directions differ by more do not share their content
SLOWEST_TURN = np.radians(3.0)  # per second


class Content(NamedTuple):
    """The content of a clip, regardless of its style.

    `speed` over the ground in leg lengths per second; `turn` in radians per second (left is positive); `direction` of
    travel relative to the heading in radians; `acting` (joints,), the distribution of motion over the joints.
    """

    speed: float
    turn: float
    direction: float
    acting: Floats


class Match(NamedTuple):
    """A source and a target clip by number, their contents, and the distance between the contents (0: the same)."""

    source: int
    target: int
    apart: float
    contents: tuple[Content, Content]


def content(clip: Clip) -> Content:
    """Measure speed, turn rate, direction of travel and the joints that act."""
    # The body faces where its hips or shoulders face; without these, where its root faces.
    body, time = facing(clip), np.arange(len(clip)) * clip.frame_time
    angle = heading(clip) if body is None else np.unwrap(body)
    places = ground_of(clip.positions()[:, pelvis(clip.skeleton)], clip.up) / leg_length(clip.skeleton)
    ahead = np.diff(places) * np.exp(-1j * angle[:-1])
    travel = complex(ahead.sum()) / max(float(time[-1]), clip.frame_time)
    still = abs(travel) < STANDING
    moving = np.linalg.norm(np.diff(body_poses(clip), axis=0), axis=-1).sum(axis=0)
    return Content(
        0.0 if still else abs(travel),
        float(np.polyfit(time, angle, 1)[0]) if len(clip) > 2 else 0.0,
        0.0 if still else float(np.angle(travel)),
        np.asarray(moving / max(float(moving.sum()), 1e-12)),
    )


@one_blas_thread()
def match(
    sources: Sequence[Clip], targets: Sequence[Clip], *, every: bool = False, limit: float = LIMIT
) -> list[Match]:
    """Pair clips with the same content.

    Speed, direction and acting joints are compared relative to what is usual among the clips of the same style, since
    the style itself changes them (a crouched walk is slower); turning is compared directly.

    Args:
        sources: Clips of one style.
        targets: Clips of the other style.
        every: Whether to return all pairs within the limit; otherwise each clip is used at most once, such that the sum
            of distances is minimal.
        limit: The maximum distance between contents, 0 being the same.

    Returns:
        The pairs in the order of the sources.
    """
    if not sources or not targets:
        raise UsageError("pairs need at least one clip of each style")
    for clip in (*sources, *targets):
        require_compatible(sources[0].skeleton, clip.skeleton, sources[0].name or "a clip", clip.name or "another clip")
    contents = [content(clip) for clip in sources], [content(clip) for clip in targets]
    distances = content_distances(*contents)
    pairs = np.argwhere(distances <= limit) if every else _assigned(distances, limit)
    if len(pairs) == 0:
        raise UsageError(_nothing_matches(sources, targets, contents, distances))
    return [
        Match(int(i), int(j), float(distances[i, j]), (contents[0][i], contents[1][j]))
        for i, j in sorted(pairs.tolist())
    ]


def content_distances(sources: Sequence[Content], targets: Sequence[Content]) -> Floats:
    """Measure the distances between contents (sources, targets)."""
    directions = _usual_direction(sources), _usual_direction(targets)
    opposite = abs(np.angle(np.exp(1j * (directions[0] - directions[1])))) > OPPOSITE
    several = min(len(sources), len(targets)) > 1
    rows = [
        _comparable(contents, 0.0 if opposite else direction, several)
        for contents, direction in zip((sources, targets), directions, strict=True)
    ]
    away = rows[0][:, None] - rows[1][None]
    # Directions wrap: just left and just right of backwards are neighbors.
    away[..., 2] = (away[..., 2] + np.pi / DIRECTION) % (2.0 * np.pi / DIRECTION) - np.pi / DIRECTION
    return np.asarray(np.sqrt((away * away).sum(axis=-1)))


def _usual_direction(contents: Sequence[Content]) -> float:
    return float(np.angle(np.exp(1j * np.array([c.direction for c in contents])).sum()))


def _comparable(contents: Sequence[Content], direction: float, several: bool) -> Floats:
    """Return rows in comparable units, relative to the usual values of the set if there are any."""
    speeds = np.array([c.speed for c in contents])
    usual = float(np.median(speeds))
    acting = np.stack([c.acting for c in contents])
    columns = [
        (speeds / usual if usual > 0.0 else speeds) / SPEED,
        np.array([c.turn for c in contents]) / TURN,
        (np.array([c.direction for c in contents]) - direction) / DIRECTION,
    ]
    acting = (acting - acting.mean(axis=0) if several else acting) / ACTING
    return np.concatenate([np.stack(columns, axis=1), acting], axis=1)


def _assigned(distances: Floats, limit: float) -> Ints:
    """Find pairs (k, 2) with each row and column at most once, with minimum total distance, all within the limit."""
    # Pairs beyond the limit cost the same, so a clip without a match does not pull the others away from their partners.
    rows, columns = best_partners(np.minimum(distances, 2.0 * limit))
    pairs = np.stack([rows, columns], axis=1)
    return np.asarray(pairs[distances[rows, columns] <= limit], dtype=np.intp)


def _nothing_matches(
    sources: Sequence[Clip], targets: Sequence[Clip], contents: tuple[list[Content], list[Content]], distances: Floats
) -> str:
    i, j = (int(k) for k in np.unravel_index(int(distances.argmin()), distances.shape))
    first, second = described(contents[0][i]), described(contents[1][j])
    names = sources[i].name or "a source clip", targets[j].name or "a target clip"
    return (
        f"no clip has the same content in both styles: the closest are {names[0]} ({first}) and {names[1]} ({second}); "
        "give clips of the same actions, or pair them by order"
    )


def described(what: Content) -> str:
    """Describe speed and turning in words."""
    if what.speed == 0.0:
        pace = "in place"
    else:
        away = abs(np.degrees(what.direction))
        direction = "forwards" if away < 45 else "backwards" if away > 135 else "sideways"
        pace = f"{what.speed:.2f} leg lengths/s {direction}"
    if abs(what.turn) < SLOWEST_TURN:
        return f"{pace}, straight"
    return f"{pace}, {abs(np.degrees(what.turn)):.0f}°/s to the {'left' if what.turn > 0 else 'right'}"
