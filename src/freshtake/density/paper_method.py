"""The paper to the letter (Okwechime 2008, §4.1-4.4, eq. 9-14): climb the motion density, frame by frame.

It is here to be compared with; docs/results/density.md says where it stalls, inflates or does not blend.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.pose_density import log_density
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

SWEEPS = 4  # over all modes, per frame
GOLDEN = 0.6180339887498949
SHRINKS = 18  # of a line search
REACH = 2.0  # widths of a velocity kernel to either side of where a line search starts


@dataclass(frozen=True, eq=False)
class PaperState:
    """The pose and the step that led to it."""

    pose: Floats  # (modes,)
    step: Floats
    first: bool = True


def begin_paper(model: DensityModel, weights: Floats) -> PaperState:
    """The kernel of the highest likelihood: Okwechime 2008, eq. 9 and 13 (of several classes)."""
    logs = np.full(len(model.weights), -np.inf)
    for w, dense in zip(weights, model.pose_densities, strict=True):
        if w > 0.0:
            logs = np.logaddexp(logs, np.log(w) + log_density(dense, model.weights))
    best = int(np.argmax(logs))
    return PaperState(model.weights[best].copy(), model.speeds[best].copy())


def advance_paper(model: DensityModel, state: PaperState, weights: Floats) -> tuple[PaperState, Floats]:
    """y_(t+1) = y_t + dy of the highest likelihood: Okwechime 2008, eq. 11.

    `search` "coordinate" is §4.3: along each eigenvector in turn from the previous step; "kernels" tries the
    velocities of all kernels. Root rates and residuals are means over the kernels, weighed by the motion density.
    """
    d = model.modes
    counts = np.bincount(model.owners, minlength=len(model.classes))
    places = np.concatenate([model.weights, model.speeds], axis=1) / model.widths
    extra = np.concatenate([model.rates, model.residuals], axis=1)
    out = np.empty((len(weights), d + extra.shape[1]))
    pose, step, first = state.pose.copy(), state.step.copy(), state.first
    coordinate, correction = model.settings.search == "coordinate", model.settings.correction
    for t, mix in enumerate(weights):
        shares = (mix / counts)[model.owners]
        if not first:
            step = climb(places, shares, model.widths, pose, step, coordinate, correction)
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
    """The kernels of all classes, seen from one pose."""

    places: Floats  # (kernels, 2 modes): poses and speeds, in kernel widths
    shares: Floats  # (kernels,)
    widths: Floats  # (2 modes,)
    near: Floats  # (kernels,): squared distances from the pose


@compiled
def climb(
    places: Floats, shares: Floats, widths: Floats, pose: Floats, step: Floats, coordinate: bool, correction: bool
) -> Floats:
    """The step of the highest likelihood from a pose, starting at the previous step: Okwechime 2008, eq. 10 and 14."""
    d = len(pose)
    count = len(places)
    near, spot = np.empty(count), pose / widths[:d]
    for i in range(count):
        total = 0.0
        for k in range(d):
            total += (places[i, k] - spot[k]) ** 2
        near[i] = total
    kernels = NearKernels(places, shares, widths, near)
    best = step.copy()
    if coordinate:
        for _ in range(SWEEPS):
            for k in range(d):
                best[k] = line_search(kernels, pose, best, k, correction)
        return best
    top = -np.inf
    trial = np.empty(d)
    for i in range(count):
        for k in range(d):
            trial[k] = places[i, d + k] * widths[d + k]
        value = likelihood(kernels, pose, trial, correction)
        if value > top:
            top = value
            best[:] = trial
    return best


@compiled
def likelihood(kernels: NearKernels, pose: Floats, step: Floats, correction: bool) -> float:
    """log of P(y, dy/dt), times P(y + dy/dt) with the correction: Okwechime 2008, eq. 12.

    Shares are the weight of a kernel's class over its number of kernels, so that classes are mixed as in eq. 14.
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
def line_search(kernels: NearKernels, pose: Floats, step: Floats, k: int, correction: bool) -> float:
    """The best value of one coordinate of the step, by golden section round where it is."""
    trial = step.copy()
    reach = REACH * kernels.widths[len(pose) + k]
    low, high = step[k] - reach, step[k] + reach
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    trial[k] = a
    at_a = likelihood(kernels, pose, trial, correction)
    trial[k] = b
    at_b = likelihood(kernels, pose, trial, correction)
    for _ in range(SHRINKS):
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            trial[k] = a
            at_a = likelihood(kernels, pose, trial, correction)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            trial[k] = b
            at_b = likelihood(kernels, pose, trial, correction)
    return 0.5 * (low + high)
