"""Left and right, feet and hands, for the usual naming conventions."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import feet, hands, leg_length, mirror_pairs, rest_positions
from tests.conftest import data_files
from tests.motion.random_motion import humanoid
from tests.motion.rigs import elephant

CENTER = ["hips", "spine", "head"]


def body(left: dict[str, str], right: dict[str, str]) -> Skeleton:
    """A body whose limbs (upper leg, shin, foot, toe, shoulder, arm, hand) bear the given names."""
    names = [*CENTER, *left.values(), *right.values()]
    parents = [-1, 0, 1]
    for side in (left, right):
        at = len(parents)
        legs = [k for k in side if k in ("thigh", "shin", "foot", "toe", "toe_end")]
        arms = [k for k in side if k in ("shoulder", "arm", "hand", "finger")]
        parents += [0 if k == 0 else at + k - 1 for k in range(len(legs))]
        at = len(parents)
        parents += [1 if k == 0 else at + k - 1 for k in range(len(arms))]
    offsets = np.zeros((len(names), 3))
    offsets[1:, 1] = 1.0
    return Skeleton(tuple(names), parents, offsets)


def named(pattern: str, parts: dict[str, str]) -> dict[str, str]:
    return {key: pattern.format(part) for key, part in parts.items()}


LEG = {"thigh": "thigh", "shin": "shin", "foot": "foot", "toe": "toe"}
ARM = {"shoulder": "shoulder", "arm": "arm", "hand": "hand"}
CAPITAL = {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase", "toe_end": "Toe_End"} | {
    "shoulder": "Shoulder", "arm": "Arm", "hand": "Hand", "finger": "HandThumb1",
}  # fmt: skip
ACCLAIM = {"thigh": "femur", "shin": "tibia", "foot": "foot", "toe": "toes", "shoulder": "clavicle", "arm": "humerus"}
STYLES = {
    "CMU": ("Left{}", "Right{}", CAPITAL),
    "Mixamo": ("mixamorig:Left{}", "mixamorig:Right{}", CAPITAL),
    "Mixamo without colon": ("mixamorigLeft{}", "mixamorigRight{}", CAPITAL),
    "Acclaim": ("l{}", "r{}", ACCLAIM | {"hand": "hand"}),
    "L_": ("L_{}", "R_{}", CAPITAL),
    "l_": ("l_{}", "r_{}", LEG | ARM),
    "_L": ("{}_L", "{}_R", LEG | ARM),
    "_l": ("{}_l", "{}_r", LEG | ARM),
    ".L": ("{}.L", "{}.R", LEG | ARM),
    ".L.001": ("{}.L.001", "{}.R.001", LEG | ARM),
    "Biped": ("Bip01 L {}", "Bip01 R {}", CAPITAL),
    "LHip": ("L{}", "R{}", CAPITAL),
    "suffix L": ("{}L", "{}R", LEG | ARM),
    "suffix Left": ("{}Left", "{}Right", LEG | ARM),
    "lower case": ("left_{}", "right_{}", LEG | ARM),
    "camel case": ("left{}", "right{}", CAPITAL),
    "upper case": ("LEFT_{}", "RIGHT_{}", LEG | ARM),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("swapped", [False, True])
def test_pairs_feet_and_hands_by_name(style: str, swapped: bool) -> None:
    left_form, right_form, parts = STYLES[style]
    left, right = named(left_form, parts), named(right_form, parts)
    skeleton = body(right, left) if swapped else body(left, right)
    partner = mirror_pairs(skeleton)
    for key in parts:
        a, b = skeleton.index(left[key]), skeleton.index(right[key])
        assert (partner[a], partner[b]) == (b, a), f"{left[key]} and {right[key]}"
    assert partner[:3].tolist() == [0, 1, 2]
    assert {foot.name for foot in feet(skeleton)} == {left["foot"], right["foot"]}
    for foot in feet(skeleton):
        assert foot.toe is not None
        side = left if foot.name == left["foot"] else right
        assert skeleton.names[foot.toe] == side["toe"]
        assert foot.joints == (foot.ankle, foot.toe)
    assert {skeleton.names[j] for j in hands(skeleton)} == {left["hand"], right["hand"]}


def test_words_that_begin_with_l_are_no_left_joints() -> None:
    names = ("root", "lowerback", "lowerneck", "lfemur", "rfemur", "LowerBack", "Ribs", "Lib")
    skeleton = Skeleton(names, [-1, 0, 1, 0, 0, 0, 0, 0], np.zeros((8, 3)))
    partner = mirror_pairs(skeleton)
    assert partner[[1, 2, 5, 6, 7]].tolist() == [1, 2, 5, 6, 7]
    assert (partner[3], partner[4]) == (4, 3)


def test_numbered_gltf_names() -> None:
    names = ("_rootJoint", "b_Hip_01", "b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017",
             "b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021", "b_Tail01_012", "b_Tail02_013")  # fmt: skip
    skeleton = Skeleton(names, [-1, 0, 1, 2, 3, 1, 5, 6, 1, 8], np.ones((10, 3)))
    assert mirror_pairs(skeleton).tolist() == [0, 1, 5, 6, 7, 2, 3, 4, 8, 9]
    assert [foot.name for foot in feet(skeleton)] == ["b_LeftFoot01_017", "b_RightFoot01_021"]


def test_the_tree_has_the_last_word() -> None:
    """CesiumMan's arms: the names say L__3_ and R__3_, but these hang at different places of their arms."""
    names = ("neck", "arm_joint_L__4_", "arm_joint_L__3_", "arm_joint_L__2_", "arm_joint_R", "arm_joint_R__2_",
             "arm_joint_R__3_")  # fmt: skip
    skeleton = Skeleton(names, [-1, 0, 1, 2, 0, 4, 5], np.ones((7, 3)))
    assert mirror_pairs(skeleton).tolist() == [0, 4, 5, 6, 1, 2, 3]


def test_partners_are_mutual_and_hang_on_partners() -> None:
    rng = np.random.default_rng(1)
    words = ["Left", "Right", "L", "R", "l", "r", "left_", "x", "arm", "Leg", "_01", ".L", "_R"]
    for _ in range(200):
        joints = int(rng.integers(2, 12))
        names: list[str] = []
        while len(names) < joints:
            name = "".join(rng.choice(words, 2))
            if name not in names:
                names.append(name)
        parents = [-1, *[int(rng.integers(0, j)) for j in range(1, joints)]]
        skeleton = Skeleton(tuple(names), parents, np.ones((joints, 3)))
        partner = mirror_pairs(skeleton)
        np.testing.assert_array_equal(partner[partner], np.arange(joints))
        paired = np.flatnonzero(partner != np.arange(joints))
        np.testing.assert_array_equal(partner[skeleton.parents[paired]], skeleton.parents[partner[paired]])


def test_without_names_the_lowest_tips_are_feet() -> None:
    skeleton = Skeleton(
        tuple("abcdefg"), [-1, 0, 1, 0, 3, 0, 5],
        np.array([[0, 0, 0], [1, -1, 0], [0, -4, 0], [-1, -1, 0], [0, -4, 0], [0, 2, 0], [0, 1, 0]], dtype=float),
    )  # fmt: skip
    assert {foot.name for foot in feet(skeleton)} == {"c", "e"}
    assert all(foot.joints == (foot.ankle,) for foot in feet(skeleton))
    snake = Skeleton(tuple("abc"), [-1, 0, 1], np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 1.0]]))
    assert feet(snake) == ()


def test_rest_and_leg_length() -> None:
    skeleton = humanoid()
    rest = rest_positions(skeleton)
    np.testing.assert_allclose(rest[skeleton.index("LeftFoot")], [1.0, -4.0, 0.0])
    assert leg_length(skeleton) == pytest.approx(5.0)
    line = Skeleton(tuple("abc"), [-1, 0, 1], np.array([[0, 0, 0], [0, 0, 3.0], [0, 0, 1.0]]))
    assert leg_length(line) == pytest.approx(2.0)
    assert leg_length(Skeleton(("a",), [-1], np.zeros((1, 3)))) > 0


@pytest.mark.parametrize(
    ("pattern", "pairs"), [("walk/walk_1.bvh", 12), ("okwechime/bvh/male_walk.bvh", 8), ("asfamc/walk/walk_1.amc", 12),
                           ("mesh/Fox.glb", 7), ("mesh/CesiumMan.glb", 7)]
)  # fmt: skip
def test_real_rigs(pattern: str, pairs: int) -> None:
    files = data_files(pattern)
    if not files:
        pytest.skip("real motion data is absent")
    clip = freshtake.read(files[0], warn=lambda _: None)
    assert isinstance(clip, Clip)
    partner = mirror_pairs(clip.skeleton)
    assert (partner != np.arange(len(partner))).sum() == 2 * pairs
    if "Cesium" not in pattern:
        fox = "Fox" in pattern  # whose hands are feet
        assert len(feet(clip.skeleton)) == (4 if fox else 2)
        assert len(hands(clip.skeleton)) == (0 if fox else 2)


@pytest.mark.parametrize("turn", ["as it is", "z up", "sideways"])
@pytest.mark.parametrize("names", ["all", "hind", "front", "paws", "numbers"])
def test_four_legs_have_four_feet(names: str, turn: str) -> None:
    """By where limbs end at rest: names give two of them away at most."""
    old = elephant(0, "Hips", ()).skeleton
    called = {
        "all": lambda name: name.replace("Paw", "Foot"), "hind": lambda name: name.replace("FrontFoot", "FrontPaw")
        .replace("HindPaw", "HindFoot"), "front": lambda name: name,
        "paws": lambda name: name.replace("Foot", "Paw").replace("Leg", "Limb"),
        "numbers": lambda name: f"j{old.names.index(name)}",
    }[names]  # fmt: skip
    columns = {"as it is": [0, 1, 2], "z up": [0, 2, 1], "sideways": [2, 1, 0]}[turn]
    skeleton = Skeleton(tuple(called(name) for name in old.names), old.parents, old.offsets[:, columns])
    ends = [j for j, name in enumerate(old.names) if name.endswith(("Paw", "Foot"))]
    assert [foot.ankle for foot in feet(skeleton)] == ends


def test_what_hangs_to_the_floor_is_no_foot() -> None:
    """A dragging tail, a skirt, and arms that hang down next to two legs."""
    rows = [("Hips", -1, (0, 100, 0)), ("Head", 0, (0, 70, 0))]
    for side, x in (("L", 10.0), ("R", -10.0)):
        first = len(rows)
        rows += [(f"{side}Thigh", 0, (x, 0, 0)), (f"{side}Shin", first, (0, -50, 0)),
                 (f"{side}Sole", first + 1, (0, -48, 0)),
                 (f"{side}Arm", 1, (2 * x, -20, 0)), (f"{side}Grip", first + 3, (0, -60, 0)),
                 (f"{side}Skirt", 0, (2 * x, -20, 0)), (f"{side}SkirtEnd", first + 5, (0, -78, 0))]  # fmt: skip
    rows += [("Back", 0, (0, 0, -10)), ("Drag", len(rows), (0, -98, -30))]
    skeleton = Skeleton(
        tuple(name for name, _, _ in rows), np.array([parent for _, parent, _ in rows]),
        np.array([place for _, _, place in rows], dtype=float),
    )  # fmt: skip
    assert {foot.name for foot in feet(skeleton)} == {"LSole", "RSole"}
