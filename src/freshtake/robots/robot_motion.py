"""Retarget a clip to a robot by least squares: limb directions of the clip, lengths of the robot, planted feet held.

Each frame is solved for the robot's positions q: Gauss-Newton steps on the weighted distances between points of the
robot and their targets, from the previous frame, with joints kept inside their limits at each step. Results are
written as tables, arrays, or the pickles that other retargeting tools exchange.
"""

import csv
import io
import math
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.archive import text_array, write_archive
from freshtake.formats.files import write_bytes
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.orientation import unit_of
from freshtake.motion.body.roles import feet
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.planting.contacts import floor_heights, joint_contacts
from freshtake.motion.retarget.mapping import SIDES, find_body
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import unit
from freshtake.robots.robot_model import Point, RobotModel, mujoco

# Weights of the points' distances: planted feet count most, and the remaining body follows them.
WEIGHTS = {"hip": 2.0, "knee": 0.3, "ankle": 4.0, "toe": 2.0, "shoulder": 1.0, "elbow": 1.0, "hand": 1.0}
STANDING = 20.0  # factor on the weights of a planted foot
STEPS = 12  # Gauss-Newton steps, starting from the previous frame; the first frame has ten times as many
CALM = 4e-2  # square metres per square radian: cost of a joint's change from one 60th of a second to the next


class RobotMotion(NamedTuple):
    """The motion of a robot, and its deviations from the clip. Lengths are in metres, z up."""

    fps: float
    root: Floats  # (frames, 3): positions of the root link
    rotation: Floats  # (frames, 4): its orientations as quaternions w x y z
    joints: Floats  # (frames, joints): their values, in the robot's order
    off: float  # mean distance of the points from their targets
    worst: float  # the same for the farthest point
    leg: float  # length of the robot's leg
    sliding: float  # mean speed of planted ankles over the ground, in legs per second
    source_sliding: float  # the same for the clip


def onto_robot(clip: Clip, robot: RobotModel, *, report: Report = silent) -> RobotMotion:
    """Retarget a clip, in any unit and axis, to a robot; the motion keeps the clip's rate.

    Joints stay within their limits and, if the robot has any, its speed limits.
    """
    metres = unit_of(clip)
    if metres is None:
        raise UsageError(f"{clip.name}: its unit of length is unknown: give it with --unit")
    clip = with_up(scaled(clip, metres), "z")
    targets = _targets(clip, robot)
    lib, engine = mujoco(), robot.engine
    data = lib.MjData(engine)
    solver = _Solver(robot, data, clip.frame_time)
    hips = [data.xpos[point.body] for point in targets.points[:2]]
    data.qpos[:3] += targets.places[0, :2].mean(axis=0) - np.mean(hips, axis=0)
    poses = np.empty((len(clip), engine.nq))
    off = np.empty((len(clip), len(targets.points)))
    for frame in range(len(clip)):
        off[frame] = solver.solve(targets, frame)
        poses[frame] = data.qpos
        report(Progress((frame + 1) / len(clip), f"frame {frame + 1} of {len(clip)}"))
    return RobotMotion(
        fps=clip.fps,
        root=poses[:, :3],
        rotation=poses[:, 3:7],
        joints=poses[:, list(robot.columns)],
        off=float(off.mean()),
        worst=float(off.mean(axis=0).max()),
        leg=targets.leg,
        sliding=_sliding(_ankles(robot, poses), targets.stands, clip.fps) / targets.leg,
        source_sliding=_sliding(targets.source, targets.stands, clip.fps) / targets.source_leg,
    )


class _Targets(NamedTuple):
    """Targets for points of the robot: positions (frames, points, 3) and weights (frames, points)."""

    points: list[Point]
    places: Floats
    weights: Floats
    stands: Bools  # (frames, 2): whether each ankle is planted
    source: Floats  # (frames, 2, 3): the clip's ankles
    leg: float
    source_leg: float


def _targets(clip: Clip, robot: RobotModel) -> _Targets:
    """Build targets limb by limb: directions are the clip's, lengths the robot's."""
    body = find_body(clip.skeleton, [with_up(clip, "y").positions()[0]], clip.name)
    world = clip.positions()
    neutral = _neutral(robot)

    def at(side: str, part: str) -> Floats:
        return np.asarray(world[:, body.one(f"{side}_{part}")])

    def length(first: str, second: str) -> float:
        return float(np.linalg.norm(neutral[second] - neutral[first]))

    leg = np.mean([length(f"{s}_hip", f"{s}_knee") + length(f"{s}_knee", f"{s}_ankle") for s in SIDES])
    source_leg = float(np.mean([
        np.linalg.norm(at(s, "lower_leg") - at(s, "upper_leg"), axis=1).mean()
        + np.linalg.norm(at(s, "foot") - at(s, "lower_leg"), axis=1).mean() for s in SIDES
    ]))  # fmt: skip
    ratio = float(leg) / source_leg
    stands, floor = _standing(clip, [body.one(f"{s}_foot") for s in SIDES])

    def scaled_up(places: Floats) -> Floats:
        out = ratio * (places - np.array([0.0, 0.0, floor]))
        out[:, 2] += robot.sole
        return np.asarray(out)

    # Hips and shoulders keep the robot's widths, in the directions of the clip's.
    hips, shoulders = _pair(at, "upper_leg"), _pair(at, "upper_arm")
    middle = scaled_up(hips.mean(axis=1))
    trunk = unit(shoulders.mean(axis=1) - hips.mean(axis=1))
    neck = middle + trunk * float(np.linalg.norm(_middle(neutral, "shoulder") - _middle(neutral, "hip")))
    names, places = [], []
    for k, side in enumerate(SIDES):
        hip = middle + unit(hips[:, k] - hips[:, 1 - k]) * 0.5 * length("left_hip", "right_hip")
        knee = hip + unit(at(side, "lower_leg") - at(side, "upper_leg")) * length(f"{side}_hip", f"{side}_knee")
        # Hips and ankles are scaled equally, so the robot's legs reach as far, relative to their length, as the clip's.
        ankle = scaled_up(at(side, "foot")) + (hip - scaled_up(at(side, "upper_leg"))) * np.array([1.0, 1.0, 0.0])
        ankle, toe = _held(ankle, _toe_directions(clip, body, side, stands[:, k]), stands[:, k], clip, robot, side)
        shoulder = neck + unit(shoulders[:, k] - shoulders[:, 1 - k]) * 0.5 * length("left_shoulder", "right_shoulder")
        elbow = shoulder + unit(at(side, "lower_arm") - at(side, "upper_arm")) * length(
            f"{side}_shoulder", f"{side}_elbow"
        )
        hand_role = f"{side}_hand" if f"{side}_hand" in body else f"{side}_lower_arm"
        along = world[:, body.one(hand_role)] - at(side, "lower_arm")
        hand = elbow + unit(along) * length(f"{side}_elbow", f"{side}_hand")
        names += [f"{side}_{part}" for part in ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "hand")]
        places += [hip, knee, ankle, toe, shoulder, elbow, hand]
    order = sorted(range(len(names)), key=lambda k: "hip" not in names[k])  # hips first: they place the root
    names, stacked = [names[k] for k in order], np.stack([places[k] for k in order], axis=1)
    weights = np.tile([WEIGHTS[name.partition("_")[2]] for name in names], (len(clip), 1))
    for k, side in enumerate(SIDES):
        for part in ("ankle", "toe"):
            weights[stands[:, k], names.index(f"{side}_{part}")] *= STANDING
    source = np.stack([at(side, "foot") for side in SIDES], axis=1)
    return _Targets([robot.points[n] for n in names], stacked, weights, stands, source, float(leg), source_leg)


def _standing(clip: Clip, ankles: list[int]) -> tuple[Bools, float]:
    """Return whether each ankle is planted (frames, 2), and the lower of their heights when planted."""
    joints = [joint for foot in feet(clip.skeleton) for joint in foot.joints]
    flags, heights = joint_contacts(clip), floor_heights([clip])
    columns = [joints.index(ankle) if ankle in joints else None for ankle in ankles]
    none = np.zeros(len(clip), dtype=bool)
    stands = np.stack([none if k is None else flags[:, k] for k in columns], axis=1)
    floors = [float(np.asarray(heights)[k]) for k in columns if k is not None]
    lowest = float(clip.positions()[:, ankles, 2].min())
    return stands, min(floors, default=lowest)


def _toe_directions(clip: Clip, body: Any, side: str, stands: Bools) -> tuple[Floats, Floats]:
    """Return a foot's azimuth, and its pitch relative to the planted foot, in radians."""
    world = clip.positions()
    ankle = world[:, body.one(f"{side}_foot")]
    if f"{side}_toes" in body:
        along = world[:, body.one(f"{side}_toes")] - ankle
    else:  # a foot without toes points where the body does, flat
        across = world[:, body.one("left_upper_leg")] - world[:, body.one("right_upper_leg")]
        along = np.stack([across[:, 1], -across[:, 0], np.zeros(len(across))], axis=1)
    azimuth = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
    pitch = np.arctan2(along[:, 2], np.hypot(along[:, 0], along[:, 1]))
    flat = np.median(pitch[stands]) if stands.any() else np.median(pitch)
    return azimuth, np.asarray(pitch - flat)


def _held(
    ankle: Floats, directions: tuple[Floats, Floats], stands: Bools, clip: Clip, robot: RobotModel, side: str
) -> tuple[Floats, Floats]:
    """Hold ankle and toe still while the foot is planted; before and after, the correction fades in and out."""
    azimuth, pitch = directions
    shift, turn, tip = np.zeros((len(ankle), 3)), np.zeros(len(ankle)), np.zeros(len(ankle))
    for start, stop in runs(stands):
        place = ankle[start:stop].mean(axis=0)
        place[2] = robot.sole
        shift[start:stop] = place - ankle[start:stop]
        turn[start:stop] = azimuth[start:stop].mean() - azimuth[start:stop]
        tip[start:stop] = -pitch[start:stop]
    frames = np.arange(len(ankle))
    if stands.any():
        reach = 0.12 / clip.frame_time  # the time in which the correction fades
        planted = np.flatnonzero(stands)
        after = np.minimum(np.searchsorted(planted, frames), len(planted) - 1)
        before = np.maximum(after - 1, 0)
        closest = np.where(frames - planted[before] < planted[after] - frames, planted[before], planted[after])
        share = np.clip(1.0 - np.abs(frames - closest) / reach, 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        shift, turn, tip = share[:, None] * shift[closest], share * turn[closest], share * tip[closest]
    ankle = ankle + shift
    size_of_foot, below = float(np.linalg.norm(robot.points[f"{side}_toe"].place)), robot.sole
    reach_ahead = math.sqrt(max(size_of_foot**2 - below**2, 0.0))
    ahead, angle = azimuth + turn, pitch + tip - np.arctan2(below, max(reach_ahead, 1e-6))
    direction = np.stack([np.cos(angle) * np.cos(ahead), np.cos(angle) * np.sin(ahead), np.sin(angle)], axis=1)
    return ankle, ankle + size_of_foot * direction


class _Solver:
    """Gauss-Newton with limits; MuJoCo's data are the state between frames."""

    def __init__(self, robot: RobotModel, data: Any, frame_time: float) -> None:
        lib, engine = mujoco(), robot.engine
        self.robot, self.data, self.frame_time = robot, data, frame_time
        hinges = [k for k in range(engine.njnt) if int(engine.jnt_type[k]) != int(lib.mjtJoint.mjJNT_FREE)]
        self.columns = np.array([engine.jnt_qposadr[k] for k in hinges])
        self.velocities = np.array([engine.jnt_dofadr[k] for k in hinges])
        self.solved = False
        self._clamp(robot.limits)
        lib.mj_kinematics(engine, data)

    def solve(self, targets: _Targets, frame: int) -> Floats:
        """Move the robot to its targets for a frame; return the remaining distances (points,), in metres."""
        lib, engine, data = mujoco(), self.robot.engine, self.data
        before = data.qpos[self.columns].copy()
        bounds = self.robot.limits.copy()
        if self.solved:  # limit the change from the previous frame by the joints' speeds
            reach = self.robot.speeds * self.frame_time
            bounds = np.stack([np.maximum(bounds[:, 0], before - reach), np.minimum(bounds[:, 1], before + reach)], 1)
        weights = np.repeat(targets.weights[frame], 3)
        rows = np.empty((3 * len(targets.points), engine.nv))
        calm = np.full(engine.nv, 1e-6)
        calm[self.velocities] = CALM / (60.0 * self.frame_time) ** 2 if self.solved else 1e-4
        damping = 1e-6
        for _ in range(STEPS * (1 if self.solved else 10)):
            error = (targets.places[frame] - self._places(targets.points)).ravel()
            change = np.zeros(engine.nv)
            change[self.velocities] = data.qpos[self.columns] - before
            cost = weights @ error**2 + calm @ change**2
            for k, point in enumerate(targets.points):
                lib.mj_jac(engine, data, rows[3 * k : 3 * k + 3], None, point.at(data), point.body)
            slope = rows.T @ (weights * error) - calm * change
            normal = (rows.T * weights) @ rows + np.diag(calm)
            # A joint that is pushed beyond its limit is fixed; the others are solved without it.
            free = np.ones(engine.nv, dtype=bool)
            values, pushed = data.qpos[self.columns], slope[self.velocities]
            fixed = ((values <= bounds[:, 0]) & (pushed < 0)) | ((values >= bounds[:, 1]) & (pushed > 0))
            free[self.velocities[fixed]] = False
            start, step = data.qpos.copy(), np.zeros(engine.nv)
            while damping < 1e3:  # Levenberg-Marquardt: a step that increases the cost is undone and shortened
                matrix = normal[np.ix_(free, free)]
                step[free] = np.linalg.solve(matrix + damping * np.eye(len(matrix)), slope[free])
                lib.mj_integratePos(engine, data.qpos, step, 1.0)
                self._clamp(bounds)
                change[self.velocities] = data.qpos[self.columns] - before
                error = (targets.places[frame] - self._places(targets.points)).ravel()
                if weights @ error**2 + calm @ change**2 <= cost:
                    damping = max(0.1 * damping, 1e-6)
                    break
                data.qpos[:] = start
                damping *= 10.0
            else:
                self._clamp(bounds)
                break
            if np.abs(step).max() < 1e-5:
                break
        self.solved = True
        return np.asarray(np.linalg.norm(targets.places[frame] - self._places(targets.points), axis=1))

    def _clamp(self, bounds: Floats) -> None:
        data, lib = self.data, mujoco()
        data.qpos[self.columns] = np.clip(data.qpos[self.columns], bounds[:, 0], bounds[:, 1])
        lib.mj_kinematics(self.robot.engine, data)
        lib.mj_comPos(self.robot.engine, data)

    def _places(self, points: list[Point]) -> Floats:
        return np.array([point.at(self.data) for point in points])


def _neutral(robot: RobotModel) -> dict[str, Floats]:
    lib, data = mujoco(), mujoco().MjData(robot.engine)
    lib.mj_kinematics(robot.engine, data)
    return {name: point.at(data) for name, point in robot.points.items()}


def _ankles(robot: RobotModel, poses: Floats) -> Floats:
    """Return the ankles (frames, 2, 3) in the robot's poses, computed by MuJoCo."""
    lib, data = mujoco(), mujoco().MjData(robot.engine)
    out = np.empty((len(poses), 2, 3))
    for frame, pose in enumerate(poses):
        data.qpos[:] = pose
        lib.mj_kinematics(robot.engine, data)
        out[frame] = [data.xpos[robot.points[f"{side}_ankle"].body] for side in SIDES]
    return out


def _sliding(ankles: Floats, stands: Bools, fps: float) -> float:
    """Return the mean ground speed of ankles between frames in which they are planted."""
    steps = np.linalg.norm(np.diff(ankles[..., :2], axis=0), axis=-1)
    both = stands[1:] & stands[:-1]
    return float(steps[both].mean() * fps) if both.any() else 0.0


def _pair(at: Any, part: str) -> Floats:
    return np.stack([at(side, part) for side in SIDES], axis=1)


def _middle(neutral: dict[str, Floats], part: str) -> Floats:
    return np.asarray(0.5 * (neutral[f"left_{part}"] + neutral[f"right_{part}"]))


ROOT = ("root_x", "root_y", "root_z", "root_qx", "root_qy", "root_qz", "root_qw")


def write_robot_motion(path: Path, motion: RobotMotion, robot: RobotModel) -> None:
    """Write a motion in the order of the robot's joints, in the format of the file extension.

    .csv has a row per frame: position and quaternion x y z w of the root, then the joints. .npz has the same as arrays,
    with names. .pkl is the dictionary that GMR writes.
    """
    rotation = np.roll(motion.rotation, -1, axis=1)
    arrays = {"root_pos": motion.root, "root_rot": rotation, "dof_pos": motion.joints}
    if path.suffix.lower() == ".csv":
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*ROOT, *robot.joints])
        rows = np.concatenate(list(arrays.values()), axis=1)
        table.writerows([[f"{value:.6f}" for value in row] for row in rows.tolist()])
        write_bytes(path, text.getvalue().encode())
    elif path.suffix.lower() == ".npz":
        write_archive(path, {"fps": np.array(motion.fps), "joint_names": text_array(robot.joints), **arrays})
    else:
        # The two empty entries are part of the format: readers compute them from the robot when needed.
        content = {"fps": motion.fps, **{name: np.ascontiguousarray(values) for name, values in arrays.items()}}
        write_bytes(path, pickle.dumps({**content, "local_body_pos": None, "link_body_list": None}, protocol=4))
