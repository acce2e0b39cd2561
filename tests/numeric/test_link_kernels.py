"""Compiled joint rotations: logarithm, coordinates and back, the nearest rotation that a joint can make."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.body.limbs import Chain
from freshtake.numeric.limb_kernels import LINK_SCRATCH, joint_coordinates, joint_turn, logarithm_into, nearest_turn
from freshtake.numeric.rotations import angle_between, from_rotvec, to_rotvec

RNG, SCRATCH = np.random.default_rng(0), np.empty(LINK_SCRATCH)


def random_chain(links: int, frozen: bool) -> Chain:
    basis = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    basis[:, 0] *= np.linalg.det(basis)
    low = np.tile([-0.4, -0.3, -0.2], links)
    high = -low
    if frozen:
        low, high = np.tile([-0.4, 10.0, 10.0], links), np.tile([0.4, -10.0, -10.0], links)
    turned = np.stack([basis, basis[:, [1, 2, 0]]])[:links]
    reference = from_rotvec(RNG.normal(0, 0.5, (links, 3))) if links == 1 else np.tile([1.0, 0, 0, 0], (2, 1))
    return Chain(reference, turned, low, high)


@pytest.mark.parametrize("size", [0.0, 1e-13, 1e-6, 0.5, 3.0, 3.5])
def test_logarithm(size: float) -> None:
    v = RNG.normal(size=3)
    q = from_rotvec(size * v / np.linalg.norm(v))
    logarithm_into(q, found := np.empty(3))
    np.testing.assert_allclose(found, to_rotvec(q), atol=1e-14)


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_coordinates_and_back(links: int, seed: int) -> None:
    chain = random_chain(links, frozen=links == 2)
    q = from_rotvec(np.random.default_rng(seed).normal(0, 0.6, 3))
    joint_coordinates(chain.reference, chain.basis, q, y := np.empty(3 * links), SCRATCH)
    joint_turn(chain.reference, chain.basis, y, back := np.empty(4), SCRATCH)
    assert angle_between(back, q) < 1e-7


@pytest.mark.parametrize(("links", "frozen"), [(1, False), (1, True), (2, True)])
@pytest.mark.parametrize("seed", range(6))
def test_nearest_turn_keeps_to_ranges_and_frozen_directions(links: int, frozen: bool, seed: int) -> None:
    chain, rng = random_chain(links, frozen), np.random.default_rng(seed)
    sample, wanted = from_rotvec(rng.normal(0, 0.7, (2, 3)))
    if links == 2:  # a joint of two axes is never off them
        joint_turn(chain.reference, chain.basis, np.array([0.5, 0, 0, -0.2, 0, 0]), sample, SCRATCH)
    before, after, made = np.empty(3 * links), np.empty(3 * links), np.empty(4)
    joint_coordinates(chain.reference, chain.basis, sample, before, SCRATCH)
    nearest_turn(chain.reference, chain.basis, chain.low, chain.high, before, wanted, made, SCRATCH)
    joint_coordinates(chain.reference, chain.basis, made, after, SCRATCH)
    still = chain.low > chain.high
    np.testing.assert_allclose(after[still], before[still], atol=1e-7)
    assert (after >= np.minimum(chain.low, before) - 1e-7)[~still].all()
    assert (after <= np.maximum(chain.high, before) + 1e-7)[~still].all()
