"""Joints and meshes of a rig as FBX objects: limbs, geometry, skins and the bind pose."""

from __future__ import annotations

import numpy as np

from freshtake.formats.fbx.binary import Node, array, long, node, real, text, titled, whole
from freshtake.formats.fbx.scene import CENTIMETRES, SCENE, Objects, prop, properties, vector
from freshtake.formats.fbx.takes import euler_degrees
from freshtake.formats.rig import Material, Rig, RigMesh
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import to_matrix


def add_joints(objects: Objects, rig: Rig) -> list[int]:
    """A limb for every joint, in the bind pose, and one for every tip; returns the joints' numbers."""
    turns = euler_degrees(rig.rotations[None])[0]
    places = rig.translations * CENTIMETRES
    joints: list[int] = []
    for name, parent, place, turn in zip(rig.names, rig.parents.tolist(), places, turns, strict=True):
        joints.append(_add_limb(objects, name, joints[parent] if parent >= 0 else SCENE, place, turn))
    for name, site in zip(rig.tip_names(), rig.tips, strict=True):
        _add_limb(objects, name, joints[site.joint], np.array(site.offset) * CENTIMETRES, np.zeros(3))
    return joints


def _add_limb(objects: Objects, name: str, parent: int, place: Floats, turn: Floats) -> int:
    kind = [node("TypeFlags", text("Skeleton")), properties(prop("Size", "double", "Number", "", real(1.0)))]
    attribute = objects.add("NodeAttribute", titled(name, "NodeAttribute"), "LimbNode", kind)
    model = _add_model(objects, name, "LimbNode", place, turn)
    objects.link(model, parent)
    objects.link(attribute, model)
    return model


def _add_model(objects: Objects, name: str, form: str, place: Floats, turn: Floats) -> int:
    settings = properties(
        prop("RotationActive", "bool", "", "", whole(1)),
        prop("InheritType", "enum", "", "", whole(1)),
        vector("ScalingMax", "Vector3D", (0.0, 0.0, 0.0), ""),
        prop("DefaultAttributeIndex", "int", "Integer", "", whole(0)),
        vector("Lcl Translation", "Lcl Translation", place.tolist()),
        vector("Lcl Rotation", "Lcl Rotation", turn.tolist()),
        vector("Lcl Scaling", "Lcl Scaling", (1.0, 1.0, 1.0)),
    )
    inside = [node("Version", whole(232)), settings, node("Shading", b"C\x01"), node("Culling", text("CullingOff"))]
    return objects.add("Model", titled(name, "Model"), form, inside)


def add_meshes(objects: Objects, rig: Rig, joints: list[int]) -> None:
    """The rig's meshes, each with its skin, and the bind pose of everything."""
    bind = _matrices(rig)
    painted: dict[Material, int] = {}
    models = [_add_mesh(objects, mesh, joints, bind, painted) for mesh in rig.meshes]
    held = [*zip(joints, bind, strict=True), *[(model, np.eye(4)) for model in models]]
    entries = [
        node("PoseNode", inside=[node("Node", long(number)), node("Matrix", _flat(matrix))]) for number, matrix in held
    ]
    about = [
        node("Type", text("BindPose")),
        node("Version", whole(100)),
        node("NbPoseNodes", whole(len(held))),
    ]
    objects.add("Pose", titled("BindPose", "Pose"), "BindPose", [*about, *entries])


def _matrices(rig: Rig) -> Floats:
    """The bind pose in the world, (joints, 4, 4), in centimetres."""
    pose = rig.bind()
    out = np.tile(np.eye(4), (len(rig.names), 1, 1))
    out[:, :3, :3], out[:, :3, 3] = to_matrix(pose.rotations), pose.positions * CENTIMETRES
    return out


def _flat(matrix: Floats) -> bytes:
    """Column after column, as FBX has them."""
    return array(matrix.T, "f8")


def _add_mesh(objects: Objects, mesh: RigMesh, joints: list[int], bind: Floats, painted: dict[Material, int]) -> int:
    model = _add_model(objects, mesh.name, "Mesh", np.zeros(3), np.zeros(3))
    geometry = objects.add("Geometry", titled(mesh.name, "Geometry"), "Mesh", _geometry(mesh))
    objects.link(model, SCENE)
    objects.link(geometry, model)
    for material in mesh.materials:
        if material not in painted:
            painted[material] = _add_material(objects, material)
        objects.link(painted[material], model)
    inside = [node("Version", whole(101)), node("Link_DeformAcuracy", real(50.0))]
    skin = objects.add("Deformer", titled(mesh.name, "Deformer"), "Skin", inside)
    objects.link(skin, geometry)
    for joint in np.unique(mesh.joints[mesh.weights > 0]).tolist():
        shares = np.where(mesh.joints == joint, mesh.weights, 0.0).sum(axis=1)
        which = np.flatnonzero(shares)
        cluster = objects.add(
            "Deformer",
            titled("", "SubDeformer"),
            "Cluster",
            [
                node("Version", whole(100)),
                node("UserData", text(""), text("")),
                node("Indexes", array(which, "i4")),
                node("Weights", array(shares[which], "f8")),
                node("Transform", _flat(np.linalg.inv(bind[joint]))),
                node("TransformLink", _flat(bind[joint])),
            ],
        )
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


def _add_material(objects: Objects, material: Material) -> int:
    inside = [
        node("Version", whole(102)),
        node("ShadingModel", text("Lambert")),
        node("MultiLayer", whole(0)),
        properties(vector("DiffuseColor", "Color", material.color), vector("Diffuse", "Vector3D", material.color)),
    ]
    return objects.add("Material", titled(material.name, "Material"), "", inside)
