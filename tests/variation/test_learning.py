"""Learning: sentences for bad input, determinism, progress, one example."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freshtake.errors import FreshtakeError
from freshtake.methods.progress import Progress
from freshtake.variation import Settings, VariationModel, learn
from tests.variation.small_takes import takes


def made(**options: Any) -> VariationModel:
    return learn(takes(3, dofs=6), options.pop("settings", None), **options)


def test_learning_is_deterministic() -> None:
    a, b = made(), made()
    assert a.phase_frames.tobytes() == b.phase_frames.tobytes()
    assert a.sizes.tobytes() == b.sizes.tobytes()


def test_a_permutation_of_the_dofs_changes_nothing_else() -> None:
    order = [4, 2, 0, 5, 1, 3]
    plain, other = made(), learn([x[:, order] for x in takes(3, dofs=6)])
    np.testing.assert_allclose(other.phase_frames, plain.phase_frames, atol=1e-5)
    np.testing.assert_allclose(other.sizes, plain.sizes[:, order], rtol=1e-5)


def test_one_example_is_enough() -> None:
    """All variation then comes from the population: in proportion to how far each DOF moves."""
    model = learn(takes(3)[:1], cyclic=False)
    assert not model.deviations.share.any()
    rows = [model.rows(np.random.default_rng(k)) for k in range(5)]
    assert len({len(x) for x in rows}) > 1
    ranges = takes(3)[0].std(axis=0)
    np.testing.assert_allclose(model.sizes[0] / ranges, model.sizes[0, 0] / ranges[0], rtol=0.05)


def test_progress_rises_to_one_and_an_exception_ends_the_learning() -> None:
    seen: list[Progress] = []
    made(report=seen.append)
    shares = [p.share for p in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)

    class Enough(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.share > 0.1:
            raise Enough

    with pytest.raises(Enough):
        made(report=stop)


@pytest.mark.parametrize("prior", [-1.0, 101.0, "much"])
def test_settings_are_checked(prior: Any) -> None:
    with pytest.raises(FreshtakeError, match="prior must lie between"):
        Settings(prior=prior)


@pytest.mark.parametrize(
    ("examples", "options", "sentence"),
    [
        ([], {}, "nothing to learn from"),
        ([takes(0)[0], takes(0)[1], takes(0)[0]], {}, "examples 1 and 3 are identical"),
        ([takes(0)[0], takes(0)[1][:3]], {}, "example 2 has 3 frames: at least 4 are needed"),
        ([takes(0)[0], takes(0)[1][:, :3]], {}, r"different numbers of DOFs: \[3, 4\]"),
        (takes(0), {"names": ("a", "b")}, "2 names are given for 4 DOFs"),
        ([np.where(np.arange(4) == 2, 1.0, x) for x in takes(0)], {}, "'x2' never changes"),
        ([takes(0)[0], np.where(np.arange(4) == 2, np.nan, takes(0)[1])], {}, "example 2"),
        ([takes(0)[0], takes(0)[1][:, 0]], {}, "example 2"),
    ],
)
def test_bad_input_gets_one_sentence(examples: list[np.ndarray], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FreshtakeError, match=sentence) as caught:
        learn(examples, **options)
    assert "\n" not in str(caught.value)
