"""What a VRM file says about the parts of its body: humanoid bones of VRM 0 and 1."""

from __future__ import annotations

import re
from typing import Any

from freshtake.formats.gltf.character import Character
from freshtake.formats.gltf.container import Container

Parts = dict[str, list[str]]

# Bones that a VRM file names, by our part of the body; several are one chain.
_TRUNK = {
    "hips": ("hips",), "spine": ("spine", "chest", "upperChest"), "neck": ("neck",), "head": ("head",),
}  # fmt: skip
_LIMBS = {
    "shoulder": ("Shoulder",), "upper_arm": ("UpperArm",), "lower_arm": ("LowerArm",), "hand": ("Hand",),
    "upper_leg": ("UpperLeg",), "lower_leg": ("LowerLeg",), "foot": ("Foot",), "toes": ("Toes",),
    "thumb": ("ThumbMetacarpal", "ThumbProximal", "ThumbIntermediate", "ThumbDistal"),
    **{finger: tuple(f"{finger.title()}{part}" for part in ("Proximal", "Intermediate", "Distal"))
       for finger in ("index", "middle", "ring", "little")},
}  # fmt: skip


def humanoid_parts(container: Container, character: Character) -> Parts | None:
    """Joints by part of the body as the file states them; None where it is no VRM file, or says nothing usable."""
    stated = _stated(container.top.value.get("extensions"))
    names = dict(zip(character.nodes, character.names, strict=True))
    bones = {bone: names[node] for bone, node in stated.items() if node in names}
    wanted = dict(_TRUNK)
    for side in ("left", "right"):
        wanted |= {
            f"{side}_{part}": tuple(f"{side}{bone}" for bone in part_bones) for part, part_bones in _LIMBS.items()
        }
    parts = {part: [bones[bone] for bone in part_bones if bone in bones] for part, part_bones in wanted.items()}
    return {part: joints for part, joints in parts.items() if joints} or None


def _stated(extensions: Any) -> dict[str, int]:
    """Node numbers by bone; VRM 1 has an object of bones, VRM 0 a list."""
    if not isinstance(extensions, dict):
        return {}
    bones: Any = None
    for name in ("VRMC_vrm", "VRM"):
        extension = extensions.get(name)
        humanoid = extension.get("humanoid") if isinstance(extension, dict) else None
        bones = bones or (humanoid.get("humanBones") if isinstance(humanoid, dict) else None)
    if isinstance(bones, dict):
        pairs = [(bone, entry.get("node")) for bone, entry in bones.items() if isinstance(entry, dict)]
    elif isinstance(bones, list):
        pairs = [(entry.get("bone"), entry.get("node")) for entry in bones if isinstance(entry, dict)]
    else:
        pairs = []
    return {bone: node for bone, node in pairs if isinstance(bone, str) and re.fullmatch(r"\w+", bone)
            and isinstance(node, int)}  # fmt: skip
