"""Files of robot motion: tables, arrays, and the pickles that other retargeting tools exchange."""

from __future__ import annotations

import csv
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.formats.archive import text_array, write_archive
from freshtake.formats.files import write_bytes
from freshtake.robots.robot_model import RobotModel
from freshtake.robots.robot_motion import RobotMotion

ROOT = ("root_x", "root_y", "root_z", "root_qx", "root_qy", "root_qz", "root_qw")


def write_robot_motion(path: Path, motion: RobotMotion, robot: RobotModel) -> None:
    """Write a motion in the order of the robot's joints, in the form that the ending chooses.

    .csv has a row per frame: place and quaternion x y z w of the root, then the joints; .npz has the same as arrays,
    with names; .pkl is the dictionary that GMR writes.
    """
    {".csv": _write_csv, ".npz": _write_npz, ".pkl": _write_pickle}[path.suffix.lower()](path, motion, robot)


def _write_csv(path: Path, motion: RobotMotion, robot: RobotModel) -> None:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*ROOT, *robot.joints])
    rows = np.concatenate([motion.root, np.roll(motion.rotation, -1, axis=1), motion.joints], axis=1)
    table.writerows([[f"{value:.6f}" for value in row] for row in rows.tolist()])
    write_bytes(path, text.getvalue().encode())


def _write_npz(path: Path, motion: RobotMotion, robot: RobotModel) -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {
        "fps": np.array(motion.fps), "joint_names": text_array(robot.joints), "root_pos": motion.root,
        "root_rot": np.roll(motion.rotation, -1, axis=1), "dof_pos": motion.joints,
    }  # fmt: skip
    write_archive(path, arrays)


def _write_pickle(path: Path, motion: RobotMotion, robot: RobotModel) -> None:
    # The two empty entries are part of the format: readers compute them from the robot when needed.
    content = {
        "fps": motion.fps, "root_pos": np.ascontiguousarray(motion.root),
        "root_rot": np.ascontiguousarray(np.roll(motion.rotation, -1, axis=1)),
        "dof_pos": np.ascontiguousarray(motion.joints), "local_body_pos": None, "link_body_list": None,
    }  # fmt: skip
    write_bytes(path, pickle.dumps(content, protocol=4))
