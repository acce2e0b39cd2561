"""The paper's method as a whole: it ends on its own, varies, is repeatable, and its learned parents matter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.variation.paper import PaperModel, Settings, learn
from freshtake.variation.paper.constraints import constrained, soft_target
from freshtake.variation.paper.networks import TransitionNetwork

QUICK = Settings(neighbors=30, velocity_weight=0.3, restarts=0)


@pytest.fixture(scope="module")
def jumps() -> list[Clip]:
    return [samples.jump(np.random.default_rng(k)) for k in range(4)]


@pytest.fixture(scope="module")
def model(jumps: list[Clip]) -> PaperModel:
    return learn(jumps, QUICK, rng=np.random.default_rng(0))


def test_variants_end_by_themselves_as_long_as_the_examples(model: PaperModel, jumps: list[Clip]) -> None:
    lengths = [len(model.sample(np.random.default_rng(k))) for k in range(20)]
    shortest, longest = min(map(len, jumps)), max(map(len, jumps))
    assert np.mean([0.85 * shortest <= n <= 1.15 * longest for n in lengths]) >= 0.95
    assert len(set(lengths)) > 1  # timing varies


def test_amount_zero_is_the_mean_motion_whatever_the_seed(model: PaperModel) -> None:
    a, b = (model.rows(np.random.default_rng(seed), amount=0.0) for seed in (1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(model.rows(np.random.default_rng(1)), model.rows(np.random.default_rng(2)))
    assert np.array_equal(model.rows(np.random.default_rng(1)), model.rows(np.random.default_rng(1)))


def nearest(model: PaperModel, rows: np.ndarray) -> float:
    """Return the mean distance of frames to the nearest one of the examples, over their root mean square extent."""
    known = np.concatenate(model.material.values) * model.material.weights
    gaps = np.sqrt((((rows * model.material.weights)[:, None] - known[None]) ** 2).sum(axis=2).min(axis=1))
    return float(gaps.mean() / np.sqrt(known.var(axis=0).sum()))


@pytest.mark.parametrize("kind", ["jump", "walk", "cheer"])
def test_learned_parents_matter_and_random_ones_fail(kind: str, model: PaperModel) -> None:
    takes = [getattr(samples, kind)(np.random.default_rng(k)) for k in range(4)]
    learned = model if kind == "jump" else learn(takes, QUICK, rng=np.random.default_rng(0))
    rng, n = np.random.default_rng(5), len(learned.dofs)
    edges = tuple(
        tuple(sorted({i, n + i, *map(int, rng.choice(2 * n, len(parents) - 2, replace=False))}))
        for i, parents in enumerate(learned.transition.edges)
    )
    random = replace(learned, transition=TransitionNetwork(learned.dofs, 2, edges))
    frames = len(learned.material.values[0])
    far, near = (
        np.mean([nearest(m, m.rows(np.random.default_rng(k), frames=frames)) for k in range(5)])
        for m in (random, learned)
    )
    assert near < 0.7 * far


def test_every_node_keeps_its_own_past_and_has_at_most_fifteen_parents(model: PaperModel) -> None:
    n = len(model.dofs)
    for i, parents in enumerate(model.transition.edges):
        assert {i, n + i} <= set(parents) and len(parents) <= 15
        assert i in model.prior.edges[n + i]  # the change of the first frame depends on its value
    assert f"{model.dofs[0]}[t+1]" in model.transition.parents(model.dofs[0])


def test_a_saved_model_makes_the_same_variants(model: PaperModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "jump.ftm", model, sources=["jump.bvh"])
    again = ft.load(tmp_path / "jump.ftm")
    assert isinstance(again, PaperModel)
    assert np.array_equal(again.rows(np.random.default_rng(3)), model.rows(np.random.default_rng(3)))
    assert (again.rule, again.prior_rule, again.settings) == (model.rule, model.prior_rule, model.settings)
    assert again.score(model.decode(model.material.values[0])).total == pytest.approx(
        model.score(model.decode(model.material.values[0])).total
    )


def test_one_take_and_the_learned_structure_are_enough(model: PaperModel, jumps: list[Clip]) -> None:
    """Figure 4: variants of a single jump."""
    single = model.with_examples([jumps[1]])
    rows = [single.rows(np.random.default_rng(k)) for k in range(6)]
    assert all(0.8 * len(jumps[1]) <= len(x) <= 1.2 * len(jumps[1]) for x in rows)
    assert np.mean([nearest(single, x) for x in rows]) < 0.2
    assert len({x.tobytes() for x in rows}) == 6


def test_a_cyclic_motion_gives_one_cycle_and_streams() -> None:
    walks = [samples.walk(np.random.default_rng(k)) for k in range(4)]
    model = learn(walks, QUICK, rng=np.random.default_rng(0), cyclic=True)
    lengths = [len(model.rows(np.random.default_rng(k))) for k in range(6)]
    assert all(0.8 * min(map(len, walks)) <= n <= 1.2 * max(map(len, walks)) for n in lengths)
    stream = model.stream(np.random.default_rng(0))
    rows = np.array([next(stream) for _ in range(150)])
    assert np.isfinite(rows).all()
    assert rows == pytest.approx(model.rows(np.random.default_rng(0), frames=150)[: len(rows)], abs=50)


def test_a_motion_that_ends_cannot_be_streamed(model: PaperModel) -> None:
    with pytest.raises(UsageError, match="does not repeat"):
        next(model.stream(np.random.default_rng(0)))


def test_the_likelihood_is_the_product_of_both_networks(model: PaperModel) -> None:
    likelihood = model.score_rows(model.material.values[0])
    assert likelihood.total == pytest.approx(likelihood.first + likelihood.frames.sum())
    noise = 0.05 * np.random.default_rng(0).standard_normal(model.material.values[0].shape)
    assert model.score_rows(model.material.values[0] + noise).total < likelihood.total


def test_the_constraint_holds_and_the_soft_terms_are_least() -> None:
    """An arm of three links in a plane: the end is in place, and no other solution nearby costs less."""

    def place(q: np.ndarray) -> np.ndarray:
        angles = np.cumsum(q, axis=1)
        return np.stack([np.cos(angles).sum(axis=1), np.sin(angles).sum(axis=1), 0.0 * q[:, 0]], axis=1)

    mean, before = np.array([0.5, 0.4, 0.3]), np.array([[0.4, 0.5, 0.2], [0.45, 0.45, 0.25]])
    goal = place(np.array([[0.55, 0.5, 0.1]]))[0]
    q = constrained(place, mean, mean, before, goal, 1e-9)
    assert place(q[None])[0] == pytest.approx(goal, abs=1e-3)

    def cost(x: np.ndarray) -> float:
        return float(((x - mean) ** 2).sum() + 5.0 * ((x - 2 * before[1] + before[0]) ** 2).sum())

    free = np.linalg.svd(np.array([(place((q + 1e-6 * e)[None]) - place(q[None]))[0] for e in np.eye(3)]).T)[2][2]
    assert all(cost(q) <= cost(q + step * free) + 1e-3 * abs(step) for step in (-0.05, 0.05))
    target = soft_target(mean, before)
    assert all(cost(target) < cost(target + step) for step in 0.01 * np.eye(3))


def test_planted_feet_slide_less(model: PaperModel) -> None:
    from freshtake.motion.planting import learn_planting

    known = [c for c in map(model.decode, model.material.values) if isinstance(c, Clip)]
    planting = learn_planting(known)

    def sliding(clip: Clip) -> float:
        stands = planting.contacts(clip)[:, 0] > 0.5
        at = clip.positions()[:, planting.feet[0].ankle][:, [0, 2]]
        speed = np.linalg.norm(np.diff(at, axis=0), axis=1)
        return float(speed[stands[1:] & stands[:-1]].mean())

    free = [sliding(model.sample(np.random.default_rng(k))) for k in range(4)]
    held = [sliding(model.sample(np.random.default_rng(k), plant=True)) for k in range(4)]
    assert np.mean(held) < 0.6 * np.mean(free)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"order": 3}, "order"),
        ({"neighbors": 1}, "neighbors"),
        ({"kernel_width": 0.0}, "kernel_width"),
        ({"score": "best"}, "score"),
        ({"max_parents": 1}, "max_parents"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Settings(**given)  # type: ignore[arg-type]


def test_wrong_examples_are_refused(jumps: list[Clip], model: PaperModel) -> None:
    with pytest.raises(UsageError, match="at least two"):
        learn(jumps[:1], rng=np.random.default_rng(0))
    with pytest.raises(UsageError, match="identical"):
        learn([jumps[0], jumps[0]], rng=np.random.default_rng(0))
    with pytest.raises(UsageError, match="amount"):
        model.rows(np.random.default_rng(0), amount=-1.0)
    with pytest.raises(UsageError, match="at least one"):
        model.with_examples([])
