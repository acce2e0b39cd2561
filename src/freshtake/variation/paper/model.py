"""PaperModel: both networks and the examples, all that the paper's method needs (Lau 2009, §8); frozen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.coding import checked_rows
from freshtake.motion.validation import between, one_of
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.examples import ExampleModel, Material
from freshtake.variation.paper.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.paper.prior import PriorInstances, prior_instances, sample_prior
from freshtake.variation.paper.regression import Pool, Rule, Unrolled, pool_of, unroll, wiring_of

SCORES = ("aligned", "printed")
MOST_AMOUNT = 10.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parameters of learning the networks and of synthesis.

    Args:
        neighbors: k, the number of instances that each prediction is made from (§8: 15 to 60).
        kernel_width: K_W of eq. 5 for the transition network, in units of the weighted DOFs.
        prior_width: K_W for the prior network.
        velocity_weight: weight of the velocity term in the distance (§5.2), velocities taken over 0.1 s; 0: none.
        order: the number of frames that predict the next (§4): 2, or 1 for the alternative that the paper rejects.
        max_parents: the maximum number of parents of a node, itself included (§8: 2 to 15).
        restarts: how often each search restarts from other edges (§5.1).
        prior_pairs: the number of frame pairs of each take that the prior network learns from (§5; ten is the paper's
            example; with fewer, variants begin closer to where takes begin).
        score: "printed" is eq. 4 to the letter; "aligned" compares complete re-synthesized takes after time warping.
    """

    neighbors: int | None = None
    kernel_width: float | None = None
    prior_width: float | None = None
    velocity_weight: float | None = None
    order: int = 2
    max_parents: int = 15
    restarts: int = 1
    prior_pairs: int = 6
    score: str = "aligned"

    def __post_init__(self) -> None:
        one_of(self, "score", SCORES)
        between(self, "order", 1, 2)
        between(self, "neighbors", 2, 100_000)
        between(self, "max_parents", 1, 1000)
        between(self, "prior_pairs", 1, 100_000)
        between(self, "restarts", 0, 1000)
        between(self, "velocity_weight", 0.0, 1e6)
        for name in ("kernel_width", "prior_width"):
            between(self, name, 1e-9, 1e6)
        if self.max_parents < self.order:
            raise UsageError(f"max_parents is {self.max_parents}, but a node always keeps {self.order} parents")


class Likelihood(NamedTuple):
    """The logarithms of the densities: of the first two frames, and of later frames and DOFs (frames - order, n)."""

    first: float
    frames: Floats

    @property
    def total(self) -> float:
        """log P(X[0], ..., X[T]): the prior network times the transition network (Lau 2009, eq. 2)."""
        return self.first + float(self.frames.sum())

    @property
    def normalized(self) -> float:
        """The total per frame and DOF, to compare motions of different lengths."""
        return float(self.total / (self.frames.shape[1] * (len(self.frames) + 2)))


@dataclass(frozen=True, eq=False, repr=False)
class PaperModel(ExampleModel):
    """A learned model: the structure of both networks, the parameters of their regressions, and the examples."""

    method = "paper"
    material: Material
    settings: Settings
    cyclic: bool
    prior: PriorNetwork
    transition: TransitionNetwork
    prior_rule: Rule
    rule: Rule

    @cached_property
    def pairs(self) -> PriorInstances:
        """The prior network's instances."""
        return prior_instances(self.material.values, self.settings.prior_pairs, self.material.weights)

    @cached_property
    def pool(self) -> Pool:
        """The transition network's instances."""
        return pool_of(self.material.values, self.material.weights, self.settings.order, self.frame_time)

    def first_frames(self, rng: np.random.Generator, *, amount: float = 1.0) -> Floats:
        """Draw the first two frames (2, DOFs) from the prior network (§6)."""
        return sample_prior(self.prior, self.pairs, self.prior_rule, amount * rng.standard_normal(2 * len(self.dofs)))

    def unrolled(
        self, rng: np.random.Generator, start: Floats, *, amount: float = 1.0, frames: int | None = None
    ) -> Unrolled:
        """Predict frames after `start` (at least `order` of them) until the motion ends, or `frames` of them."""
        lengths = [len(x) for x in self.material.values]
        # A variant that has not ended after four times the longest example is cut off.
        most = 4 * max(lengths) if frames is None else frames
        material, order = self.material, self.settings.order
        return unroll(
            wiring_of(self.transition.edges, order), self.pool, material.weights, self.frame_time, self.rule,
            start[-order:], amount * rng.standard_normal((most, len(self.dofs))),
            earliest_end=min(lengths) // 2 if frames is None else most + order + 1,
            cyclic=self.cyclic,
        )  # fmt: skip

    @one_blas_thread()
    def rows(self, rng: np.random.Generator, *, amount: float = 1.0, frames: int | None = None) -> Floats:
        """Draw a variant as rows (frames, DOFs): to its end (a cyclic motion: one cycle), or exactly `frames`.

        Args:
            rng: source of the noise.
            amount: factor on all standard deviations; 0 gives the mean motion (§6).
            frames: how many rows; None lets the motion end as the examples do.
        """
        check_amount(amount)
        return self._draw(rng, amount, frames)[0]

    def _draw(self, rng: np.random.Generator, amount: float, frames: int | None) -> tuple[Floats, Floats]:
        """Draw rows; return them and the means that the networks predicted."""
        first = self.first_frames(rng, amount=amount)
        if frames is not None and frames <= len(first):
            return first[:frames], first[:frames]
        run = self.unrolled(rng, first, amount=amount, frames=None if frames is None else frames - len(first))
        rows = np.concatenate([first, run.values[self.settings.order :]])
        return rows, np.concatenate([first, rows[1:-1] + run.means])

    @one_blas_thread()
    def sample(self, rng: np.random.Generator, *, amount: float = 1.0, plant: bool = False, name: str = "") -> Any:
        """Draw a variant: a clip (stroke, ...) like the examples, or rows if the examples were arrays.

        Args:
            rng: source of the noise.
            amount: factor on all standard deviations; 0 gives the mean motion.
            plant: keep standing feet in place (§7).
            name: name of the clip.
        """
        check_amount(amount)
        rows, means = self._draw(rng, amount, None)
        if plant:
            from freshtake.variation.paper.constraints import planted

            rows = planted(self, rows, means)
        return self.decode(rows, name=name)

    def stream(self, rng: np.random.Generator, *, amount: float = 1.0, block: int = 32) -> Iterator[Floats]:
        """Yield rows without end (§6); only for cyclic motions; streams drift."""
        if not self.cyclic:
            raise UsageError("the model's motion does not repeat: only cyclic motion can be streamed")
        past = self.first_frames(rng, amount=amount)
        yield from past
        while True:
            block_rows = self.unrolled(rng, past, amount=amount, frames=block).values[self.settings.order :]
            yield from block_rows
            past = np.concatenate([past, block_rows])[-2:]

    def score(self, example: Any) -> Likelihood:
        """Return how likely a motion is under both networks (§9)."""
        return self.score_rows(self.encode(example))

    @one_blas_thread()
    def score_rows(self, rows: Floats) -> Likelihood:
        """Return how likely a motion given as rows of this model's DOFs is."""
        from freshtake.variation.paper.search import frame_scores

        rows = checked_rows(rows, self.dofs)
        return Likelihood(*frame_scores(self, rows))

    @one_blas_thread()
    def with_examples(self, examples: Sequence[Any]) -> PaperModel:
        """Return the learned structure with other examples, even a single one (§8, figure 4)."""
        values = self._encoded_examples(examples, self.settings.order + 2)
        return replace(self, material=replace(self.material, values=values))


def check_amount(amount: float) -> None:
    """Refuse an amount that is not a factor on standard deviations."""
    if not 0.0 <= amount <= MOST_AMOUNT:
        raise UsageError(f"the amount must lie between 0 and {MOST_AMOUNT:g}, but is {amount}")
