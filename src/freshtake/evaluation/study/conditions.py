"""What a study is made of: experiments and their conditions, stimuli, trials and ratings (Lau 2009, §8)."""

from __future__ import annotations

from typing import NamedTuple

from freshtake.errors import UsageError

EXPERIMENTS = ("A", "B")
CONDITIONS = {"A": ("variants", "captured"), "B": ("variants", "cycle")}
MEASURES = {"A": "naturalness", "B": "repetition"}
QUESTIONS = {
    "A": "How natural or human-like is this motion? 1: not at all natural, 9: entirely natural.",
    "B": "How repetitive is this sequence? 1: nothing is repeated, 9: it is the same over and over.",
}
LOWEST, HIGHEST = 1, 9
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
        raise UsageError(f"stimulus {stimulus.name!r} is of experiment {stimulus.experiment!r}: there are A and B")
    known = CONDITIONS[stimulus.experiment]
    if stimulus.condition not in known:
        choices = f"experiment {stimulus.experiment} has {' and '.join(known)}"
        raise UsageError(f"stimulus {stimulus.name!r} is of condition {stimulus.condition!r}: {choices}")


def check_rating(rating: Rating) -> None:
    """Raise where a score is not on the scale."""
    if rating.score is not None and not LOWEST <= rating.score <= HIGHEST:
        raise UsageError(f"the score of {rating.stimulus!r} is {rating.score}: scores are whole numbers from 1 to 9")
