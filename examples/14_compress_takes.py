"""Keep the few takes from which the others can be rebuilt (an idea of Lau 2009, §10), compared with plain PCA.

Plain principal components need fewer numbers at the same error (.10 of the takes' size against .18 on recorded walks),
so this is an experiment and not a command. Run: python examples/14_compress_takes.py
"""

from __future__ import annotations

import numpy as np
from take_compression.compressing import compress_takes, restored, start_of
from take_compression.plain_compression import pca_within

import freshtake as ft


def main() -> None:
    walks = [ft.samples.walk(np.random.default_rng([7, take]), cycles=1) for take in range(9)]
    bound = 0.03  # of the leg, root mean square over joints and frames
    packed = compress_takes(walks, bound)
    print(f"kept {[k + 1 for k in packed.kept]} of {len(walks)} walks, {packed.numbers / packed.plain:.2f} of the size")
    for number, error in packed.errors.items():
        again = restored(packed.material, packed.rebuilds[number], start_of(packed.material, walks[number]))
        print(f"walk {number + 1}: {len(again)} frames, rebuilt with an error of {100 * error:.2f} % of the leg")
    plain = pca_within(walks, bound)
    print(f"plain PCA: {plain.modes} modes, {plain.numbers / packed.plain:.2f} of the size")


if __name__ == "__main__":
    main()
