"""Small good files of every format, written by our own writers; and how to damage the inside of a container."""

from __future__ import annotations

import hashlib
import io
import json
import random
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.crowd.shards import read_shard
from freshtake.motion.edit import take_frames
from freshtake.motion.kinds import joint_points
from freshtake.robots.robot_model import read_robot
from freshtake.style.bilinear import fit as fit_gaits
from tests.density.made import orbit
from tests.formats.characters import skinned
from tests.formats.ftm.opened import Opened
from tests.formats.ftm.opened import changed as altered
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout
from tests.fuzz.mutate import Rng, mutate
from tests.fuzz.side_files import SIDE_FILES, shard_of, side_files
from tests.robots.humanoid import mjcf, urdf
from tests.style.pairs_of_clips import model as pair_of_walks
from tests.style.warping.known_warps import walk_clip
from tests.texture.made import sheet

ASF = """:version 1.10
:name fuzz
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  made for tests
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name hip
    direction 0.6 -0.8 0
    length 2.5
    axis 0 0 20 XYZ
  end
  begin
    id 2
    name femur
    direction 0.34 -0.93 0
    length 7.2
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 3
    name tibia
    direction 0.34 -0.93 0
    length 7.1
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root hip
    hip femur
    femur tibia
  end
"""
AMC = "#!comment\n:FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{k}\nroot {k} 17.5 -4.25 1 {k * 2} 3\nfemur {k} -5.5 10.25\ntibia {10 + k}.5\n" for k in range(1, 6)
)


@dataclass(frozen=True)
class Target:
    """One reader: the name of its files, good files, files that must be next to them, how to damage the inside."""

    name: str
    file: str
    seeds: tuple[bytes, ...]
    beside: tuple[tuple[str, bytes], ...] = ()
    inside: Callable[[bytes, bytes, Rng], bytes] | None = None
    read: Callable[[Path], object] | None = None  # instead of the reader of motions and models


def written(folder: Path, name: str, *motions: object) -> tuple[bytes, ...]:
    out = []
    for number, motion in enumerate(motions):
        path = folder / f"{number}_{name}"
        ft.write(path, motion)  # type: ignore[arg-type]
        out.append(path.read_bytes())
    return tuple(out)


def make_target(name: str, folder: Path) -> Target:
    """Return the target of a name; the folder is for scratch files."""
    if name in _MAKERS:
        return _MAKERS[name](folder)
    side = side_files(folder)[name]
    return Target(name, side.file, side.seeds, side.beside, _inside_zip if name == "shard" else None, side.read)


def _bvh(folder: Path) -> Target:
    layouts = (usual_layout(), odd_layout(), moving_layout(), fixed_layout())
    return Target("bvh", "x.bvh", written(folder, "x.bvh", *[made_clip(layout, frames=4) for layout in layouts]))


def _asf(folder: Path) -> Target:
    return Target("asf", "x.asf", (ASF.encode(), ASF.replace("deg", "rad").encode()))


def _amc(folder: Path) -> Target:
    return Target("amc", "x.amc", (AMC.encode(), AMC.replace(".5", "").encode()), (("x.asf", ASF.encode()),))


def _points() -> ft.PointClip:
    points = joint_points(made_clip(usual_layout(), frames=5))
    gaps = points.positions.copy()
    gaps[1:3, 2] = np.nan
    return ft.PointClip(points.names, gaps, points.frame_time, unit_m=0.01)


def _stroke() -> ft.Stroke:
    time = np.linspace(0, 1, 9)
    return ft.Stroke(np.stack([np.sin(time), np.cos(time)], axis=1), time)


def _mesh() -> ft.MeshSequence:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    uv = corners[:, :2].copy()
    return ft.MeshSequence(np.stack([corners, corners * 2]), faces, 0.1, attributes={"uv": uv})


def _c3d(folder: Path) -> Target:
    return Target("c3d", "x.c3d", written(folder, "x.c3d", _points()))


def _csv(folder: Path) -> Target:
    return Target("csv", "x.csv", written(folder, "x.csv", _points(), _stroke()))


def _npz(folder: Path) -> Target:
    seeds = written(folder, "x.npz", made_clip(moving_layout(), frames=3), _points(), _stroke(), _mesh())
    return Target("npz", "x.npz", (*seeds, _amass()), inside=_inside_zip)


def _amass() -> bytes:
    data = io.BytesIO()
    rng = np.random.default_rng(4)
    poses, trans = rng.normal(size=(3, 156)) * 0.3, rng.normal(size=(3, 3))
    np.savez(data, poses=poses, trans=trans, betas=np.zeros(16), gender="male", mocap_framerate=60.0)
    return data.getvalue()


def _inside_zip(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Damage one member, or its name, and repack, so checksums are valid."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    chosen = int(rng.integers(0, len(members)))
    name, content = members[chosen]
    if rng.random() < 0.2:
        members[chosen] = (members[int(rng.integers(0, len(members)))][0], content)
    else:
        members[chosen] = (name, mutate(content, members[int(rng.integers(0, len(members)))][1], rng))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dict(members).items():
            archive.writestr(name, content)
    return out.getvalue()


def _ftm(folder: Path) -> Target:
    kinds = ((usual_layout(), None), (usual_layout(), ft.variation.Settings(prior=0.5)), (moving_layout(), None))
    seeds = []
    for number, (layout, settings) in enumerate(kinds):
        clips = [made_clip(layout, frames=frames) for frames in (8, 9)]
        model = ft.variation.learn(clips, settings, rng=np.random.default_rng(0), cyclic=False)
        ft.save(folder / f"{number}.ftm", model, sources=["a.bvh"])
        seeds.append((folder / f"{number}.ftm").read_bytes())
    walks = [ft.samples.walk(np.random.default_rng(k)) for k in range(2)]
    ft.save(folder / "walk.ftm", ft.variation.learn(walks, rng=np.random.default_rng(0), cyclic=True))
    seeds.append((folder / "walk.ftm").read_bytes())
    return Target("ftm", "x.ftm", tuple(seeds), inside=_inside_model)


def _paper(folder: Path) -> Target:
    jumps = [ft.samples.jump(np.random.default_rng(k)) for k in range(3)]
    settings = ft.variation.paper.Settings(neighbors=10, velocity_weight=0.3, restarts=0)
    return _stored("paper", folder, ft.variation.paper.learn(jumps, settings, rng=np.random.default_rng(0)))


def _texture(folder: Path) -> Target:
    """Return models of a mesh by its modes, plain and quantized, and of a clip in two cells."""
    walk = ft.samples.walk(np.random.default_rng(0), cycles=2)
    half = len(walk) // 2
    choose = ft.texture.Settings
    models = (
        ft.texture.learn(sheet(60, normals=True), choose(components=3, candidates=2)),
        ft.texture.learn(sheet(60), choose(components=2, parts=2, bits=8, candidates=2)),
        ft.texture.learn({"a": take_frames(walk, 0, half), "b": take_frames(walk, half)}, choose(candidates=2)),
        ft.texture.learn(ft.samples.walk(np.random.default_rng(1), cycles=4)),
    )
    return _stored("texture", folder, *models)


def _density(folder: Path) -> Target:
    orbits = {"small": [orbit(1, 3)], "large": [orbit(2, 3, size=1.6)]}
    rng = np.random.default_rng
    clips = {"walk": [ft.samples.walk(rng(0), cycles=3)], "run": [ft.samples.run(rng(0), cycles=3)]}
    return _stored("density", folder, ft.density.learn(orbits, frame_time=1 / 30), ft.density.learn(clips))


def _style(folder: Path) -> Target:
    return _stored("style", folder, pair_of_walks())


def _gaits(folder: Path) -> Target:
    cells: dict[tuple[str | float, str | float], ft.Clip]
    cells = {(s, v): walk_clip(1, speed=v, style=s, amount=0.3) for s in ("normal", "crouch") for v in (0.9, 1.7)}
    return _stored("gaits", folder, fit_gaits(cells))


def _stored(name: str, folder: Path, *models: object) -> Target:
    """Return models of one method, as files."""
    seeds = []
    for number, model in enumerate(models):
        ft.save(folder / f"{number}.ftm", model, sources=["a.npz"])
        seeds.append((folder / f"{number}.ftm").read_bytes())
    return Target(name, "x.ftm", tuple(seeds), inside=_inside_model)


def _inside_model(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Damage one member, or one of its values, and update the checksums in the header."""
    if rng.random() < 0.7:  # such models load far more often than models with damaged bytes
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.ftm"
            path.write_bytes(data)
            chance = random.Random(int(rng.integers(0, 1 << 62)))
            return altered(Opened(path), chance).write(path).read_bytes()
    changed = _inside_zip(data, other, rng)
    with zipfile.ZipFile(io.BytesIO(changed)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    try:
        header = json.loads(members["header.json"])
        sums = {name.removesuffix(".npy"): hashlib.sha256(x).hexdigest() for name, x in members.items()}
        header["sha256"] = {name: value for name, value in sums.items() if name != "header.json"}
    except (KeyError, TypeError, ValueError, RecursionError):
        return changed
    members["header.json"] = json.dumps(header).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _glb(folder: Path) -> Target:
    clips = [made_clip(layout, frames=3) for layout in (usual_layout(), moving_layout())]
    seeds = written(folder, "x.glb", *[clip.changed(unit_m=0.01) for clip in clips])
    return Target("glb", "x.glb", seeds, inside=_inside_glb)


def _inside_glb(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Damage the JSON or the binary chunk, with lengths that fit."""
    length = struct.unpack_from("<I", data, 12)[0]
    text, binary = data[20 : 20 + length], data[28 + length :]
    if rng.random() < 0.8:
        text = mutate(text, text, rng)
    else:
        binary = mutate(binary, binary, rng)
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def _gltf(folder: Path) -> Target:
    clip = made_clip(usual_layout(), frames=3).changed(unit_m=0.01)
    seeds = written(folder, "x.gltf", clip)
    beside = [(p.name, p.read_bytes()) for p in sorted(folder.glob("*.bin"))]
    return Target("gltf", "x.gltf", seeds, tuple(beside))


def _fbx(folder: Path) -> Target:
    clips = [made_clip(usual_layout(), frames=3, seed=k).changed(unit_m=0.01, name=f"take {k}") for k in (1, 2)]
    return Target("fbx", "x.fbx", written(folder, "x.fbx", clips[0], clips))


def _trc(folder: Path) -> Target:
    return Target("trc", "x.trc", written(folder, "x.trc", replace(_points(), unit_m=0.001)))


def _mot(folder: Path) -> Target:
    return Target(
        "mot", "x.mot", written(folder, "x.mot", made_clip(usual_layout(), frames=3).changed(unit_m=0.01), _stroke())
    )


def _usd(ending: str) -> Callable[[Path], Target]:
    def make(folder: Path) -> Target:
        clips = [made_clip(usual_layout(), frames=3, seed=k).changed(unit_m=0.01, name=f"take {k}") for k in (1, 2)]
        return Target(ending, f"x.{ending}", written(folder, f"x.{ending}", clips[0], clips))

    return make


def _obj(folder: Path) -> Target:
    ft.write(folder / "mesh", _mesh())
    files = sorted((folder / "mesh").iterdir())
    first, *others = [f for f in files if f.suffix == ".obj"]
    beside = [(f.name, f.read_bytes()) for f in files if f != first]
    return Target("obj", first.name, (first.read_bytes(), others[0].read_bytes()), tuple(beside))


def _abc(folder: Path) -> Target:
    return Target("abc", "x.abc", written(folder, "x.abc", _mesh()))


def _skin(folder: Path) -> Target:
    """Return characters, whose skin is also read when a clip is retargeted to them."""
    seeds = [
        skinned(bent=bent, prop=prop).save(folder / "hero.glb").read_bytes()
        for bent, prop in ((False, False), (True, True))
    ]
    return Target(
        "skin", "x.glb", tuple(seeds), inside=_inside_glb, read=partial(ft.read, mesh=True, warn=lambda note: None)
    )


def _usd_shard(folder: Path) -> Target:
    return Target("usd shard", "x.usdc", (shard_of(folder, "usdc"),), read=read_shard)


def _urdf(folder: Path) -> Target:
    return Target("urdf", "x.urdf", (urdf().encode(),), read=read_robot)


def _mjcf(folder: Path) -> Target:
    return Target("mjcf", "x.xml", (mjcf().encode(),), read=read_robot)


_MAKERS: dict[str, Callable[[Path], Target]] = {
    "bvh": _bvh,
    "asf": _asf,
    "amc": _amc,
    "c3d": _c3d,
    "csv": _csv,
    "npz": _npz,
    "ftm": _ftm,
    "paper": _paper,
    "texture": _texture,
    "density": _density,
    "style": _style,
    "gaits": _gaits,
    "glb": _glb,
    "gltf": _gltf,
    "obj": _obj,
    "fbx": _fbx,
    "trc": _trc,
    "mot": _mot,
    "usda": _usd("usda"),
    "usdc": _usd("usdc"),
    "abc": _abc,
    "skin": _skin,
    "usd shard": _usd_shard,
    "urdf": _urdf,
    "mjcf": _mjcf,
}
TARGETS = (*_MAKERS, *SIDE_FILES)
