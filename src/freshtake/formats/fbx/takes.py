"""Takes: an animation stack each, with a curve per axis of every joint that turns or moves."""

from __future__ import annotations

import json

import numpy as np

from freshtake.formats.fbx.binary import Node, array, long, node, real, text, titled, whole
from freshtake.formats.fbx.scene import CENTIMETRES, SECOND, Objects, prop, properties
from freshtake.formats.rig import Rig, RigMotion
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import continuous_euler

ORDER = "ZYX"  # of the product of turns: FBX says XYZ, the order in which they are done
_LINEAR = 4
_VERSION = node("KeyVer", whole(4008))
_AXES = ("d|X", "d|Y", "d|Z")


def euler_degrees(rotations: Floats) -> Floats:
    """Angles about x, y and z (frames, joints, 3) that go on without jumps."""
    return np.degrees(continuous_euler(rotations, ORDER))[..., ::-1]


def add_take(objects: Objects, joints: list[int], rig: Rig, motion: RigMotion) -> tuple[Node, int]:
    """Add one take; returns its entry in the list of takes, and when it ends. `joints` are the models' numbers."""
    times = np.rint(np.arange(len(motion.rotations)) * motion.frame_time * SECOND).astype(np.int64)
    stop = int(times[-1])
    layer = _add_stack(objects, motion, stop)
    keys = _Keys(times)
    turns = euler_degrees(motion.rotations)
    places = motion.translations * CENTIMETRES
    for joint in motion.moving(rig):
        _add_curves(objects, keys, layer, joints[joint], "T", "Lcl Translation", places[:, joint])
    for joint, model in enumerate(joints):
        _add_curves(objects, keys, layer, model, "R", "Lcl Rotation", turns[:, joint])
    span = [node(name, long(0), long(stop)) for name in ("LocalTime", "ReferenceTime")]
    return node("Take", text(motion.name), inside=[node("FileName", text(f"{motion.name}.tak")), *span]), stop


def _add_stack(objects: Objects, motion: RigMotion, stop: int) -> int:
    spans = {"LocalStart": 0, "LocalStop": stop, "ReferenceStart": 0, "ReferenceStop": stop}
    entries = [prop(name, "KTime", "Time", "", long(value)) for name, value in spans.items()]
    if motion.playback is not None:
        entries.append(prop("Description", "KString", "", "", text(json.dumps(motion.playback.summary()))))
    stack = objects.add("AnimationStack", titled(motion.name, "AnimStack"), "", [properties(*entries)])
    layer = objects.add("AnimationLayer", titled("BaseLayer", "AnimLayer"), "", [])
    objects.link(layer, stack)
    return layer


class _Keys:
    """What all curves of a take share: the times of their keys, and that they go straight from key to key.

    A value that never changes has one key.
    """

    def __init__(self, times: np.ndarray) -> None:
        self._shared = {count: self._key_arrays(times[:count]) for count in {1, len(times)}}

    @staticmethod
    def _key_arrays(times: np.ndarray) -> tuple[Node, tuple[Node, ...]]:
        law = (
            node("KeyAttrFlags", array(np.array([_LINEAR]), "i4")),
            node("KeyAttrDataFloat", array(np.zeros(4), "f4")),
            node("KeyAttrRefCount", array(np.array([len(times)]), "i4")),
        )
        return node("KeyTime", array(times, "i8")), law

    def curve(self, values: Floats) -> list[Node]:
        if values.min() == values.max():
            values = values[:1]
        times, law = self._shared[len(values)]
        first = node("Default", real(float(values[0])))
        return [first, _VERSION, times, node("KeyValueFloat", array(values, "f4")), *law]


def _add_curves(objects: Objects, keys: _Keys, layer: int, model: int, short: str, role: str, values: Floats) -> None:
    """Three curves (frames, 3) of one property of one joint."""
    first = [prop(axis, "Number", "", "A", real(float(value))) for axis, value in zip(_AXES, values[0], strict=True)]
    holder = objects.add("AnimationCurveNode", titled(short, "AnimCurveNode"), "", [properties(*first)])
    objects.link(holder, layer)
    objects.link(holder, model, role)
    for axis, column in zip(_AXES, values.T, strict=True):
        curve = objects.add("AnimationCurve", titled("", "AnimCurve"), "", keys.curve(column))
        objects.link(curve, holder, axis)
