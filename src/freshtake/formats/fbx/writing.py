"""Build the objects of an FBX file: settings, joints, meshes, skins and takes."""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.formats.fbx import records
from freshtake.formats.fbx.records import Node, array, long, node, real, text, titled, whole
from freshtake.formats.files import write_bytes
from freshtake.formats.read_options import Motion, WriteOptions
from freshtake.formats.rig import (
    Material,
    Rig,
    RigMesh,
    RigMotion,
    affine,
    clips_of,
    on_rig,
    require_single,
    same_skeleton,
)
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import continuous_euler, to_matrix

SECOND = 46_186_158_000  # ticks of FBX time
CENTIMETRES = 100.0  # in a metre; most FBX files are in centimetres
_CREATOR = "freshtake"
# Frame rates by their number in FBX; any other is "custom".
RATES = {1: 120.0, 2: 100.0, 3: 60.0, 4: 50.0, 5: 48.0, 6: 30.0, 7: 30.0, 8: 30 / 1.001, 9: 30 / 1.001, 10: 25.0,
         11: 24.0, 12: 1000.0, 13: 24 / 1.001, 15: 96.0, 16: 72.0, 17: 60 / 1.001, 18: 120 / 1.001}  # fmt: skip
_TIME_MODES = {rate: mode for mode, rate in reversed(RATES.items())}
SCENE = 0  # the number of the scene's root object


class Objects:
    """Objects under construction: each gets a number, is counted by kind, and may be linked to others."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.links: list[Node] = []
        self._numbers = itertools.count(1_000_000)

    def add(self, kind: str, title: bytes, form: str, inside: Sequence[Node]) -> int:
        """Add an object and return its number."""
        number = next(self._numbers)
        self.nodes.append(node(kind, long(number), title, text(form), inside=inside))
        return number

    def link(self, child: int, parent: int, role: str | None = None) -> None:
        """Connect an object to a parent, or to one of its properties."""
        to_property = [] if role is None else [text(role)]
        self.links.append(node("C", text("OP" if to_property else "OO"), long(child), long(parent), *to_property))


def properties(*entries: Node) -> Node:
    """Return a list of named values."""
    return node("Properties70", inside=entries)


def prop(name: str, kind: str, label: str, flags: str, *values: bytes) -> Node:
    """Return one named value with its type twice, as FBX requires, and flags ("A": animatable, "U": user-defined)."""
    return node("P", text(name), text(kind), text(label), text(flags), *values)


def vector(name: str, kind: str, values: Sequence[float], flags: str = "A") -> Node:
    """Return a named value of three doubles."""
    return prop(name, kind, "", flags, *map(real, values))


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as takes of one file, in centimetres and y up; with `options.character`, its skin."""
    clips = same_skeleton(path, clips_of(path, motion, "FBX"), options, "FBX")
    rig, motions = on_rig(clips, options)
    require_single(path, motions, "FBX")
    objects = Objects()
    played = {entry.name: entry.playback.summary() for entry in motions if entry.playback is not None}
    joints = add_joints(objects, rig, json.dumps(played) if played else "")
    add_meshes(objects, rig, joints)
    takes = [add_take(objects, joints, rig, entry) for entry in motions]
    stop = max(end for _, end in takes)
    content = document(objects, 1.0 / motions[0].frame_time, stop, [take for take, _ in takes])
    write_bytes(path, records.put_together(path, content))


def document(objects: Objects, fps: float, stop: int, takes: Sequence[Node]) -> list[Node]:
    """Return all top nodes of a file, in the order that readers expect."""
    acting = prop("ActiveAnimStackName", "KString", "", "", text(""))
    about = [properties(prop("SourceObject", "object", "", ""), acting), node("RootNode", long(SCENE))]
    scene = node("Document", long(999_999), text(""), text("Scene"), inside=about)
    return [
        _header(),
        node("FileId", records.raw(records.FILE_ID)),
        node("CreationTime", text(records.MADE)),
        node("Creator", text(_CREATOR)),
        _settings(fps, stop),
        node("Documents", inside=[node("Count", whole(1)), scene]),
        node("References"),
        _definitions(objects),
        node("Objects", inside=objects.nodes),
        node("Connections", inside=objects.links),
        node("Takes", inside=[node("Current", text("")), *takes]),
    ]


def _header() -> Node:
    day = {"Version": 1000, "Year": 1970, "Month": 1, "Day": 1, "Hour": 10, "Minute": 0, "Second": 0, "Millisecond": 0}
    about = [
        node("FBXHeaderVersion", whole(1003)),
        node("FBXVersion", whole(records.VERSION)),
        node("EncryptionType", whole(0)),
        node("CreationTimeStamp", inside=[node(name, whole(value)) for name, value in day.items()]),
        node("Creator", text(_CREATOR)),
    ]
    return node("FBXHeaderExtension", inside=about)


def _settings(fps: float, stop: int) -> Node:
    """Return the global settings: centimetres, y up, z towards the viewer, x to the right; the rate of the takes."""
    axes = {"UpAxis": 1, "FrontAxis": 2, "CoordAxis": 0, "OriginalUpAxis": 1}
    whole_numbers = [
        prop(name, "int", "Integer", "", whole(value))
        for axis, number in axes.items()
        for name, value in ((axis, number), (f"{axis}Sign", 1))
    ]
    rate = round(fps, 3)
    return node(
        "GlobalSettings",
        inside=[
            node("Version", whole(1000)),
            properties(
                *whole_numbers,
                prop("UnitScaleFactor", "double", "Number", "", real(1.0)),
                prop("OriginalUnitScaleFactor", "double", "Number", "", real(1.0)),
                prop("AmbientColor", "ColorRGB", "Color", "", real(0.0), real(0.0), real(0.0)),
                prop("DefaultCamera", "KString", "", "", text("Producer Perspective")),
                # 14 means that CustomFrameRate below states the rate.
                prop("TimeMode", "enum", "", "", whole(_TIME_MODES.get(rate, 14))),
                prop("TimeSpanStart", "KTime", "Time", "", long(0)),
                prop("TimeSpanStop", "KTime", "Time", "", long(stop)),
                prop("CustomFrameRate", "double", "Number", "", real(-1.0 if rate in _TIME_MODES else fps)),
            ),
        ],
    )


def _definitions(objects: Objects) -> Node:
    counts = Counter(entry.name.decode() for entry in objects.nodes)
    kinds = [
        node("ObjectType", text(kind), inside=[node("Count", whole(count))])
        for kind, count in {"GlobalSettings": 1, **counts}.items()
    ]
    total = node("Count", whole(sum(counts.values()) + 1))
    return node("Definitions", inside=[node("Version", whole(100)), total, *kinds])


NOTES = "freshtake"  # the user property that holds the playback of takes, as JSON
ORDER = "ZYX"  # order of the matrix product; FBX calls it XYZ, the order in which the rotations are applied
_VERSION = node("KeyVer", whole(4008))
_AXES = ("d|X", "d|Y", "d|Z")


def euler_degrees(rotations: Floats) -> Floats:
    """Return angles about x, y and z (frames, joints, 3) without jumps between frames."""
    return np.degrees(continuous_euler(rotations, ORDER))[..., ::-1]


def add_take(objects: Objects, joints: list[int], rig: Rig, motion: RigMotion) -> tuple[Node, int]:
    """Add one take; return its entry in the list of takes and its end. `joints` are ids of the joints' Model nodes."""
    times = np.rint(np.arange(len(motion.rotations)) * motion.frame_time * SECOND).astype(np.int64)
    stop = int(times[-1])
    spans = {"LocalStart": 0, "LocalStop": stop, "ReferenceStart": 0, "ReferenceStop": stop}
    entries = [prop(name, "KTime", "Time", "", long(value)) for name, value in spans.items()]
    if motion.playback is not None:
        entries.append(prop("Description", "KString", "", "", text(json.dumps(motion.playback.summary()))))
    stack = objects.add("AnimationStack", titled(motion.name, "AnimStack"), "", [properties(*entries)])
    layer = objects.add("AnimationLayer", titled("BaseLayer", "AnimLayer"), "", [])
    objects.link(layer, stack)
    keys = _Keys(times)
    turns = euler_degrees(motion.rotations)
    places = motion.translations * CENTIMETRES
    for joint in motion.moving(rig):
        _add_curves(objects, keys, layer, joints[joint], "T", "Lcl Translation", places[:, joint])
    for joint, model in enumerate(joints):
        _add_curves(objects, keys, layer, model, "R", "Lcl Rotation", turns[:, joint])
    times_of = [node(name, long(0), long(stop)) for name in ("LocalTime", "ReferenceTime")]
    return node("Take", text(motion.name), inside=[node("FileName", text(f"{motion.name}.tak")), *times_of]), stop


class _Keys:
    """The parts that all curves of a take share: the times of their keys, and linear interpolation.

    A value that never changes has one key.
    """

    def __init__(self, times: np.ndarray) -> None:
        self._shared = {}
        for count in (1, len(times)):
            law = (
                # 4 is linear interpolation.
                node("KeyAttrFlags", array(np.array([4]), "i4")),
                node("KeyAttrDataFloat", array(np.zeros(4), "f4")),
                node("KeyAttrRefCount", array(np.array([count]), "i4")),
            )
            self._shared[count] = node("KeyTime", array(times[:count], "i8")), law

    def curve(self, values: Floats) -> list[Node]:
        if values.min() == values.max():
            values = values[:1]
        times, law = self._shared[len(values)]
        first = node("Default", real(float(values[0])))
        return [first, _VERSION, times, node("KeyValueFloat", array(values, "f4")), *law]


def _add_curves(objects: Objects, keys: _Keys, layer: int, model: int, short: str, role: str, values: Floats) -> None:
    """Add the three curves (frames, 3) of one property of one joint."""
    first = [prop(axis, "Number", "", "A", real(float(value))) for axis, value in zip(_AXES, values[0], strict=True)]
    holder = objects.add("AnimationCurveNode", titled(short, "AnimCurveNode"), "", [properties(*first)])
    objects.link(holder, layer)
    objects.link(holder, model, role)
    for axis, column in zip(_AXES, values.T, strict=True):
        curve = objects.add("AnimationCurve", titled("", "AnimCurve"), "", keys.curve(column))
        objects.link(curve, holder, axis)


def add_joints(objects: Objects, rig: Rig, notes: str = "") -> list[int]:
    """Add a limb for every joint, in the bind pose, and one for every tip; return the numbers of the joints' objects.

    `notes` are a user property of the first joint, which engines pass to import scripts; none if empty.
    """
    turns = euler_degrees(rig.rotations[None])[0]
    places = rig.translations * CENTIMETRES
    joints: list[int] = []
    for name, parent, place, turn in zip(rig.names, rig.parents.tolist(), places, turns, strict=True):
        noted = notes if parent < 0 else ""
        joints.append(_add_limb(objects, name, joints[parent] if parent >= 0 else SCENE, place, turn, noted))
    for name, site in zip(rig.tip_names(), rig.tips, strict=True):
        _add_limb(objects, name, joints[site.joint], np.array(site.offset) * CENTIMETRES, np.zeros(3))
    return joints


def _add_limb(objects: Objects, name: str, parent: int, place: Floats, turn: Floats, notes: str = "") -> int:
    kind = [node("TypeFlags", text("Skeleton")), properties(prop("Size", "double", "Number", "", real(1.0)))]
    attribute = objects.add("NodeAttribute", titled(name, "NodeAttribute"), "LimbNode", kind)
    model = _add_model(objects, name, "LimbNode", place, turn, notes)
    objects.link(model, parent)
    objects.link(attribute, model)
    return model


def _add_model(objects: Objects, name: str, form: str, place: Floats, turn: Floats, notes: str = "") -> int:
    # The flag U marks a user property: Unity and Unreal pass these on to scripts.
    noted = [prop(NOTES, "KString", "", "U", text(notes))] if notes else []
    settings = properties(
        prop("RotationActive", "bool", "", "", whole(1)),
        prop("InheritType", "enum", "", "", whole(1)),
        vector("ScalingMax", "Vector3D", (0.0, 0.0, 0.0), ""),
        prop("DefaultAttributeIndex", "int", "Integer", "", whole(0)),
        vector("Lcl Translation", "Lcl Translation", place.tolist()),
        vector("Lcl Rotation", "Lcl Rotation", turn.tolist()),
        vector("Lcl Scaling", "Lcl Scaling", (1.0, 1.0, 1.0)),
        *noted,
    )
    inside = [node("Version", whole(232)), settings, node("Shading", b"C\x01"), node("Culling", text("CullingOff"))]
    return objects.add("Model", titled(name, "Model"), form, inside)


def add_meshes(objects: Objects, rig: Rig, joints: list[int]) -> None:
    """Add the rig's meshes, each with its skin, and the bind pose of everything."""
    pose = rig.bind()
    bind = affine(to_matrix(pose.rotations), pose.positions * CENTIMETRES)  # in the world
    materials: dict[Material, int] = {}
    models = [_add_mesh(objects, mesh, joints, bind, materials) for mesh in rig.meshes]
    posed = [*zip(joints, bind, strict=True), *[(model, np.eye(4)) for model in models]]
    entries = [
        node("PoseNode", inside=[node("Node", long(number)), node("Matrix", _flat(matrix))]) for number, matrix in posed
    ]
    about = [node("Type", text("BindPose")), node("Version", whole(100)), node("NbPoseNodes", whole(len(posed)))]
    objects.add("Pose", titled("BindPose", "Pose"), "BindPose", [*about, *entries])


_COLORS = (("DiffuseColor", "Color"), ("Diffuse", "Vector3D"))


def _flat(matrix: Floats) -> bytes:
    """Encode a matrix column by column, as FBX stores it."""
    return array(matrix.T, "f8")


def _add_mesh(objects: Objects, mesh: RigMesh, joints: list[int], bind: Floats, materials: dict[Material, int]) -> int:
    model = _add_model(objects, mesh.name, "Mesh", np.zeros(3), np.zeros(3))
    geometry = objects.add("Geometry", titled(mesh.name, "Geometry"), "Mesh", _geometry(mesh))
    objects.link(model, SCENE)
    objects.link(geometry, model)
    for material in mesh.materials:
        if material not in materials:
            color = properties(*[vector(*named, material.color) for named in _COLORS])
            inside = [node("Version", whole(102)), node("ShadingModel", text("Lambert")), node("MultiLayer", whole(0))]
            materials[material] = objects.add("Material", titled(material.name, "Material"), "", [*inside, color])
        objects.link(materials[material], model)
    inside = [node("Version", whole(101)), node("Link_DeformAcuracy", real(50.0))]
    skin = objects.add("Deformer", titled(mesh.name, "Deformer"), "Skin", inside)
    objects.link(skin, geometry)
    for joint in np.unique(mesh.joints[mesh.weights > 0]).tolist():
        shares = np.where(mesh.joints == joint, mesh.weights, 0.0).sum(axis=1)
        which = np.flatnonzero(shares)
        moved = [
            node("Version", whole(100)),
            node("UserData", text(""), text("")),
            node("Indexes", array(which, "i4")),
            node("Weights", array(shares[which], "f8")),
            node("Transform", _flat(np.linalg.inv(bind[joint]))),
            node("TransformLink", _flat(bind[joint])),
        ]
        cluster = objects.add("Deformer", titled("", "SubDeformer"), "Cluster", moved)
        objects.link(cluster, skin)
        objects.link(joints[joint], cluster)
    return model


def _geometry(mesh: RigMesh) -> list[Node]:
    corners = mesh.faces.copy()
    corners[:, 2] = ~corners[:, 2]  # the last corner of a polygon is marked
    inside = [
        properties(),
        node("GeometryVersion", whole(124)),
        node("Vertices", array(mesh.vertices * CENTIMETRES, "f8")),
        node("PolygonVertexIndex", array(corners, "i4")),
    ]
    layers = []
    if mesh.normals is not None:
        rows = [node("Normals", array(mesh.normals[mesh.faces], "f8"))]
        layers.append(_layer("LayerElementNormal", "ByPolygonVertex", "Direct", rows))
    if mesh.coordinates is not None:
        rows = [node("UV", array(mesh.coordinates, "f8")), node("UVIndex", array(mesh.faces, "i4"))]
        layers.append(_layer("LayerElementUV", "ByPolygonVertex", "IndexToDirect", rows, name="UVMap"))
    if mesh.materials:
        rows = [node("Materials", array(mesh.face_materials, "i4"))]
        layers.append(_layer("LayerElementMaterial", "ByPolygon", "IndexToDirect", rows))
    listed = [
        node("LayerElement", inside=[node("Type", text(layer.name.decode())), node("TypedIndex", whole(0))])
        for layer in layers
    ]
    return [*inside, *layers, node("Layer", whole(0), inside=[node("Version", whole(100)), *listed])]


def _layer(kind: str, mapping: str, reference: str, rows: list[Node], name: str = "") -> Node:
    about = [
        node("Version", whole(101)),
        node("Name", text(name)),
        node("MappingInformationType", text(mapping)),
        node("ReferenceInformationType", text(reference)),
    ]
    return node(kind, whole(0), inside=[*about, *rows])
