"""Load the USD library, open stages safely, name prims, and write clips and skinned characters.

A stage has a SkelRoot with its skeleton and an animation for each clip. The root joint travels, so an
animation is self-contained wherever a program moves it. A variant set chooses which clip the character plays.
Blender imports the chosen variant only, so every other clip also moves a bare skeleton below /Takes: there, all clips
arrive as actions, on bones of the same names.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import read_bytes, read_head, replacing, try_apart
from freshtake.formats.read_options import Motion, WriteOptions
from freshtake.formats.rig import (
    Material,
    Rig,
    RigMesh,
    RigMotion,
    affine,
    clips_of,
    distinct,
    on_rig,
    require_single,
    same_skeleton,
    unify_clips,
)
from freshtake.motion import Clip, Skeleton
from freshtake.motion.edit import nominal_frame_time
from freshtake.motion.validation import fps_of
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import to_matrix

_MODULES = ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdUtils", "Vt")


@lru_cache(maxsize=1)
def pxr() -> Any:
    """Return the modules of usd-core by name."""
    try:
        return SimpleNamespace(**{name: import_module(f"pxr.{name}") for name in _MODULES})
    except ImportError:
        raise MissingExtra("USD files", "usd") from None


@contextmanager
def explained(path: Path, doing: str) -> Iterator[None]:
    """Suppress the library's output, and turn its exceptions into one sentence.

    That includes TypeError: a damaged file may hold values of types that have no Python counterpart.
    """
    library = pxr()
    delegate = library.UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except (library.Tf.ErrorException, RuntimeError, ValueError, OverflowError, TypeError) as error:
        raise FormatError(path, f"{doing}{_reason(error)}") from None
    finally:
        del delegate


def _reason(error: Exception) -> str:
    """Return the end of the library's message in brackets; empty if the message itself is unreadable."""
    try:
        words = " ".join(str(error).split())
    except UnicodeError:
        return ""
    return f" ({words[-160:]})" if words else ""


def export(layer: Any, path: Path) -> None:
    """Write a layer atomically."""
    with replacing(path, ending=path.suffix.lower()) as temporary:  # the ending determines the format
        if not layer.Export(str(temporary)) or not read_head(temporary):
            raise FormatError(path, "the file could not be written completely: is the disk full?")


def identifiers(names: Sequence[str]) -> list[str]:
    """Return distinct valid prim names."""
    plain = [re.sub(r"[^A-Za-z0-9_]", "_", name) for name in names]
    return distinct([name if name and not name[0].isdigit() else f"_{name}" for name in plain])


def joint_paths(names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """Return each joint's path from the root, such as Hips/Spine/Head."""
    out: list[str] = []
    for name, parent in zip(identifiers(names), parents, strict=True):
        out.append(name if parent < 0 else f"{out[parent]}/{name}")
    return out


_MOST = 256  # files that one stage may consist of
_BINARY = b"PXR-USDC"


def open_stage(path: Path) -> Any:
    """Return the composed stage of a file, its payloads loaded."""
    data = read_bytes(path)
    if not data.startswith((_BINARY, b"#usda")):
        raise FormatError(path, "a file that begins with '#usda' or 'PXR-USDC' was expected", "byte 0")
    lib = pxr()
    if data[:8] == _BINARY or b"@" in data:  # binary, or with references to other files
        try_apart(path, "freshtake.formats.usd", "read_animations")
    with explained(path, "the file is damaged"):
        _check_references(path)
        stage = lib.Usd.Stage.Open(str(path.resolve()))
        if stage is None:
            raise FormatError(path, "the file is damaged: get it again", "byte 0")
        return stage


def _check_references(path: Path) -> None:
    """Follow all references and refuse those to files outside the folder."""
    lib = pxr()
    folder = path.resolve().parent
    waiting, seen = [path.resolve()], {path.resolve()}
    while waiting:
        current = waiting.pop()
        layer = lib.Sdf.Layer.FindOrOpen(str(current))
        if layer is None:
            problem = "the file is damaged: get it again"
            raise FormatError(path, problem if current == path.resolve() else f"{current.name!r} cannot be opened")
        # A reference within the file has no file name.
        for name in filter(None, [*layer.GetCompositionAssetDependencies(), *layer.subLayerPaths]):
            referred = _beside(path, folder, current.parent, str(name))
            if referred not in seen:
                seen.add(referred)
                waiting.append(referred)
        if len(seen) > _MOST:
            raise FormatError(path, f"the file refers to more than {_MOST} others: flatten it first")


def _beside(path: Path, folder: Path, base: Path, name: str) -> Path:
    try:
        target = (base / name).resolve()
    except (OSError, RuntimeError, ValueError):
        raise FormatError(path, f"{name[:80]!r} cannot be followed to a file") from None
    if "://" in name or not target.is_relative_to(folder):
        raise FormatError(path, f"{name[:80]!r} leads out of the file's folder: flatten the file first")
    if not target.is_file():
        raise FormatError(path, f"{name[:80]!r} is referenced, but there is no such file")
    return target


TAKE = "take"  # the variant set that chooses between several animations
TOP, TAKES = "/Character", "/Takes"
NOTE = "freshtake"  # key of the JSON that holds what USD has no field for


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as animations of one stage, in the unit and with the vertical axis of the first.

    With `options.character`, the stage has its skin, in metres and y up.
    """
    pxr()
    clips = clips_of(path, motion, "USD")
    if options.character is None:
        ready, unit = unify_clips(path, clips, options, "USD stores its unit")
    else:
        ready, unit = same_skeleton(path, clips, options, "USD with a character"), 1.0
    rig, motions = on_rig(ready, options)
    require_single(path, motions, "USD")
    with explained(path, "the file cannot be written"):
        export(make_layer(rig, motions, ready[0].skeleton, unit, ready[0].up), path)


def make_layer(rig: Rig, motions: list[RigMotion], skeleton: Skeleton, unit_m: float, up: str) -> Any:
    """Return an anonymous layer with a character and its animations; the stage shows the first.

    `skeleton` is the clips' skeleton: if it has the rig's joints, their channels are stored.
    """
    lib = pxr()
    layer = lib.Sdf.Layer.CreateAnonymous(".usda")
    stage = lib.Usd.Stage.Open(layer)
    lib.UsdGeom.SetStageUpAxis(stage, up.upper())
    lib.UsdGeom.SetStageMetersPerUnit(stage, unit_m)
    rate = fps_of(nominal_frame_time(motions[0].frame_time))  # 59.99999988 becomes 60
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(max(_codes(motion, rate)[-1] for motion in motions))
    root = lib.UsdSkel.Root.Define(stage, TOP)
    stage.SetDefaultPrim(root.GetPrim())
    root.GetPrim().SetMetadata("kind", "component")
    note: dict[str, Any] = {"end_sites": [[site.joint, *site.offset, site.name] for site in rig.tips]}
    if skeleton.names == rig.names:
        note |= {"channels": [" ".join(c) for c in skeleton.channels], "orders": list(skeleton.orders)}
    _define_skeleton(stage, rig, TOP).GetPrim().SetCustomDataByKey(NOTE, json.dumps(note))
    lib.UsdGeom.Scope.Define(stage, f"{TOP}/Animations")
    names = identifiers([motion.name for motion in motions])
    sources = [_add_animation(stage, rig, motion, name, rate) for motion, name in zip(motions, names, strict=True)]
    _choose_take(stage, root, names, sources)
    _add_meshes(stage, rig, TOP)
    return layer


def _choose_take(stage: Any, root: Any, names: list[str], sources: list[Any]) -> None:
    """Bind the first animation; if there are more, add a variant set, and a bare skeleton for each of the others."""
    lib = pxr()
    binding = lib.UsdSkel.BindingAPI.Apply(stage.GetPrimAtPath(f"{TOP}/Skeleton"))
    relation = binding.CreateAnimationSourceRel()
    if len(names) == 1:
        relation.SetTargets(sources)
        return
    takes = root.GetPrim().GetVariantSets().AddVariantSet(TAKE)
    for name, source in zip(names, sources, strict=True):
        takes.AddVariant(name)
        takes.SetVariantSelection(name)
        with takes.GetVariantEditContext():
            relation.SetTargets([source])
    takes.SetVariantSelection(names[0])
    lib.UsdGeom.Scope.Define(stage, TAKES)
    for name, source in zip(names[1:], sources[1:], strict=True):
        lib.UsdSkel.Root.Define(stage, f"{TAKES}/{name}")
        prim = lib.UsdSkel.Skeleton.Define(stage, f"{TAKES}/{name}/{name}").GetPrim()
        prim.GetReferences().AddInternalReference(f"{TOP}/Skeleton")
        lib.UsdSkel.BindingAPI.Apply(prim).CreateAnimationSourceRel().SetTargets([source])


def _codes(motion: RigMotion, rate: float) -> list[float]:
    """Return the time codes of all frames: whole numbers if the motion has the rate of the stage."""
    step = rate / fps_of(nominal_frame_time(motion.frame_time))
    return [frame * step for frame in range(len(motion.rotations))]


def add_body(stage: Any, top: str, rig: Rig) -> None:
    """Add the skeleton and meshes of a rig below a prim."""
    _define_skeleton(stage, rig, top)
    _add_meshes(stage, rig, top)


def _define_skeleton(stage: Any, rig: Rig, top: str) -> Any:
    prim = pxr().UsdSkel.Skeleton.Define(stage, f"{top}/Skeleton")
    pose = rig.bind()
    prim.CreateJointsAttr(joint_paths(rig.names, rig.parents.tolist()))
    prim.CreateJointNamesAttr(list(rig.names))
    prim.CreateBindTransformsAttr(_matrices(pose.positions, pose.rotations))
    prim.CreateRestTransformsAttr(_matrices(rig.translations, rig.rotations))
    return prim


def _matrices(positions: Floats, rotations: Floats) -> Any:
    """Return rigid transforms for row vectors, as in USD."""
    matrices = affine(to_matrix(rotations), positions).swapaxes(-1, -2)
    return pxr().Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(matrices))


def _add_animation(stage: Any, rig: Rig, motion: RigMotion, name: str, rate: float) -> Any:
    """Add one SkelAnimation: rotations and translations, which USD stores for all joints or for none."""
    lib = pxr()
    prim = lib.UsdSkel.Animation.Define(stage, f"{TOP}/Animations/{name}")
    prim.CreateJointsAttr(joint_paths(rig.names, rig.parents.tolist()))
    codes = _codes(motion, rate)
    prim.CreateScalesAttr(lib.Vt.Vec3hArray([lib.Gf.Vec3h(1, 1, 1)] * len(rig.names)))
    places = motion.translations.astype(np.float32)
    if motion.moving(rig) == [0]:
        places[:, 1:] = rig.translations[1:]  # joints that do not move are exactly at rest, without rounding errors
    moved = prim.CreateTranslationsAttr()
    for code, frame in zip(codes, places, strict=True):
        moved.Set(lib.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(frame)), code)
    turned = prim.CreateRotationsAttr()
    for code, frame in zip(codes, np.roll(motion.rotations, -1, axis=-1).astype(np.float32), strict=True):
        turned.Set(lib.Vt.QuatfArray.FromNumpy(np.ascontiguousarray(frame)), code)  # x y z w in memory
    note: dict[str, Any] = {"name": motion.name, "frame_time": motion.frame_time}
    if motion.playback is not None:
        note["playback"] = motion.playback.summary()
    prim.GetPrim().SetCustomDataByKey(NOTE, json.dumps(note))
    return prim.GetPath()


def _add_meshes(stage: Any, rig: Rig, top: str) -> None:
    lib = pxr()
    shaders: dict[Material, Any] = {}
    colors = list(dict.fromkeys(material for mesh in rig.meshes for material in mesh.materials))
    if colors:
        lib.UsdGeom.Scope.Define(stage, f"{top}/Materials")
    for material, name in zip(colors, identifiers([material.name for material in colors]), strict=True):
        shaders[material] = _add_material(stage, material, f"{top}/Materials/{name}")
    taken = ["Skeleton", "Animations", "Materials"]
    names = identifiers([*taken, *[mesh.name for mesh in rig.meshes]])[len(taken) :]
    for mesh, name in zip(rig.meshes, names, strict=True):
        _add_mesh(stage, mesh, f"{top}/{name}", shaders)
        binding = lib.UsdSkel.BindingAPI(stage.GetPrimAtPath(f"{top}/{name}"))
        binding.CreateSkeletonRel().SetTargets([f"{top}/Skeleton"])


def _add_mesh(stage: Any, mesh: RigMesh, path: str, shaders: dict[Material, Any]) -> None:
    lib = pxr()
    prim = add_triangles(stage, path, mesh.vertices, mesh.faces)
    if mesh.normals is not None:
        prim.CreateNormalsAttr(lib.Vt.Vec3fArray.FromNumpy(mesh.normals.astype(np.float32)))
        prim.SetNormalsInterpolation(lib.UsdGeom.Tokens.vertex)
    primvars = lib.UsdGeom.PrimvarsAPI(prim)
    if mesh.coordinates is not None:
        kind = lib.Sdf.ValueTypeNames.TexCoord2fArray
        values = lib.Vt.Vec2fArray.FromNumpy(mesh.coordinates.astype(np.float32))
        primvars.CreatePrimvar("st", kind, lib.UsdGeom.Tokens.vertex).Set(values)
    binding = lib.UsdSkel.BindingAPI.Apply(prim.GetPrim())
    width = mesh.joints.shape[1]
    joints = lib.Vt.IntArray.FromNumpy(mesh.joints.ravel().astype(np.int32))
    binding.CreateJointIndicesPrimvar(False, width).Set(joints)
    weights = lib.Vt.FloatArray.FromNumpy(mesh.weights.ravel().astype(np.float32))
    binding.CreateJointWeightsPrimvar(False, width).Set(weights)
    binding.CreateGeomBindTransformAttr(lib.Gf.Matrix4d(1.0))
    _paint(prim, mesh, shaders)


def add_triangles(stage: Any, path: str, vertices: Floats, faces: Ints) -> Any:
    """Add a mesh of triangles in its rest pose and return it."""
    lib = pxr()
    prim = lib.UsdGeom.Mesh.Define(stage, path)
    points = lib.Vt.Vec3fArray.FromNumpy(vertices.astype(np.float32))
    prim.CreatePointsAttr(points)
    prim.CreateExtentAttr(lib.UsdGeom.PointBased.ComputeExtent(points))
    prim.CreateFaceVertexCountsAttr([3] * len(faces))
    prim.CreateFaceVertexIndicesAttr(lib.Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    prim.CreateSubdivisionSchemeAttr(lib.UsdGeom.Tokens.none)
    return prim


def _paint(prim: Any, mesh: RigMesh, shaders: dict[Material, Any]) -> None:
    """Bind one material to all faces, or each of several to a subset of the faces."""
    lib = pxr()
    if len(mesh.materials) == 1:
        lib.UsdShade.MaterialBindingAPI.Apply(prim.GetPrim()).Bind(shaders[mesh.materials[0]])
        return
    names = identifiers([material.name for material in mesh.materials])
    api = lib.UsdShade.MaterialBindingAPI.Apply(prim.GetPrim())
    for number, (material, name) in enumerate(zip(mesh.materials, names, strict=True)):
        faces = np.flatnonzero(mesh.face_materials == number).astype(np.int32)
        subset = api.CreateMaterialBindSubset(name, lib.Vt.IntArray.FromNumpy(faces))
        lib.UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(shaders[material])


def _add_material(stage: Any, material: Material, path: str) -> Any:
    lib = pxr()
    shaded = lib.UsdShade.Material.Define(stage, path)
    shader = lib.UsdShade.Shader.Define(stage, f"{path}/Surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    color = shader.CreateInput("diffuseColor", lib.Sdf.ValueTypeNames.Color3f)
    color.Set(lib.Gf.Vec3f(*material.color))
    shader.CreateInput("roughness", lib.Sdf.ValueTypeNames.Float).Set(0.7)
    shaded.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    return shaded
