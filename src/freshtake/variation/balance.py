"""How variants should leave the examples: by other mixtures of them, or by what no mixture of them does.

A take of a full body hardly ever is a mixture of three others: 80 to 97 % of how it differs from their mean lies
outside what they span. Of circles it is a tenth or two. Variants vary in the same proportion.
"""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.settings import Settings

MIXED, NEW = 0.3, 0.8  # shares outside the span at which only mixtures, and only new deviations, are left
SPREAD = 0.9, 0.2  # of the nodes' shares: where only mixtures are left, and where hardly any are
COHERENCE = 0.8, 0.2
NOVELTY = 1.22


def share_outside(examples: Floats) -> float:
    """How much of the variance of each example lies outside the affine span of the others, the mean over all.

    `examples` (examples, phases, DOFs) at equal phases, weighted; with fewer than three there is no span to speak of.
    """
    flat = examples.reshape(len(examples), -1)
    if len(flat) < 3:
        return 1.0
    found = []
    for number, own in enumerate(flat):
        others = np.delete(flat, number, axis=0)
        mean = others.mean(axis=0)
        _, sizes, basis = np.linalg.svd(others - mean, full_matrices=False)
        basis = basis[sizes > 1e-9 * max(sizes[0], 1e-300)]
        away = own - mean
        length = float(away @ away)
        found.append(1.0 - float(((basis @ away) ** 2).sum()) / length if length > 0.0 else 0.0)
    return float(np.mean(found))


def balanced(settings: Settings, outside: float) -> Settings:
    """Settings with spread, coherence and novelty chosen where they were not given."""
    new = float(np.clip((outside - MIXED) / (NEW - MIXED), 0.0, 1.0))
    chosen = {
        "spread": SPREAD[0] + (SPREAD[1] - SPREAD[0]) * new,
        "coherence": COHERENCE[0] + (COHERENCE[1] - COHERENCE[0]) * new,
        "novelty": NOVELTY * float(np.sqrt(new)),
    }
    return settings.changed(**{name: value for name, value in chosen.items() if getattr(settings, name) is None})
