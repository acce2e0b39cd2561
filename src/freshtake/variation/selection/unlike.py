"""Find takes that do not belong: the distance of each from the others, relative to the others' spread.

Lau 2009 (§9) compares takes by likelihood. With three to five takes, likelihoods say little about what is usual. Here
every take is left out in turn, and its distance from the mean of the others is compared with their spread by an F test,
body part by body part. No network is needed, so the cost is that of one alignment.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion import Clip, Stroke
from freshtake.motion.body.orientation import facing
from freshtake.motion.body.roles import body_parts, feet, leg_length
from freshtake.motion.features.angles import ground_of
from freshtake.motion.planting.contacts import contact_mask
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs
from freshtake.numeric.distributions import f_beyond
from freshtake.variation.examples import Material
from freshtake.variation.phase import read_at, read_linear
from freshtake.variation.selection.candidates import by_phase, least_likely

Strings = npt.NDArray[np.str_]
CHANCE = 0.01  # probability of a warning if all takes belong together
LEAST_TAKES = 3
# The number of independent values in a difference between takes: fitted to recorded takes that belong together
# (walk, swim, cheering, throw, jump), and lower than the best fit because their tails are heavier.
PART_FREEDOM, WHOLE_FREEDOM = 4.0, 8.0
# The usual difference between takes per unit of the difference between their poses (as a fraction of the movement's
# extent), and how many takes this is worth next to the given takes: also from recorded takes.
WORTH = 4.0
USUAL = {"duration": 0.15, "turn": 20.0, "travel": 0.3}


class Compared(NamedTuple):
    """Takes side by side at common phases."""

    motions: Sequence[Any]
    rows: Floats  # (takes, phases, DOFs) in units of the extent of the movement
    parts: Strings  # (DOFs,): the part of the body, "" for DOFs that are not a pose
    names: tuple[str, ...]  # names of the DOFs
    phase_frames: Floats  # (phases, takes): the frame of each take at each phase
    figures: dict[str, Floats]  # (takes,) each, keys of USUAL: log of seconds, degrees, leg lengths from start to end


class Unlike(NamedTuple):
    """A take that does not belong: the probability that one that belongs differs as much, the aspects, the others."""

    number: int
    chance: float
    aspects: tuple[str, ...]
    others: tuple[int, ...]


def compared(motions: Sequence[Any], material: Material, phase_frames: Floats, known: int | None = None) -> Compared:
    """Return takes of one material at the common phases of `phase_frames` (phases, takes).

    The extent of the movement is measured on the first `known` takes, by default on all takes.
    """
    rows = np.stack([read_at(x * material.weights, phase_frames[:, k]) for k, x in enumerate(material.values)])
    usual = np.median(rows[:known], axis=0)
    extent = np.sqrt(((usual - usual.mean(axis=0)) ** 2).sum(axis=1).mean())
    return Compared(
        motions, rows / max(float(extent), 1e-12), _parts(motions[0], material), material.names, phase_frames,
        _figures(motions),
    )  # fmt: skip


def _parts(first: Any, material: Material) -> Strings:
    whole = dict(zip(first.skeleton.names, body_parts(first.skeleton), strict=True)) if isinstance(first, Clip) else {}
    return np.where(material.pose_dofs, np.array([whole.get(owner, "shape") for owner in material.owners]), "")


def _figures(motions: Sequence[Any]) -> dict[str, Floats]:
    """Return figures of entire takes by name: duration, and for bodies travel and turn.

    A pen's speed is not part of what it writes, and rows have no timing.
    """
    if isinstance(motions[0], Stroke | np.ndarray):
        return {}
    figures = {"duration": np.log([max(float(motion.duration), 1e-9) for motion in motions])}
    if isinstance(motions[0], Clip):
        ends = [ground_of(clip.root[[0, -1]], clip.up) / leg_length(clip.skeleton) for clip in motions]
        figures["travel"] = np.array([float(abs(there - here)) for here, there in ends])
        ways = [way for clip in motions if (way := facing(clip)) is not None]
        if len(ways) == len(motions):
            figures["turn"] = np.array([np.degrees(np.unwrap(way)[[0, -1]] @ [-1.0, 1.0]) for way in ways])
    return figures


def leave_one_out(values: Floats) -> tuple[Floats, Floats]:
    """Return (takes,) each: squared distance of a take from the mean of the others, and the others' variance.

    The distance is divided by 1 + 1 / others, so both are equal on average if the take belongs.
    """
    n = len(values)
    squared = ((values - values.mean(axis=0)) ** 2).reshape(n, -1).sum(axis=1) * n / (n - 1)
    return squared, np.maximum(squared.sum() * (n - 1) / n - squared, 0.0) / (n - 2)


def chances(takes: Compared, who: Sequence[int]) -> dict[str, Floats]:
    """Return, by aspect, the probability that a take that belongs is as far from the others as each of these takes."""
    rows, others = takes.rows[list(who)] / np.sqrt(takes.rows.shape[1]), len(who) - 2.0
    parts = [part for part in dict.fromkeys(takes.parts.tolist()) if part]
    # as a fraction of the extent: half of the difference between walks, the most similar of the recorded takes
    least = 0.085**2
    squared, whole = leave_one_out(rows[:, :, takes.parts != ""])
    whole = np.maximum(whole, least)
    # the value for motions without parts is fitted to handwritten letters
    freedom = WHOLE_FREEDOM if len(parts) > 1 else 2.0
    table = {"whole": f_beyond(freedom, freedom * others, squared / whole)}
    for part in parts if len(parts) > 1 else []:
        squared, spread = leave_one_out(rows[:, :, takes.parts == part])
        ratio = squared / np.maximum(spread, least / len(parts))
        table[part] = f_beyond(PART_FREEDOM, PART_FREEDOM * others, ratio)
    for name, values in takes.figures.items():
        squared, spread = leave_one_out(values[list(who)])
        expected = (WORTH * USUAL[name] ** 2 * whole + others * spread) / (WORTH + others)
        table[name] = f_beyond(1.0, WORTH + others, squared / expected)
    return table


def unlike_takes(
    takes: Compared, some: Sequence[int] | None = None, recordings: Sequence[int] | None = None
) -> list[Unlike]:
    """Return the takes that do not belong, farthest first.

    The takes closest to each other, just over half of them, are trusted. As long as one of the rest could be an
    additional take of the same kind, the nearest is trusted too, so several odd takes cannot vouch for one another. All
    takes are examined, or only `some`; with fewer than three, none can be called unlike. If takes are cycles cut from
    `recordings`, which gives each take's recording by number, every recording has one vote: otherwise the cycles of a
    long recording would outvote three short ones.
    """
    who = list(range(len(takes.rows)) if some is None else some)
    if len(who) < LEAST_TAKES:
        return []
    voices = who if recordings is None else [who[recordings.index(number)] for number in dict.fromkeys(recordings)]
    core = _nearest_half(takes, voices if len(voices) >= LEAST_TAKES else who)
    rest = [k for k in who if k not in core]
    while rest:
        unlike = sorted((unlikeness_of(takes, k, core, CHANCE) for k in rest), key=lambda one: one.chance)
        belong = sorted((one for one in unlike if one.chance >= CHANCE), key=lambda one: -one.chance)
        if not belong:
            return unlike
        core += [one.number for one in belong[: (len(belong) + 1) // 2]]
        rest = [k for k in rest if k not in core]
    return []


def two_groups(takes: Compared, chance: float) -> tuple[list[int], list[int]] | None:
    """Return two groups of takes if each take of one is unlike all takes of the other, below this probability.

    `unlike_takes` trusts just over half of the takes, which with two equal groups is one group and a stranger.
    """
    squared = _apart(takes, range(len(takes.rows)))
    first, second = np.unravel_index(int(squared.argmax()), squared.shape)
    nearer_first = squared[:, first] <= squared[:, second]
    groups = np.flatnonzero(nearer_first).tolist(), np.flatnonzero(~nearer_first).tolist()
    if min(len(group) for group in groups) < LEAST_TAKES - 1:
        return None
    for group, others in (groups, groups[::-1]):
        if any(unlikeness_of(takes, k, group, chance).chance >= chance for k in others):
            return None
    return groups if groups[0][0] == 0 else groups[::-1]


def _apart(takes: Compared, who: Sequence[int]) -> Floats:
    """Return (takes, takes): squared distances between these takes, in poses and figures."""
    rows = takes.rows[list(who)][:, :, takes.parts != ""].reshape(len(who), -1) / np.sqrt(takes.rows.shape[1])
    figures = [values[list(who)] / USUAL[name] for name, values in takes.figures.items()]
    rows = np.column_stack([rows, *figures])
    rows -= rows.mean(axis=0)
    products = rows @ rows.T
    return np.asarray(products.diagonal()[:, None] + products.diagonal() - 2.0 * products)


def _nearest_half(takes: Compared, who: Sequence[int]) -> list[int]:
    """Return the take with the nearest neighbours, and these neighbours: just over half of all."""
    squared = _apart(takes, who)
    count = len(who) // 2 + 1
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :count]
    middle = int(np.take_along_axis(squared, nearest, axis=1).sum(axis=1).argmin())
    return [who[k] for k in nearest[middle].tolist()]


def unlikeness_of(takes: Compared, number: int, others: Sequence[int], limit: float) -> Unlike:
    """Return how unlike a take is to others, and the aspects less likely than `limit`, least likely first.

    Probabilities are multiplied by the number of aspects, since one of many may be small by chance.
    """
    table = {name: float(values[-1]) for name, values in chances(takes, [*others, number]).items()}
    aspects = sorted((name for name in table if table[name] * len(table) < limit), key=lambda name: table[name])
    return Unlike(number, min(min(table.values()) * len(table), 1.0), tuple(aspects), tuple(sorted(others)))


def differ_more_than_they_move(takes: Compared) -> bool:
    """Return whether takes differ more from one another than they move, as movements with little in common do."""
    rows = takes.rows[:, :, takes.parts != ""]
    if len(rows) < 2:
        return False
    between = ((rows - rows.mean(axis=0)) ** 2).sum() / (len(rows) - 1)
    moves = ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum() / len(rows)
    return bool(between > moves)


PAIRS = (("left arm", "right arm", "both arms"), ("left leg", "right leg", "both legs"))


def differences(takes: Compared, one: Unlike) -> tuple[str, ...]:
    """Return a few phrases, starting with the largest difference: `it turns by 53 degrees (the others by -3 to 4)`."""
    groups = _paired([aspect for aspect in one.aspects if aspect in takes.parts])
    phrases = []
    for aspect in one.aspects:
        if aspect in takes.figures:
            phrases.append(_figure(takes, one, aspect))
        phrases += [_moves(takes, one, group) for group in groups if group[1][0] == aspect]
    phrases += steps(takes, one)
    # One sentence has room for three phrases.
    return tuple((phrases or [_moves(takes, one, ("it", []))])[:3])


def _figure(takes: Compared, one: Unlike, aspect: str) -> str:
    value, others = takes.figures[aspect][one.number], takes.figures[aspect][list(one.others)]
    if aspect == "turn":
        return f"it turns by {round(value)} degrees (the others by {round(others.min())} to {round(others.max())})"
    if aspect == "travel":
        return f"it travels {value:.1f} leg lengths (the others {others.min():.1f} to {others.max():.1f})"
    share = float(np.exp(value - others.mean())) - 1.0
    value, least, most = np.exp([value, others.min(), others.max()])
    how = "slower" if share > 0 else "faster"
    return f"it is {100 * abs(share):.0f} % {how} ({value:.2f} s, the others {least:.2f} to {most:.2f} s)"


def _paired(parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return parts with their names; left and right together if both differ."""
    named_groups: list[tuple[str, list[str]]] = []
    for part in parts:
        both = next((pair for pair in PAIRS if part in pair and pair[0] in parts and pair[1] in parts), None)
        if both is None:
            named_groups.append((f"the {part}", [part]))
        elif both[2] not in [called for called, _ in named_groups]:
            named_groups.append((both[2], [part, both[1] if part == both[0] else both[0]]))
    return named_groups


def _moves(takes: Compared, one: Unlike, group: tuple[str, list[str]]) -> str:
    """Return how a part of the body moves: farther, in another posture, or differently somewhere in the movement."""
    called, parts = group
    use: Bools = np.isin(takes.parts, parts) if parts else takes.parts != ""
    take, others = takes.rows[one.number][:, use], takes.rows[list(one.others)][:, :, use]
    s = "" if called.startswith("both") else "s"
    verb = f"swing{s}" if called.endswith(("arm", "arms", "leg", "legs")) else f"move{s}"
    sizes = np.array([_extent(x) for x in others])
    share = _extent(take) / max(float(sizes.mean()), 1e-12) - 1.0
    # beyond a fifth, the difference is how far a part moves
    if abs(share) > 0.2 and not sizes.min() <= _extent(take) <= sizes.max():
        wider = f"{100 * share:.0f} % wider" if share < 1.0 else f"{1.0 + share:.1f} times as wide"
        return f"{called} {verb} {wider if share > 0 else f'{-100 * share:.0f} % less'}"
    deviation = take - others.mean(axis=0)
    # if more than half of the difference lasts from start to end, the posture differs
    if (deviation.mean(axis=0) ** 2).sum() > 0.5 * (deviation**2).sum(axis=1).mean():
        return f"{called} {'is' if s else 'are'} held differently"
    spot = least_likely(by_phase(deviation**2), [n for n, used in zip(takes.names, use, strict=True) if used])
    if spot is None or spot.throughout:
        return f"{called} {verb} differently throughout"
    return f"{called} {verb} differently at {spot.where}"


def _extent(rows: Floats) -> float:
    return float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))


def steps(takes: Compared, one: Unlike) -> list[str]:
    """Return where a foot steps while it stands in all others, or stands while it steps in all others."""
    first = takes.motions[one.number]
    if not isinstance(first, Clip) or not feet(first.skeleton):
        return []
    masks = {k: read_linear(contact_mask(takes.motions[k]).astype(float), takes.phase_frames[:, k]) for k in one.others}
    usual = np.mean(list(masks.values()), axis=0)
    stands = read_linear(contact_mask(first).astype(float), takes.phase_frames[:, one.number])
    phrases = []
    for column, foot in enumerate(feet(first.skeleton)):
        name = body_parts(first.skeleton)[foot.ankle].replace("leg", "foot")
        for verb, there, odd in (
            ("steps", "stands", (stands < 0.5) & (usual > 0.99)), ("stands", "steps", (stands > 0.5) & (usual < 0.01))
        ):  # fmt: skip
            times = takes.phase_frames[:, one.number] * first.frame_time
            spans = [(times[a], times[b - 1]) for a, b in runs(odd[:, column])]
            longest = max(spans, key=lambda span: span[1] - span[0], default=(0.0, 0.0))
            # differences below 0.12 s only reflect the exact time at which a foot lands
            if longest[1] - longest[0] >= 0.12:
                where = f"at {longest[0]:.1f} s" if longest[0] > 0.0 else "at the beginning"
                phrases.append(f"the {name} {verb} {where}, where it {there} in the others")
    return phrases
