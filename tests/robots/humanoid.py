"""Our own humanoid as MJCF and as URDF, from one table: 23 hinges, 1.3 m tall."""

from __future__ import annotations

import math
from typing import NamedTuple


class Link(NamedTuple):
    """A link: its parent, its position there in metres, and its hinge: axis and range in degrees."""

    name: str
    parent: str
    place: tuple[float, float, float]
    axis: tuple[int, int, int] | None = None
    range: tuple[float, float] = (0.0, 0.0)
    box: tuple[float, float, float, float, float, float] | None = None  # middle and half sizes


def _leg(side: str, sign: float) -> list[Link]:
    return [
        Link(f"{side}_hip_pitch_link", "pelvis", (0.0, 0.09 * sign, -0.05), (0, 1, 0), (-140, 60)),
        Link(f"{side}_hip_roll_link", f"{side}_hip_pitch_link", (0.0, 0.0, 0.0), (1, 0, 0), (-40, 40)),
        Link(f"{side}_hip_yaw_link", f"{side}_hip_roll_link", (0.0, 0.0, 0.0), (0, 0, 1), (-60, 60)),
        Link(f"{side}_knee_link", f"{side}_hip_yaw_link", (0.0, 0.0, -0.33), (0, 1, 0), (0, 150)),
        Link(f"{side}_ankle_pitch_link", f"{side}_knee_link", (0.0, 0.0, -0.32), (0, 1, 0), (-50, 40)),
        Link(f"{side}_ankle_roll_link", f"{side}_ankle_pitch_link", (0.0, 0.0, 0.0), (1, 0, 0), (-20, 20),
             (0.04, 0.0, -0.04, 0.1, 0.04, 0.02)),
    ]  # fmt: skip


def _arm(side: str, sign: float) -> list[Link]:
    return [
        Link(f"{side}_shoulder_pitch_link", "torso_link", (0.0, 0.16 * sign, 0.28), (0, 1, 0), (-180, 90)),
        Link(f"{side}_shoulder_roll_link", f"{side}_shoulder_pitch_link", (0.0, 0.0, 0.0), (1, 0, 0), (-130, 130)),
        Link(f"{side}_shoulder_yaw_link", f"{side}_shoulder_roll_link", (0.0, 0.0, 0.0), (0, 0, 1), (-150, 150)),
        Link(f"{side}_elbow_link", f"{side}_shoulder_yaw_link", (0.0, 0.0, -0.22), (0, 1, 0), (-140, 0),
             (0.0, 0.0, -0.1, 0.03, 0.03, 0.1)),
    ]  # fmt: skip


LINKS = [
    Link("pelvis", "", (0.0, 0.0, 0.8)),
    Link("waist_yaw_link", "pelvis", (0.0, 0.0, 0.05), (0, 0, 1), (-150, 150)),
    Link("waist_roll_link", "waist_yaw_link", (0.0, 0.0, 0.0), (1, 0, 0), (-30, 30)),
    Link("torso_link", "waist_roll_link", (0.0, 0.0, 0.0), (0, 1, 0), (-30, 40), (0.0, 0.0, 0.2, 0.08, 0.1, 0.2)),
    *_leg("left", 1.0), *_leg("right", -1.0), *_arm("left", 1.0), *_arm("right", -1.0),
]  # fmt: skip
SPEED = 12.0  # radians per second, in the URDF


def mjcf() -> str:
    def body(link: Link) -> str:
        inside = "".join(body(child) for child in LINKS if child.parent == link.name)
        joint = '<freejoint name="floating_base"/>' if not link.parent else ""
        if link.axis is not None:
            low, high = link.range
            axis = " ".join(map(str, link.axis))
            name = link.name.replace("_link", "_joint")
            joint = f'<joint name="{name}" type="hinge" axis="{axis}" range="{low} {high}" limited="true"/>'
        x, y, z, a, b, c = link.box or (0.0, 0.0, 0.0, 0.02, 0.02, 0.02)
        geom = f'<geom type="box" pos="{x} {y} {z}" size="{a} {b} {c}"/>'
        return f'<body name="{link.name}" pos="{" ".join(map(str, link.place))}">{joint}{geom}{inside}</body>'

    return f'<mujoco model="humanoid"><worldbody>{body(LINKS[0])}</worldbody></mujoco>'


def urdf() -> str:
    parts = []
    for link in LINKS:
        x, y, z, a, b, c = link.box or (0.0, 0.0, 0.0, 0.02, 0.02, 0.02)
        mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        box = f'<origin xyz="{x} {y} {z}"/><geometry><box size="{2 * a} {2 * b} {2 * c}"/></geometry>'
        parts.append(f'<link name="{link.name}">{mass}<collision>{box}</collision></link>')
        if link.axis is None:
            continue
        low, high = (math.radians(value) for value in link.range)
        parts.append(
            f'<joint name="{link.name.replace("_link", "_joint")}" type="revolute"><parent link="{link.parent}"/>'
            f'<child link="{link.name}"/><origin xyz="{" ".join(map(str, link.place))}"/>'
            f'<axis xyz="{" ".join(map(str, link.axis))}"/>'
            f'<limit lower="{low}" upper="{high}" velocity="{SPEED}" effort="50"/></joint>'
        )
    return f'<robot name="humanoid">{"".join(parts)}</robot>'
