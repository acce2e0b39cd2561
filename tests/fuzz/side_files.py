"""Files other than motion: plans, places, grounds, marks, ratings, pins, maps, shards, messages of other programs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.bridge.job_request import arrays_of, clip_of
from freshtake.bridge.messages import Message, decoded, encoded, packed, unpacked
from freshtake.crowd.folder import CHARACTERS, MANIFEST, read_characters, read_manifest
from freshtake.crowd.ground import read_ground
from freshtake.crowd.plan import GroundMap
from freshtake.crowd.plan_files import read_places, read_plan, read_table
from freshtake.crowd.shards import Motions, read_shard, write_shard
from freshtake.formats import vrm
from freshtake.formats.joint_files import read_body_maps, read_contacts, read_limits, read_mapping, read_pins
from freshtake.formats.obj import read_sidecar
from freshtake.formats.report_files import read_stars
from freshtake.formats.study_csv import read_key, read_ratings
from freshtake.workflows.inputs import read_path
from tests.formats.made_clips import made_clip, usual_layout

PLAN = """number = 10
seconds = 2
fps = 30
seed = 4
mode = "unique"
[placement]
kind = "disc"
spacing = 1.0
radius = 20
[avoidance]
radius = 0.3
[ground]
file = "hill.png"
size = [10, 20]
height = 3
center = [1.0, 2.0]
[[groups]]
name = "walkers"
model = "a.ftm"
share = 0.6
amount = [0.8, 1.2]
size = [0.9, 1.1]
paths = [[[0, 0], [1, 1]], [[2, 2], [3.5, 3]]]
[[groups]]
model = "a.ftm"
share = 0.4
heading = [-180, 180]
[groups.placement]
kind = "csv"
file = "places.csv"
"""
LIBRARY = """number = 100
mode = "library"
[repetition]
visible = 20
probability = 0.2
[[groups]]
model = "a.ftm"
"""
PLACES = "x,z,heading\n0,0,10\n1.5,2,-40\n"
STARS = {
    "format": "freshtake stars",
    "version": 1,
    "clips": [{"name": "a", "seed": 3, "mark": "star"}, {"name": "b", "seed": 4, "mark": ""}],
    "settings": {"amount": 1.0},
    "models": {"walk.ftm": "00"},
}
PINS = [{"joint": "LeftHand", "frames": [4, 9], "position": [1.0, 2, 3], "hard": True}, {"joint": "Hips", "frame": 4}]
CROWD = {
    "format": "freshtake crowd", "version": 1, "mode": "library", "seconds": 2.0, "fps": 30.0, "number": 4,
    "groups": [{"name": "walkers", "model": "walk.ftm"}],
    "shards": [{"file": "shard_000001.npz", "first": 1, "last": 4, "group": "walkers", "bytes": 3, "sha256": "00"}],
}  # fmt: skip
CAST = "number,group,variant,phase,x,z,heading_deg\n1,walkers,3,0.25,1.5,-2,90\n2,walkers,1,0,0,0,-180\n"
RATINGS = "participant,position,experiment,motion,stimulus,score\np1,1,A,walk,s1,7\np1,2,A,walk,s2,\n"
KEY = "stimulus,experiment,motion,condition,sources\ns1,A,walk,variants,a.bvh;b.bvh\n"


class SideFile(NamedTuple):
    """The name of a kind of file, good examples, its reader, and files that have to be next to it."""

    file: str
    seeds: tuple[bytes, ...]
    read: Callable[[Path], Any]
    beside: tuple[tuple[str, bytes], ...] = ()


def read_whole_plan(path: Path) -> None:
    """Read a plan with the places and the ground that it names."""
    plan = read_plan(path)
    read_places(plan)
    if plan.ground is not None:
        read_ground(plan.ground)


def read_packet(path: Path) -> None:
    """Decode a packet of OSC."""
    vrm.decode_packet(path.read_bytes())


def read_message(path: Path) -> None:
    """Decode a message of the bridge, and its clips."""
    message = decoded(path.read_bytes())
    for arrays in unpacked(message.values.get("clips"), message.arrays):
        clip_of(arrays)


def heights(path: Path) -> None:
    """Read a ground of ten by twenty metres."""
    read_ground(GroundMap(path, (10.0, 20.0)))


def _picture() -> tuple[bytes, ...]:
    from PIL import Image

    out = []
    for values in (np.arange(16, dtype=np.uint8).reshape(4, 4), np.arange(16, dtype=np.uint16).reshape(4, 4) * 4000):
        data = io.BytesIO()
        Image.fromarray(values).save(data, "PNG")
        out.append(data.getvalue())
    return tuple(out)


def _message() -> bytes:
    values, arrays = packed([arrays_of(made_clip(usual_layout(), frames=2))])
    return encoded(Message("request", 3, {"clips": values}, arrays))


def shard_of(folder: Path, kind: str) -> bytes:
    """Return a shard as npz or usdc."""
    clip, numbers = made_clip(usual_layout(), frames=3), np.array([1, 2])
    both = [clip.root, clip.root + 1.0], [clip.rotations, clip.rotations]
    motions = Motions(numbers, *both, np.ones(2), np.zeros((2, 3)), clip.skeleton, 30.0, "walkers")
    path = folder / f"shard.{kind}"
    write_shard(path, motions, kind.removesuffix("c"))
    return path.read_bytes()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def side_files(folder: Path) -> dict[str, SideFile]:
    """Return all kinds; the folder is for scratch files."""
    model = ("a.ftm", b"a model, which is read later")
    plan_files = (model, ("places.csv", PLACES.encode()), ("hill.png", _picture()[0]))
    return {
        "plan": SideFile("x.toml", (PLAN.encode(), LIBRARY.encode()), read_whole_plan, plan_files),
        "places": SideFile("x.csv", (PLACES.encode(), b"heading,z,x\n1,2,3\n"), read_table),
        "ground": SideFile("x.png", _picture(), heights),
        "manifest": SideFile(MANIFEST, (_json(CROWD),), lambda path: read_manifest(path.parent)),
        "characters": SideFile(CHARACTERS, (CAST.encode(),), lambda path: read_characters(path.parent)),
        "shard": SideFile("x.npz", (shard_of(folder, "npz"),), read_shard),
        "path": SideFile("x.csv", (b"x,z\n0,0\n1,2\n3,4\n", b"t;x;y\n0;1;2\n1;3;4\n"), read_path),
        "ratings": SideFile("x.csv", (RATINGS.encode(),), read_ratings),
        "key": SideFile("x.csv", (KEY.encode(),), read_key),
        "stars": SideFile("x.json", (_json(STARS),), read_stars),
        "pins": SideFile("x.json", (_json(PINS),), read_pins),
        "contacts": SideFile("x.json", (_json({"LeftFoot": [[1, 4], [7, 9]]}),), read_contacts),
        "contacts csv": SideFile("x.csv", (b"frame,LeftFoot,RightFoot\n0,1,0\n1,0.5,1\n",), read_contacts),
        "limits": SideFile("x.csv", (b"joint,low,high\nknee,0,2.5\nhip,,inf\n",), read_limits),
        "mapping": SideFile("x.json", (_json({"left_leg": ["a", "b", "c"]}),), read_mapping),
        "body map": SideFile(
            "x.toml",
            (b'[source]\nhips = "Hips"\nspine = ["a", "b"]\n', _json({"target": {"hips": "H"}})),
            read_body_maps,
        ),
        "sidecar": SideFile(
            "x.json",
            (_json({"format": "freshtake mesh sequence", "fps": 10.0, "up": "y"}),),
            read_sidecar,
        ),
        "packet": SideFile("x.osc", (vrm.message("/freshtake/amount", 0.5), vrm.message("/a", "b", 3)), read_packet),
        "message": SideFile("x.bin", (_message(),), read_message),
    }


SIDE_FILES = (
    "plan", "places", "ground", "manifest", "characters", "shard", "path", "ratings", "key", "stars", "pins",
    "contacts", "contacts csv", "limits", "mapping", "body map", "sidecar", "packet", "message",
)  # fmt: skip
