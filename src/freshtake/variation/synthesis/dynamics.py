"""The transition network that is sampled: how every node's deviation follows from its parents' (Lau 2009, §4).

A take has `slices` frames of this network. With z the deviations from the mean at the phase, in units of
their size there, and e standard normal,

    z_i[t+2] = sum_(p in parents(i)) a_ip z_p + s_i e_i

where parents are nodes of t, t+1 and t+2. Mean and size at a phase are kernel estimates (Lau 2009, eq. 5-6) with the
hidden phase as parent. Departs from the paper: the mean is linear in the other parents, because weights by their
distance to four takes hardly differ from one take to the next, and pull every deviation back to the mean.
A trait of a node follows from the same trait of its parents within the frame in the same way, once per take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.splines import spline_weights
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.synthesis.traits import TRAITS

ORDER = 2  # frames before the one that is predicted
STABLE = 0.98  # largest growth from frame to frame that is accepted
DOUBLINGS = 12  # of the sum over the past: 4096 frames
JITTER = 1e-9


class PackedEdges(NamedTuple):
    """A transition network as compiled functions take it, node after node in the order of prediction."""

    sequence: Ints  # (nodes,)
    starts: Ints  # (nodes + 1,): where each node's parents begin, by node
    parents: Ints  # node numbers, slice * nodes + i
    slopes: Floats  # (edges,)
    noise: Floats  # (nodes,): standard deviation given the parents


@dataclass(frozen=True, eq=False)
class Dynamics:
    """All that synthesis needs besides the examples."""

    network: TransitionNetwork  # over the DOFs and the tempo
    slices: int  # frames of the network in a take
    slopes: Floats  # (edges,): node after node, parents in the network's order
    noise: Floats  # (nodes,)
    trait_slopes: Floats  # (traits, edges): 0 for parents at earlier slices
    trait_noise: Floats  # (traits, nodes)
    trait_sizes: Floats  # (traits, nodes): of a further take, in units of the DOF
    sizes: Floats  # (points, nodes): of what is left of its deviations, along the phase

    def __post_init__(self) -> None:
        nodes, edges = len(self.network.dofs), sum(len(parents) for parents in self.network.edges)
        traits = len(TRAITS)
        shapes = ((edges,), (nodes,), (traits, edges), (traits, nodes), (traits, nodes))
        arrays = (self.slopes, self.noise, self.trait_slopes, self.trait_noise, self.trait_sizes)
        if any(array.shape != shape for array, shape in zip(arrays, shapes, strict=True)):
            raise InvalidMotion("the numbers of a transition network do not fit its edges")
        if not 2 <= self.slices <= 1_000_000:
            raise InvalidMotion(f"a take of {self.slices} frames of the network is not possible")
        if self.growth >= 1.0:
            raise InvalidMotion(f"deviations of this network grow by {self.growth:.3g} from frame to frame")

    @cached_property
    def packed(self) -> PackedEdges:
        """For compiled functions."""
        return packed_edges(self.network, self.slopes, self.noise)

    @cached_property
    def step_and_noise(self) -> tuple[Floats, Floats]:
        """F and G of (z[t+2], z[t+1]) = F (z[t+1], z[t]) + G e."""
        step, solved = transfer(self.network, self.slopes)
        return step, solved * self.noise

    @cached_property
    def growth(self) -> float:
        """By what deviations grow from frame to frame far from the start, at most."""
        return growth_of(self.network, self.slopes)

    @cached_property
    def covariance(self) -> Floats:
        """Of (z[t+1], z[t]) far from the start, (2 nodes, 2 nodes): sum_k F^k G G' F'^k."""
        step, noise = self.step_and_noise
        nodes = len(noise)
        out = np.zeros((2 * nodes, 2 * nodes))
        out[:nodes, :nodes] = noise @ noise.T
        power = step
        for _ in range(DOUBLINGS):
            out = out + power @ out @ power.T
            power = power @ power
        return out

    @cached_property
    def start_root(self) -> Floats:
        """A matrix that turns standard normals into the first two frames (z[1], z[0])."""
        size = len(self.covariance)
        return np.asarray(np.linalg.cholesky(self.covariance + JITTER * np.eye(size)), dtype=np.float64)

    @cached_property
    def scale(self) -> Floats:
        """(nodes,): what brings a spline through the frames to variance 1 on average between them."""
        nodes = len(self.noise)
        lags = [self.covariance[:nodes, :nodes], self.covariance[:nodes, nodes:]]
        step = self.step_and_noise[0]
        lags += [(step @ self.covariance)[:nodes, nodes:], (step @ step @ self.covariance)[:nodes, nodes:]]
        along = [np.diag(lag) for lag in lags]
        total = np.zeros(nodes)
        for t in (0.0, 0.25, 0.5, 0.75):
            w = spline_weights(t)
            for a in range(4):
                for b in range(4):
                    total += 0.25 * w[a] * w[b] * along[abs(a - b)]
        return np.asarray(1.0 / np.sqrt(np.maximum(total, 1e-12)))

    def autocorrelation(self, count: int) -> Floats:
        """(count, nodes): how a node's frames resemble those 0, 1, 2, ... frames before."""
        nodes, step, power, variances = len(self.noise), self.step_and_noise[0], self.covariance, []
        for _ in range(count):
            variances.append(np.diag(power[:nodes, :nodes]))
            power = step @ power
        return np.stack(variances) / np.maximum(variances[0], 1e-12)

    @cached_property
    def trait_roots(self) -> Floats:
        """(traits, nodes, nodes): matrices that turn standard normals into traits of variance 1."""
        return np.asarray(self._raw_trait_roots / self.trait_scales[:, :, None])

    @cached_property
    def trait_columns(self) -> Floats:
        """The same, transposed: rows that compiled functions add up."""
        return np.ascontiguousarray(self.trait_roots.transpose(0, 2, 1))

    @cached_property
    def trait_scales(self) -> Floats:
        """(traits, nodes): standard deviations of the traits as slopes and noise imply them, about 1."""
        return np.asarray(np.maximum(np.sqrt((self._raw_trait_roots**2).sum(axis=2)), 1e-12))

    @cached_property
    def _raw_trait_roots(self) -> Floats:
        nodes, packed, roots = len(self.noise), self.packed, []
        children = np.repeat(np.arange(nodes), np.diff(packed.starts))
        same = packed.parents >= ORDER * nodes
        for slopes, noise in zip(self.trait_slopes, self.trait_noise, strict=True):
            inside = np.zeros((nodes, nodes))
            inside[children[same], packed.parents[same] % nodes] = slopes[same]
            roots.append(np.linalg.solve(np.eye(nodes) - inside, np.diag(noise)))
        return np.stack(roots)

    @cached_property
    def correlation(self) -> Floats:
        """How the rest of the nodes' deviations goes together within a frame, (nodes, nodes), unit diagonal."""
        nodes = len(self.noise)
        inside = self.covariance[:nodes, :nodes]
        size = np.sqrt(np.maximum(np.diag(inside), 1e-12))
        return np.asarray(inside / np.outer(size, size))


def transfer(network: TransitionNetwork, slopes: Floats) -> tuple[Floats, Floats]:
    """F (2 nodes, 2 nodes) of (z[t+2], z[t+1]) = F (z[t+1], z[t]), and what solves the edges within a frame."""
    nodes = len(network.dofs)
    older, newer, inside = np.zeros((3, nodes, nodes))
    packed = packed_edges(network, slopes, np.ones(nodes))
    children = np.repeat(np.arange(nodes), np.diff(packed.starts))
    for number, matrix in enumerate((older, newer, inside)):
        in_slice = packed.parents // nodes == number
        matrix[children[in_slice], packed.parents[in_slice] % nodes] = slopes[in_slice]
    solved = np.linalg.inv(np.eye(nodes) - inside)
    step = np.zeros((2 * nodes, 2 * nodes))
    step[:nodes, :nodes], step[:nodes, nodes:] = solved @ newer, solved @ older
    step[nodes:, :nodes] = np.eye(nodes)
    return step, np.asarray(solved)


def growth_of(network: TransitionNetwork, slopes: Floats) -> float:
    """The spectral radius of a step."""
    return float(np.abs(np.linalg.eigvals(transfer(network, slopes)[0])).max())


def packed_edges(network: TransitionNetwork, slopes: Floats, noise: Floats) -> PackedEdges:
    """Edges as flat arrays."""
    starts = np.concatenate([[0], np.cumsum([len(node_parents) for node_parents in network.edges])]).astype(np.intp)
    parents = np.array([p for node_parents in network.edges for p in node_parents], dtype=np.intp)
    return PackedEdges(np.array(network.prediction_order(), dtype=np.intp), starts, parents, slopes, noise)


def deviating_together(dynamics: Dynamics, basis: Floats, sizes: Floats) -> Floats:
    """Correlation (nodes, nodes) of whole deviations within a frame, traits and rest, the mean over phases.

    `basis` (traits, phases, nodes), `sizes` (phases, nodes).
    """
    total = (sizes.T @ sizes) / len(sizes) * dynamics.correlation
    for shape, root, size in zip(basis, dynamics.trait_roots, dynamics.trait_sizes, strict=True):
        course = shape * size
        total = total + (course.T @ course) / len(course) * (root @ root.T)
    spread = np.sqrt(np.maximum(np.diag(total), 1e-30))
    return np.asarray(total / np.outer(spread, spread))
