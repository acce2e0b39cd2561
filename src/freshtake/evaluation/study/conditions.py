"""What a study is made of: experiments and their conditions, stimuli, trials and ratings.

A and B are the experiments of Lau 2009, §8. C is the search for clones in a crowd (after McDonnell et al. 2008), D the
choice between two motions side by side (after Vyas and O'Sullivan 2024).
"""

from __future__ import annotations

from typing import NamedTuple

from freshtake.errors import UsageError

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
WALKERS = 12  # in a crowd with one pair of clones, as in McDonnell et al. 2008
SIMULATED = "simulated"  # how the names of simulated raters begin; no person's may


class Stimulus(NamedTuple):
    """Something to be watched: its name says nothing of its condition. `sources` are the clips it is made of."""

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
    """A trial with its score; None where it has not been given."""

    participant: str
    position: int
    experiment: str
    motion: str
    stimulus: str
    score: int | None


def check_stimulus(stimulus: Stimulus) -> None:
    """Raise where the experiment or the condition does not exist."""
    if stimulus.experiment not in EXPERIMENTS:
        raise UsageError(
            f"stimulus {stimulus.name!r} is of experiment {stimulus.experiment!r}: there are A, B, C and D"
        )
    known = CONDITIONS[stimulus.experiment]
    if stimulus.condition not in known:
        choices = f"experiment {stimulus.experiment} has {' and '.join(known)}"
        raise UsageError(f"stimulus {stimulus.name!r} is of condition {stimulus.condition!r}: {choices}")


def check_rating(rating: Rating) -> None:
    """Raise where a score is not on the scale."""
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
