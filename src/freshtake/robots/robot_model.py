"""Robot models from MJCF and URDF files, read by MuJoCo: the joints, their limits, and the links of each limb."""

import html
import re
import warnings
import xml.etree.ElementTree as xml
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import read_text
from freshtake.motion.retarget.mapping import SIDES
from freshtake.numeric.arrays import Floats

# Link names in common robots and simulated humanoids, by the joint at which the link moves.
_LIMBS = {
    "knee": re.compile(r"knee|shin|calf|tibia|lower_?leg|leg_lower"),
    "ankle": re.compile(r"ankle|foot"),
    "elbow": re.compile(r"elbow|lower_?arm|fore_?arm|arm_lower|radius"),
    "hand": re.compile(r"wrist|hand|palm"),
}
_SIDE_WORDS = {
    "left": re.compile(r"(^|[^a-z])(left|l)([^a-z]|$)|^l(?=hip|thigh|shin|foot|knee|tibia|femur|radius|hand|humerus)"),
    "right": re.compile(
        r"(^|[^a-z])(right|r)([^a-z]|$)|^r(?=hip|thigh|shin|foot|knee|tibia|femur|radius|hand|humerus)"
    ),
}

_FARTHEST = 1e6  # metres, and radians
# Elements that expand to many bytes or attach other files; no robot needs them.
_REFUSED = re.compile(r"<\s*(attach|composite|flexcomp|hfield|plugin|replicate)\b")
_ATTRIBUTES = r"\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)"
_INCLUDE = re.compile(r"<\s*include" + _ATTRIBUTES)
_FILE = re.compile(r"\bfile\s*=\s*([\"'])(.*?)\1", re.DOTALL)
_TEXTURE = re.compile(r"<\s*texture" + _ATTRIBUTES)
_PIXELS = re.compile(r"\b(?:width|height)\s*=\s*[\"']\s*\+?0*(\d{1,4})\s*[\"']")
_SIZE = re.compile(r"\b(?:width|height)\b")


class Point(NamedTuple):
    """A point of a link: the number of its body in MuJoCo, and its position (3,) in that body's frame, in metres."""

    body: int
    place: Floats

    def at(self, data: Any) -> Floats:
        """Return its position in the world (3,), in the pose in MuJoCo's data."""
        return np.asarray(data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ self.place)


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot: its file, MuJoCo's model, its joints, and the points that follow a body.

    Points are left_hip, left_knee, left_ankle, left_toe, left_shoulder, left_elbow, left_hand, and those on the right.
    """

    path: Path
    engine: Any  # MuJoCo's model of the robot, with a free root
    joints: tuple[str, ...]  # names in file order, without the free root
    columns: tuple[int, ...]  # indices of the joints in MuJoCo's positions
    limits: Floats  # (joints, 2): lowest and highest value, in radians or metres; infinite without a limit
    speeds: Floats  # (joints,): maximum change per second; infinite without a limit
    points: Mapping[str, Point]
    sole: float  # height in metres of the ankles above the floor in the neutral pose


def mujoco() -> Any:
    """Import MuJoCo on demand."""
    try:
        library = import_module("mujoco")
    except ImportError:
        raise MissingExtra("motion for robots", "robot") from None
    # Otherwise MuJoCo prints its warnings and writes them to MUJOCO_LOG.TXT in the user's folder.
    library.set_mju_user_warning(lambda message: None)
    return library


def read_robot(path: Path) -> RobotModel:
    """Read a humanoid robot from a MuJoCo model (.xml) or a URDF (.urdf), and add a free root if it has none.

    Missing meshes are ignored, because they do not affect the motion.
    """
    text = _checked(path)
    engine = _compiled(path)
    try:
        names = [_name(engine, "BODY", k) for k in range(engine.nbody)]
        joint_names = [_name(engine, "JOINT", k) for k in range(engine.njnt)]
    except UnicodeDecodeError:
        raise FormatError(path, "the names of links and joints are not UTF-8: save the file as UTF-8") from None
    data = mujoco().MjData(engine)
    mujoco().mj_kinematics(engine, data)
    for values in (data.xpos, data.geom_xpos, engine.geom_aabb, engine.jnt_range):
        if not (np.abs(values) < _FARTHEST).all():  # nor NaN
            raise FormatError(path, f"a number in this file is not finite, or beyond {_FARTHEST:g}: correct it")
    points = _points(path, engine, data, names)
    ankles = [data.xpos[points[f"{side}_ankle"].body][2] for side in SIDES]
    feet = [_corners_of(engine, data, _below(engine, points[f"{side}_ankle"].body)) for side in SIDES]
    soles = [corners[:, 2].min() for corners in feet]
    lib = mujoco()
    single = (int(lib.mjtJoint.mjJNT_HINGE), int(lib.mjtJoint.mjJNT_SLIDE))
    moving = [k for k in range(engine.njnt) if int(engine.jnt_type[k]) in single]
    if any(int(kind) == int(lib.mjtJoint.mjJNT_BALL) for kind in engine.jnt_type):
        raise FormatError(path, "ball joints do not fit tables of joint values: use three hinges instead")
    limits = np.array([engine.jnt_range[k] if engine.jnt_limited[k] else (-np.inf, np.inf) for k in moving])
    joints = tuple(joint_names[k] for k in moving)
    speeds = _urdf_speeds(text)
    return RobotModel(
        path, engine, joints, tuple(int(engine.jnt_qposadr[k]) for k in moving), limits.reshape(-1, 2),
        np.array([speeds.get(name, np.inf) for name in joints]), points, float(np.mean(np.subtract(ankles, soles))),
    )  # fmt: skip


def _checked(path: Path) -> str:
    """Return the text of a robot's file; refuse elements, also in included files, that must not reach MuJoCo.

    MuJoCo would read any included file and make any number of copies that a file requests.
    """
    folder = path.parent.resolve()
    text, files, seen = read_text(path), [path], {path.resolve()}
    for file in files:
        content = text if file == path else read_text(file)
        if match := _REFUSED.search(content):
            raise FormatError(file, f"a robot needs no <{match[1]}>: remove it", _line(content, match))
        for match in _TEXTURE.finditer(content):
            if len(_SIZE.findall(match[1])) != len(_PIXELS.findall(match[1])):
                problem = "a texture may have at most 9999 pixels a row: remove it"
                raise FormatError(file, problem, _line(content, match))
        for match in _INCLUDE.finditer(content):
            name = _FILE.search(match[1])
            other = (folder / html.unescape(name[2])).resolve() if name else None
            if other is None or not other.is_relative_to(folder):
                problem = "files outside the robot's folder are not read: copy included files into it"
                raise FormatError(file, problem, _line(content, match))
            if other not in seen:
                seen.add(other)
                files.append(other)
    return text


def _line(text: str, match: re.Match[str]) -> str:
    return f"line {text.count(chr(10), 0, match.start()) + 1}"


def _compiled(path: Path) -> Any:
    """Compile a file; a root that is fixed to the world, as in every URDF, gets a free joint."""
    lib = mujoco()

    def load(*, meshes: bool) -> Any:
        spec = lib.MjSpec.from_file(str(path))
        spec.compiler.fusestatic = False  # links without a joint keep their names
        if not meshes:
            for geom in list(spec.geoms):
                if geom.type == lib.mjtGeom.mjGEOM_MESH:
                    spec.delete(geom)
            for mesh in list(spec.meshes):
                spec.delete(mesh)
        root = spec.worldbody.first_body()
        if root is None:
            raise FormatError(path, "the file contains no link")
        if not any(joint.type == lib.mjtJoint.mjJNT_FREE for joint in spec.joints):
            root.add_freejoint()
        return spec.compile()

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about forces, which are not computed here
            try:
                return load(meshes=True)
            except ValueError:
                return load(meshes=False)
    except (ValueError, TypeError, RuntimeError) as error:  # the last is raised by C++ when memory runs out
        reason = " ".join(str(error).split())[:200]
        raise FormatError(path, f"MuJoCo cannot read a robot from this file ({reason}): give URDF or MJCF") from None


def _points(path: Path, engine: Any, data: Any, names: list[str]) -> dict[str, Point]:
    """Find the joints of all four limbs by the names of the links."""
    origin = np.zeros(3)
    points: dict[str, Point] = {}
    for side in SIDES:
        links = [k for k, name in enumerate(names) if _SIDE_WORDS[side].search(name.lower())]
        limbs = {limb: [k for k in links if word.search(names[k].lower())] for limb, word in _LIMBS.items()}
        for limb in ("knee", "ankle", "elbow"):
            if not limbs[limb]:
                raise FormatError(
                    path,
                    f"no link is recognized as the {side} {limb}: name it so ({side}_{limb}); the links are "
                    f"{', '.join(names[1:13])}{', ...' if len(names) > 13 else ''}",
                )
        # If a joint rotates about several axes, several links share its name: the first bends the knee, the last is the
        # foot itself.
        knee, elbow, ankle = limbs["knee"][0], limbs["elbow"][0], limbs["ankle"][-1]
        hands = [k for k in limbs["hand"] if k in _below(engine, elbow) and k != elbow]
        points |= {
            f"{side}_hip": Point(int(engine.body_parentid[knee]), origin),
            f"{side}_knee": Point(knee, origin),
            f"{side}_ankle": Point(ankle, origin),
            f"{side}_shoulder": Point(int(engine.body_parentid[elbow]), origin),
            f"{side}_elbow": Point(elbow, origin),
            f"{side}_hand": Point(hands[0], origin) if hands else _tip(engine, data, elbow),
        }
    across = data.xpos[points["left_hip"].body] - data.xpos[points["right_hip"].body]
    ahead = np.array([across[1], -across[0], 0.0]) / max(float(np.hypot(across[0], across[1])), 1e-9)
    return points | {f"{side}_toe": _toe(engine, data, points[f"{side}_ankle"].body, ahead) for side in SIDES}


def _toe(engine: Any, data: Any, foot: int, ahead: Floats) -> Point:
    """Return the front end of a sole in the frame of the foot; `ahead` (3,) is the robot's forward direction."""
    corners = _corners_of(engine, data, _below(engine, foot))
    front = data.xpos[foot] + ahead * float(((corners - data.xpos[foot]) @ ahead).max())
    front[2] = corners[:, 2].min()
    return Point(foot, data.xmat[foot].reshape(3, 3).T @ (front - data.xpos[foot]))


def _tip(engine: Any, data: Any, link: int) -> Point:
    """Return the end of a link without a hand: the point farthest from its joint."""
    corners = [_corners(engine, data, k) for k in range(engine.ngeom) if engine.geom_bodyid[k] in _below(engine, link)]
    away = np.concatenate(corners or [data.xpos[link][None]]) - data.xpos[link]
    return Point(link, data.xmat[link].reshape(3, 3).T @ away[np.argmax(np.linalg.norm(away, axis=1))])


def _corners_of(engine: Any, data: Any, links: set[int]) -> Floats:
    """Return the corners of all geoms of some links or, if their meshes are missing, the positions of their joints."""
    corners = [_corners(engine, data, k) for k in range(engine.ngeom) if int(engine.geom_bodyid[k]) in links]
    return np.concatenate(corners or [data.xpos[sorted(links)]])


def _corners(engine: Any, data: Any, geom: int) -> Floats:
    """Return the corners of a geom's bounding box in the world (8, 3)."""
    mujoco().mj_kinematics(engine, data)
    center, half = engine.geom_aabb[geom, :3], engine.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    turn = data.geom_xmat[geom].reshape(3, 3)
    return np.asarray(data.geom_xpos[geom] + (center + signs * half) @ turn.T)


def _below(engine: Any, link: int) -> set[int]:
    """Return a link and all its descendants."""
    out = {link}
    for k in range(link + 1, engine.nbody):
        if int(engine.body_parentid[k]) in out:
            out.add(k)
    return out


def _name(engine: Any, kind: str, number: int) -> str:
    lib = mujoco()
    return lib.mj_id2name(engine, getattr(lib.mjtObj, f"mjOBJ_{kind}"), number) or f"{kind.lower()}_{number}"


def _urdf_speeds(text: str) -> dict[str, float]:
    """Return the maximum speeds in a URDF, because MuJoCo does not read them."""
    try:
        root = xml.fromstring(text)
    except xml.ParseError:
        return {}
    out = {}
    for joint in root.iter("joint"):
        limit = joint.find("limit")
        try:
            speed = float(limit.get("velocity") or 0.0) if limit is not None else 0.0
        except ValueError:  # MuJoCo accepted the file, so an unreadable speed is ignored
            continue
        if 0.0 < speed < np.inf:
            out[joint.get("name", "")] = speed
    return out
