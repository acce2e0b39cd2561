"""Show clips on a skinned character by its mesh and a matrix per joint and frame.

A vertex v of the bind pose is shown at sum w_j (s T M_j B_j^-1 v) - o, with the joint's matrix M_j in the clip, B_j in
the bind pose, and the stage's scale s, rotation T and shift o.
"""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.read_options import WriteOptions
from freshtake.formats.rig import Material, Rig, RigMesh, on_rig
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import forward, to_matrix
from freshtake.reports.viewport.scene import Figure, Paint, Skin
from freshtake.reports.viewport.staging import BodyStage, body_stage, shape_of

INFLUENCES = 4  # number of joints that move a vertex on the page
MOST_PIXELS, MOST_BYTES = 1024, 400_000  # limits of a picture on a skin: pixels a side, and bytes

_skins: dict[tuple[int, int, tuple[str, ...]], Skin] = {}


def skinned_figure(clip: Clip, character: Path, role: str = "input", per_metre: float | None = None) -> Figure:
    """Return a clip on the joints of a glTF character as a figure with the character's skin."""
    # A skin is bound to the joints of its file, with the file's root and axes.
    clip = as_filed(clip)
    rig, (motion,) = on_rig([clip], WriteOptions(character=character))
    figure = shape_of(clip, role, per_metre)
    assert isinstance(figure, Figure)
    pose = forward(rig.parents, motion.translations, motion.rotations)
    stage, _ = body_stage(clip, per_metre)
    matrices = _skin_matrices(rig, pose.positions, pose.rotations, stage)
    return replace(
        figure, skin=_skin(character, rig), matrices=np.asarray(matrices, dtype=np.float32), wear=None, turns=None
    )


def _skin_matrices(rig: Rig, positions: Floats, rotations: Floats, stage: BodyStage) -> Floats:
    """Return matrices (frames, joints, 3, 4) from the bind pose into the display."""
    bind = rig.bind()
    linear = to_matrix(rotations) @ np.swapaxes(to_matrix(bind.rotations), -1, -2)
    shift = positions - np.einsum("fjab,jb->fja", linear, bind.positions)
    cos, sin = np.cos(stage.turn), np.sin(stage.turn)
    to_stage = stage.scale * np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])  # about y, glTF's up
    return np.concatenate([to_stage @ linear, (shift @ to_stage.T - stage.shift)[..., None]], axis=-1)


def _skin(character: Path, rig: Rig) -> Skin:
    """Return the mesh of a character, the same object for all its clips."""
    about = character.stat()  # hard links to a file share its cache entry
    key = (about.st_ino, about.st_mtime_ns, rig.names)
    if key not in _skins:
        if not rig.meshes:
            raise FormatError(character, "no mesh has a skin here: choose a character with a skin")
        if len(_skins) == 8:
            _skins.pop(next(iter(_skins)))
        _skins[key] = _merged(character, rig.meshes)
    return _skins[key]


def _merged(character: Path, meshes: tuple[RigMesh, ...]) -> Skin:
    first = np.cumsum([0, *[len(mesh.vertices) for mesh in meshes]])
    if first[-1] > 400_000:
        raise FormatError(character, f"{first[-1]} vertices are too many to show: use a simpler mesh")
    normals = [mesh.normals for mesh in meshes if mesh.normals is not None]
    influences = [_strongest(mesh) for mesh in meshes]
    faces: list[npt.NDArray[np.int64]] = []
    paints = []
    for mesh, start in zip(meshes, first, strict=False):
        for number, material in enumerate(mesh.materials):
            chosen = mesh.faces[mesh.face_materials == number] + start
            paints.append(_paint(material, mesh.coordinates is not None, sum(len(some) for some in faces), len(chosen)))
            faces.append(chosen)
    flat = [np.zeros((len(mesh.vertices), 2)) if mesh.coordinates is None else mesh.coordinates for mesh in meshes]
    return Skin(
        np.concatenate([mesh.vertices for mesh in meshes]).astype(np.float32),
        np.concatenate(normals).astype(np.float32) if len(normals) == len(meshes) else None,
        np.concatenate(faces).astype(np.int32),
        np.concatenate([joints for joints, _ in influences]).astype(np.int32),
        np.concatenate([weights for _, weights in influences]).astype(np.float32),
        (np.concatenate(flat) * [1.0, -1.0] + [0.0, 1.0]).astype(np.float32),
        tuple(paints),
    )


def _paint(material: Material, mapped: bool, first: int, count: int) -> Paint:
    """Return a material as the page shows it; without picture and color, the role's color is used."""
    if material.image is not None and mapped and (image := small_picture(material.image)) is not None:
        return Paint(first, count, None, image)
    # Grays (nearly equal red, green and blue) are shown in the role's color.
    if max(material.color) - min(material.color) < 0.05:
        return Paint(first, count)
    red, green, blue = (float(value) ** (1.0 / 2.2) for value in material.color)  # converted to display colors
    return Paint(first, count, (red, green, blue))


def small_picture(data: bytes) -> bytes | None:
    """Return a picture of at most 1,024 pixels a side, to keep pages small; None if it cannot be read."""
    from PIL import Image as Images

    try:
        with Images.open(io.BytesIO(data)) as opened:
            if max(opened.size) <= MOST_PIXELS and opened.format in ("PNG", "JPEG") and len(data) < MOST_BYTES:
                return data
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError):
        return None
    picture.thumbnail((MOST_PIXELS, MOST_PIXELS))
    out = io.BytesIO()
    picture.save(out, format="JPEG", quality=88)
    return out.getvalue()


def _strongest(mesh: RigMesh) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the strongest joints and weights (vertices, INFLUENCES) of each vertex; weights sum to 1."""
    # The shader uses four joints per vertex, so missing joints are padded with weight zero.
    lacking = max(0, INFLUENCES - mesh.joints.shape[1])
    joints, weights = np.pad(mesh.joints, ((0, 0), (0, lacking))), np.pad(mesh.weights, ((0, 0), (0, lacking)))
    order = np.argsort(-weights, axis=1)[:, :INFLUENCES]
    strongest = np.take_along_axis(weights, order, axis=1)
    return np.take_along_axis(joints, order, axis=1), strongest / strongest.sum(axis=1, keepdims=True)
