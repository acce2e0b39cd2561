"""A crowd as a USD stage: crowd.usda, one prototype per body, and a payload per shard.

Every character is a SkelRoot that travels, with a separate animation bound to it, and an instanceable child that
refers to the prototype (a skeleton and a simple body). A reference rather than an inherit: the classes of different
payloads would be different prototypes. Layers are written with Sdf prim by prim, which is many times faster than
using a stage.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.crowd.folder import replacing_ours
from freshtake.crowd.plan import Shard
from freshtake.crowd.shards import Motions, file_name
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.rig import Rig
from freshtake.formats.usd.writing import add_body, add_triangles, explained, export, joint_paths, pxr
from freshtake.motion import Skeleton
from freshtake.motion.body.roles import rest_positions
from freshtake.motion.edit import nominal_frame_time
from freshtake.motion.validation import fps_of
from freshtake.numeric.arrays import Floats, Ints

STAGE, EDITABLE, PROTOTYPES = "crowd.usda", "crowd_blender.usda", "prototype.usda"
TOP = "/Crowd"
THICK, THINNEST, THICKEST = 0.16, 0.015, 0.09  # thickness relative to a bone's length; its limits in metres
_FACES = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]


def write_layer(path: Path, motions: Motions, prototype: str) -> None:
    """Write one shard: a SkelRoot per character below its default prim."""
    lib = pxr()
    layer = lib.Sdf.Layer.CreateAnonymous(".usdc")
    with explained(path, "the shard cannot be written"):
        with lib.Sdf.ChangeBlock():
            top = lib.Sdf.PrimSpec(layer, "Shard", lib.Sdf.SpecifierDef, "Xform")
            layer.defaultPrim = "Shard"
            joints = lib.Vt.TokenArray(joint_paths(motions.skeleton.names, motions.skeleton.parents.tolist()))
            still = motions.skeleton.offsets.astype(np.float32)
            still[0] = 0.0
            shared = joints, lib.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(still))
            for k, number in enumerate(motions.numbers.tolist()):
                _add_character(layer, top, _name(number), motions, k, shared, prototype)
        _rate(layer, motions.fps, max(len(root) for root in motions.roots))
        export(layer, path)


def _add_character(
    layer: Any, top: Any, name: str, motions: Motions, k: int, shared: tuple[Any, Any], prototype: str
) -> None:
    lib = pxr()
    sdf, types = lib.Sdf, lib.Sdf.ValueTypeNames
    root = sdf.PrimSpec(top, name, sdf.SpecifierDef, "SkelRoot")
    root.SetInfo("apiSchemas", sdf.TokenListOp.Create(prependedItems=["SkelBindingAPI"]))
    source = sdf.RelationshipSpec(root, "skel:animationSource", custom=False)
    source.targetPathList.explicitItems = [root.path.AppendChild("Animation")]
    place = sdf.AttributeSpec(root, "xformOp:translate", types.Double3)
    for frame, at in enumerate(motions.roots[k].astype(np.float64).tolist()):
        layer.SetTimeSample(place.path, float(frame), lib.Gf.Vec3d(*at))
    size = float(motions.sizes[k])
    sdf.AttributeSpec(root, "xformOp:scale", types.Float3).default = lib.Gf.Vec3f(size, size, size)
    order = sdf.AttributeSpec(root, "xformOpOrder", types.TokenArray, sdf.VariabilityUniform)
    order.default = lib.Vt.TokenArray(["xformOp:translate", "xformOp:scale"])
    _add_animation(layer, root, motions.rotations[k], shared)
    body = sdf.PrimSpec(root, "Body", sdf.SpecifierDef, "Xform")
    body.instanceable = True
    body.referenceList.prependedItems = [sdf.Reference(f"./{PROTOTYPES}", f"/{prototype}")]


def _add_animation(layer: Any, root: Any, rotations: Floats, shared: tuple[Any, Any]) -> None:
    lib = pxr()
    sdf, types = lib.Sdf, lib.Sdf.ValueTypeNames
    prim = sdf.PrimSpec(root, "Animation", sdf.SpecifierDef, "SkelAnimation")
    joints, still = shared
    sdf.AttributeSpec(prim, "joints", types.TokenArray, sdf.VariabilityUniform).default = joints
    sdf.AttributeSpec(prim, "translations", types.Float3Array).default = still
    ones = lib.Vt.Vec3hArray(len(joints), lib.Gf.Vec3h(1, 1, 1))
    sdf.AttributeSpec(prim, "scales", types.Half3Array).default = ones
    turned = sdf.AttributeSpec(prim, "rotations", types.QuatfArray)
    for frame, values in enumerate(np.roll(rotations, -1, axis=-1).astype(np.float32)):  # x y z w in memory
        layer.SetTimeSample(turned.path, float(frame), lib.Vt.QuatfArray.FromNumpy(np.ascontiguousarray(values)))


def read_layer(path: Path, options: ReadOptions | None = None) -> Motions:
    """Return the motions of a shard that `write_layer` wrote, in single precision; it takes no options."""
    lib = pxr()
    with explained(path, "the shard cannot be read"):
        layer = lib.Sdf.Layer.FindOrOpen(str(path))
        characters = list(layer.GetPrimAtPath("/Shard").nameChildren)
        roots, rotations, sizes = [], [], []
        for prim in characters:
            place, turned = (prim.path.AppendProperty("xformOp:translate"), prim.path.AppendPath("Animation.rotations"))
            frames = layer.ListTimeSamplesForPath(place)
            roots.append(np.array([layer.QueryTimeSample(place, frame) for frame in frames], dtype=np.float64))
            values = np.stack([np.array(layer.QueryTimeSample(turned, frame)) for frame in frames])
            rotations.append(np.roll(values, 1, axis=-1))  # x y z w in memory
            sizes.append(float(prim.attributes["xformOp:scale"].default[0]))
        animation = characters[0].nameChildren["Animation"]
        joints = [str(joint) for joint in animation.attributes["joints"].default]
        offsets = np.array(animation.attributes["translations"].default, dtype=np.float64)
        fps = float(layer.timeCodesPerSecond)
    index = {joint: k for k, joint in enumerate(joints)}
    parents = np.array([index.get(joint.rpartition("/")[0], -1) for joint in joints])
    skeleton = Skeleton(tuple(joint.rpartition("/")[2] for joint in joints), parents, offsets)
    numbers = np.array([int(prim.name.rpartition("_")[2]) for prim in characters])
    return Motions(numbers, roots, rotations, np.array(sizes), np.zeros((len(roots), 3)), skeleton, fps)


def _rate(layer: Any, fps: float, frames: int) -> None:
    """Set time range, axis and unit of a layer."""
    lib = pxr()
    layer.timeCodesPerSecond = layer.framesPerSecond = fps_of(nominal_frame_time(1.0 / fps))
    layer.startTimeCode, layer.endTimeCode = 0.0, float(frames - 1)
    root = layer.pseudoRoot
    root.SetInfo("upAxis", lib.UsdGeom.Tokens.y)
    root.SetInfo("metersPerUnit", 1.0)


def write_stage(
    folder: Path, shards: list[Shard], bodies: Mapping[str, Skeleton | Rig], fps: float, frames: int
) -> None:
    """Write the stage that shows all shards, and the prototypes: `bodies` are in metres, by prototype name.

    A rig has meshes, a skeleton gets simple ones.
    """
    lib = pxr()
    with explained(folder / STAGE, "the stage cannot be written"):
        layer = lib.Sdf.Layer.CreateAnonymous(".usda")
        with lib.Sdf.ChangeBlock():
            top = lib.Sdf.PrimSpec(layer, TOP[1:], lib.Sdf.SpecifierDef, "Xform")
            top.kind = "assembly"
            layer.defaultPrim = TOP[1:]
            for shard in shards:
                prim = lib.Sdf.PrimSpec(top, shard.name, lib.Sdf.SpecifierDef, "Xform")
                prim.kind = "group"
                # Payloads, unlike references, let programs open a large crowd without its shards.
                prim.payloadList.prependedItems = [lib.Sdf.Payload(f"./{file_name(shard, 'usd')}")]
        _rate(layer, fps, frames)
        replacing_ours(export, _prototypes(bodies), folder / PROTOTYPES)
        replacing_ours(export, layer, folder / STAGE)
        replacing_ours(export, _editable(shards, fps, frames), folder / EDITABLE)


def _editable(shards: list[Shard], fps: float, frames: int) -> Any:
    """Override instancing on the stage: Blender shows instances in the pose of their prototype."""
    lib = pxr()
    layer = lib.Sdf.Layer.CreateAnonymous(".usda")
    layer.subLayerPaths.append(f"./{STAGE}")
    layer.defaultPrim = TOP[1:]
    with lib.Sdf.ChangeBlock():
        for shard in shards:
            for number in range(shard.first, shard.last + 1):
                body = lib.Sdf.CreatePrimInLayer(layer, f"{TOP}/{shard.name}/{_name(number)}/Body")
                body.instanceable = False
    _rate(layer, fps, frames)
    return layer


def _name(number: int) -> str:
    return f"character_{number:06d}"


def _prototypes(bodies: Mapping[str, Skeleton | Rig]) -> Any:
    """Write prototypes as classes, which are only drawn where characters refer to them."""
    lib = pxr()
    layer = lib.Sdf.Layer.CreateAnonymous(".usda")
    stage = lib.Usd.Stage.Open(layer)
    _rate(layer, 24.0, 1)
    for name, body in bodies.items():
        prim = stage.CreateClassPrim(f"/{name}")
        prim.SetTypeName("Xform")
        if not stage.HasDefaultPrim():
            stage.SetDefaultPrim(prim)
        if isinstance(body, Rig):
            add_body(stage, f"/{name}", body)
        else:
            _add_skeleton(stage, f"/{name}/Skeleton", body)
            _add_mesh(stage, f"/{name}/Mesh", f"/{name}/Skeleton", body)
    return layer


def _add_skeleton(stage: Any, path: str, skeleton: Skeleton) -> None:
    lib = pxr()
    prim = lib.UsdSkel.Skeleton.Define(stage, path)
    offsets = skeleton.offsets.copy()
    offsets[0] = 0.0  # the SkelRoot is where the hips are
    prim.CreateJointsAttr(joint_paths(skeleton.names, skeleton.parents.tolist()))
    prim.CreateJointNamesAttr(list(skeleton.names))  # unchanged, whereas paths cannot contain every letter
    prim.CreateBindTransformsAttr(_moved(rest_positions(skeleton)))
    prim.CreateRestTransformsAttr(_moved(offsets))


def _moved(places: Floats) -> Any:
    out = np.tile(np.eye(4), (len(places), 1, 1))
    out[:, 3, :3] = places
    return pxr().Vt.Matrix4dArray.FromNumpy(out)


def _add_mesh(stage: Any, path: str, skeleton_path: str, skeleton: Skeleton) -> None:
    lib = pxr()
    vertices, faces, joints = _bone_mesh(skeleton)
    prim = add_triangles(stage, path, vertices, faces)
    binding = lib.UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateJointIndicesPrimvar(False, 1).Set(lib.Vt.IntArray.FromNumpy(joints.astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, 1).Set(lib.Vt.FloatArray(len(joints), 1.0))
    binding.CreateGeomBindTransformAttr(lib.Gf.Matrix4d(1.0))
    binding.CreateSkeletonRel().SetTargets([skeleton_path])


def _bone_mesh(skeleton: Skeleton) -> tuple[Floats, Ints, Ints]:
    """Make spindles between joints, and from joints to tips, in the rest pose around hips at the origin.

    Return vertices (vertices, 3), triangles, and the joint of each vertex.
    """
    world, parents = rest_positions(skeleton), skeleton.parents.tolist()
    bones = [(parent, world[parent], world[joint]) for joint, parent in enumerate(parents) if parent >= 0]
    bones += [(site.joint, world[site.joint], world[site.joint] + site.offset) for site in skeleton.end_sites]
    bones = [bone for bone in bones if np.linalg.norm(bone[2] - bone[1]) > 1e-6]
    vertices = [_spindle(start, end) for _, start, end in bones]
    faces = [np.array(_FACES) + 6 * k for k in range(len(bones))]
    return np.concatenate(vertices), np.concatenate(faces), np.repeat([joint for joint, _, _ in bones], 6)


def _spindle(start: Floats, end: Floats) -> Floats:
    """Place both ends and four points around the waist (6, 3)."""
    along = end - start
    length = float(np.linalg.norm(along))
    radius = float(np.clip(THICK * length, THINNEST, THICKEST))
    # The axis least parallel to the bone is used, so the product is never zero.
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side *= radius / np.linalg.norm(side)
    other = np.cross(along, side) / length
    # Bones are usually drawn thickest at a quarter of their length.
    waist = start + 0.25 * along
    return np.stack([start, waist + side, waist + other, waist - side, waist - other, end])
