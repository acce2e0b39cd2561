"""Runs inside MuJoCo's environment: loads a model, plays a table of joint angles and writes where a site goes.

python mujoco_replay.py OUT.json MODEL.xml SITE TABLE.csv...
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import mujoco
import numpy as np


def replayed(model: mujoco.MjModel, site: str, path: Path) -> dict[str, object]:
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    data = mujoco.MjData(model)
    places, beyond = [], 0.0
    for row in rows:
        for joint in range(model.njnt):
            angle = float(row[model.joint(joint).name])
            data.qpos[model.jnt_qposadr[joint]] = angle
            low, high = model.jnt_range[joint]
            beyond = max(beyond, low - angle, angle - high)
        mujoco.mj_forward(model, data)
        places.append(np.array(data.site(site).xpos).tolist())
    return {"places": places, "beyond": beyond}


out, model_file, site, *tables = sys.argv[1:]
model = mujoco.MjModel.from_xml_path(model_file)
Path(out).write_text(json.dumps({Path(table).name: replayed(model, site, Path(table)) for table in tables}))
