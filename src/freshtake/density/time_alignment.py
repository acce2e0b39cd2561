"""Time alignment (Okwechime 2008, §3.3): a sine fitted to the first mode, and its phase (eq. 3-4).

The method "aligned" mixes the mean cycles of classes over their common phase, by weights (eq. 5).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.density.jumps import Track
from freshtake.numeric.arrays import Floats

SHORTEST = 6.0  # frames of the shortest period searched
ROUNDS = 12


class SineFit(NamedTuple):
    """offset + amplitude sin(omega t + phase) with t in frames; `error` is the root mean square of the residual."""

    omega: float
    phase: float
    amplitude: float
    offset: float
    error: float

    @property
    def period(self) -> float:
        """Frames per cycle."""
        return 2.0 * np.pi / self.omega

    def at(self, times: Floats) -> Floats:
        """Return the fitted curve (frames,)."""
        return np.asarray(self.offset + self.amplitude * np.sin(self.omega * times + self.phase))


def fit_sine(values: Floats) -> SineFit:
    """Return the least-squares sine of one curve (frames,): Okwechime 2008, eq. 3, with amplitude and offset.

    Departs from the paper: eq. 3 is a sine with mean 0 and amplitude 1, which fits no mode.
    """
    times = np.arange(len(values), dtype=np.float64)
    return _refined(values, times, *_first_guess(values, times))


def fit_near(values: Floats, period: float) -> SineFit:
    """Return the best-fitting sine with a period of about this many frames."""
    omega = 2.0 * np.pi / period
    # The given frequency may be off by 3 %.
    return _refined(values, np.arange(len(values), dtype=np.float64), omega, 0.03 * omega)


def _refined(values: Floats, times: Floats, omega: float, step: float) -> SineFit:
    for _ in range(ROUNDS):  # parabola through three frequencies, narrower in every round
        low, mid, high = (_solved(values, times, w)[1] for w in (omega - step, omega, omega + step))
        curve = low - 2.0 * mid + high
        shift = 0.5 * (low - high) / curve if curve > 0.0 else 0.0
        omega = max(omega + step * float(np.clip(shift, -1.0, 1.0)), 1e-9)
        step *= 0.5
    (offset, sine, cosine), error = _solved(values, times, omega)
    return SineFit(omega, float(np.arctan2(cosine, sine)), float(np.hypot(sine, cosine)), float(offset), error)


def _first_guess(values: Floats, times: Floats) -> tuple[float, float]:
    """Estimate the best frequency and its uncertainty, from the spectrum of a long take, else from a grid."""
    frames = len(values)
    # Beyond 400 frames the spectrum is fine enough.
    if frames > 400:
        power = np.abs(np.fft.rfft(values - values.mean(), 4 * frames))
        first = int(np.argmax(power[2 : int(4 * frames / SHORTEST)])) + 2
        return 2.0 * np.pi * first / (4.0 * frames), np.pi / (2.0 * frames)
    # Eight frequencies are tried per 1 / duration.
    count = max(8, int(8 * frames / SHORTEST))
    grid = 2.0 * np.pi * np.linspace(1.0 / (1.5 * frames), 1.0 / min(SHORTEST, frames / 2.0), count)
    errors = [_solved(values, times, omega)[1] for omega in grid]
    return float(grid[int(np.argmin(errors))]), float(grid[1] - grid[0])


def _solved(values: Floats, times: Floats, omega: float) -> tuple[Floats, float]:
    """Return offset, sine and cosine for one frequency, and the root mean square of the residual."""
    basis = np.stack([np.ones_like(times), np.sin(omega * times), np.cos(omega * times)], axis=1)
    coefficients, *_ = np.linalg.lstsq(basis, values, rcond=None)
    residual = values - basis @ coefficients
    return coefficients, float(np.sqrt(np.mean(residual**2)))


def phases(values: Floats, fit: SineFit, *, tracked: bool) -> Floats:
    """Return t' = omega t + phase (frames,): Okwechime 2008, eq. 4.

    With `tracked` the phase follows changes of pace: it is the angle of the fundamental in a window of two periods
    around each frame.
    """
    times = np.arange(len(values), dtype=np.float64)
    plain: Floats = fit.omega * times + fit.phase
    if not tracked or len(values) < 1.5 * fit.period:
        return plain
    reach = round(fit.period)
    window = phase_window(reach)
    turned = (values - fit.offset) * np.exp(-1j * plain)
    weight = around(np.ones(len(values), dtype=np.complex128), window).real
    slow = around(turned, window) / weight
    return np.asarray(plain + np.unwrap(np.angle(slow * 2j)))


def phase_window(reach: int) -> Floats:
    """Return weights (2 reach + 1,) that fall off to both sides like a cosine."""
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1.0)))


def around(values: npt.NDArray[Any], window: Floats) -> npt.NDArray[Any]:
    """Return the sum of values weighted by a window around each frame, with the length of the values."""
    start = len(window) // 2
    return np.asarray(np.convolve(values, window)[start : start + len(values)])


class Curves(NamedTuple):
    """Per class: Fourier coefficients (classes, 1 + 2 harmonics, width) over phase, radians per frame (classes,)."""

    coefficients: Floats
    omegas: Floats


@dataclass(frozen=True, eq=False)
class AlignedState:
    """The common phase, in radians."""

    phase: float


def curves_of(track: Track, harmonics: int, *, tracked: bool) -> Curves:
    """Fit every class's mean cycle over the phase of its first mode by least squares; one harmonic is a sine."""
    curves, omegas = [], []
    width = track.rows.shape[1]
    for owner in range(len(track.cyclic)):
        normal = np.zeros((1 + 2 * harmonics,) * 2)
        right = np.zeros((1 + 2 * harmonics, width))
        pace, frames = 0.0, 0
        for start in track.starts[track.owners[track.starts] == owner]:
            rows = track.rows[start : track.lasts[start] + 1]
            fit = fit_sine(rows[:, 0])
            place = phases(rows[:, 0], fit, tracked=tracked)
            basis = harmonic_basis(place, harmonics)
            normal += basis.T @ basis
            right += basis.T @ rows
            pace += float(place[-1] - place[0])
            frames += len(rows) - 1
        # A ridge penalty: a short take may not determine all harmonics.
        normal[np.diag_indices(len(normal))] += 1e-6 * np.trace(normal) / len(normal)
        curves.append(np.linalg.solve(normal, right))
        omegas.append(pace / frames)
    return Curves(np.stack(curves), np.array(omegas))


def harmonic_basis(phase: Floats, harmonics: int) -> Floats:
    """Return 1, sin h phase, cos h phase: (frames, 1 + 2 harmonics)."""
    turns = phase[:, None] * np.arange(1, harmonics + 1)
    return np.concatenate([np.ones((len(phase), 1)), np.sin(turns), np.cos(turns)], axis=1)


def advance_aligned(curves: Curves, state: AlignedState, weights: Floats) -> tuple[AlignedState, Floats]:
    """Return rows (frames, width) for weights (frames, classes): Okwechime 2008, eq. 5, for any number of classes.

    For two classes with weights (1 + w) / 2 and (1 - w) / 2 it is eq. 5. The frequency is mixed with the same weights,
    which keeps the speed that time alignment removes.
    """
    steps = weights @ curves.omegas
    phase = state.phase + np.concatenate([[0.0], np.cumsum(steps)])
    harmonics = (curves.coefficients.shape[1] - 1) // 2
    basis = harmonic_basis(phase[:-1], harmonics)
    rows: Floats = np.einsum("tc,th,chw->tw", weights, basis, curves.coefficients, optimize=True)
    return AlignedState(float(np.mod(phase[-1], 2.0 * np.pi))), rows
