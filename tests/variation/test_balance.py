"""How much of a take lies outside what the others span, and what follows for the settings."""

from __future__ import annotations

import numpy as np
import pytest
from freshtake.variation.balance import NOVELTY, balanced, share_outside

from freshtake.variation import Settings, learn
from tests.variation.twins import takes


def test_mixtures_have_nothing_outside_and_independent_takes_almost_everything() -> None:
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(2, 30, 4))
    mixed = np.einsum("ek,kpd->epd", rng.normal(size=(5, 2)), basis) + rng.normal(size=(30, 4))
    assert share_outside(mixed) == pytest.approx(0.0, abs=1e-9)
    free = rng.normal(size=(4, 200, 20))
    mean = [share_outside(free)]
    assert mean[0] > 0.95
    assert share_outside(free[:2]) == 1.0
    assert share_outside(np.repeat(free[:1], 4, axis=0)) == pytest.approx(0.0)


def test_given_settings_stay_and_others_follow_the_share() -> None:
    new, old = balanced(Settings(), 1.0), balanced(Settings(), 0.0)
    assert new.novelty == pytest.approx(NOVELTY)
    assert old.novelty == 0.0
    assert old.spread is not None and new.spread is not None
    assert old.spread > new.spread
    shares = [balanced(Settings(), share).novelty for share in np.linspace(0, 1, 11)]
    assert shares == sorted(shares)
    kept = balanced(Settings(spread=0.5, novelty=0.1, coherence=0.3), 1.0)
    assert (kept.spread, kept.novelty, kept.coherence) == (0.5, 0.1, 0.3)


def test_a_learned_model_keeps_what_was_chosen() -> None:
    made = learn(
        takes(3, lengths=(31, 29, 32, 30)), Settings(prior_starts=1), rng=np.random.default_rng(0), cyclic=True
    )
    assert None not in (made.settings.spread, made.settings.novelty, made.settings.coherence)
    single = made.with_examples([made.material.values[0]])
    rows = [single.rows(np.random.default_rng(k), frames=60) for k in range(4)]
    assert np.std(rows, axis=0).mean() > 0.01  # a single example varies, whatever the balance
