"""The method as published (Okwechime 2008, §4.1-4.4, eq. 9-14): climb the motion density, frame by frame.

It serves as a comparison; docs/results/density.md reports where it stalls, inflates or does not blend.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.pose_density import log_density
from freshtake.density.settings import SEARCHES
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

GOLDEN = 0.6180339887498949
REACH = 2.0  # in velocity kernel widths: how far a line search extends to either side of its start


@dataclass(frozen=True, eq=False)
class PaperState:
    """The pose and the step that led to it."""

    pose: Floats  # (modes,)
    step: Floats
    first: bool = True


def begin_paper(model: DensityModel, weights: Floats) -> PaperState:
    """Return the kernel with the highest likelihood: Okwechime 2008, eq. 9 and 13 (several classes)."""
    logs = np.full(len(model.weights), -np.inf)
    for w, dense in zip(weights, model.pose_densities, strict=True):
        if w > 0.0:
            logs = np.logaddexp(logs, np.log(w) + log_density(dense, model.weights))
    best = int(np.argmax(logs))
    return PaperState(model.weights[best].copy(), model.speeds[best].copy())


def advance_paper(model: DensityModel, state: PaperState, weights: Floats) -> tuple[PaperState, Floats]:
    """Compute y_(t+1) = y_t + dy with the highest likelihood: Okwechime 2008, eq. 11.

    The setting `search` chooses how the step is found, see `climb`. Root rates and residuals are means over the
    kernels, weighted by the motion density.
    """
    d = model.modes
    counts = np.bincount(model.owners, minlength=len(model.classes))
    places = np.concatenate([model.weights, model.speeds], axis=1) / model.widths
    extra = np.concatenate([model.rates, model.residuals], axis=1)
    out = np.empty((len(weights), d + extra.shape[1]))
    pose, step, first = state.pose.copy(), state.step.copy(), state.first
    search, correction = SEARCHES.index(model.settings.search), model.settings.correction
    for t, mix in enumerate(weights):
        shares = (mix / counts)[model.owners]
        if not first:
            step = climb(places, shares, model.widths, pose, step, search, correction)
            pose = pose + step
        first = False
        out[t, :d] = pose
        out[t, d:] = _carried(places, shares, model.widths, pose, step, extra)
    return PaperState(pose, step, first), out


def _carried(places: Floats, shares: Floats, widths: Floats, pose: Floats, step: Floats, extra: Floats) -> Floats:
    apart = places - np.concatenate([pose, step]) / widths
    squares = (apart * apart).sum(axis=1)
    heavy = shares > 0.0
    mass = np.where(heavy, shares * np.exp(-0.5 * (squares - squares[heavy].min())), 0.0)
    carried: Floats = (mass / mass.sum()) @ extra
    return carried


class NearKernels(NamedTuple):
    """The kernels of all classes, and their distances from one pose."""

    places: Floats  # (kernels, 2 modes): poses and speeds, in kernel widths
    shares: Floats  # (kernels,)
    widths: Floats  # (2 modes,)
    near: Floats  # (kernels,): squared distances from the pose


@compiled
def climb(
    places: Floats, shares: Floats, widths: Floats, pose: Floats, step: Floats, search: int, correction: bool
) -> Floats:
    """Return the step with the highest likelihood from a pose: Okwechime 2008, eq. 10.

    The search begins at the previous step. `search` is the number of one of `SEARCHES` (§4.3): along each eigenvector
    in turn, over the velocities of all kernels, by mean shift, or by Powell's method.
    """
    d = len(pose)
    count = len(places)
    near, spot = np.empty(count), pose / widths[:d]
    for i in range(count):
        total = 0.0
        for k in range(d):
            total += (places[i, k] - spot[k]) ** 2
        near[i] = total
    kernels = NearKernels(places, shares, widths, near)
    if search == 1:
        return fastest_kernel(kernels, pose, step, correction)
    if search == 2:
        return shifted_mean(kernels, pose, step, correction)
    best, along = step.copy(), np.zeros((d, d))
    for k in range(d):
        along[k, k] = widths[d + k]
    # Four sweeps over all modes bound the time per frame.
    for _ in range(4):
        before, most, gained = best.copy(), 0, 0.0
        value = likelihood(kernels, pose, best, correction)
        for k in range(d):
            best = line_search(kernels, pose, best, along[k], correction)
            reached = likelihood(kernels, pose, best, correction)
            if reached - value > gained:
                most, gained = k, reached - value
            value = reached
        # Powell: the sum of all steps replaces the direction that helped most, or directions become dependent.
        if search == 3 and gained > 0.0:
            along[most] = best - before
            best = line_search(kernels, pose, best, along[most], correction)
    return best


@compiled
def fastest_kernel(kernels: NearKernels, pose: Floats, step: Floats, correction: bool) -> Floats:
    """Return the likeliest of the kernels' velocities."""
    d, top = len(pose), -np.inf
    best, trial = step.copy(), np.empty(len(pose))
    for i in range(len(kernels.places)):
        for k in range(d):
            trial[k] = kernels.places[i, d + k] * kernels.widths[d + k]
        value = likelihood(kernels, pose, trial, correction)
        if value > top:
            top = value
            best[:] = trial
    return best


@compiled
def shifted_mean(kernels: NearKernels, pose: Floats, step: Floats, correction: bool) -> Floats:
    """Return the step after mean shift: the mean of the kernels' velocities, weighted by their likelihoods.

    With the correction, steps to the kernels' poses are averaged too. The likelihood never falls.
    """
    places, shares, widths, near = kernels
    d = len(pose)
    best = step.copy()
    # Twenty shifts of the mean bound the time per frame.
    for _ in range(20):
        top, bottom = np.zeros(d), np.zeros(d)
        for part in range(2 if correction else 1):
            first = d if part == 0 else 0
            squares = np.full(len(places), np.inf)
            for i in range(len(places)):
                if shares[i] > 0.0:
                    squares[i] = near[i] if part == 0 else 0.0
                    for k in range(d):
                        there = best[k] if part == 0 else pose[k] + best[k]
                        squares[i] += (places[i, first + k] - there / widths[first + k]) ** 2
            mass = shares * np.exp(-0.5 * (squares - squares.min()))
            mass /= mass.sum()
            for k in range(d):
                mean = (mass * places[:, first + k]).sum() * widths[first + k] - (pose[k] if part == 1 else 0.0)
                top[k] += mean / widths[first + k] ** 2
                bottom[k] += 1.0 / widths[first + k] ** 2
        best = top / bottom
    return best


@compiled
def likelihood(kernels: NearKernels, pose: Floats, step: Floats, correction: bool) -> float:
    """Return the logarithm of P(y, dy/dt), times P(y + dy/dt) with the correction: Okwechime 2008, eq. 12 and 14.

    A kernel's share is the weight of its class over the number of kernels in the class.
    """
    places, shares, widths, near = kernels
    d = len(pose)
    count = len(places)
    least, total, least_next, total_next = np.inf, 0.0, np.inf, 0.0
    for i in range(count):
        if shares[i] <= 0.0:
            continue
        square, after = near[i], 0.0
        for k in range(d):
            square += (places[i, d + k] - step[k] / widths[d + k]) ** 2
            after += (places[i, k] - (pose[k] + step[k]) / widths[k]) ** 2
        if square < least:
            total = total * np.exp(-0.5 * (least - square)) + shares[i] if least < np.inf else shares[i]
            least = square
        else:
            total += shares[i] * np.exp(-0.5 * (square - least))
        if after < least_next:
            grown = total_next * np.exp(-0.5 * (least_next - after)) if least_next < np.inf else 0.0
            total_next, least_next = grown + shares[i], after
        else:
            total_next += shares[i] * np.exp(-0.5 * (after - least_next))
    value = np.log(total) - 0.5 * least
    return value + np.log(total_next) - 0.5 * least_next if correction else value


@compiled
def line_search(kernels: NearKernels, pose: Floats, step: Floats, along: Floats, correction: bool) -> Floats:
    """Return the best step on a line through `step`, at most `REACH` times `along` away, by golden section."""
    low, high = -REACH, REACH
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a = likelihood(kernels, pose, step + a * along, correction)
    at_b = likelihood(kernels, pose, step + b * along, correction)
    # Each step keeps a golden section of the interval: after 18 steps 2e-4 of it remains.
    for _ in range(18):
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = likelihood(kernels, pose, step + a * along, correction)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = likelihood(kernels, pose, step + b * along, correction)
    return step + 0.5 * (low + high) * along
