"""What makes a pose density a motion density (Okwechime 2008, eq. 7-8): velocities, and the widths of both."""

from __future__ import annotations

import numpy as np

from freshtake.density.pose_density import pose_widths
from freshtake.numeric.arrays import Floats


def velocities(weights: Floats) -> Floats:
    """dy_i/dt = y_(i+1) - y_i (frames, modes): Okwechime 2008, eq. 7; the last frame repeats the one before."""
    steps = np.diff(weights, axis=0)
    return np.concatenate([steps, steps[-1:]])


def motion_widths(variances: Floats, steps: Floats, alpha: float) -> Floats:
    """alpha (sqrt(lambda_1) .. sqrt(lambda_d), sigma_1 .. sigma_d) (2 modes,): Okwechime 2008, eq. 8.

    Departs from the paper: eq. 8 prints standard deviations where a covariance belongs. They are read as standard
    deviations of the kernels, which is what the text beside eq. 6 says of the pose density.
    """
    spread = steps.std(axis=0)
    return np.concatenate([pose_widths(variances, alpha), alpha * np.maximum(spread, 1e-6 * spread.max())])
