"""Parts of a body, found by name on all shipped rigs, and by shape if names are meaningless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion import Skeleton
from freshtake.motion.edit import with_up
from freshtake.motion.retarget import find_body, map_by_names
from freshtake.motion.retarget.mapping import NEEDED
from freshtake.samples.rigs import KINDS, parts, rig


@pytest.mark.parametrize("name", KINDS)
def test_every_joint_of_a_shipped_rig_is_found_by_its_name(name: str) -> None:
    skeleton = rig(name).skeleton
    found = find_body(skeleton)
    assert found.names(skeleton) == parts(name)
    assert found.family == KINDS[name].family


@pytest.mark.parametrize("name", KINDS)
def test_limbs_are_found_by_shape_where_names_say_nothing(name: str) -> None:
    clip = with_up(rig(name), "y")
    old = clip.skeleton
    nameless = replace(old, names=tuple(f"joint{number}" for number in range(len(old))))
    found = find_body(nameless, [clip.positions()[0]])
    wanted = {role: [old.index(joint) for joint in joints] for role, joints in parts(name).items()}
    assert {role: [*found.joints[role]] for role in NEEDED} == {role: wanted[role] for role in NEEDED}
    assert [*found.joints["spine"]] == wanted["spine"]
    assert found.one("left_toes") == wanted["left_toes"][0]


def test_namespaces_case_and_numbers_of_exporters_do_not_matter() -> None:
    skeleton = rig("mixamo").skeleton
    for change in (str.upper, lambda n: f"Hero:{n.split(':')[1]}", lambda n: n.replace(":", "1:"), lambda n: f"{n}_07"):
        changed = replace(skeleton, names=tuple(map(change, skeleton.names)))
        assert find_body(changed).joints == find_body(skeleton).joints


def test_what_is_no_body_is_refused_in_one_sentence() -> None:
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    with pytest.raises(UsageError, match=r"^hero\.glb: no body .* --map$"):
        find_body(chain, [np.eye(3)], "hero.glb")


def test_a_body_that_lacks_a_part_says_which() -> None:
    skeleton = rig("mixamo").skeleton
    fewer = replace(skeleton, names=tuple(n.replace("LeftLeg", "Pole") for n in skeleton.names))
    with pytest.raises(UsageError, match="looks like Mixamo, but lacks left lower leg"):
        find_body(fewer)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"left_wing": ["LeftArm"]}, "'left_wing' is not a part of a body"),
        ({"head": ["Kopf"]}, "'head' names the joint 'Kopf', which the skeleton does not have"),
        ({"hips": ["Hips", "Spine"]}, "'hips' is one joint, but 2 are named"),
        ({"left_foot": ["LeftLeg"]}, "'LeftLeg' is named for 'left_lower_leg' and for 'left_foot'"),
        ({"left_upper_leg": ["LeftLeg"], "left_lower_leg": ["LeftUpLeg"]}, "the other way round"),
        ({"spine": ["Spine1", "Spine"]}, "'Spine' does not hang on 'Spine1', it is the other way round"),
        ({"left_lower_arm": ["RightForeArm"], "right_lower_arm": []}, "'RightForeArm' does not hang on 'LeftArm'"),
    ],
)
def test_maps_that_cannot_be_are_refused(change: dict[str, list[str]], said: str) -> None:
    skeleton = rig("cmu_bvh").skeleton
    names = {role: joints for role, joints in ({**parts("cmu_bvh"), **change}).items() if joints}
    with pytest.raises(UsageError, match=said):
        map_by_names(skeleton, names)
