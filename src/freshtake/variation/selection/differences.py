"""What is different about a take that does not belong, in an animator's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.roles import body_parts, feet
from freshtake.motion.planting.contacts import contact_mask, runs
from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.planting import read_linear
from freshtake.variation.selection.unlike import Compared, Unlike, differ_more_than_they_move, unlike_takes
from freshtake.variation.selection.unlikely import by_phase, least_likely

MOST_PHRASES = 3
WIDER = 0.2  # beyond this share, what differs is how far a part moves
HELD = 0.5  # share of the difference that lasts from start to end, beyond which it is one of posture
SHORTEST_STEP = 0.12  # seconds: shorter ones are a matter of when exactly a foot lands
PAIRS = (("left arm", "right arm", "both arms"), ("left leg", "right leg", "both legs"))


def unlike_notes(takes: Compared, names: Sequence[str]) -> list[str]:
    """Which takes do not belong to the others, and in what (Lau 2009, §9); where none is named, whether all differ."""
    unlike = unlike_takes(takes)
    notes = [
        f"{names[one.number]} is unlike the others: {'; '.join(differences(takes, one))}. Leave it out or add takes "
        "like it"
        for one in unlike
    ]
    if not unlike and differ_more_than_they_move(takes):
        who = " and ".join(names) if len(names) == 2 else "the takes"
        notes.append(
            f"{who} are unlike each other, as different movements are (they differ by more than they move): learn from "
            "takes of one movement, cut where it begins and ends"
        )
    return notes


def differences(takes: Compared, one: Unlike) -> tuple[str, ...]:
    """A few phrases, what differs most first: `it turns by 53 degrees (the others by -3 to 4)`."""
    groups = _paired([aspect for aspect in one.aspects if aspect in takes.parts])
    phrases = []
    for aspect in one.aspects:
        if aspect in takes.figures:
            phrases.append(_figure(takes, one, aspect))
        phrases += [_moves(takes, one, group) for group in groups if group[1][0] == aspect]
    phrases += steps(takes, one)
    return tuple((phrases or [_moves(takes, one, ("it", []))])[:MOST_PHRASES])


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
    """Parts with what they are called; left and right together where both differ."""
    named_groups: list[tuple[str, list[str]]] = []
    for part in parts:
        both = next((pair for pair in PAIRS if part in pair and pair[0] in parts and pair[1] in parts), None)
        if both is None:
            named_groups.append((f"the {part}", [part]))
        elif both[2] not in [called for called, _ in named_groups]:
            named_groups.append((both[2], [part, both[1] if part == both[0] else both[0]]))
    return named_groups


def _moves(takes: Compared, one: Unlike, group: tuple[str, list[str]]) -> str:
    """How a part of the body moves: farther, held in another way, or where in the movement it differs."""
    called, parts = group
    use: Bools = np.isin(takes.parts, parts) if parts else takes.parts != ""
    take, others = takes.rows[one.number][:, use], takes.rows[list(one.others)][:, :, use]
    s = "" if called.startswith("both") else "s"
    verb = f"swing{s}" if called.endswith(("arm", "arms", "leg", "legs")) else f"move{s}"
    sizes = np.array([_extent(x) for x in others])
    share = _extent(take) / max(float(sizes.mean()), 1e-12) - 1.0
    if abs(share) > WIDER and not sizes.min() <= _extent(take) <= sizes.max():
        wider = f"{100 * share:.0f} % wider" if share < 1.0 else f"{1.0 + share:.1f} times as wide"
        return f"{called} {verb} {wider if share > 0 else f'{-100 * share:.0f} % less'}"
    deviation = take - others.mean(axis=0)
    if (deviation.mean(axis=0) ** 2).sum() > HELD * (deviation**2).sum(axis=1).mean():
        return f"{called} {'is' if s else 'are'} held differently"
    spot = least_likely(by_phase(deviation**2), [n for n, used in zip(takes.names, use, strict=True) if used])
    if spot is None or spot.throughout:
        return f"{called} {verb} differently throughout"
    return f"{called} {verb} differently at {spot.where}"


def _extent(rows: Floats) -> float:
    return float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))


def steps(takes: Compared, one: Unlike) -> list[str]:
    """Where a foot steps that stands in all others, or stands where it steps in all others."""
    first = takes.motions[one.number]
    if not isinstance(first, Clip) or not feet(first.skeleton):
        return []
    masks = {k: read_linear(contact_mask(takes.motions[k]).astype(float), takes.phase_frames[:, k]) for k in one.others}
    usual = np.mean(list(masks.values()), axis=0)
    stands = read_linear(contact_mask(first).astype(float), takes.phase_frames[:, one.number])
    phrases = []
    for column, foot in enumerate(feet(first.skeleton)):
        for verb, there, odd in (
            ("steps", "stands", (stands < 0.5) & (usual > 0.99)), ("stands", "steps", (stands > 0.5) & (usual < 0.01))
        ):  # fmt: skip
            times = takes.phase_frames[:, one.number] * first.frame_time
            spans = [(times[a], times[b - 1]) for a, b in runs(odd[:, column])]
            longest = max(spans, key=lambda span: span[1] - span[0], default=(0.0, 0.0))
            if longest[1] - longest[0] >= SHORTEST_STEP:
                where = f"at {longest[0]:.1f} s" if longest[0] > 0.0 else "at the beginning"
                phrases.append(f"{_foot(first, foot.ankle)} {verb} {where}, where it {there} in the others")
    return phrases


def _foot(clip: Clip, ankle: int) -> str:
    return f"the {body_parts(clip.skeleton)[ankle].replace('leg', 'foot')}"
