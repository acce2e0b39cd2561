"""The design of a study (Lau 2009, §8): experiments, conditions, stimuli, and each participant's sequence.

Participants see a random mixture of both conditions, balanced over all participants. The long sequences of experiment
B are at least 15 clips, joined by the same blend in both conditions. In the crowds of experiment C each walker repeats
a clip, and two walkers repeat the same clip (after McDonnell et al. 2008); experiment D shows two motions side by side
(after Vyas and O'Sullivan 2024).
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.seams import BLEND, join
from freshtake.motion.edit import take_frames

EXPERIMENTS = ("A", "B", "C", "D")
CONDITIONS = {
    "A": ("variants", "captured"),
    "B": ("variants", "cycle"),
    "C": ("in step", "out of step"),
    "D": ("variant left", "variant right"),
}
MEASURES = {"A": "naturalness", "B": "repetition", "C": "seconds until clones are found", "D": "choice"}
QUESTIONS = {
    "A": "How natural or human-like is this motion? 1: not at all natural, 9: entirely natural.",
    "B": "How repetitive is this sequence? 1: nothing is repeated, 9: it is the same over and over.",
    "C": "Two of these move exactly alike, no others do. Which two? The score is the seconds until both are found.",
    "D": "Which of the two motions looks more natural? 1: the left one, 2: the right one.",
}
LOWEST, HIGHEST = 1, 9
SEARCH = 60  # seconds after which clones count as not found
SCALES = {"A": (LOWEST, HIGHEST), "B": (LOWEST, HIGHEST), "C": (1, SEARCH), "D": (1, 2)}
WALKERS = 12  # walkers in a crowd with one pair of clones, as in McDonnell et al. 2008
SIMULATED = "simulated"  # prefix of the names of simulated raters; no person's name may have it


class Stimulus(NamedTuple):
    """Something to watch; its name does not reveal its condition. `sources` are the clips it is made of."""

    name: str
    experiment: str
    motion: str
    condition: str
    sources: tuple[str, ...] = ()


class Trial(NamedTuple):
    """One participant watches one stimulus; positions count from 1."""

    participant: str
    position: int
    experiment: str
    motion: str
    stimulus: str


class Rating(NamedTuple):
    """A trial with its score; None if it is missing."""

    participant: str
    position: int
    experiment: str
    motion: str
    stimulus: str
    score: int | None


def check_stimulus(stimulus: Stimulus) -> None:
    """Refuse a stimulus whose experiment or condition does not exist."""
    if stimulus.experiment not in EXPERIMENTS:
        raise UsageError(
            f"stimulus {stimulus.name!r} is of experiment {stimulus.experiment!r}: the experiments are A, B, C and D"
        )
    conditions = CONDITIONS[stimulus.experiment]
    if stimulus.condition not in conditions:
        choices = f"experiment {stimulus.experiment} has {' and '.join(conditions)}"
        raise UsageError(f"stimulus {stimulus.name!r} is of condition {stimulus.condition!r}: {choices}")


def check_rating(rating: Rating) -> None:
    """Refuse a score that is not on the scale."""
    lowest, highest = scale_of(rating.experiment)
    if rating.score is not None and not lowest <= rating.score <= highest:
        scale = f"scores are whole numbers from {lowest} to {highest}"
        raise UsageError(f"the score of {rating.stimulus!r} is {rating.score}: {scale}")


def scale_of(experiment: str) -> tuple[int, int]:
    """Return the lowest and the highest score of an experiment."""
    return SCALES.get(experiment, (LOWEST, HIGHEST))


def clones_of(stimulus: Stimulus) -> set[int]:
    """Return the numbers, from 1, of the two walkers of a crowd that show the same clip."""
    return {k for k, name in enumerate(stimulus.sources, start=1) if stimulus.sources.count(name) > 1}


Block = tuple[str, str]  # experiment and motion
MOST = 1000


def schedule(
    stimuli: Sequence[Stimulus], *, participants: int = 15, trials: int = 15, rng: np.random.Generator
) -> list[Trial]:
    """Return all trials: each participant gets `trials` stimuli per experiment and motion, in a separate order.

    Each participant gets each condition equally often; with an odd number, the remaining one goes to the conditions in
    turn. Over all participants, stimuli are shown equally often, and never twice to one participant while there are
    enough. The experiment and motion that come first rotate from participant to participant.
    """
    for stimulus in stimuli:
        check_stimulus(stimulus)
    for what, number in (("participants", participants), ("trials", trials)):
        if not 1 <= number <= MOST:
            raise UsageError(f"the number of {what} must lie between 1 and {MOST}, but is {number}")
    blocks = list(dict.fromkeys((s.experiment, s.motion) for s in stimuli))
    if not blocks:
        raise UsageError("a study needs stimuli: give clips of both conditions")
    order = [blocks[k] for k in rng.permutation(len(blocks))]
    first = {block: int(rng.integers(2)) for block in blocks}
    shown: Counter[str] = Counter()
    out: list[Trial] = []
    for number in range(participants):
        participant, position = f"participant_{number + 1:02d}", 1
        for k in range(len(order)):
            block = order[(k + number) % len(order)]
            pools = _pools(stimuli, block)
            picked = _picked(pools, trials, number + first[block], shown, rng)
            for stimulus in picked:
                out.append(Trial(participant, position, block[0], block[1], stimulus.name))
                position += 1
    return out


def _pools(stimuli: Sequence[Stimulus], block: Block) -> list[list[Stimulus]]:
    """Return the stimuli of a block by condition; both conditions must be present."""
    block_stimuli = [s for s in stimuli if (s.experiment, s.motion) == block]
    pools = [[s for s in block_stimuli if s.condition == c] for c in dict.fromkeys(s.condition for s in block_stimuli)]
    if len(pools) < 2:
        raise UsageError(f"experiment {block[0]} on {block[1]} has stimuli of only one condition: give both")
    return pools


def _picked(
    pools: Sequence[Sequence[Stimulus]], trials: int, turn: int, shown: Counter[str], rng: np.random.Generator
) -> list[Stimulus]:
    """Return the stimuli of one participant in random order, chosen from those shown least often."""
    each, remainder = divmod(trials, len(pools))
    picked: list[Stimulus] = []
    for number, pool in enumerate(pools):
        count = each + ((number - turn) % len(pools) < remainder)
        while count > 0:
            order = sorted(rng.permutation(len(pool)).tolist(), key=lambda k: shown[pool[k].name])[:count]
            picked += [pool[k] for k in order]
            shown.update(pool[k].name for k in order)
            count -= len(order)
    return [picked[k] for k in rng.permutation(len(picked))]


def cycle_animation(
    inputs: Sequence[Clip], clips: int, rng: np.random.Generator, *, blend: float = BLEND
) -> tuple[Clip, list[int]]:
    """Join inputs drawn at random, each independently; also return their numbers."""
    _check(inputs, clips)
    order = rng.integers(len(inputs), size=clips).tolist()
    return join([inputs[k] for k in order], blend=blend), order


def variant_sequence(
    variants: Sequence[Clip], clips: int, rng: np.random.Generator, *, blend: float = BLEND
) -> tuple[Clip, list[int]]:
    """Join variants in random order; none is repeated before all have been used."""
    _check(variants, clips)
    order: list[int] = []
    while len(order) < clips:
        order += rng.permutation(len(variants)).tolist()
    return join([variants[k] for k in order[:clips]], blend=blend), order[:clips]


def crowd_with_clones(
    variants: Sequence[Clip], clips: int, in_step: bool, rng: np.random.Generator, *, blend: float = BLEND
) -> tuple[list[Clip], list[int]]:
    """Return walkers that each repeat a clip (two of them the same clip), and the number of each walker's clip.

    Each begins at a random moment of its clip; clones begin together only if they are `in_step`, otherwise a quarter to
    three quarters of a repetition apart.
    """
    _check(variants, clips)
    if len(variants) < WALKERS - 1:
        raise UsageError(
            f"a crowd of {WALKERS} with one pair of clones needs {WALKERS - 1} variants, but there are {len(variants)}"
        )
    chosen = rng.permutation(len(variants))[: WALKERS - 1].tolist()
    order = [*chosen, chosen[0]]
    begins = [rng.random() for _ in order]
    begins[-1] = begins[0] if in_step else begins[0] + rng.uniform(0.25, 0.75)
    frames = clips * min(len(variants[k]) for k in chosen)
    walkers = []
    for clip, begin in zip((variants[k] for k in order), begins, strict=True):
        # Add two repetitions to those shown, since none begins later than that.
        first = round(begin * (len(clip) - 1))
        walkers.append(take_frames(join([clip] * (clips + 2), blend=blend), first, first + frames))
    places = rng.permutation(WALKERS).tolist()
    return [walkers[k] for k in places], [order[k] for k in places]


def _check(motions: Sequence[Clip], clips: int) -> None:
    if not motions:
        raise UsageError("a sequence needs clips: give at least one")
    if clips < 1:
        raise UsageError(f"a sequence has at least 1 clip, not {clips}")
