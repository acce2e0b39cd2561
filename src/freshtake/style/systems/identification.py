"""Identify state-space systems from inputs and outputs: subspace method (Hsu 2005, §4.3), refitted by simulation."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats
from freshtake.style.systems.banks import System
from freshtake.style.systems.state_kernels import filtered


class Moments(NamedTuple):
    """The products of Hankel columns, summed over trials, which are all the data that the subspace method needs."""

    products: Floats  # products of the rows past inputs, past outputs, future inputs, future outputs
    columns: int
    inputs: int
    outputs: int
    horizon: int


class Subspace(NamedTuple):
    """The singular values of the weighted projection, and the observability matrix (horizon * outputs, states)."""

    values: Floats
    observability: Floats
    outputs: int


class Poles(NamedTuple):
    """Real poles and complex pairs a ± ib: a (n,), and b (n,), which is 0 for a real pole and b, -b for a pair."""

    damping: Floats
    turning: Floats


def moments_of(inputs: Floats, outputs: Floats, horizon: int) -> Moments:
    """Sum the moments of one trial: rows (frames, inputs) and (frames, outputs)."""
    m, p = inputs.shape[1], outputs.shape[1]
    count = max(len(inputs) - 2 * horizon + 1, 0)
    past_u, future_u = _hankel(inputs, 0, horizon, count), _hankel(inputs, horizon, horizon, count)
    past_y, future_y = _hankel(outputs, 0, horizon, count), _hankel(outputs, horizon, horizon, count)
    rows = np.concatenate([past_u, past_y, future_u, future_y], axis=1)
    return Moments(rows.T @ rows, count, m, p, horizon)


def _hankel(rows: Floats, first: int, horizon: int, count: int) -> Floats:
    """Return (columns, horizon * width): a window of rows per column."""
    windows = [rows[first + k : first + k + count] for k in range(horizon)]
    return np.concatenate(windows, axis=1)


def added_moments(parts: Sequence[Moments]) -> Moments:
    """Add up the moments of several trials."""
    # Products are added instead of joining clips: windows across the seam of two clips would contain a jump.
    total = np.sum([part.products for part in parts], axis=0)
    return parts[0]._replace(products=total, columns=sum(part.columns for part in parts))


def subspace(moments: Moments, ridge: float) -> Subspace:
    """Decompose the oblique projection of the future outputs along the future inputs on the past."""
    i, m, p = moments.horizon, moments.inputs, moments.outputs
    past, given = i * (m + p), i * (2 * m + p)
    g = moments.products / max(moments.columns, 1)
    # Clips shorter than two horizons have no windows: then nothing is correlated, but the inverse must still exist.
    damp = ridge * np.trace(g[:given, :given]) / given or 1.0
    weights = np.linalg.solve(g[:given, :given] + damp * np.eye(given), g[:given, given:]).T  # [L_w, L_u]
    # The past predicts the state; the effect of future inputs is fitted too, then dropped. The products
    # give the left singular vectors by an eigenproblem of the horizon's size, regardless of the number of frames.
    part = weights[:, :past]
    values, vectors = np.linalg.eigh(part @ g[:past, :past] @ part.T)
    order = np.argsort(values)[::-1]
    strength = np.sqrt(np.maximum(values[order], 0.0))
    return Subspace(strength, vectors[:, order] * np.sqrt(strength), p)


def poles_of(space: Subspace, order: int, radius: float) -> Poles:
    """Find the poles of the leading `order` states, none larger than `radius`, so the system is always stable."""
    gamma, p = space.observability[:, :order], space.outputs
    # The observability matrix is C, CA, CA², ...: shifted up by one block, it is itself times A.
    matrix = np.linalg.lstsq(gamma[:-p], gamma[p:], rcond=1e-9)[0]
    return stable(np.linalg.eigvals(matrix), radius)


def stable(poles: npt.NDArray[Any], radius: float) -> Poles:
    """Shrink poles outside `radius` onto it, at the same frequency; replace poles that are not finite by 0."""
    finite = np.where(np.isfinite(poles), poles, 0.0)
    size = np.abs(finite)
    inside = np.where(size > radius, finite * (radius / np.maximum(size, 1e-300)), finite)
    pairs: list[tuple[float, float]] = []
    for pole in sorted(inside, key=lambda z: (-abs(z), z.real)):
        # Rounding errors give real poles tiny imaginary parts.
        if abs(pole.imag) <= 1e-9:
            pairs.append((pole.real, 0.0))
        # The upper pole represents both of a conjugate pair, so skip the lower one.
        elif pole.imag > 0.0:
            pairs += [(pole.real, pole.imag), (pole.real, -pole.imag)]
    damping, turning = np.array(pairs, dtype=np.float64).reshape(-1, 2).T.copy()
    return Poles(damping, turning)


def orders_worth_trying(space: Subspace, most: int) -> int:
    """Return the number of states with a thousandth of the first singular value, at least one and at most `most`."""
    return max(1, min(most, int(np.sum(space.values > 1e-3 * space.values[0]))))


ROUNDS = 6


class Products(NamedTuple):
    """The sums over frames of signals times signals and signals times outputs.

    The signals are: for each real pole, the filtered inputs; for each pair, their real and imaginary parts; then the
    inputs themselves, then one.
    """

    signals: Floats  # (k, k)
    outputs: Floats  # (k, p)
    squares: Floats  # (p,): squares of the outputs
    frames: int


def products_of(inputs: Floats, outputs: Floats, poles: Poles, past: int) -> Products:
    """Sum the products of one trial whose first `past` rows of inputs lead up to the first output."""
    z = filtered(np.ascontiguousarray(inputs), *poles, past)
    parts = [z[:, k, part] for k, part in signal_parts(poles)]
    present = inputs[past:]
    signals = np.concatenate([*parts, present, np.ones((len(present), 1))], axis=1)
    return Products(signals.T @ signals, signals.T @ outputs, (outputs**2).sum(axis=0), len(outputs))


def signal_parts(poles: Poles) -> list[tuple[int, int]]:
    """Return the part of the filtered inputs that is the signal of each state: (pole, 0 real or 1 imaginary)."""
    return [(k - 1, 1) if b < 0.0 else (k, 0) for k, b in enumerate(poles.turning)]


def added(parts: Sequence[Products]) -> Products:
    """Add up the products of several trials."""
    signals, outputs, squares, frames = zip(*parts, strict=True)
    return Products(np.sum(signals, axis=0), np.sum(outputs, axis=0), np.sum(squares, axis=0), sum(frames))


def steadied(products: Products, poles: Poles, amount: float | Floats, goal: Floats | None = None) -> Products:
    """Add frames with constant inputs and the output `goal`, so that the response to constant inputs is pulled to it.

    Their number is `amount` times the data's, with one `amount` for all inputs or one for each; `goal` (inputs,
    outputs) is zero by default.
    """
    n = len(poles.damping)
    m = (len(products.signals) - 1) // (n + 1)
    # Under a constant input a filter z' = q z + u settles at u / (1 - q).
    final = 1.0 / (1.0 - (poles.damping - 1j * poles.turning))
    gains = [final[k].imag if part else final[k].real for k, part in signal_parts(poles)]
    response = np.concatenate([np.kron(np.array([*gains, 1.0])[:, None], np.eye(m)), np.zeros((1, m))])
    pull = products.frames * (amount * response)
    outputs = products.outputs if goal is None else products.outputs + pull @ goal
    return products._replace(signals=products.signals + pull @ response.T, outputs=outputs)


def fit(poles: Poles, products: Products, ridge: float, rounds: int = ROUNDS) -> System:
    """Fit B, C, D and the offset by alternating regressions, starting from the best B of the unconstrained residues."""
    n, p = len(poles.damping), products.outputs.shape[1]
    m = (len(products.signals) - 1) // (n + 1)
    B = _first_inputs(poles, products, ridge, m)
    C, D, offset = _fit_outputs(poles, products, B, ridge)
    for _ in range(rounds if n else 0):
        B = _fit_inputs(poles, products, C, ridge, m)
        # Only the product of B and C is determined; unit rows of B let the ridge weight all states equally.
        B /= np.maximum(_sizes(B, poles), 1e-9)[:, None]
        C, D, offset = _fit_outputs(poles, products, B, ridge)
    return System(poles.damping, poles.turning, B, C.reshape(p, n), D, offset)


def error(system: System, products: Products) -> Floats:
    """Return squared errors (p,) of the simulation, summed over the frames in the products."""
    poles = Poles(system.damping, system.turning)
    weights = np.concatenate([system.C @ _mixing(poles, system.B), system.D, system.offset[:, None]], axis=1)
    cross = np.einsum("ok,ko->o", weights, products.outputs)
    return np.asarray(products.squares - 2.0 * cross + np.einsum("ok,kl,ol->o", weights, products.signals, weights))


def _mixing(poles: Poles, B: Floats) -> Floats:
    """Return the map (n, n * m) from filtered signals to states.

    A pair of poles gives x1 = B1 Re z - B2 Im z and x2 = B1 Im z + B2 Re z.
    """
    n, m = B.shape
    out = np.zeros((n, n, m))
    for k, b in enumerate(poles.turning):
        if b == 0.0:
            out[k, k] = B[k]
        elif b > 0.0:
            out[k, k], out[k, k + 1] = B[k], -B[k + 1]
            out[k + 1, k], out[k + 1, k + 1] = B[k + 1], B[k]
    return out.reshape(n, n * m)


def _fit_outputs(poles: Poles, products: Products, B: Floats, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Fit C, D and the offset for a given B."""
    n, m = B.shape
    total = len(products.signals)
    change = np.zeros((n + m + 1, total))
    change[:n, : n * m] = _mixing(poles, B)
    change[n:, n * m :] = np.eye(m + 1)
    gram = change @ products.signals @ change.T
    weights = _solved(gram, change @ products.outputs, ridge * products.frames).T
    return weights[:, :n], weights[:, n : n + m], weights[:, -1]


def _fit_inputs(poles: Poles, products: Products, C: Floats, ridge: float, m: int) -> Floats:
    """Fit B for a given C; D and the offset are fitted too."""
    n, p = len(poles.damping), C.shape[0]
    others = m + 1
    size = n * m + p * others
    gram, right = np.zeros((size, size)), np.zeros(size)
    direct = products.signals[n * m :, n * m :]
    for o in range(p):
        w = np.kron(_sharing(poles, C[o]), np.eye(m))  # entries of B to weights on the filtered signals
        at = slice(n * m + o * others, n * m + (o + 1) * others)
        gram[: n * m, : n * m] += w @ products.signals[: n * m, : n * m] @ w.T
        cross = w @ products.signals[: n * m, n * m :]
        gram[: n * m, at], gram[at, : n * m], gram[at, at] = cross, cross.T, direct
        right[: n * m] += w @ products.outputs[: n * m, o]
        right[at] = products.outputs[n * m :, o]
    solution = _solved(gram, right[:, None], ridge * products.frames)[:, 0]
    return solution[: n * m].reshape(n, m)


def _first_inputs(poles: Poles, products: Products, ridge: float, m: int) -> Floats:
    """Take B from the leading singular vector of each pole's unconstrained residue."""
    n = len(poles.damping)
    weights = _solved(products.signals, products.outputs, ridge * products.frames)[: n * m].T.reshape(
        products.outputs.shape[1], n, m
    )
    B = np.zeros((n, m))
    for k, b in enumerate(poles.turning):
        if b == 0.0:
            B[k] = np.linalg.svd(weights[:, k])[2][0]
        elif b > 0.0:  # y = Re(conj(c) * residue ...): real and imaginary parts together
            residue = weights[:, k] - 1j * weights[:, k + 1]
            lead = np.linalg.svd(residue)[2][0]
            B[k], B[k + 1] = lead.real, -lead.imag
    return B


def _sharing(poles: Poles, weights: Floats) -> Floats:
    """Return the weights (n, n) of the filtered signals in an output with weights (n,), by row of B."""
    out = np.diag(weights)
    first = np.flatnonzero(poles.turning > 0.0)
    second = first + 1
    out[first, second] = out[second, first] = weights[second]
    out[second, second] = -weights[first]
    return out


def _sizes(B: Floats, poles: Poles) -> Floats:
    """Return the norm of every state's row of B; the two states of a pair have the norm of both rows."""
    squares = (B * B).sum(axis=1)
    first = np.flatnonzero(poles.turning > 0.0)
    squares[first] += squares[first + 1]
    squares[first + 1] = squares[first]
    return np.asarray(np.sqrt(squares))


def _solved(gram: Floats, right: Floats, ridge: float) -> Floats:
    """Solve a ridge regression; a small part of the trace is added in case the products alone are singular."""
    damp = ridge * np.ones(len(gram)) + 1e-9 * max(float(np.trace(gram)) / len(gram), 1e-12)
    return np.asarray(np.linalg.solve(gram + np.diag(damp), right))
