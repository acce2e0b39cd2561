"""How likely a take is under the network that is sampled, per frame and per DOF (Lau 2009, eq. 2)."""

from __future__ import annotations

import math

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.variation.examples import Material
from freshtake.variation.network.likelihood import Likelihood
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.body_nodes import BodyNodes
from freshtake.variation.synthesis.common_phase import ALIGNMENT, read_at, warp_onto
from freshtake.variation.synthesis.courses import Courses, courses_of, mean_pace, node_weights, steadied
from freshtake.variation.synthesis.dynamics import Dynamics
from freshtake.variation.synthesis.foot_nodes import heading_columns
from freshtake.variation.synthesis.traits import sizes_at, trait_basis, trait_readers

LEAST = 0.02  # of the mean size of all nodes' deviations, weighted: nothing is predicted closer
FEWEST = 4  # frames


def take_likelihood(
    dynamics: Dynamics, courses: Courses, material: Material, settings: Settings, rows: Floats
) -> Likelihood:
    """Log densities (frames, DOFs) of a take given as rows of DOFs.

    The take is laid on the examples' mean; its traits and the rest of its deviations are then as likely as the network
    says, each node given its parents. A density is Student's with as many degrees of freedom as the examples leave,
    because sizes were measured on a few takes. Every frame holds the density of the network's frame that it belongs to
    and its part of the traits'.
    """
    if len(rows) < FEWEST:
        raise UsageError(f"the clip has {len(rows)} frames, but scoring needs at least {FEWEST}")
    deviations, phase_frames = deviations_of(courses, material, settings, rows)
    basis, sizes = trait_basis(courses.mean, courses.cyclic), sizes_at(dynamics.sizes, len(deviations))
    last = -1 if courses.cyclic else None
    traits = np.einsum("pn,qpn->qn", deviations[:last], trait_readers(basis[:, :last], courses.cyclic))
    rest = deviations - np.einsum("qn,qpn->pn", traits, basis)
    floor = _floors(dynamics, material, len(deviations), courses.body)
    sizes, trait_sizes = np.maximum(sizes, floor), np.maximum(dynamics.trait_sizes, floor)
    freedom = max(len(courses.smooth) - 1, 1)
    at = np.arange(dynamics.slices + 1, dtype=np.float64) * ((len(deviations) - 1.0) / dynamics.slices)
    of_rest = _rest_densities(dynamics, read_at(rest / sizes, at), freedom) - np.log(read_at(sizes, at) / floor)
    of_traits = _trait_densities(dynamics, traits / trait_sizes, freedom) - np.log(trait_sizes / floor)
    phases = np.interp(np.arange(float(len(rows))), phase_frames, np.arange(float(len(phase_frames))))
    slices = np.rint(phases / (len(deviations) - 1.0) * dynamics.slices).astype(np.intp)
    frames = of_rest[slices] + of_traits.sum(axis=0) / len(rows)
    return Likelihood(np.asarray(frames[:, : len(material.names)]), material.names)


def deviations_of(courses: Courses, material: Material, settings: Settings, rows: Floats) -> tuple[Floats, Floats]:
    """How a take differs from the examples' mean, (phases, nodes), and the frame of the take at every phase."""
    mean, weights, time = courses.mean, material.weights, material.frame_time
    warped = warp_onto(mean_rows(courses, material) * weights, rows * weights, ALIGNMENT / time)
    alone = Material((rows,), material.names, weights, material.rates, time, material.recipe)
    phase_frames = steadied(warped[:, None], alone, courses.cyclic)
    take_courses = courses_of(
        alone,
        phase_frames,
        detail_frames=settings.network_step / time if settings.detail else 0.0,
        cyclic=courses.cyclic,
        body=courses.body,
        stride=courses.stride,
    )
    return take_courses.smooth[0] - mean, phase_frames[:, 0]


def mean_rows(courses: Courses, material: Material) -> Floats:
    """The examples' mean as rows of DOFs, (phases, DOFs): a take is laid on it as the examples were, detail and all."""
    mean, detail, speeds = courses.mean, courses.detail.mean(axis=0), material.rates
    dofs = detail.shape[1]
    out = mean[:, :dofs] + detail
    travel = mean[:, dofs + 1 : dofs + 1 + int(speeds.sum())]
    steps = np.zeros_like(out)
    steps[:, speeds] = np.gradient(mean[:, :dofs][:, speeds], axis=0) + travel
    columns = heading_columns(material)
    if columns is not None:
        forward, sideways, turn = columns
        ground = (steps[:, forward] + 1j * steps[:, sideways]) * np.exp(-1j * mean[:, turn] * material.frame_time)
        steps[:, forward], steps[:, sideways] = ground.real, ground.imag
    out[:, speeds] = (steps[:, speeds] + detail[:, speeds]) / mean_pace(courses)[:, None]
    return np.asarray(out)


def _floors(dynamics: Dynamics, material: Material, phases: int, body: BodyNodes) -> Floats:
    """(nodes,): least sizes, a small share of the weighted mean over nodes."""
    weights = np.maximum(node_weights(material, phases, body), 1e-12)
    whole = np.sqrt((dynamics.trait_sizes**2).sum(axis=0) + (dynamics.sizes**2).mean(axis=0))
    usual = float(np.sqrt(((weights * whole)[: len(material.names)] ** 2).mean()))
    hidden = node_weights(material, phases, body) == 0.0  # time and tempo move nothing by themselves
    return np.asarray(np.where(hidden, np.maximum(LEAST * whole, 1e-6), np.maximum(LEAST * usual, 1e-12) / weights))


def _rest_densities(dynamics: Dynamics, rest: Floats, freedom: int) -> Floats:
    """(slices, nodes): each frame given the two before it, the first two as often as they occur."""
    nodes = rest.shape[1]
    packed = dynamics.packed
    scale = np.sqrt(np.diag(dynamics.covariance)[:nodes])
    values = rest * scale  # in units of the network's own variance
    before = np.concatenate([values[:1], values[:1], values])
    stacked = np.concatenate([before[:-2], before[1:-1], before[2:]], axis=1)
    predicted = np.zeros_like(values)
    for i in range(nodes):
        node_edges = slice(packed.starts[i], packed.starts[i + 1])
        predicted[:, i] = stacked[:, packed.parents[node_edges]] @ packed.slopes[node_edges]
    out = student(values - predicted, packed.noise, freedom) + np.log(scale)
    out[:2] = student(rest[:2], np.ones(nodes), freedom)
    return out


def _trait_densities(dynamics: Dynamics, traits: Floats, freedom: int) -> Floats:
    """(traits, nodes): each trait given those of the parents within the frame."""
    nodes, packed = traits.shape[1], dynamics.packed
    values, predicted = traits * dynamics.trait_scales, np.zeros_like(traits)
    for i in range(nodes):
        node_edges = slice(packed.starts[i], packed.starts[i + 1])
        parent_traits = values[:, packed.parents[node_edges] % nodes]
        predicted[:, i] = (dynamics.trait_slopes[:, node_edges] * parent_traits).sum(axis=1)
    return student(values - predicted, dynamics.trait_noise, freedom) + np.log(dynamics.trait_scales)


def student(x: Floats, scale: Floats, freedom: int) -> Floats:
    """Logarithm of Student's density with this scale."""
    constant = math.lgamma(0.5 * (freedom + 1)) - math.lgamma(0.5 * freedom) - 0.5 * np.log(freedom * np.pi)
    standardized = x / scale
    return np.asarray(constant - np.log(scale) - 0.5 * (freedom + 1) * np.log1p(standardized * standardized / freedom))
