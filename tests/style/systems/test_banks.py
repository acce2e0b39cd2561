"""Banks of systems against slow simulations of eqs 5-6."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block
from freshtake.style.systems.banks import Bank, System, past_of, recurrence, settled
from freshtake.style.systems.state_kernels import CHUNK

BLOCKS = (
    Block("a", (0, 1), (0, 1)), Block("b", (2, 3, 4), (2,)), Block("c", (4, 1, 3), (6, 4, 5)),
    Block("timing", (0, 4), (3,)),
)  # fmt: skip


def state_space_bank(seed: int = 0) -> Bank:
    rng = np.random.default_rng(seed)
    systems = []
    for block, poles in zip(BLOCKS, ([0.5 + 0.6j, 0.3], [-0.4, 0.8 + 0.1j, 0.2j], [0.7], []), strict=True):
        damping, turning = [], []
        for pole in poles:
            pair = [1, -1] if np.imag(pole) else [0]
            damping += [float(np.real(pole))] * len(pair)
            turning += [sign * float(np.imag(pole)) for sign in pair]
        n, m, p = len(damping), len(block.inputs), len(block.outputs)
        systems.append(
            System(
                np.array(damping), np.array(turning), rng.normal(size=(n, m)), rng.normal(size=(p, n)),
                rng.normal(size=(p, m)), rng.normal(size=p),
            )
        )  # fmt: skip
    return Bank(BLOCKS, tuple(systems))


def slowly(bank: Bank, rows: Floats) -> Floats:
    """The definition, matrix by matrix and frame by frame."""
    out = np.zeros((len(rows), bank.width))
    for block, s in zip(bank.blocks, bank.systems, strict=True):
        n = len(s.damping)
        A = np.diag(s.damping)
        for k in range(n):
            if s.turning[k] > 0:
                A[k, k + 1], A[k + 1, k] = s.turning[k], -s.turning[k]
        x = np.zeros(n)
        for t in range(len(rows)):
            u = rows[t, block.inputs]
            out[t, block.outputs] = s.C @ x + s.D @ u + s.offset
            x = A @ x + s.B @ u
    return out


def test_equals_the_definition() -> None:
    bank = state_space_bank()
    rows = np.random.default_rng(1).normal(size=(2 * CHUNK + 17, 5))
    np.testing.assert_allclose(bank.run(bank.start(), rows)[1], slowly(bank, rows), rtol=1e-10, atol=1e-10)


def test_a_stream_equals_a_batch_bit_for_bit() -> None:
    bank = state_space_bank()
    rows = np.random.default_rng(2).normal(size=(CHUNK + 50, 5))
    whole_state, whole = bank.run(bank.start(), rows)
    state, parts, at = bank.start(), [], 0
    for length in (1, 1, 7, 1, 90, 1):
        state, out = bank.run(state, rows[at : at + length])
        parts.append(out)
        at += length
    state, out = bank.run(state, rows[at:])
    np.testing.assert_array_equal(np.concatenate([*parts, out]), whole)
    np.testing.assert_array_equal(state, whole_state)


def test_running_leaves_the_state_given_to_it_alone() -> None:
    bank = state_space_bank()
    state = bank.start()
    bank.run(state, np.ones((3, 5)))
    np.testing.assert_array_equal(state, bank.start())


def test_a_deviation_is_forgotten_after_the_memory() -> None:
    bank = state_space_bank()
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 5))
    other = rows.copy()
    other[50:60] += 5.0
    apart = np.abs(bank.run(bank.start(), rows)[1] - bank.run(bank.start(), other)[1]).max(axis=1)
    assert apart[50:60].max() > 1.0
    assert apart[60 + bank.memory() :].max() < 0.03 * apart.max()


def test_the_steady_state_is_one() -> None:
    bank = state_space_bank()
    row = np.random.default_rng(4).normal(size=5)
    _, out = bank.run(settled(bank, row), np.repeat(row[None], 5, axis=0))
    assert np.ptp(out, axis=0).max() < 0.02 * np.abs(out).max()


def test_a_classifier_sees_states_and_inputs_of_the_very_frame() -> None:
    rows = np.random.default_rng(6).normal(size=(30, 5))
    bank = state_space_bank()
    seen = bank.features(bank.start(), rows)
    for t in (0, 7, 29):
        np.testing.assert_allclose(seen[t, : bank.size], bank.run(bank.start(), rows[:t])[0], atol=1e-12)
        np.testing.assert_array_equal(seen[t, bank.size :], rows[t])


def cycle(frames: int, period: float) -> Floats:
    angle = 2 * np.pi * np.arange(frames) / period
    return np.stack([np.sin(angle), np.cos(angle), np.sin(2 * angle)], axis=1)


def test_a_repeating_motion_is_continued_backward() -> None:
    rows = cycle(300, 50)
    assert recurrence(rows[120:], 60.0) == 50
    np.testing.assert_allclose(past_of(rows[120:], 90, 60.0), rows[30:120], atol=1e-9)


def test_a_motion_that_never_recurs_stood_in_its_first_pose() -> None:
    rows = np.stack([np.linspace(0, 1, 100) ** 2, np.linspace(0, 3, 100)], axis=1)
    np.testing.assert_array_equal(past_of(rows, 5, 60.0), np.repeat(rows[:1], 5, axis=0))


def test_still_and_tiny_motions_are_no_trouble() -> None:
    assert past_of(np.ones((50, 2)), 3, 60.0).tolist() == [[1.0, 1.0]] * 3
    assert past_of(np.ones((1, 2)), 2, 60.0).shape == (2, 2)
    assert past_of(np.ones((4, 2)), 0, 60.0).shape == (0, 2)


def test_dofs_without_weight_do_not_count() -> None:
    rows = np.column_stack([cycle(200, 50), np.arange(200.0)])
    assert recurrence(rows, 60.0) is None
    found = past_of(rows, 10, 60.0, np.array([1.0, 1.0, 1.0, 0.0]))
    np.testing.assert_allclose(found[:, :3], rows[40:50, :3], atol=1e-9)


def test_a_single_cycle_was_going_on_before_its_first_frame() -> None:
    rows = cycle(51, 50)
    assert recurrence(rows, 60.0) is None
    np.testing.assert_allclose(past_of(rows, 120, 60.0), cycle(170, 50)[30:150], atol=1e-9)
    there_and_back = np.stack([np.sin(np.pi * np.arange(51) / 50), np.zeros(51)], axis=1)
    assert np.ptp(past_of(there_and_back, 20, 60.0)) == 0.0, "it passes the first pose the other way"
    assert np.ptp(past_of(cycle(26, 50), 20, 60.0), axis=0).max() == 0.0, "half a cycle"
