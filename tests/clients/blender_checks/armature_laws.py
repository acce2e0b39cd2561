"""Laws of reading and writing: what Blender shows is what we read, and what we write is what Blender shows."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import addon.armature.rotations as rot
import bpy
import numpy as np
from addon.armature import actions, reading, trouble, writing
from armatures import MODES, inherit_oddly, make_action, make_armature, seen, size_of

NEAR = 2e-5  # of the body


def written(thing, motions, first=1.0):
    return reading.run(writing.write_actions(thing, motions, first))


def read(thing, found):
    return reading.run(reading.read_actions(thing, found))


def same_motion(one, other, tolerance=NEAR):
    assert one.names == other.names
    assert one.parents == other.parents
    places, others = one.world()[0], other.world()[0]
    assert places.shape == others.shape
    assert np.abs(places - others).max() < tolerance * size_of(places), np.abs(places - others).max()
    assert np.abs(one.world()[1] - other.world()[1]).max() < 1e-4


def placed(motion, thing):
    """The joints of a motion in the world, moved by the object."""
    places = motion.world()[0]
    if motion.names[0] == "(object)":
        return places[:, 1:]
    rig = reading.read_rig(thing)
    local = places @ rig.upright / rig.scale
    world = np.array(thing.matrix_world)
    return local @ world[:3, :3].T + world[:3, 3]


def check_rotations_of_all_modes():
    rng = np.random.default_rng(1)
    matrices = rot.quaternion_matrices(rng.normal(size=(200, 4)))
    for mode in MODES:
        back = rot.matrices_of(rot.channels_of(matrices, mode), mode)
        assert np.abs(back - matrices).max() < 1e-9, mode
    for order in rot.EULER_ORDERS:  # the middle angle at a quarter turn, whatever its axis
        angles = np.array([[0.4, 0.2, -0.3], [0.5, 0.2, -0.1]])
        angles[:, "XYZ".index(order[1])] = [np.pi / 2, -np.pi / 2]
        locked = rot.euler_matrices(angles, order)
        assert np.abs(rot.euler_matrices(rot.eulers(locked, order), order) - locked).max() < 1e-9, order


def check_rotations_are_blenders():
    from mathutils import Euler, Quaternion

    rng = np.random.default_rng(2)
    for order in rot.EULER_ORDERS:
        angles = rng.uniform(-4, 4, size=3)
        assert np.abs(rot.euler_matrices(angles, order) - np.array(Euler(angles, order).to_matrix())).max() < 1e-6
    q = rng.normal(size=4)
    assert np.abs(rot.quaternion_matrices(q) - np.array(Quaternion(q / np.linalg.norm(q)).to_matrix())).max() < 1e-6


def check_channels_are_continuous():
    turn = np.linspace(0, 9 * np.pi, 400)
    angles = np.stack([np.sin(turn), 1.2 * np.cos(0.7 * turn), turn], axis=1)
    for order in rot.EULER_ORDERS:
        ways = np.empty_like(angles)
        ways[:, ["XYZ".index(letter) for letter in order]] = angles
        found = rot.eulers(rot.euler_matrices(ways, order), order)
        assert np.abs(np.diff(found, axis=0)).max() < 0.3, order
    spin = np.stack([np.cos(turn / 2), 0 * turn, np.sin(turn / 2), 0 * turn], axis=1)
    for mode in ("QUATERNION", "AXIS_ANGLE"):
        found = rot.channels_of(rot.quaternion_matrices(spin), mode)
        assert np.abs(np.diff(found, axis=0)).max() < 0.1, mode


def _round_trip(seed, *, roots=1, on_object=False, odd=False, tune=None):
    rng = np.random.default_rng(seed)
    thing = make_armature(rng, roots=roots)
    if odd:
        inherit_oddly(rng, thing)
    if tune is not None:
        tune(thing)
    bpy.context.view_layer.update()
    action = make_action(rng, thing, "take", on_object=on_object)
    motion = read(thing, [action])[0]
    frames = range(1, 13)
    shown = seen(thing, action, frames)
    assert np.abs(placed(motion, thing) - shown[:, _order(thing), 0]).max() < NEAR * size_of(shown)
    (copy,) = written(thing, [motion])
    assert copy.name == "take.001"
    again = seen(thing, copy, frames)
    assert np.abs(again - shown).max() < NEAR * size_of(shown), np.abs(again - shown).max() / size_of(shown)
    same_motion(read(thing, [copy])[0], motion)


def _order(thing):
    names = [bone.name for bone in thing.pose.bones]
    return [names.index(name) for name in reading.read_rig(thing).names]


def check_round_trip_of_random_armatures():
    for seed in range(6):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        _round_trip(seed)


def check_round_trip_with_odd_inheritance():
    for seed in range(4):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        _round_trip(seed, odd=True)


def check_round_trip_of_several_roots():
    _round_trip(1, roots=3)


def check_round_trip_with_the_root_motion_on_the_object():
    for mode in ("QUATERNION", "ZXY", "AXIS_ANGLE"):
        bpy.ops.wm.read_factory_settings(use_empty=True)

        def tune(thing, mode=mode):
            thing.rotation_mode = mode

        _round_trip(2, on_object=True, tune=tune)


def check_round_trip_of_moved_turned_and_scaled_objects():
    for turn, scale in itertools.product([(np.pi / 2, 0, 0.3), (0, 0, 2.0), (0.2, -np.pi / 2, 0)], [0.01, 1.7]):
        bpy.ops.wm.read_factory_settings(use_empty=True)

        def tune(thing, turn=turn, scale=scale):
            thing.location, thing.rotation_euler, thing.scale = (3, -2, 1), turn, [scale] * 3

        _round_trip(3, tune=tune)


def check_round_trip_of_unevenly_scaled_objects():
    def tune(thing):
        thing.scale = (1.0, 2.0, 0.5)

    _round_trip(4, tune=tune)


def check_bones_that_are_scaled_alike_keep_their_places():
    def tune(thing):
        for bone in thing.pose.bones:
            bone.scale = (1.3, 1.3, 1.3)

    _round_trip(5, tune=tune)


def check_upright_axis_of_a_turned_object_is_up():
    thing = make_armature(np.random.default_rng(0))
    thing.rotation_euler = (np.pi / 2, 0, 0.7)
    upright = reading.read_rig(thing).upright
    assert np.allclose(upright @ [0, 1, 0], [0, 0, 1])
    assert np.isclose(np.linalg.det(upright), 1)


def check_written_after_the_object_was_moved_and_scaled():
    thing = make_armature(np.random.default_rng(0))
    action = make_action(np.random.default_rng(1), thing, "take")
    (motion,) = read(thing, [action])
    thing.rotation_euler, thing.scale, thing.location = (np.pi / 2, 0, 0), (0.1, 0.1, 0.1), (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    shown = seen(thing, action, range(1, 13))
    (copy,) = written(thing, [motion])
    assert np.abs(seen(thing, copy, range(1, 13)) - shown).max() < NEAR * size_of(shown)


def check_frames_and_rate():
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    thing = make_armature(np.random.default_rng(0))
    action = make_action(np.random.default_rng(1), thing, "take", frames=20)
    action.use_frame_range, action.frame_start, action.frame_end = True, 4, 9
    (motion,) = read(thing, [action])
    assert len(motion) == 6
    assert np.isclose(motion.fps, 30 / 1.001)
    (copy,) = written(thing, [motion], first=4)
    assert (copy.frame_start, copy.frame_end, copy.use_frame_range) == (4, 9, True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 2.002  # the same rate again
    (halved,) = written(thing, [motion], first=1)
    assert np.isclose(halved.frame_end, 6, atol=1e-3)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 12, 1.0
    (slow,) = written(thing, [motion], first=1)  # keys between frames: read back at their own rate
    (again,) = read(thing, [slow])
    assert len(again) == 6
    assert np.isclose(again.fps, 30 / 1.001, rtol=1e-3)
    same_motion(again, motion)


def check_keys_between_frames_are_interpolated_as_blender_does():
    thing = make_armature(np.random.default_rng(0))
    action = make_action(np.random.default_rng(1), thing, "take", frames=9)
    for curve in actions.curves_of(action, thing):
        for number in (6, 4, 2):
            curve.keyframe_points.remove(curve.keyframe_points[number])
        curve.update()
    (motion,) = read(thing, [action])
    shown = seen(thing, action, range(1, 10))
    assert np.abs(placed(motion, thing) - shown[:, _order(thing), 0]).max() < NEAR * size_of(shown)


def check_what_an_action_does_not_move_is_as_posed():
    rng = np.random.default_rng(3)
    thing = make_armature(rng)
    first = make_action(rng, thing, "first")
    second = make_action(rng, thing, "second")
    gone = thing.pose.bones[4].name
    for action in (first, second):
        for curve in list(actions.curves_of(action, thing)):
            if actions.split_path(curve.data_path)[0] == gone and (action == first or "location" in curve.data_path):
                _remove(action, thing, curve)
    thing.pose.bones[gone].location = (0.3, 0.2, 0.1)
    alone = read(thing, [first])[0]
    shown = seen(thing, first, range(1, 13))
    assert np.abs(placed(alone, thing) - shown[:, _order(thing), 0]).max() < NEAR * size_of(shown)


def _remove(action, thing, curve):
    if not actions.SLOTTED:
        action.fcurves.remove(curve)
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(actions.slot_for(action, thing))
            if bag is not None:
                bag.fcurves.remove(curve)


def check_actions_of_an_armature():
    rng = np.random.default_rng(0)
    one, other = make_armature(rng, name="one"), make_armature(rng, bones=4, name="other")
    for bone in other.pose.bones:
        bone.name = f"x {bone.name}"
    a, b = make_action(rng, one, "a", 3), make_action(rng, other, "b", 3)
    assert actions.actions_of(one) == [a]
    assert actions.actions_of(other) == [b]


def check_two_armatures_in_one_action():
    if not actions.SLOTTED:
        return
    rng = np.random.default_rng(0)
    one, other = make_armature(rng, name="one"), make_armature(rng, name="other")
    action = make_action(rng, one, "both", 5)
    slot = action.slots.new("OBJECT", "other")
    other.animation_data_create().action = action
    other.animation_data.action_slot = slot
    for frame in range(1, 6):
        other.pose.bones[0].location = (frame, 0, 0)
        other.pose.bones[0].keyframe_insert("location", frame=frame)
    moved = read(other, [action])[0]
    assert np.isclose(np.linalg.norm(moved.root[-1] - moved.root[0]), 4, atol=1e-4)
    assert len(actions.curves_of(action, other)) == 3


def check_properties_are_kept():
    thing = make_armature(np.random.default_rng(0))
    action = make_action(np.random.default_rng(1), thing, "take", 4)
    (motion,) = read(thing, [action])
    about = {"seed": 7, "settings": {"amount": 0.5}, "model": "walk"}
    (copy,) = written(thing, [replace(motion, about=about, loop=True)])
    assert json.loads(copy["freshtake"]) == about == writing.how_made(copy)
    assert copy.use_fake_user
    assert copy.use_cyclic
    assert read(thing, [copy])[0].loop
    assert writing.how_made(action) is None


def check_failure_leaves_nothing():
    thing = make_armature(np.random.default_rng(0))
    other = make_armature(np.random.default_rng(9), name="other")
    other.pose.bones[5].name = "renamed"
    action = make_action(np.random.default_rng(1), thing, "take", 4)
    motions = read(thing, [action])
    lost = read(other, [make_action(np.random.default_rng(2), other, "lost", 4)])
    before = [found.name for found in bpy.data.actions]
    try:
        written(thing, [*motions, *lost])
    except trouble.CannotWrite as error:
        assert "renamed" in str(error)
    else:
        raise AssertionError("a bone that is not there was written")
    assert [found.name for found in bpy.data.actions] == before
    steps = writing.write_actions(thing, motions)
    next(steps)
    assert len(bpy.data.actions) == len(before) + 1
    steps.close()  # cancelled in the middle
    assert [found.name for found in bpy.data.actions] == before


def check_bones_of_another_length_are_refused():
    thing = make_armature(np.random.default_rng(0))
    other = make_armature(np.random.default_rng(9), name="other")
    motions = read(other, [make_action(np.random.default_rng(1), other, "take", 4)])
    try:
        written(thing, motions)
    except trouble.CannotWrite as error:
        assert "Apply" in str(error)
    else:
        raise AssertionError("written onto other lengths")


def check_an_action_of_nothing_is_refused():
    thing = make_armature(np.random.default_rng(0))
    try:
        read(thing, [bpy.data.actions.new("empty")])
    except trouble.CannotRead as error:
        assert "empty" in str(error)
    else:
        raise AssertionError("read an empty Action")


def check_rest_and_pose():
    thing = make_armature(np.random.default_rng(0))
    rest = reading.read_rest(thing)
    assert len(rest) == 1
    assert np.allclose(rest.rotations, [1, 0, 0, 0], atol=1e-6)
    action = make_action(np.random.default_rng(1), thing, "take", 6)
    actions.assign(thing, action)
    bpy.context.scene.frame_set(4)
    (motion,) = read(thing, [action])
    assert np.abs(reading.read_pose(thing).world()[0][0] - motion.world()[0][3]).max() < 1e-5
