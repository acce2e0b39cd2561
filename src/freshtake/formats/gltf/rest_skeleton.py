"""The skeleton of a glTF character, from its nodes at rest."""

from __future__ import annotations

import numpy as np

from freshtake.formats.gltf.character import Character, tip_name
from freshtake.formats.gltf.nodes import Nodes
from freshtake.formats.gltf.pose import JointPose, joint_pose, rest_pose
from freshtake.motion import EndSite, Skeleton


def rest_skeleton(nodes: Nodes, character: Character, rest: JointPose) -> Skeleton:
    """Rest offsets from the nodes; bare leaves below joints become end sites."""
    sites = []
    if character.tips:
        tips = [node for _, node in character.tips]
        with_tips = Character(
            (*character.nodes, *tips),
            np.array([*character.parents.tolist(), *[joint for joint, _ in character.tips]]),
            (*character.names, *[str(node) for node in tips]),
            (),
        )
        places = joint_pose(rest_pose(nodes, [*character.nodes, *tips]), with_tips).translations[
            0, len(character.nodes) :
        ]
        for (joint, node), offset in zip(character.tips, places.tolist(), strict=True):
            sites.append(EndSite(joint, (offset[0], offset[1], offset[2]), tip_name(nodes, node)))
    return Skeleton(character.names, character.parents, rest.translations[0], tuple(sites))
