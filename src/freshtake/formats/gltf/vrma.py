"""VRM animation (.vrma): glTF with nodes for a humanoid's bones and the extension that says which bone each is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.clip_sets import in_metres
from freshtake.formats.files import write_bytes
from freshtake.formats.gltf.build import Builder, NodeMotion, add_animation
from freshtake.formats.gltf.container import packed
from freshtake.formats.gltf.nodes import distinct
from freshtake.formats.humanoid import as_humanoid
from freshtake.formats.read_options import WriteOptions
from freshtake.motion import Clip
from freshtake.motion.skeleton import require_compatible

EXTENSION = "VRMC_vrm_animation"


def write_vrma(path: Path, clips: Sequence[Clip], options: WriteOptions) -> None:
    """One file with an animation per clip; the clips share one skeleton, that of the first stands for all."""
    if options.character is not None:
        raise UsageError(f"{path}: a VRM animation has no character, it moves any avatar: leave --character out")
    ready = [as_humanoid(in_metres(path, clip, options, "VRM animation")) for clip in clips]
    for clip in ready[1:]:
        require_compatible(ready[0].skeleton, clip.skeleton)
    skeleton = ready[0].skeleton
    builder = Builder(path, {"asset": {"version": "2.0", "generator": "freshtake"}, "scene": 0})
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name, "translation": skeleton.offsets[joint].tolist()}
        children = skeleton.children(joint)
        builder.append("nodes", node | ({"children": children} if children else {}))
    builder.append("scenes", {"nodes": [0]})
    bones = {name: {"node": joint} for joint, name in enumerate(skeleton.names)}
    builder.document["extensionsUsed"] = [EXTENSION]
    builder.document["extensions"] = {EXTENSION: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    for clip, name in zip(ready, distinct([clip.name or "clip" for clip in ready]), strict=True):
        motions = [NodeMotion(joint, clip.rotations[:, joint], None) for joint in range(len(skeleton))]
        motions[0] = motions[0]._replace(translations=clip.root)
        add_animation(builder, name, clip, motions)
    write_bytes(path, packed(path, builder.document, bytes(builder.binary)))
