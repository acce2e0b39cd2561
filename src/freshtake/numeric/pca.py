"""Principal components: a mean, orthonormal modes and their variances; exact or randomized by size."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

RANDOMIZED_FROM = 1500  # with this many rows and columns, a few modes are computed by random projection
OVERSAMPLING = 12  # additional random directions, so that the last modes are accurate too
_FLOOR = 1e-12  # fraction of the largest variance below which a mode is rounding error


class Pca(NamedTuple):
    """Rows are mean + weights @ modes: mean (d,), modes (c, d) with orthonormal rows, variances (c,) decreasing.

    A variance is the mean square of a mode's weights; `total` is the sum of all variances of the data, including the
    omitted modes.
    """

    mean: Floats
    modes: Floats
    variances: Floats
    total: float

    def __repr__(self) -> str:
        return f"Pca({self.components} modes of {len(self.mean)} values, {100.0 * self.energy:.4g} % of the variance)"

    @property
    def components(self) -> int:
        """The number of modes."""
        return len(self.modes)

    @property
    def energy(self) -> float:
        """The fraction of the total variance that the modes keep; 1 if there is none."""
        return min(1.0, float(self.variances.sum()) / self.total) if self.total > 0.0 else 1.0


def fit(
    rows: npt.ArrayLike,
    *,
    count: int | None = None,
    energy: float | None = None,
    error: float | None = None,
    rng: np.random.Generator | None = None,
) -> Pca:
    """Fit principal components to rows (n, d), by `count`, fraction of `energy` or `error`; all if none is given.

    `error` bounds the root mean square error over all values. With several conditions, the strictest applies. Modes
    without variance are dropped. With `rng`, large data whose `count` is small are projected at random first; without
    it the result is exact, whatever the size.
    """
    x = np.asarray(rows, dtype=np.float64)
    _check(x, count, energy, error)
    mean = x.mean(axis=0)
    centered = x - mean
    total = float(np.einsum("ij,ij->", centered, centered)) / len(x)
    only_count = count is not None and energy is None and error is None
    large = min(x.shape) >= RANDOMIZED_FROM and count is not None and 4 * (count + OVERSAMPLING) <= min(x.shape)
    if rng is not None and only_count and large:
        assert count is not None
        modes, variances = _randomized(centered, count, rng)
    else:
        modes, variances = _exact(centered)
    keep = _needed(variances, total, x.shape[1], count, energy, error)
    return Pca(mean, _signed(modes[:keep]), variances[:keep], total)


def kept_modes(
    products: Floats, values: int, count: int | None = None, energy: float | None = None, error: float | None = None
) -> tuple[Floats, Floats, float]:
    """Return the modes of rows with `values` columns, from the inner products (n, n) of the rows minus their mean.

    Return coefficients (c, n), so that coefficients @ rows are orthonormal modes; variances (c,); the total variance.
    The conditions are as in `fit`.
    """
    n = len(products)
    total = float(np.trace(products)) / n
    variances, vectors = np.linalg.eigh(products / n)
    real = variances > _FLOOR * max(float(variances[-1]), 0.0)
    variances, vectors = variances[real][::-1], vectors[:, real][:, ::-1]
    keep = _needed(variances, total, values, count, energy, error)
    return (vectors[:, :keep] / np.sqrt(variances[:keep] * n)).T, variances[:keep], total


def project(pca: Pca, rows: npt.ArrayLike) -> Floats:
    """Return weights (n, c) of rows (n, d) in the modes."""
    weights: Floats = (np.asarray(rows, dtype=np.float64) - pca.mean) @ pca.modes.T
    return weights


def restore(pca: Pca, weights: npt.ArrayLike) -> Floats:
    """Return rows (n, d) from weights (n, c); with fewer columns than modes only the first modes are used."""
    w = np.asarray(weights, dtype=np.float64)
    rows: Floats = w @ pca.modes[: w.shape[-1]] + pca.mean
    return rows


def _check(x: Floats, count: int | None, energy: float | None, error: float | None) -> None:
    if x.ndim != 2 or x.shape[0] < 1 or x.shape[1] < 1:
        raise UsageError(f"principal components need rows and columns of numbers, not an array of shape {x.shape}")
    if not np.isfinite(x).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise UsageError(f"principal components need finite numbers, but row {place[0]} holds {x[place]}")
    if count is not None and not 0 <= count <= min(x.shape):
        most = min(x.shape)
        raise UsageError(
            f"{count} components were requested, but {x.shape[0]} frames of {x.shape[1]} values have at most {most}"
        )
    if energy is not None and not 0.0 < energy <= 1.0:
        raise UsageError(f"energy must be a fraction between 0 and 1, not {energy}")
    if error is not None and not error >= 0.0:
        raise UsageError(f"error must be 0 or more, not {error}")


def _exact(x: Floats) -> tuple[Floats, Floats]:
    """Return all modes with variance, through the smaller of the two Gram matrices."""
    n, d = x.shape
    if d <= n:
        values, vectors = np.linalg.eigh(x.T @ x / n)
        modes = vectors.T[::-1]
    else:
        values, vectors = np.linalg.eigh(x @ x.T / n)
        good = values > _FLOOR * max(float(values[-1]), 0.0)
        modes = (vectors[:, good] / np.sqrt(values[good] * n)).T[::-1] @ x
        modes = _orthonormal(modes)
        values = values[good]
    variances = np.maximum(values[::-1], 0.0)
    real = variances > _FLOOR * (variances[0] if len(variances) else 0.0)
    return np.ascontiguousarray(modes[real]), np.ascontiguousarray(variances[real])


def _randomized(x: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the first modes by a random projection with power iterations."""
    sketch = x @ rng.standard_normal((x.shape[1], count + OVERSAMPLING))
    # Each round separates large variances further from small variances; three rounds are enough.
    for _ in range(3):
        sketch = x @ (x.T @ np.linalg.qr(sketch)[0])
    basis = np.linalg.qr(sketch)[0]  # (n, count + OVERSAMPLING)
    _, singular, modes = np.linalg.svd(basis.T @ x, full_matrices=False)
    variances = singular**2 / len(x)
    real = variances > _FLOOR * variances[0]
    return modes[real], variances[real]


def _orthonormal(modes: Floats) -> Floats:
    """Return rows made orthonormal from first to last; nearly orthonormal rows keep their order and signs."""
    q, r = np.linalg.qr(modes.T)
    fixed: Floats = (q * np.where(np.diag(r) < 0.0, -1.0, 1.0)).T
    return fixed


def _signed(modes: Floats) -> Floats:
    """Return each mode with its largest value positive, so that equal data give equal modes."""
    peak = np.take_along_axis(modes, np.abs(modes).argmax(axis=1)[:, None], axis=1)
    return np.ascontiguousarray(modes * np.where(peak < 0.0, -1.0, 1.0))


def _needed(
    variances: Floats, total: float, values: int, count: int | None, energy: float | None, error: float | None
) -> int:
    """Return the number of modes that the conditions require."""
    if count is None and energy is None and error is None:
        return len(variances)
    needed = count or 0
    unexplained = total - np.concatenate([[0.0], np.cumsum(variances)])  # with 0, 1, ... modes
    rounding = 1e-12 * total
    if energy is not None:
        needed = max(needed, int(np.argmax(np.append(unexplained <= (1.0 - energy) * total + rounding, True))))
    if error is not None:
        needed = max(needed, int(np.argmax(np.append(unexplained / values <= error**2 + rounding / values, True))))
    return min(needed, len(variances))
