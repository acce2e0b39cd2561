"""Operators in Blender: undo, failure, two armatures, poses, parts, strips, crowds, and reproducing the same bytes."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import addon
import bpy
import numpy as np
from addon.armature import actions, reading
from addon.operators import working
from armatures import key_bytes, seen, size_of

TAKES = Path(os.environ["FRESHTAKE_TAKES"])
ops = bpy.ops.freshtake
MODEL: dict[str, bytes] = {}


def begin(*names: str):
    """A character with takes; the add-on's operators."""
    if not hasattr(bpy.types.Object, "freshtake"):
        addon.register()
    files = [{"name": f"{name}.bvh"} for name in names or ("walk_1", "walk_2", "walk_3")]
    ops.takes_import(directory=str(TAKES), files=files)
    return bpy.context.active_object


def learned():
    """The same with a model, which is learned once for all checks."""
    figure = begin()
    if not MODEL:
        ops.learn(kind="variation", name="walks")
        text = figure.freshtake.models[0].text
        MODEL.update(data=bytes(text["freshtake_model"]), facts=text["freshtake_facts"].encode())
    else:
        from addon.operators.models import keep_model

        keep_model(figure, "walks", "variation", MODEL["data"], json.loads(MODEL["facts"]))
    return figure


def variants(figure):
    return [action for action in bpy.data.actions if "freshtake" in action]


def contents() -> dict[str, object]:
    """The content of the file, to check that nothing changed."""
    names = {
        kind: [thing.name for thing in getattr(bpy.data, kind)] for kind in ("actions", "objects", "texts", "armatures")
    }
    keys = {}
    for thing in bpy.data.objects:
        data = thing.animation_data
        own = data.action if data else None
        keys[thing.name] = (own and own.name, own and key_bytes(thing, own), [list(row) for row in thing.matrix_world])
        keys[thing.name] += (len(data.nla_tracks) if data else 0,)
    return {**names, "keys": keys}


def refused(call, word: str, **options) -> None:
    """Run an operator that has to fail with a sentence."""
    before = contents()
    try:
        call(**options)
    except RuntimeError as error:
        assert word in str(error), str(error)
        assert "Traceback" not in str(error)
    else:
        raise AssertionError(f"{word!r} was expected to be said")
    assert contents() == before


def check_undo_takes_back_what_was_made():
    figure = learned()
    figure.freshtake.count = 2
    bpy.ops.ed.undo_push(message="before")
    before = contents()
    ops.vary("EXEC_DEFAULT", True)  # as from a button: with a separate undo step
    made = contents()
    assert made != before
    bpy.ops.ed.undo()
    assert contents() == before
    bpy.ops.ed.redo()
    assert contents() == made


def check_every_operator_can_be_undone():
    begin()
    for module in addon.operators.MODULES:
        for cls in module.CLASSES:
            assert "UNDO" in getattr(cls, "bl_options", ()) or cls.__name__ == "FRESHTAKE_OT_model_save", cls


def check_again_gives_the_same_bytes():
    figure = learned()
    figure.freshtake.count, figure.freshtake.seed, figure.freshtake.amount = 3, 5, 0.8
    ops.vary()
    second = bpy.data.actions["walks s5 002"]
    figure.freshtake.seed, figure.freshtake.amount = 9, 1.0  # what is kept with the Action counts, not the panel
    ops.vary_again(action=second.name)
    again = figure.animation_data.action
    assert again != second
    assert key_bytes(figure, again) == key_bytes(figure, second)
    assert key_bytes(figure, bpy.data.actions["walks s5 001"]) != key_bytes(figure, second)
    refused(ops.vary_again, "not a variant", action="walk_1")


def check_failures_leave_the_file_as_it_was():
    figure = begin()
    refused(ops.vary, "learn one first")
    refused(ops.style_apply, "learn one first")
    refused(ops.apply, "choose the armature")
    refused(ops.learn, "From and To", kind="style")
    refused(ops.learn, "two classes", kind="density")
    for row in figure.freshtake.takes:
        row.use = False
    refused(ops.learn, "no take", kind="variation")
    figure.freshtake.takes[0].use = True
    figure.freshtake.takes[0].action = bpy.data.actions.new("nothing")
    refused(ops.learn, "nothing", kind="variation")


def check_a_broken_model_is_one_sentence():
    from addon.operators.models import keep_model

    figure = begin()
    keep_model(figure, "broken", "variation", b"no model", {})
    refused(ops.vary, "model")


def check_a_pose_bone_renamed_after_learning_leaves_nothing():
    figure = learned()
    figure.data.bones[3].name = "renamed"
    refused(ops.vary, "Apply")


def check_cancelling_in_the_middle_leaves_nothing():
    figure = learned()
    figure.freshtake.count, figure.freshtake.place = 4, "CROWD"
    before = contents()

    class Quiet:
        report = tell = lambda *_: None

    for stop_at in (0.0, 0.5, 1.0):
        work = addon.operators.varying.FRESHTAKE_OT_vary.work(Quiet, bpy.context, figure)
        steps = 0
        for waiting in work:
            steps += waiting is None
            if len(bpy.data.actions) - len(before["actions"]) >= 4 * stop_at and (steps > 3 or stop_at > 0):
                break
            if waiting is not None:
                import time

                time.sleep(0.01)
        work.close()
        assert contents() == before


def check_two_armatures_at_once():
    one = learned()
    model = one.freshtake.models[0]
    bpy.context.view_layer.objects.active = None
    other = begin("run_1", "run_2")
    assert other != one
    assert model.name == "walks"
    classes = addon.operators.varying, addon.operators.learning

    class Quiet:
        kind, name = "texture", "running"
        report = tell = lambda *_: None

    jobs = [
        working.Job(classes[0].FRESHTAKE_OT_vary.work(Quiet, bpy.context, one)),
        working.Job(classes[1].FRESHTAKE_OT_learn.work(Quiet, bpy.context, other)),
    ]
    while jobs:
        jobs = [job for job in jobs if job.tick()]
    assert [row.name for row in other.freshtake.models] == ["running"]
    assert len(one.freshtake.models) == 1
    assert len(variants(one)) == one.freshtake.count
    assert other.animation_data.action.name == "run_1"


def check_strips_follow_one_another():
    figure = learned()
    figure.freshtake.count, figure.freshtake.place = 3, "NLA"
    ops.vary()
    (track,) = figure.animation_data.nla_tracks
    strips = list(track.strips)
    assert len(strips) == 3
    assert all(a.frame_end == b.frame_start for a, b in pairwise(strips))
    assert figure.animation_data.action is None
    frames = np.arange(1, 20)
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        shown.append([[figure.matrix_world @ bone.head, figure.matrix_world @ bone.tail] for bone in figure.pose.bones])
    figure.animation_data.nla_tracks.remove(track)
    alone = seen(figure, variants(figure)[0], frames)
    assert np.abs(np.array(shown) - alone).max() < 1e-4 * size_of(alone)


def hips_over(figure, frames):
    """Position of the first bone on the ground and its facing, frame by frame as the NLA plays it."""
    places, headings = [], []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        matrix = figure.matrix_world @ figure.pose.bones[0].matrix
        places.append(matrix.translation[:2])
        headings.append(np.arctan2(matrix[1][0], matrix[0][0]))
    return np.array(places), np.unwrap(headings)


def check_strips_go_on_where_the_last_one_ended():
    figure = learned()
    figure.freshtake.count, figure.freshtake.place = 3, "NLA"
    ops.vary()
    ops.vary()
    strips = [strip for track in figure.animation_data.nla_tracks for strip in track.strips]
    assert len(strips) == 6
    places, headings = hips_over(figure, np.arange(1, strips[-1].frame_end))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    joins = [int(strip.frame_start) - 2 for strip in strips[1:]]  # the step into the first frame of each strip
    inside = np.delete(steps, joins)
    assert steps[joins].max() < 2.0 * inside.max(), (steps[joins], inside.max())
    assert np.linalg.norm(places[-1] - places[0]) > 4.0 * np.linalg.norm(places[joins[0]] - places[0])
    turns = np.abs(np.diff(headings))
    assert turns[joins].max() < 2.0 * np.delete(turns, joins).max() + np.radians(1.0)
    last = strips[-1].action
    ops.vary_again(action=last.name)
    assert key_bytes(figure, figure.animation_data.action) == key_bytes(figure, last)


def check_a_stretch_is_redrawn_and_the_rest_keeps_its_keys():
    figure = learned()
    take = bpy.data.actions["walk_2"]
    actions.assign(figure, take)
    figure.freshtake.count, figure.freshtake.seed = 2, 3
    ops.redraw(first=20, last=45)
    made = [bpy.data.actions[f"walk_2 r{number:02d}"] for number in (1, 2)]
    assert figure.animation_data.action == made[0]
    last = int(take.frame_range[1])
    old, *new = (seen(figure, one, range(1, last + 1)) for one in (take, *made))
    for one in new:
        moved = np.abs(one - old).reshape(last, -1).max(axis=1) / size_of(old)
        assert moved[:19].max() < 1e-6 and moved[45:].max() < 1e-6
        assert moved[25:40].max() > 1e-3
    assert np.abs(new[0] - new[1]).max() > 1e-3 * size_of(old)
    actions.assign(figure, take)
    arms = [bone for bone in figure.pose.bones if "Arm" in bone.name or "Hand" in bone.name]
    for bone in figure.pose.bones:
        target = bone if hasattr(bone, "select") else bone.bone
        target.select = bone in arms
    figure.freshtake.count = 1
    ops.redraw(first=20, last=45, selected=True)
    only = seen(figure, figure.animation_data.action, range(1, last + 1))
    carried = ("Arm", "Hand", "Finger", "Thumb")
    others = [k for k, bone in enumerate(figure.pose.bones) if not any(word in bone.name for word in carried)]
    assert np.abs(only - old)[:, others].max() < 1e-6 * size_of(old)
    assert np.abs(only - old).max() > 1e-3 * size_of(old)
    actions.assign(figure, take)
    refused(ops.redraw, "not within", first=20, last=4500)


def check_a_second_run_begins_where_the_first_ended():
    figure = learned()
    figure.freshtake.count, figure.freshtake.place = 2, "NLA"
    ops.vary()
    ops.vary()
    first, second = figure.animation_data.nla_tracks
    assert next(iter(second.strips)).frame_start >= list(first.strips)[-1].frame_end


def check_a_crowd_shares_its_data():
    figure = learned()
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.parent = figure
    skin.modifiers.new("Armature", "ARMATURE").object = figure
    figure.freshtake.count, figure.freshtake.place = 4, "CROWD"
    ops.vary()
    copies = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != figure]
    assert len(copies) == 4
    assert all(thing.data == figure.data for thing in copies)
    skins = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing != skin]
    assert {thing.parent for thing in skins} == set(copies)
    assert all(thing.data == mesh and thing.modifiers[0].object == thing.parent for thing in skins)
    assert len({thing.animation_data.action for thing in copies}) == 4
    assert len({tuple(thing.location) for thing in copies}) == 4
    assert figure.animation_data.action.name == "walk_1"


def check_a_crowd_has_room_where_the_object_itself_moves():
    from addon.operators.placing import put_crowd

    figure = begin()
    action = bpy.data.actions["walk_1"]
    for frame in (1, 30):
        figure.location = (0.0, 0.1 * frame, 0.0)
        figure.keyframe_insert("location", frame=frame)
    reading.run(put_crowd(figure, [action] * 4))
    bpy.context.scene.frame_set(10)
    copies = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != figure]
    spacing = figure.freshtake.spacing
    places = {
        tuple(np.round((thing.matrix_world.translation - figure.matrix_world.translation) / spacing, 3))
        for thing in copies
    }
    assert places == {(1, 0, 0), (2, 0, 0), (1, 1, 0), (2, 1, 0)}, places


def check_results_are_listed_with_their_armature_alone():
    one = learned()
    one.freshtake.count = 2
    ops.vary()
    bpy.context.view_layer.objects.active = None
    other = begin("walk_1", "walk_2")  # the same bones
    from addon.operators.models import keep_model

    keep_model(other, "walks", "variation", MODEL["data"], json.loads(MODEL["facts"]))
    other.freshtake.count = 1
    ops.vary()
    ops.takes_refresh()

    def listed(figure):
        return [row.action.name for row in figure.freshtake.results]

    assert listed(one) == ["walks s0 001", "walks s0 002"]
    assert listed(other) == ["walks s0 001.001"]
    one.name = "renamed"
    ops.reject(action="walks s0 001")
    assert listed(one) == ["walks s0 002"]
    one.freshtake.results.clear()  # as in a file of an earlier version: Refresh finds them again
    bpy.context.view_layer.objects.active = one
    ops.takes_refresh()
    assert listed(one) == ["walks s0 002"] and listed(other) == ["walks s0 001.001"]


def check_what_is_rejected_leaves_no_strip_and_no_duplicate():
    figure = learned()
    figure.freshtake.count, figure.freshtake.place = 3, "NLA"
    ops.vary()
    ops.reject(action=variants(figure)[1].name)
    (track,) = figure.animation_data.nla_tracks
    assert [strip.action for strip in track.strips] == variants(figure)
    for action in variants(figure):
        ops.reject(action=action.name)
    assert not figure.animation_data.nla_tracks
    skin = bpy.data.objects.new("skin", None)
    bpy.context.scene.collection.objects.link(skin)
    skin.parent = figure
    before = {thing.name for thing in bpy.data.objects}
    figure.freshtake.place = "CROWD"
    ops.vary()
    rejected, *kept = variants(figure)
    ops.reject(action=rejected.name)
    made = [thing for thing in bpy.data.objects if thing.name not in before]
    assert {thing.animation_data.action for thing in made if thing.type == "ARMATURE"} == set(kept)
    assert len(made) == 2 * len(kept)
    actions.assign(figure, kept[0])
    ops.reject(action=kept[0].name)
    assert figure.name in bpy.data.objects  # only what was made for the Action goes with it


def check_parts_vary_by_their_bone_collection():
    figure = learned()
    still = figure.data.collections.new("arms")
    arms = [bone for bone in figure.data.bones if "Arm" in bone.name or "Hand" in bone.name]
    for bone in arms:
        still.assign(bone)
    ops.parts_refresh()
    figure.freshtake.count = 2

    names = [bone.name for bone in arms]

    def spread():
        old = variants(figure)
        ops.vary()
        made = [action for action in variants(figure) if action not in old]
        one, other = reading.run(reading.read_actions(figure, made))
        joints = [one.names.index(name) for name in names]
        length = min(len(one), len(other))
        return np.abs(one.rotations[:length, joints] - other.rotations[:length, joints]).mean()

    free = spread()
    figure.freshtake.parts["arms"].use, figure.freshtake.parts["arms"].amount = True, 0.0
    held = spread()
    assert held < 0.5 * free, (held, free)


def check_start_and_end_poses():
    figure = learned()
    action = bpy.data.actions["walk_2"]
    actions.assign(figure, action)
    bpy.context.scene.frame_set(7)
    bpy.context.scene.timeline_markers.new("there", frame=20)
    figure.freshtake.start, figure.freshtake.end, figure.freshtake.end_marker = "NOW", "MARKER", "there"
    figure.freshtake.count = 1
    wanted = [reading.read_pose(figure), reading.read_pose_at(figure, action, 20)]
    ops.vary()
    made = figure.animation_data.action
    (motion,) = reading.run(reading.read_actions(figure, [made]))
    for pose, frame in zip(wanted, (0, -1), strict=True):
        dots = np.abs(np.sum(pose.rotations[0] * motion.rotations[frame], axis=1))
        assert dots[1:].min() > 0.999, (frame, dots.min())
    ops.vary_again(action=made.name)
    assert key_bytes(figure, figure.animation_data.action) == key_bytes(figure, made)


def check_cycles_are_cut():
    figure = begin("run_1")
    ops.takes_cut(at="cycles")
    pieces = [row.action for row in figure.freshtake.takes if row.use]
    assert len(pieces) >= 2
    assert not figure.freshtake.takes[0].use
    whole = seen(figure, bpy.data.actions["run_1"], range(1, 200))
    first = seen(figure, pieces[0], range(1, int(pieces[0].frame_end) + 1))
    places = [np.abs(whole[start : start + len(first)] - first).max() for start in range(len(whole) - len(first))]
    assert min(places) < 1e-4 * size_of(first)


def check_repeats_are_cut():
    figure = begin("run_1")
    ops.takes_cut(at="repeats", first=20, last=60)
    pieces = [row.action for row in figure.freshtake.takes if row.use]
    assert len(pieces) >= 2


def check_repeats_of_a_take_between_the_frames_are_as_long_as_the_example():
    figure = begin("run_1")
    take = figure.freshtake.takes[0].action
    bpy.context.scene.render.fps //= 4
    for curve in actions.all_curves(take):
        for key in curve.keyframe_points:
            key.co.x = 1 + (key.co.x - 1) / 4
        curve.update()
    ops.takes_cut(at="repeats", first=6, last=16)
    lengths = [np.ptp(row.action.frame_range) for row in figure.freshtake.takes if row.use]
    assert len(lengths) >= 2
    assert all(7 < length < 14 for length in lengths), lengths


def check_takes_are_judged():
    figure = begin("walk_1", "walk_2", "run_1")
    ops.takes_check()
    wrong = {row.action.name: row.wrong for row in figure.freshtake.takes}
    assert "run_1" in wrong["run_1"] or figure.freshtake.together, wrong


def check_the_child_is_not_needed_to_list():
    figure = begin()
    figure.freshtake.takes.clear()
    ops.takes_refresh()
    assert [row.action.name for row in figure.freshtake.takes] == ["walk_1", "walk_2", "walk_3"]
    bpy.data.actions.remove(bpy.data.actions["walk_2"])
    ops.takes_refresh()
    assert [row.action.name for row in figure.freshtake.takes] == ["walk_1", "walk_3"]


def check_models_go_to_files_and_come_back():
    figure = learned()
    path = Path(bpy.app.tempdir) / "walks.ftm"
    ops.model_save(filepath=str(path), unpack=True)
    assert path.read_bytes() == MODEL["data"]
    assert figure.freshtake.models[0].text is None
    figure.freshtake.count = 1
    ops.vary()  # from the file
    ops.model_remove()
    assert len(figure.freshtake.models) == 0
    ops.model_load(filepath=str(path))
    assert bytes(figure.freshtake.models[0].text["freshtake_model"]) == MODEL["data"]
    assert figure.freshtake.models[0].kind == "variation"
    assert json.loads(figure.freshtake.models[0].text["freshtake_facts"])["joints"][0] == "Hips"
    ops.vary()
    one, other = variants(figure)
    assert key_bytes(figure, one) == key_bytes(figure, other)


def check_a_file_that_is_no_model_is_one_sentence():
    begin()
    path = Path(bpy.app.tempdir) / "no_model.ftm"
    path.write_text("nothing")
    refused(ops.model_load, "no_model.ftm", filepath=str(path))
    refused(ops.model_load, "cannot be read", filepath=str(path / "nowhere.ftm"))


def check_the_active_action_is_closed_into_a_loop():
    figure = begin("run_1")
    ops.loop()
    action = figure.animation_data.action
    assert action.use_cyclic
    places = seen(figure, action, [action.frame_start, action.frame_end])
    shift = places[1] - places[0]
    assert np.abs(shift - shift[0, 0]).max() < 1e-3 * size_of(places)
    assert np.abs(shift[..., 2]).max() < 1e-3 * size_of(places)  # it continues along the ground, which is z = 0 here


class Layout:
    """Replaces Blender's layout, which does not exist without a window: checks what it is asked to draw."""

    icons = frozenset(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())

    def __init__(self):
        self.drawn = []

    def __getattr__(self, name):
        if name in ("row", "column", "split", "grid_flow", "box"):
            return lambda **_: self
        raise AttributeError(name)

    def _icon(self, icon):
        assert icon in self.icons, icon

    def label(self, text="", icon="NONE"):
        self._icon(icon)
        self.drawn.append(text)

    def prop(self, data, name, icon="NONE", **_):
        assert name in data.bl_rna.properties, name
        self._icon(icon)
        self.drawn.append(name)

    def prop_search(self, data, name, where, collection, **_):
        assert name in data.bl_rna.properties
        assert collection in where.bl_rna.properties

    def operator(self, name, icon="NONE", **_):
        kind = getattr(bpy.ops.freshtake, name.removeprefix("freshtake.")).get_rna_type()
        self._icon(icon)
        self.drawn.append(name)

        class Options:
            def __setattr__(self, key, value):
                assert key in kind.properties, key

        return Options()

    def template_list(self, kind, _, data, listed, active, index, **__):
        assert hasattr(data, listed)
        assert index in active.bl_rna.properties
        cls = next(found for found in addon.panels.CLASSES if found.__name__ == kind)
        for number, item in enumerate(getattr(data, listed)):
            cls.draw_item(None, bpy.context, self, data, item, 0, active, index, number)


def check_panels_draw_what_there_is():
    figure = learned()
    figure.freshtake.count = 1
    ops.vary()
    ops.parts_refresh()
    figure.freshtake.weights.add().name = "walk"
    figure.freshtake.map_rows.add().name = "hips"
    figure.freshtake.source = figure
    figure.freshtake.start, figure.freshtake.length, figure.freshtake.place = "MARKER", "SECONDS", "CROWD"
    figure.freshtake.takes[0].wrong = "it is unlike the others"

    class Region:
        width = 200

    class Context:
        active_object, scene, region = figure, bpy.context.scene, Region

    drawn = []
    for cls in addon.panels.CLASSES:
        if issubclass(cls, bpy.types.Panel):

            class Self:
                layout = Layout()

            assert getattr(cls, "poll", lambda _: True)(Context)
            cls.draw(Self, Context)
            drawn += Self.layout.drawn
    assert "it is unlike the others" in drawn
    Context.active_object = None
    Self.layout = Layout()
    addon.panels.takes.FRESHTAKE_PT_start.draw(Self, Context)
    drawn += Self.layout.drawn
    operators = {cls.bl_idname for module in addon.operators.MODULES for cls in module.CLASSES}
    assert operators <= {*drawn}, operators - {*drawn}


class Event:
    def __init__(self, kind):
        self.type, self.value = kind, "PRESS"


class Window:
    """Replaces a window with its timer and status bar."""

    def __init__(self):
        self.window_manager = self.workspace = self.window = self.screen = self
        self.areas, self.timers, self.said = [], 0, []

    def event_timer_remove(self, timer):
        self.timers -= 1

    def status_text_set(self, text):
        self.said.append(text)


def modal(work):
    """A modal operator for that work, as the interface runs it."""

    class Operator(working.Working):
        bl_idname, bl_label, timer = "freshtake.trial", "Trial", object()
        reports = ()

        def report(self, kind, text):
            self.reports = (*self.reports, text)

    window, out = Window(), Operator()
    window.timers, out.job, out.shown = 1, working.Job(work), ""
    working.AT_WORK.append(out.job)
    return out, window


def check_modal_operators_go_on_by_their_timer():
    done = []

    def work():
        for text in ("step 0", "", "step 1"):
            yield working.Waiting(text)
        done.append(True)

    operator, window = modal(work())
    for _ in range(3):
        assert operator.modal(window, Event("TIMER")) == {"PASS_THROUGH"}
    assert operator.modal(window, Event("MOUSEMOVE")) == {"PASS_THROUGH"}
    assert operator.modal(window, Event("TIMER")) == {"FINISHED"}
    assert done
    assert window.timers == 0
    assert window.said == ["freshtake: step 0 (Esc cancels)", "freshtake: step 1 (Esc cancels)", None]


def check_escape_cancels_and_cleans_up():
    cleaned = []

    def work():
        try:
            while True:
                yield working.Waiting("waiting")
        finally:
            cleaned.append(True)

    operator, window = modal(work())
    operator.modal(window, Event("TIMER"))
    assert operator.modal(window, Event("ESC")) == {"CANCELLED"}
    assert cleaned
    assert window.timers == 0
    assert operator.reports == ("cancelled: nothing was changed",)


def check_a_long_piece_of_work_is_done_in_short_ticks():
    figure = learned()
    (motion,) = reading.run(reading.read_actions(figure, [bpy.data.actions["walk_1"]]))
    from dataclasses import replace

    from addon.armature.writing import write_actions

    long = replace(motion, root=np.tile(motion.root, (20, 1)), rotations=np.tile(motion.rotations, (20, 1, 1)))
    job = working.Job(write_actions(figure, [long] * 3))
    while job.tick():
        pass
    assert job.longest < 0.05, job.longest
    made = [action for action in bpy.data.actions if action.name.startswith("walk_1.")]
    job = working.Job(reading.read_actions(figure, made))
    while job.tick():
        pass
    assert job.longest < 0.05, job.longest


def check_a_character_of_another_file_is_worked_on_by_an_override():
    with TemporaryDirectory() as folder:
        begin().name = "Hero"
        bpy.ops.wm.save_as_mainfile(filepath=f"{folder}/hero.blend")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        with bpy.data.libraries.load(f"{folder}/hero.blend", link=True) as (there, wanted):
            wanted.objects, wanted.actions = ["Hero"], there.actions
        hero = bpy.data.objects["Hero"]
        bpy.context.scene.collection.objects.link(hero)
        bpy.context.view_layer.objects.active = hero
        refused(ops.vary, "library override")
        figure = hero.override_create(remap_local_usages=True)
        bpy.context.view_layer.objects.active = figure
        ops.learn(kind="variation", name="walks")
        figure.freshtake.count, figure.freshtake.place = 2, "CROWD"
        ops.vary()
        bpy.ops.wm.save_as_mainfile(filepath=f"{folder}/shot.blend")
        bpy.ops.wm.open_mainfile(filepath=f"{folder}/shot.blend")
        figure = bpy.data.objects[("Hero", None)]
        assert [row.name for row in figure.freshtake.models] == ["walks"]
        assert figure.freshtake.count == 2
        first, second = [row.action for row in figure.freshtake.results]
        assert bpy.data.objects["Hero.001"].animation_data.action == first
        bpy.context.view_layer.objects.active = figure
        ops.vary_again(action=second.name)
        assert key_bytes(figure, figure.animation_data.action) == key_bytes(figure, second)
        ops.reject(action=second.name)
        assert "Hero.002" not in bpy.data.objects
        bpy.ops.wm.read_factory_settings(use_empty=True)  # before the files go


def check_the_sample_character_is_whole():
    begin()
    bpy.context.view_layer.objects.active = None
    ops.sample()
    figure = bpy.context.view_layer.objects.active
    assert figure.name == "Sample"
    used = [row.action.name for row in figure.freshtake.takes if row.use]
    assert used == ["walk_1.001", "walk_2.001", "walk_3.001", "walk_4"]  # others of these names are there already
    assert {row.group for row in figure.freshtake.takes} == {"walk", "run", ""}
    places = seen(figure, figure.freshtake.takes[0].action, [1, 30])
    assert 1.5 < np.ptp(places[0, ..., 2]) < 2.0  # it stands upright, in metres
    motion = reading.run(reading.read_actions(figure, [figure.freshtake.takes[0].action]))[0]
    assert motion.translations is None
    body = next(thing for thing in bpy.data.objects if thing.parent == figure)
    assert len(body.vertex_groups) == len(figure.data.bones) == 31


def check_a_slider_that_is_moved_makes_its_motion_again():
    from addon import live

    figure = begin()
    ops.learn(kind="texture", name="on and on")
    settings = figure.freshtake
    settings.endless_seconds, settings.use_jump_rate = 2.0, True
    ops.endless()
    (old,) = variants(figure)
    name, keys = old.name, key_bytes(figure, old)
    settings.jump_rate = 3.0
    assert not bpy.app.timers.is_registered(live.remake)  # only if enabled
    settings.live = True
    for rate in (4.0, 8.0):
        settings.jump_rate = rate
    assert bpy.app.timers.is_registered(live.remake)
    assert live.remake() is None
    (new,) = variants(figure)
    assert new.name == name and figure.animation_data.action == new
    assert json.loads(new["freshtake"])["settings"]["jump_time"] == 0.125
    assert key_bytes(figure, new) != keys
    live.stop()


def check_a_broken_file_among_others_leaves_nothing():
    begin()
    broken = TAKES / "zz_broken.bvh"
    broken.write_text("HIERARCHY\nROOT hips\n{\nOFFSET 0 0\n")
    bpy.context.scene.render.fps = 24
    try:
        for active in (None, bpy.context.active_object):
            bpy.context.view_layer.objects.active = active
            files = [{"name": "walk_1.bvh"}, {"name": broken.name}]
            refused(ops.takes_import, broken.name, directory=str(TAKES), files=files)
            assert bpy.context.scene.render.fps == 24
    finally:
        broken.unlink()
