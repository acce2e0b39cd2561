"""The same takes on a dozen rigs: a rig changes the file, not the motion that is learned from it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.methods.gathering import gathered, heading_note
from freshtake.motion import Clip, compatible
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.body.rooting import as_filed, following, rooted, rooted_like
from freshtake.motion.body_limits import learn_limits
from freshtake.motion.edit import scaled, turned, with_up
from freshtake.motion.features import encode, recipe
from freshtake.motion.features.clip_features import clip_layout
from freshtake.motion.planting.contacts import foot_contacts
from freshtake.motion.skeleton import ROOT_CHANNELS, skeleton_from_parts, skeleton_parts
from freshtake.motion.validation import Parts
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, inverse, multiply, rotate
from freshtake.requests import Variants
from freshtake.samples import walk
from freshtake.variation import Settings, VariationModel
from freshtake.workflows.varying import guided_variants
from tests.motion.rigs import ELEPHANT, RIGS, Rig, elephant, on_base, renamed, with_joints, with_targets

QUICK = Settings()
SAME = ["static root", "mixamo", "unreal", "rokoko", "z up", "root motion", "root motion, z up"]
OTHER = [name for name in RIGS if name not in SAME]


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    return [walk(np.random.default_rng(seed), fps=30.0) for seed in range(2)]


def through_files(takes: list[Clip], rig: Rig, folder: Path) -> list[Clip]:
    read = []
    for number, take in enumerate(takes):
        path = folder / f"{number}.bvh"
        ft.write(path, rig(take))
        read.append(ft.read(path))
    assert all(isinstance(clip, Clip) for clip in read)
    return read  # type: ignore[return-value]


def learned(clips: list[Clip]) -> VariationModel:
    return ft.variation.learn(clips, QUICK, rng=np.random.default_rng(3), cyclic=True)


@pytest.fixture(scope="module")
def plain(takes: list[Clip], tmp_path_factory: pytest.TempPathFactory) -> VariationModel:
    return learned(through_files(takes, lambda clip: clip, tmp_path_factory.mktemp("plain")))


def body(clip: Clip, takes: list[Clip]) -> Floats:
    """Places of the sample performer's joints, in centimetres and y up."""
    count = len(takes[0].skeleton)
    first = len(clip.skeleton.base.chain) - 1 if clip.skeleton.base is not None else 0
    places = clip.positions()[:, first : first + count]
    return places if clip.up == "y" else np.stack([places[..., 0], places[..., 2], -places[..., 1]], axis=-1)


@pytest.mark.parametrize("name", SAME)
def test_the_same_variants(name: str, takes: list[Clip], plain: VariationModel, tmp_path: Path) -> None:
    clips = through_files(takes, RIGS[name], tmp_path)
    model = learned(clips)
    for seed in range(2):
        ours = model.sample(np.random.default_rng(seed), cycles=2)
        ft.write(tmp_path / "ours.bvh", ours)
        ours = ft.read(tmp_path / "ours.bvh")
        theirs = plain.sample(np.random.default_rng(seed), cycles=2)
        assert isinstance(ours, Clip) and ours.up == clips[0].up
        assert np.abs(body(ours, takes) - theirs.positions()).max() < 1e-6


@pytest.mark.parametrize("name", RIGS)
def test_variants_with_planted_feet_pass_their_guards(
    name: str, takes: list[Clip], plain: VariationModel, tmp_path: Path
) -> None:
    """What `vary` writes: the same bodies if a rig encodes the same motion, else bodies that the takes allow."""
    clips = through_files(takes, RIGS[name], tmp_path)
    model = learned(clips)
    limits = learn_limits(clips)
    theirs = guided_variants(plain, Variants(count=3, seed=2))
    for made, other in zip(guided_variants(model, Variants(count=3, seed=2)), theirs, strict=True):
        assert isinstance(made.motion, Clip) and isinstance(other.motion, Clip)
        assert made.guard.left == () and limits.check(made.motion).passed
        if name in SAME:
            assert made.guard.tries == other.guard.tries
            assert np.abs(body(made.motion, takes) - other.motion.positions()).max() < 1e-6


def test_inches_are_centimetres_scaled(takes: list[Clip], plain: VariationModel, tmp_path: Path) -> None:
    clips = through_files(takes, RIGS["inches"], tmp_path)
    ours, theirs = (encode(recipe(each), each[0]) for each in (clips, through_files(takes, lambda c: c, tmp_path)))
    lengths = np.isin(ours.recipe.units, ("length", "speed"))
    assert np.abs(ours.values * np.where(lengths, 2.54, 1.0) - theirs.values).max() < 1e-6
    scale = ours.recipe.weights / theirs.recipe.weights * np.where(lengths, 1.0, 2.54)
    assert np.abs(scale - 1.0).max() < 1e-6
    twice = learned(through_files(takes, lambda clip: scaled(clip, 2.0), tmp_path)).sample(np.random.default_rng(0))
    assert np.abs(0.5 * twice.positions() - plain.sample(np.random.default_rng(0)).positions()).max() < 1e-6
    made = learned(clips).sample(np.random.default_rng(0))  # models keep 24 bits of a number, in any unit
    assert np.abs(2.54 * made.positions() - plain.sample(np.random.default_rng(0)).positions()).max() < 0.1


@pytest.mark.parametrize("name", OTHER)
def test_other_rigs_walk_as_far_on_the_same_floor(name: str, takes: list[Clip], tmp_path: Path) -> None:
    clips = through_files(takes, RIGS[name], tmp_path)
    made = learned(clips).sample(np.random.default_rng(0))
    leg = leg_length(made.skeleton)
    ft.write(tmp_path / "made.bvh", made)
    made = ft.read(tmp_path / "made.bvh")
    assert isinstance(made, Clip) and made.skeleton.names == clips[0].skeleton.names and made.fps == clips[0].fps
    assert made.up == clips[0].up == RIGS[name](takes[0]).up

    def speed(clip: Clip) -> float:
        return float(np.linalg.norm(np.delete(clip.root[-1] - clip.root[0], clip.up_index))) / clip.duration

    assert min(map(speed, clips)) * 0.9 < speed(made) < max(map(speed, clips)) * 1.1
    soles = [joint for foot in feet(made.skeleton) for joint in foot.joints]
    low = [clip.positions()[:, soles, clip.up_index].min() for clip in (made, *clips)]
    assert abs(low[0] - min(low[1:])) < 0.03 * leg
    assert len(foot_contacts(made)) >= 2


@pytest.mark.parametrize("name", RIGS)
def test_files_come_back_as_they_were(name: str, takes: list[Clip], tmp_path: Path) -> None:
    rig = RIGS[name](takes[0])
    ft.write(tmp_path / "rig.bvh", rig)
    clip = ft.read(tmp_path / "rig.bvh")
    assert isinstance(clip, Clip)
    ft.write(tmp_path / "again.bvh", clip)
    assert (tmp_path / "again.bvh").read_text() == (tmp_path / "rig.bvh").read_text()
    filed, order = as_filed(clip), [clip.skeleton.index(joint) for joint in rig.skeleton.names]
    off = np.abs(filed.positions()[:, order] - rig.positions()).max(axis=(0, 2))
    if (
        "root motion" in name or name == "bandai"
    ):  # the root stays within a step's sway of where it was, and on the floor
        assert off[0] < 10.0 and np.ptp(filed.root[:, rig.up_index]) < 1e-9
        off[0] = 0.0
    assert off.max() < 1e-6
    assert np.abs(np.abs((filed.rotations[:, order] * rig.rotations).sum(-1)) - 1.0).max() < 1e-9
    ft.write(tmp_path / "changed.bvh", turned(clip, 0.0))  # without the file's own channels
    changed = ft.read(tmp_path / "changed.bvh")
    assert isinstance(changed, Clip) and compatible(changed.skeleton, clip.skeleton)
    assert changed.skeleton == clip.skeleton or "root motion" in name or name == "bandai"
    assert np.abs(changed.positions() - clip.positions()).max() < 1e-6


def test_targets_keep_their_places_in_memory(takes: list[Clip]) -> None:
    rig = RIGS["unreal with targets"](takes[0])
    clip = rooted(rig)
    target = rig.skeleton.index("ik_foot_l")
    assert clip.skeleton.base is not None and target in clip.skeleton.base.carried
    assert np.abs(clip.positions()[:, target] - rig.positions()[:, target]).max() < 1e-9


def test_takes_of_one_rig_have_one_skeleton(takes: list[Clip]) -> None:
    first, second = (rooted(RIGS["static root"](take)) for take in takes)
    assert first.skeleton == second.skeleton and hash(first.skeleton) == hash(second.skeleton)
    assert first.skeleton != rooted(on_base(takes[0])).skeleton


def test_a_base_is_stored_and_a_broken_one_refused(takes: list[Clip]) -> None:
    skeleton = rooted(RIGS["unreal with targets"](takes[0])).skeleton
    header, arrays = skeleton_parts(skeleton)
    header = json.loads(json.dumps(header))
    assert skeleton_from_parts(Parts(header, arrays)) == skeleton
    broken: list[dict[str, object]] = [
        {"chain": [0, 99]}, {"chain": []}, {"mover": 5}, {"carried": [1e9]}, {"chain": "x"}, {"follows": 3},
        {"carried": [-4]}, {"led": [[1]]}, {"led": [[1, 999]]}, {"led": "x"},
    ]  # fmt: skip
    for change in broken:
        with pytest.raises(ft.InvalidMotion):
            skeleton_from_parts(Parts({**header, "base": {**header["base"], **change}}, arrays))


def test_rounded_positions_of_joints_are_no_motion(takes: list[Clip]) -> None:
    rig = RIGS["rokoko"](takes[0])
    local = rig.local_translations() + np.random.default_rng(0).uniform(-5e-5, 5e-5, (len(rig), len(rig.skeleton), 3))
    assert rooted(rig.changed(root=local[:, 0], joint_translations=local)).joint_translations is None
    local[:, rig.skeleton.index("LeftHand"), 0] += np.linspace(0.0, 1.0, len(rig))
    assert rooted(rig.changed(root=local[:, 0], joint_translations=local)).joint_translations is not None


@pytest.mark.parametrize("name", ["static root", "root motion", "rokoko"])
def test_the_base_turns_with_the_vertical_axis(name: str, takes: list[Clip]) -> None:
    clip = following(rooted(RIGS[name](takes[0])))
    assert clip.skeleton.base is not None
    ways = [as_filed(with_up(clip, "z")), with_up(as_filed(clip), "z")]
    assert np.abs(ways[0].positions() - ways[1].positions()).max() < 1e-9
    assert np.abs(ways[0].rotations - ways[1].rotations).max() < 1e-9


def test_a_base_that_turns_or_holds_the_travel(takes: list[Clip]) -> None:
    """In-place roots: one that turns under a travelling body, and one that holds the travel of a turning body."""
    still = on_base(takes[0])
    spin = still.rotations.copy()
    world = still.world()
    angle = np.linspace(0.0, 1.0, len(still)) / 2.0
    spin[:, 0] = np.stack([np.cos(angle), 0.0 * angle, np.sin(angle), 0.0 * angle], axis=1)
    turning = still.changed(rotations=spin)
    assert rooted(turning).skeleton.base is not None
    assert np.abs(rooted(turning).root - turning.positions()[:, 1]).max() < 1e-9
    local = still.local_translations().copy()
    local[:, 0], local[:, 1] = world.positions[:, 1] - still.skeleton.offsets[1], still.skeleton.offsets[1]
    split = still.changed(root=local[:, 0], joint_translations=local)
    found = rooted(split)
    assert found.skeleton.base is not None and found.skeleton.base.mover == 0 and found.joint_translations is None
    assert np.abs(found.root - world.positions[:, 1]).max() < 1e-9
    assert np.abs(as_filed(found).root - split.root).max() < 1e-9
    assert rooted(takes[0]) is takes[0]


def test_takes_that_face_different_ways(takes: list[Clip], tmp_path: Path) -> None:
    ways = [on_base(takes[0]), on_base(turned(takes[1], np.pi))]
    for number, clip in enumerate(ways):
        ft.write(tmp_path / f"{number}.bvh", clip)
    clips = [ft.read(tmp_path / f"{number}.bvh") for number in range(2)]
    note = heading_note(clips)
    assert note is not None and "180°" in note
    assert heading_note([clips[0], clips[0]]) is None
    straight = [ft.read(path) for path in (tmp_path / "0.bvh",)]
    ft.write(tmp_path / "same.bvh", on_base(takes[1]))
    straight.append(ft.read(tmp_path / "same.bvh"))
    both = [encode(recipe(each), each[1]).values for each in (clips, straight)]
    assert np.abs(both[0] - both[1]).max() < 1e-6


def test_takes_of_one_rig_get_one_root(takes: list[Clip]) -> None:
    """A take in which the base travels too goes with those in which it stands."""
    still = on_base(takes[0])
    local = on_base(takes[1]).local_translations().copy()
    slow = np.linspace(0.0, 30.0, len(local))
    local[:, 0, 2] += slow
    local[:, 1, 2] -= slow
    both = on_base(takes[1]).changed(root=local[:, 0], joint_translations=local)
    assert rooted(both).skeleton.base is None and following(rooted(both)).skeleton.base is None
    one, other = gathered([rooted(still), rooted(both)], lambda sentence: None)
    assert isinstance(other, Clip) and other.skeleton.base is not None
    assert np.abs(other.root - takes[1].root).max() < 1e-9


def test_units_and_axes_are_brought_together_and_said(takes: list[Clip], tmp_path: Path) -> None:
    said: list[str] = []
    ft.write(tmp_path / "cm.bvh", takes[0].changed(unit_m=None))
    ft.write(tmp_path / "m.bvh", ft.motion.edit.scaled(ft.motion.edit.with_up(takes[1], "z"), 0.01))
    first, second = gathered([ft.read(tmp_path / "cm.bvh"), ft.read(tmp_path / "m.bvh")], said.append)
    assert isinstance(second, Clip)
    assert np.abs(second.positions() - takes[1].positions()).max() < 1e-6
    assert said == [
        "m has z up and cm y: turned to y up",
        "m is in metres and cm in centimetres, by the size of the bodies: scaled by 100",
    ]


ABOVE = ("Root", "Reference", "Hips")
SETS = {
    "still hips, spine moves": [("Spine", ABOVE)] * 3,
    "still hips, spine leaves": [("Spine", ABOVE, 300.0)] * 3,
    "hips move": [("Hips", ABOVE[:2])] * 3,
    "hips travel": [("Hips", ABOVE[:2], 300.0)] * 3,
    "a tail that is still in the first": [("Spine", (*ABOVE, "Tail1", "Tail2")), ("Spine", ABOVE), ("Spine", ABOVE)],
    "legs that are still in the first": [("Spine", (*ABOVE, "LHindLeg1", "RHindLeg1"))] + [("Spine", ABOVE)] * 2,
    "another joint moves in the second": [("Spine", ABOVE), ("Hips", ABOVE[:2]), ("Spine", ABOVE)],
}


NAMELESS = {name: f"j{number}" for number, (name, _, _) in enumerate(ELEPHANT)}


def spans(clips: list[Clip]) -> tuple[Floats, Floats]:
    """The smallest and largest length of every bone, as in files."""
    lengths = np.concatenate([np.linalg.norm(as_filed(clip).local_translations(), axis=-1) for clip in clips])
    return lengths.min(axis=0), lengths.max(axis=0)


@pytest.mark.parametrize("feet_named", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_still_joints_above_the_body_tear_nothing(name: str, feet_named: bool) -> None:
    """Motion decoded between and beyond takes has their bones; gathered takes are still the same motion."""
    takes = [elephant(seed, *row) for seed, row in enumerate(SETS[name])]
    if not feet_named:
        takes = [renamed(take, lambda joint: joint.replace("Foot", "Paw").replace("Leg", "Limb")) for take in takes]
    together = gathered([rooted(take) for take in takes], lambda sentence: None)
    clips = [clip for clip in together if isinstance(clip, Clip)]
    for clip, take in zip(clips, takes, strict=True):
        assert np.abs(as_filed(clip).positions() - take.positions()).max() < 1e-9
    layout = clip_layout(clips, "expmap", "heading")
    rows, starts = zip(*[layout.encode(clip) for clip in clips], strict=True)
    mean = np.mean(rows, axis=0)
    made = [layout.decode(mean + share * (mean - rows[1]), starts[0], False, None, "x") for share in (-1.0, 0.0, 0.5)]
    (low, high), (least, most) = spans(takes), spans(made)
    bones = [j for j, joint in enumerate(takes[0].skeleton.names) if j and joint not in {row[0] for row in SETS[name]}]
    assert np.abs(high - low)[bones].max() < 1e-9
    assert np.maximum(most - high, low - least)[bones].max() < 1e-6


def test_the_body_is_the_root_where_no_foot_has_a_name() -> None:
    take = renamed(elephant(0, "Hips", ABOVE[:2], 300.0), NAMELESS.__getitem__)
    base = rooted(take).skeleton.base
    assert base is not None and base.chain == (0, 1, 2)


def test_a_clip_is_fitted_to_what_the_model_carries() -> None:
    """A target that stands still in one clip and moves in the takes of a model is the model's to say."""
    takes = [RIGS["unreal with targets"](walk(np.random.default_rng(seed), fps=30.0)) for seed in range(2)]
    still = RIGS["unreal"](walk(np.random.default_rng(2), fps=30.0))
    skeleton = rooted(takes[0]).skeleton
    clip = rooted_like(rooted(still), skeleton)
    assert clip.skeleton.base is not None and skeleton.base is not None
    assert clip.skeleton.base.carried == skeleton.base.carried != ()
    assert np.abs(as_filed(clip).positions() - still.positions()).max() < 1e-9


def test_bones_that_differ_between_takes_do_not_become_elastic() -> None:
    """If one joint moves, all positions are columns: a longer tail in one take is not motion of the tail."""
    takes = [elephant(seed, "Spine", ABOVE) for seed in range(2)]
    local = takes[1].local_translations().copy()
    local[:, takes[1].skeleton.index("Tail2")] *= 1.5
    takes[1] = takes[1].changed(joint_translations=local)
    together = gathered([rooted(take) for take in takes], lambda sentence: None)
    names = recipe([clip for clip in together if isinstance(clip, Clip)]).names
    assert not [name for name in names if name.startswith("Tail2.t")] and [n for n in names if n.startswith("Spine.t")]


def random_takes(seed: int) -> tuple[list[Clip], list[int]]:
    """Three takes of a random tree, in each of which different joints move; and those fixed in all of them."""
    rng = np.random.default_rng(seed)
    count, frames = int(rng.integers(3, 14)), 12
    parents = np.array([-1, *[int(rng.integers(max(0, j - 3), j)) for j in range(1, count)]])
    names = tuple(f"{'foot' if rng.random() < 0.2 else 'j'}{k}" for k in range(count))
    skeleton = ft.Skeleton(names, parents, 10.0 * rng.normal(size=(count, 3)), (), (ROOT_CHANNELS,) * count)
    phase = np.linspace(0.0, 2.0 * np.pi, frames)
    usually_still, mover = rng.random(count) < 0.4, int(rng.integers(0, min(count, 4)))
    travelled = np.zeros(count, dtype=bool)
    takes = []
    for _ in range(3):
        still = usually_still ^ (rng.random(count) < 0.1)
        travels = rng.random(count) < 0.05
        travels[mover] = rng.random() < 0.8
        travelled |= travels
        rotations = np.empty((frames, count, 4))
        local = np.broadcast_to(skeleton.offsets, (frames, count, 3)).copy()
        for joint in range(count):
            axis, shift = rng.normal(size=3), rng.uniform(-1.0, 1.0) * (rng.random() < 0.3)
            angles = 0.4 * (not still[joint]) * np.sin(phase + rng.uniform(0.0, 6.0)) + shift
            rotations[:, joint] = about_axis(axis / np.linalg.norm(axis), angles)
            if travels[joint]:
                far = 30.0 * (rng.random() < 0.5) * np.linspace(0.0, 1.0, frames)
                local[:, joint] += 3.0 * np.sin(phase)[:, None] * rng.normal(size=3) + far[:, None] * rng.normal(size=3)
        takes.append(Clip(skeleton, 1.0 / 30.0, local[:, 0], rotations, local, name=f"take {len(takes)}"))
    return takes, np.flatnonzero(~travelled).tolist()


@pytest.mark.parametrize("seed", [*range(60), 349, 434])
def test_no_rig_stretches_its_bones(seed: int) -> None:
    """Whatever rotates or travels in whichever take, a bone of constant length in all takes has it in all variants."""
    takes, steady = random_takes(seed)
    together = gathered([following(rooted(take)) for take in takes], lambda sentence: None)
    clips = [clip for clip in together if isinstance(clip, Clip)]
    layout = clip_layout(clips, "expmap", "heading")
    rows, starts = zip(*[layout.encode(clip) for clip in clips], strict=True)
    mean = np.mean(rows, axis=0)
    base = layout.skeleton.base
    bones = [joint for joint in steady if joint and (base is None or joint != base.mover)]
    wanted = np.linalg.norm(takes[0].skeleton.offsets[bones], axis=-1)
    for values in (rows[1], mean, 1.5 * mean - 0.5 * rows[2]):
        made = as_filed(layout.decode(values, starts[0], False, None, "x"))
        lengths = np.linalg.norm(made.local_translations()[:, bones], axis=-1)
        assert np.abs(lengths - wanted).max(initial=0.0) < 1e-6


def armed(clip: Clip) -> Clip:
    """Unreal's targets of hands and feet, one of which hangs on another, baked as exporters do."""
    rig = with_targets(clip)
    rig = with_joints(rig, [("ik_hand_gun", "root", (0.0, 0.0, 0.0)), ("ik_hand_l", "ik_hand_gun", (0.0, 0.0, 0.0))])
    world, local, rotations = rig.world(), rig.local_translations().copy(), rig.rotations.copy()
    left, right, gun, target = (rig.skeleton.index(name) for name in ("hand_l", "hand_r", "ik_hand_gun", "ik_hand_l"))
    back = inverse(world.rotations[:, right])
    local[:, gun], rotations[:, gun] = world.positions[:, right], world.rotations[:, right]
    local[:, target] = rotate(back, world.positions[:, left] - world.positions[:, right])
    rotations[:, target] = multiply(back, world.rotations[:, left])
    return rig.changed(root=local[:, 0], rotations=rotations, joint_translations=local)


def test_targets_stay_with_their_joints_in_variants(takes: list[Clip]) -> None:
    """Both a foot and its target are varied; in files the target is where its foot is, as in all takes."""
    clips = [rooted(armed(take)) for take in takes]
    together = [clip for clip in gathered(clips, lambda sentence: None) if isinstance(clip, Clip)]
    for clip, take in zip(together, takes, strict=True):
        np.testing.assert_allclose(as_filed(clip).positions(), armed(take).positions(), rtol=0, atol=1e-6)
    layout = clip_layout(together, "expmap", "heading")
    header, arrays = layout.parts()
    stored = type(layout).from_parts(Parts(json.loads(json.dumps(header)), arrays))
    values, start = stored.encode(together[0])
    odd = values + 0.1 * np.random.default_rng(0).normal(size=values.shape) * np.ptp(values, axis=0)
    made = as_filed(stored.decode(odd, start, False, None, "x"))
    place = dict(zip(made.skeleton.names, np.moveaxis(made.positions(), 1, 0), strict=True))
    for target, joint in (("foot_l", "foot_l"), ("foot_r", "foot_r"), ("hand_gun", "hand_r"), ("hand_l", "hand_l")):
        np.testing.assert_allclose(place[f"ik_{target}"], place[joint], rtol=0, atol=1e-6)


def test_a_target_that_parts_from_its_joint_in_one_take_is_its_own(takes: list[Clip]) -> None:
    other = armed(takes[1])
    local = other.local_translations().copy()
    target = other.skeleton.index("ik_foot_l")
    local[:, target] += np.linspace(0.0, 20.0, len(other))[:, None]
    rigs = [armed(takes[0]), other.changed(joint_translations=local)]
    together = gathered([rooted(rig) for rig in rigs], lambda sentence: None)
    for clip, rig in zip(together, rigs, strict=True):
        assert isinstance(clip, Clip) and clip.skeleton.base is not None
        assert target not in [joint for joint, _ in clip.skeleton.base.led] and clip.skeleton.base.led
        np.testing.assert_allclose(as_filed(clip).positions(), rig.positions(), rtol=0, atol=1e-6)
