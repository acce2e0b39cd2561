"""Files that are not what their name says, or no files at all."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

from tests.broken.bvh_files import GOOD
from tests.broken.case import Case

HTML = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
RUBBISH = bytes(range(256)) * 40
NAMES = (
    *("clip.bvh", "clip.amc", "skeleton.asf", "points.c3d", "scene.glb", "scene.gltf", "clip.npz", "stroke.csv"),
    *("x.usda", "x.usdc", "x.fbx", "x.trc", "x.mot"),
)


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("clip.bvh", GOOD)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unreadable_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere.bvh"))


def loop(path: Path) -> None:
    path.symlink_to(path)


ANYTHING = (
    *[Case(f"empty {name}", name, b"", (name, "the file is empty")) for name in NAMES],
    *[Case(f"rubbish {name}", name, RUBBISH, (name,)) for name in NAMES],
    *[Case(f"web page as {name}", name, HTML, (name, "this is a web page", "download")) for name in NAMES],
    Case("gzip of a bvh", "clip.bvh", gzip.compress(GOOD.encode(), mtime=0), ("clip.bvh", "unpack it first")),
    Case("zip of a bvh", "clip.bvh", zipped, ("clip.bvh",)),
    Case("utf-16 bvh", "clip.bvh", GOOD.encode("utf-16"), ("clip.bvh", "UTF-16", "save it as UTF-8")),
    Case("missing file", "clip.bvh", lambda path: None, ("clip.bvh", "there is no such file")),
    Case("folder named like a file", "clip.bvh", lambda path: path.mkdir(), ("clip.bvh",)),
    Case("pipe", "clip.bvh", pipe, ("clip.bvh", "not a regular file")),
    Case("dangling link", "clip.bvh", unreadable_link, ("clip.bvh", "there is no such file")),
    Case("link to itself", "clip.bvh", loop, ("clip.bvh",)),
    Case("name with a null", "clip\0.bvh", lambda path: None, ("clip",)),
    Case("name too long", "x" * 5000 + ".bvh", lambda path: None, ("cannot be read",)),
    Case("unknown ending", "clip.xyz", RUBBISH, ("clip.xyz", "this format cannot be read", "BVH (.bvh)")),
    Case("no ending", "clip", "hello\n", ("clip", "this format cannot be read")),
)
