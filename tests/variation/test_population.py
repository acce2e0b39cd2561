"""Sizes of variation from the population: by body part, in any unit, for any rig with known parts."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion.edit import scaled
from freshtake.variation import learn
from freshtake.variation.deviations import joint_roles, usual_sizes
from freshtake.variation.examples import material_of


def sizes(clip: ft.Clip) -> dict[str, float]:
    model = learn([clip], cyclic=False)
    return dict(zip(model.dofs, model.sizes[0], strict=True))


def test_lengths_scale_with_the_body_and_angles_do_not() -> None:
    clip = ft.samples.walk(np.random.default_rng(0), cycles=1)
    small, large = sizes(clip), sizes(scaled(clip, 100.0))
    for name, size in small.items():
        length = name.rpartition(".")[2] in ("height", "forward", "sideways")
        assert large[name] == pytest.approx(size * (100.0 if length else 1.0), rel=1e-3)


def test_parts_are_known_by_the_names_of_common_rigs() -> None:
    clip = ft.samples.walk(np.random.default_rng(0), cycles=1)
    roles = set(joint_roles(clip.skeleton).values())
    assert {"hips", "spine", "upper_arm", "lower_arm", "upper_leg", "lower_leg", "foot"} <= roles


def test_a_body_without_known_parts_still_has_sizes() -> None:
    clip = ft.samples.walk(np.random.default_rng(0), cycles=1)
    names = tuple(f"part{k}" for k in range(len(clip.skeleton)))
    unknown = clip.changed(skeleton=ft.Skeleton(names, clip.skeleton.parents, clip.skeleton.offsets))
    material = material_of([unknown], None, None)
    found = usual_sizes(material.recipe, material.names, material.values[0])
    assert np.isfinite(found).all() and (found > 0.0).all()


def test_more_movement_deviates_more() -> None:
    still = np.random.default_rng(0).normal(size=(50, 3)).cumsum(axis=0)
    assert (usual_sizes(None, ("a", "b", "c"), 2.0 * still) > usual_sizes(None, ("a", "b", "c"), still)).all()
