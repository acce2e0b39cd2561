"""What each baseline changes and what it leaves: strength, columns, timing, span."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.evaluation.baselines import Basis, basis_of, make
from freshtake.evaluation.baselines.drafts import combined, components, convex, pca, perlin, strawman
from freshtake.evaluation.baselines.making import KINDS, NOISES, baseline_sets
from freshtake.motion import Clip, Stroke
from freshtake.motion.edit import sampled_at
from freshtake.numeric.rotations import angle_between
from freshtake.variation.phase import read_at
from tests.evaluation.stepping import take, takes

INPUTS = takes(1, 4)


@pytest.fixture(scope="module")
def basis() -> Basis:
    return basis_of(INPUTS)


def test_the_inputs_come_back_from_their_rows(basis: Basis) -> None:
    for clip, rows, start in zip(INPUTS, basis.rows, basis.starts, strict=True):
        again = basis.decode(rows, start=start)
        assert np.abs(again.positions() - clip.positions()).max() < 1e-9


def test_phases_and_places_are_inverse(basis: Basis) -> None:
    for k, rows in enumerate(basis.rows):
        phases = basis.phases(k)
        back = np.interp(phases, np.arange(len(basis.phase_frames)), basis.phase_frames[:, k])
        assert np.abs(back - np.arange(len(rows))).max() < 1e-9


@pytest.mark.parametrize("kind", [strawman, perlin])
def test_noise_is_as_strong_as_the_inputs_differ_dof_by_dof(kind: type, basis: Basis) -> None:
    children = np.random.default_rng(1).spawn(300)
    drafts = [kind(basis, child) for child in children]
    assert {draft.source for draft in drafts} == {0, 1, 2, 3}
    power = np.mean([(draft.noise**2).mean(axis=0) for draft in drafts], axis=0)
    wanted = (basis.spread**2).mean(axis=0)
    strong = wanted > 0.01 * wanted.max()
    assert np.abs(power[strong] / wanted[strong] - 1.0).max() < 0.35
    assert np.abs(power[strong] / wanted[strong] - 1.0).mean() < 0.1
    for draft in drafts[:5]:
        assert draft.rows is basis.rows[draft.source]


def test_strawman_noise_follows_the_phase(basis: Basis) -> None:
    """Where the inputs agree there is no noise; where they differ there is."""
    draws = [strawman(basis, child) for child in np.random.default_rng(2).spawn(400)]
    ours = [d for d in draws if d.source == 0]
    power = np.mean([d.noise**2 for d in ours], axis=0)
    wanted = read_at(basis.spread, basis.phases(0)) ** 2
    column = int(wanted.mean(axis=0).argmax())
    assert np.corrcoef(power[:, column], wanted[:, column])[0, 1] > 0.9


def test_only_chosen_joints_change() -> None:
    chosen = basis_of(INPUTS, ["LeftArm", "LeftHand.x"])
    for kind in ("strawman", "perlin", "pca"):
        made = make(chosen, kind, np.random.default_rng(3), name=kind)
        assert made.source is not None
        before, after = INPUTS[made.source], made.motion
        changed = angle_between(after.rotations, before.rotations).max(axis=0) > 1e-6
        names = {before.skeleton.names[j] for j in np.flatnonzero(changed)}
        assert names <= {"LeftArm", "LeftHand"} and "LeftArm" in names
        assert np.allclose(after.root, before.root, atol=1e-9)


def test_pca_noise_lies_in_the_components(basis: Basis) -> None:
    directions = components(basis, 0.99)
    assert np.allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-10)
    assert len(components(basis, 0.9)) < len(directions) < len(basis.chosen)
    poses = (basis.warped * basis.weights).reshape(-1, len(basis.weights))
    poses = poses - poses.mean(axis=0)
    for energy in (0.9, 0.99):
        kept = components(basis, energy)
        held = [((poses @ kept[:n].T) ** 2).sum() / (poses**2).sum() for n in (len(kept) - 1, len(kept))]
        assert held[0] < energy <= held[1]
    draft = pca(basis, np.random.default_rng(4))
    weighed = draft.noise[:, basis.chosen] * basis.weights[basis.chosen]
    outside = weighed - weighed @ directions.T @ directions
    assert np.abs(outside).max() < 1e-9 * np.abs(weighed).max()
    assert np.abs(weighed).max() > 0


def test_a_combination_with_all_weight_on_one_input_is_that_input(basis: Basis) -> None:
    for k, rows in enumerate(basis.rows):
        found, phases = combined(basis, np.eye(len(basis.rows))[k])
        assert len(found) == len(rows)
        assert np.abs(phases - basis.phases(k)).max() < 1e-9
        assert np.abs((found - rows) * basis.weights).max() < 0.01  # read twice between frames


def test_a_combination_lies_between_and_lasts_as_long_as_its_weights_say(basis: Basis) -> None:
    lengths = [len(rows) for rows in basis.rows]
    for rng in np.random.default_rng(5).spawn(5):
        weights = rng.dirichlet(np.ones(4))
        found, phases = combined(basis, weights)
        assert abs(len(found) - 1 - (np.dot(weights, lengths) - 1)) <= 0.5
        warped = np.stack([read_at(one, phases) for one in basis.warped])
        still = ~basis.rates
        assert (found[:, still] <= warped[:, :, still].max(axis=0) + 1e-9).all()
        assert (found[:, still] >= warped[:, :, still].min(axis=0) - 1e-9).all()
    assert len({len(convex(basis, rng).rows) for rng in np.random.default_rng(6).spawn(20)}) > 1


def test_travel_is_combined_over_equal_phases() -> None:
    """Two walkers of one stride, one twice as slow: any combination still makes that stride."""
    clip = take(np.random.default_rng(1), frames=60)
    stride = np.outer(np.linspace(0, 1, 60), [0.0, 0.0, 20.0])
    fast = clip.changed(root=clip.root + stride, name="fast")
    phase_frames = np.linspace(0, 59, 119)
    basis = basis_of([fast, sampled_at(fast, phase_frames).changed(name="slow")])
    for share in (0.2, 0.5, 0.8):
        rows, _ = combined(basis, np.array([share, 1 - share]))
        made = basis.decode(rows)
        assert np.linalg.norm((made.root[-1] - made.root[0])[[0, 2]]) == pytest.approx(20.0, rel=0.03)
        assert len(made) == pytest.approx(share * 60 + (1 - share) * 119, abs=1)


def test_replay_is_an_input_and_takes_no_amount(basis: Basis) -> None:
    made = make(basis, "replay", np.random.default_rng(7), name="again")
    assert made.source is not None
    assert np.abs(made.motion.positions() - INPUTS[made.source].positions()).max() < 1e-9
    with pytest.raises(UsageError, match="leave the amount out"):
        make(basis, "replay", np.random.default_rng(7), amount=1.0)


def test_amount_scales_the_noise_and_the_seed_decides(basis: Basis) -> None:
    for kind in NOISES:
        two = [make(basis, kind, np.random.default_rng(8), amount=a).motion for a in (0.0, 0.5)]
        again = make(basis, kind, np.random.default_rng(8), amount=0.5).motion
        assert np.array_equal(two[1].rotations, again.rotations)
        assert not np.allclose(two[0].rotations, two[1].rotations)
        draft = NOISES[kind](basis, np.random.default_rng(9))
        assert np.allclose(draft.with_amount(2.0) - draft.rows, 2.0 * draft.noise)
    still = make(basis, "strawman", np.random.default_rng(8), amount=0.0)
    assert still.change == pytest.approx(0.0, abs=1e-15)


def test_strokes_have_baselines_too() -> None:
    time = np.linspace(0, 1, 40)
    strokes = [Stroke(np.stack([np.cos(5 * time + 0.1 * k), (1 + 0.1 * k) * time], 1), time) for k in range(3)]
    basis = basis_of(strokes)
    for kind in KINDS:
        made = make(basis, kind, np.random.default_rng(1)).motion
        assert isinstance(made, Stroke) and np.isfinite(made.points).all()


def test_sets_of_every_kind() -> None:
    sets = baseline_sets(INPUTS, takes(3, 5), rng=np.random.default_rng(1))
    assert tuple(sets) == KINDS
    for kind, made in sets.items():
        assert [clip.name for clip in made] == [f"{kind}_{k:03d}" for k in range(1, 6)]
        assert all(isinstance(clip, Clip) for clip in made)


def test_what_cannot_be_is_refused(basis: Basis) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(UsageError, match="strawman, perlin, pca, convex, replay"):
        make(basis, "pink", rng)
    with pytest.raises(UsageError, match="between 0 and 1000"):
        make(basis, "perlin", rng, amount=-1.0)
    with pytest.raises(UsageError, match="LeftArm"):
        basis_of(INPUTS, ["Tail"])
    with pytest.raises(UsageError, match="at least two takes"):
        make(basis_of(INPUTS[:1]), "strawman", rng)
    with pytest.raises(UsageError, match="no takes to make a baseline"):
        basis_of([])
    assert make(basis_of(INPUTS[:1]), "replay", rng).source == 0
