"""Learning from plain arrays: sentences for bad input, determinism, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from freshtake.errors import FreshtakeError
from freshtake.methods.progress import Progress
from freshtake.variation import Settings, VariationModel, learn
from tests.variation.twins import takes


def made(**options: Any) -> VariationModel:
    return learn(takes(3, dofs=6), options.pop("settings", None), rng=np.random.default_rng(1), **options)


METHODS = pytest.mark.parametrize("settings", [Settings(), Settings(method="kernel")], ids=["default", "kernel"])


def facts(model: VariationModel) -> tuple[Any, ...]:
    if model.dynamics is None:
        return model.prior.edges, model.transition.edges, model.rule, model.prior_rule
    numbers = [getattr(model.dynamics, field.name) for field in fields(model.dynamics)]
    return model.transition.edges, *(x.tobytes() for x in numbers if isinstance(x, np.ndarray))


@METHODS
def test_learning_is_deterministic(settings: Settings) -> None:
    assert facts(made(settings=settings)) == facts(made(settings=settings))


@METHODS
def test_the_map_does_not_change_the_result(settings: Settings) -> None:
    def backwards(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        return [function(item) for item in reversed(list(items))][::-1]

    plain, other = (facts(made(map=way, settings=settings)) for way in (map, backwards))
    assert plain == other == facts(made(settings=settings))


@pytest.mark.parametrize("method", ["default", "kernel"])
def test_structure_follows_a_permutation_of_the_dofs(method: str) -> None:
    """Without screening (whose glance looks at another example for every node) and with a single start."""
    settings = Settings(method=method, screening=1.0, prior_starts=1)
    order = [4, 2, 0, 5, 1, 3]
    names = tuple("abcdef")
    examples = takes(3, dofs=6)
    plain = learn(examples, settings, names=names, rng=np.random.default_rng(1))
    other = learn(
        [x[:, order] for x in examples], settings, names=[names[k] for k in order], rng=np.random.default_rng(1)
    )
    for name in names:
        assert set(plain.transition.parents(name)) == set(other.transition.parents(name))


def test_parents_are_own_ones_and_at_most_the_cap() -> None:
    kernel = Settings(method="kernel")
    others = (kernel.changed(order=1), kernel.changed(order=3, max_parents=9))
    for settings in (Settings(), Settings(max_parents=4), kernel, *others):
        network = made(settings=settings).transition
        for name in network.dofs:
            parents = network.parents(name)
            assert {f"{name}[t+{k}]" if k else f"{name}[t]" for k in range(settings.order)} <= set(parents)
            assert len(parents) <= settings.max_parents


def test_progress_rises_to_one_and_an_exception_ends_the_learning() -> None:
    seen: list[Progress] = []
    made(report=seen.append)
    shares = [p.share for p in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)

    class Enough(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.share > 0.3:
            raise Enough

    with pytest.raises(Enough):
        made(report=stop)


@pytest.mark.parametrize(
    ("examples", "options", "sentence"),
    [
        ([], {}, "nothing to learn from"),
        (takes(0)[:1], {}, "one example alone cannot teach a structure"),
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
        learn(examples, rng=np.random.default_rng(0), **options)
    assert "\n" not in str(caught.value)
