"""Remake the tables of docs/results and the pictures of the manual: python -m benchmarks.figures [NAME ...].

`docs/results/figures.json` names for each table its page and the command that prints it, and for each picture
the command that draws it and the file it writes. A table is in its page between `<!-- figures: NAME -->` and
`<!-- end -->`. A run replaces the text between the two and records the date, the version, and digests of the takes and
of the text, so `tests/test_figures.py` notices numbers changed by hand. The takes are those of the
folder that FRESHTAKE_DATA names. Without it, sample takes are measured, and all results are written to a separate
folder (--out), so pages keep the figures of recorded takes. `--only` chooses pages ("style") or single tables and
pictures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft

HOME = Path(__file__).resolve().parents[1]
RECORD = HOME / "docs" / "results" / "figures.json"
Record = dict[str, dict[str, dict[str, Any]]]


def digest(data: bytes) -> str:
    """Return 16 hexadecimal digits that change with the data."""
    return hashlib.sha256(data).hexdigest()[:16]


def block(page: str, name: str) -> re.Match[str]:
    """Return the match of a marked table in the text of a page; its group is the table."""
    marked = re.search(rf"<!-- figures: {name} -->\n(.*?)<!-- end -->", page, re.DOTALL)
    if marked is None:
        raise SystemExit(f"there is no block <!-- figures: {name} --> ... <!-- end --> in the page of {name}")
    return marked


def version() -> str:
    """Return the version and, in a clone, the current commit; "+" if the tree differs from it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    return " ".join([ft.__version__, *done.stdout.split()])


def digest_of_folder(folder: Path) -> str:
    """Return a digest of the takes in a folder: their names and bytes."""
    takes = sorted(path for path in folder.rglob("*") if path.suffix in {".bvh", ".csv"})
    return digest("".join(f"{path.relative_to(folder)} {digest(path.read_bytes())}\n" for path in takes).encode())


def sample_takes() -> Iterator[tuple[str, ft.Clip]]:
    """Yield generated takes under the paths of recorded takes: sets, long takes, gaits and styles."""

    def rng(*seed: int) -> np.random.Generator:
        return np.random.default_rng(seed)

    for kind, make in {"walk": ft.samples.walk, "jump": ft.samples.jump, "cheering": ft.samples.cheer}.items():
        for number in range(8):
            name = f"{kind}_{number + 1}" if number < 4 else f"extra_{number - 3}"
            yield f"{kind}/{name}", make(rng(number))
    yield "cyclic/walk_straight", ft.samples.walk(rng(10), cycles=12)
    yield "cyclic/walk_circle", ft.samples.walk(rng(11), cycles=12, turn_rate=20.0)
    for number, who in enumerate(("male", "female")):
        yield f"okwechime/bvh/{who}_walk", ft.samples.walk(rng(20, number), cycles=8, fps=30.0)
        yield f"okwechime/bvh/{who}_run", ft.samples.run(rng(21, number), cycles=8, fps=30.0)
        yield f"okwechime/bvh/{who}_skip", ft.samples.skip(rng(22, number), cycles=8, fps=30.0)
    for style, count in {"normal": 5, "limp": 2, "crouch": 2}.items():
        for number in range(count):
            clip = ft.samples.walk(rng(30, len(style), number), cycles=4, style=style)
            yield f"style/{style}_{number + 1}", clip


def write_samples(folder: Path) -> None:
    """Write generated takes in the layout of the recorded takes."""
    for name, clip in sample_takes():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        ft.write(folder / f"{name}.bvh", clip)
    (folder / "mesh").mkdir()
    ft.write(folder / "mesh" / "flag.npz", ft.samples.flag(np.random.default_rng(0), frames=300))


def output_of(command: str, data: Path) -> str:
    """Run a module of this repository, or a script, and return its output."""
    words = shlex.split(command)
    module = words[0].startswith(("benchmarks.", "tests."))
    line = [sys.executable, *(["-m"] if module else []), *words]
    print(command, end=" ", file=sys.stderr, flush=True)
    begun = time.perf_counter()
    done = subprocess.run(
        line, cwd=HOME, env=os.environ | {"FRESHTAKE_DATA": str(data)}, capture_output=True, text=True
    )
    print(f"{time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stderr}")
    return done.stdout.strip()


def put_table(entry: dict[str, Any], name: str, text: str, takes: str) -> None:
    """Write a table into its page, and record its origin."""
    page = HOME / entry["page"]
    before = page.read_text(encoding="utf-8")
    place = block(before, name)
    page.write_text(f"{before[: place.start(1)]}\n{text}\n\n{before[place.end(1) :]}", encoding="utf-8")
    today = datetime.now(UTC).date().isoformat()
    entry |= {"date": today, "version": version(), "takes": takes, "text": digest(text.encode())}
    entry.pop("earlier", None)  # a table printed by an earlier version says so above it


def make_tables(record: Record, names: list[str], data: Path, out: Path | None) -> None:
    """Reprint the tables, into their pages or, with a folder, into files there."""
    for name in names:
        entry = record["tables"][name]
        text = output_of(entry["command"], data)
        if out is None:
            put_table(entry, name, text, digest_of_folder(data))
        else:
            (out / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")


def make_pictures(record: Record, names: list[str], data: Path, out: Path | None) -> None:
    """Redraw the pictures: commands write into the folder that replaces FOLDER in them.

    Pictures that share a command are drawn by one run of it.
    """
    commands = dict.fromkeys(record["pictures"][name]["command"] for name in names)
    for command in commands:
        with tempfile.TemporaryDirectory() as folder:
            output_of(command.replace("FOLDER", shlex.quote(folder)), data)
            for name in (name for name in names if record["pictures"][name]["command"] == command):
                entry = record["pictures"][name]
                drawn = (Path(folder) / entry.get("file", Path(name).name)).read_bytes()
                (HOME / name if out is None else out / Path(name).name).write_bytes(drawn)
                if out is None:
                    today = datetime.now(UTC).date().isoformat()
                    entry |= {"date": today, "version": version(), "bytes": digest(drawn)}


def chosen(record: Record, only: list[str]) -> list[str]:
    """Return the tables and pictures named by the words: directly, or by the stem of their page or file."""
    pages = {name: Path(entry["page"]).stem for name, entry in record["tables"].items()}
    stems = pages | {name: Path(name).stem for name in record["pictures"]}
    unknown = [word for word in only if word not in {*stems, *stems.values()}]
    if unknown:
        raise SystemExit(f"there is no table, page or picture {', '.join(unknown)}: choose from {', '.join(stems)}")
    return [name for name, stem in stems.items() if not only or name in only or stem in only]


def main() -> None:
    record: Record = json.loads(RECORD.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="default: all")
    parser.add_argument("--out", type=Path, default=Path("figures-of-samples"))
    given = parser.parse_args()
    names = chosen(record, given.only)
    named = os.environ.get("FRESHTAKE_DATA")
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(named).resolve() if named else Path(scratch)
        out = None if named else given.out
        if out is not None:
            write_samples(data)
            out.mkdir(parents=True, exist_ok=True)
            # Strokes and other performers have no generated counterpart.
            names = [name for name in names if not record["tables"].get(name, {}).get("recorded only")]
        try:
            make_tables(record, [name for name in names if name in record["tables"]], data, out)
            make_pictures(record, [name for name in names if name in record["pictures"]], data, out)
        finally:  # keep the digests of tables made before a failure
            if out is None:
                RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"made {', '.join(names)} " + (f"in {out}, from samples" if out else f"from {data.name}"))


if __name__ == "__main__":
    main()
