from __future__ import annotations

from dataclasses import replace

import numpy as np

from freshtake.density.examples import on_skeleton, usual_rotations
from freshtake.numeric.rotations import from_rotvec, inverse, local_rotations, multiply, rotate
from tests.density.made import walk


def test_the_same_skeleton_changes_nothing() -> None:
    assert on_skeleton(walk(), walk().skeleton, usual_rotations([walk()])) is walk()


def test_limbs_point_where_they_pointed_whatever_the_rest_pose() -> None:
    clip = walk()
    rng = np.random.default_rng(0)
    skeleton = clip.skeleton
    turns = from_rotvec(rng.normal(0.0, 0.7, (len(skeleton), 3)))  # other axes in every joint: the same motion
    offsets = skeleton.offsets.copy()
    above = skeleton.parents[1:]
    offsets[1:] = rotate(inverse(turns[above]), skeleton.offsets[1:])
    sites = tuple(
        site._replace(offset=tuple(rotate(inverse(turns[site.joint]), np.array(site.offset)).tolist()))
        for site in skeleton.end_sites
    )
    other = replace(skeleton, offsets=offsets, end_sites=sites)
    strange = clip.changed(
        skeleton=other, rotations=local_rotations(skeleton.parents, multiply(clip.world().rotations, turns))
    )
    np.testing.assert_allclose(strange.positions(), clip.positions(), atol=1e-9)
    back = on_skeleton(strange, skeleton, usual_rotations([clip]))
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-6)
    alike = np.abs((back.rotations * clip.rotations).sum(-1))
    assert alike.min() > 0.98 and np.median(alike) > 0.999  # twists as well, up to those of joints on one line


def test_a_larger_body_takes_larger_steps() -> None:
    clip = walk()
    sites = tuple(s._replace(offset=tuple(0.5 * x for x in s.offset)) for s in clip.skeleton.end_sites)
    small = replace(clip.skeleton, offsets=0.5 * clip.skeleton.offsets, end_sites=sites)
    child = clip.changed(skeleton=small, root=0.5 * clip.root)
    grown = on_skeleton(child, clip.skeleton, usual_rotations([clip]))
    travel = np.linalg.norm(grown.root[-1] - grown.root[0]) / np.linalg.norm(clip.root[-1] - clip.root[0])
    assert abs(travel - 1.0) < 1e-6
    floor = (
        np.percentile(grown.positions()[..., 1], 2, axis=0).min()
        - np.percentile(child.positions()[..., 1], 2, axis=0).min()
    )
    assert abs(floor) < 1e-6
