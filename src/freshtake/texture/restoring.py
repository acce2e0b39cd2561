"""Frames from modes, four frames and four modes at a time, in pieces that stay in the nearest cache."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from freshtake.numeric.compiled import fused

Single = npt.NDArray[np.float32]
PIECE = 1024  # columns


@fused
def products(weights: Single, modes: Single, out: Single) -> None:
    """out = weights @ modes, for numbers of frames and of modes that are multiples of four."""
    count, width = modes.shape
    for start in range(0, width, PIECE):
        stop = min(start + PIECE, width)
        for f in range(0, len(weights), 4):
            o0, o1, o2, o3 = out[f, start:stop], out[f + 1, start:stop], out[f + 2, start:stop], out[f + 3, start:stop]
            for k in range(0, count, 4):
                m0, m1 = modes[k, start:stop], modes[k + 1, start:stop]
                m2, m3 = modes[k + 2, start:stop], modes[k + 3, start:stop]
                a0, a1, a2, a3 = weights[f, k], weights[f, k + 1], weights[f, k + 2], weights[f, k + 3]
                b0, b1, b2, b3 = weights[f + 1, k], weights[f + 1, k + 1], weights[f + 1, k + 2], weights[f + 1, k + 3]
                c0, c1, c2, c3 = weights[f + 2, k], weights[f + 2, k + 1], weights[f + 2, k + 2], weights[f + 2, k + 3]
                d0, d1, d2, d3 = weights[f + 3, k], weights[f + 3, k + 1], weights[f + 3, k + 2], weights[f + 3, k + 3]
                if k == 0:
                    for n in range(stop - start):
                        x0, x1, x2, x3 = m0[n], m1[n], m2[n], m3[n]
                        o0[n] = a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                        o1[n] = b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                        o2[n] = c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                        o3[n] = d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
                else:
                    for n in range(stop - start):
                        x0, x1, x2, x3 = m0[n], m1[n], m2[n], m3[n]
                        o0[n] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                        o1[n] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                        o2[n] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                        o3[n] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
