"""Regenerate the tables of docs/results and the pictures of the README: python -m benchmarks.figures [NAME ...].

`docs/results/figures.json` names for each table its page and the command that prints it, and for each picture its
command. A table is in its page between `<!-- figures: NAME -->` and `<!-- end -->`; a run replaces what is between the
two and records the date, the digest of the takes and that of the text, so that `tests/test_figures.py` notices numbers
that were changed by hand. The takes are those of the folder that FRESHTAKE_DATA names. Without it, sample takes are
measured instead, and everything is written to a folder of its own (--out): pages keep what recorded takes gave.
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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft

HOME = Path(__file__).resolve().parents[1]
RECORD = HOME / "docs" / "results" / "figures.json"
SAMPLES = {"walk": ft.samples.walk, "jump": ft.samples.jump, "cheering": ft.samples.cheer}
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


def digest_of_folder(folder: Path) -> str:
    """Return a digest of the takes in a folder: their names and bytes."""
    takes = sorted(path for path in folder.rglob("*") if path.suffix in {".bvh", ".csv"})
    return digest("".join(f"{path.relative_to(folder)} {digest(path.read_bytes())}\n" for path in takes).encode())


def write_samples(folder: Path) -> None:
    """Write sets of generated takes in the layout of the recorded ones: four inputs and four further takes each."""
    for kind, make in SAMPLES.items():
        (folder / kind).mkdir(parents=True)
        for number in range(8):
            name = f"{kind}_{number + 1}" if number < 4 else f"extra_{number - 3}"
            ft.write(folder / kind / f"{name}.bvh", make(np.random.default_rng(number)))


def output_of(command: str, data: Path) -> str:
    """Run a module of this repository, or a script, and return what it prints."""
    words = shlex.split(command)
    line = [sys.executable, *(["-m"] if words[0].startswith("benchmarks.") else []), *words]
    print(command, file=sys.stderr, flush=True)
    done = subprocess.run(
        line, cwd=HOME, env=os.environ | {"FRESHTAKE_DATA": str(data)}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stderr}")
    return done.stdout.strip()


def make_tables(record: Record, names: list[str], data: Path, out: Path | None) -> None:
    """Print the tables again, into their pages or, with a folder, into files of it."""
    for name in names:
        entry = record["tables"][name]
        text = output_of(entry["command"], data)
        if out is not None:
            (out / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
            continue
        page = HOME / entry["page"]
        before = page.read_text(encoding="utf-8")
        place = block(before, name)
        page.write_text(f"{before[: place.start(1)]}\n{text}\n\n{before[place.end(1) :]}", encoding="utf-8")
        today = datetime.now(UTC).date().isoformat()
        entry |= {"date": today, "takes": digest_of_folder(data), "text": digest(text.encode())}


def make_pictures(record: Record, names: list[str], data: Path, out: Path | None) -> None:
    """Draw the pictures again: a command writes into a folder, of which one file is the picture."""
    for name in names:
        entry = record["pictures"][name]
        with tempfile.TemporaryDirectory() as folder:
            output_of(f"{entry['command']} {shlex.quote(folder)}", data)
            drawn = (Path(folder) / Path(name).name).read_bytes()
        (HOME / name if out is None else out / Path(name).name).write_bytes(drawn)
        if out is None:
            entry |= {"date": datetime.now(UTC).date().isoformat(), "bytes": digest(drawn)}


def main() -> None:
    record: Record = json.loads(RECORD.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*record["tables"], *record["pictures"], []], help="default: all")
    parser.add_argument("--out", type=Path, default=Path("figures-of-samples"))
    given = parser.parse_args()
    chosen = given.names or [*record["tables"], *record["pictures"]]
    named = os.environ.get("FRESHTAKE_DATA")
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(named).resolve() if named else Path(scratch)
        out = None if named else given.out
        if out is not None:
            write_samples(data)
            out.mkdir(parents=True, exist_ok=True)
            # Strokes and other performers have no generated counterpart.
            chosen = [name for name in chosen if not record["tables"].get(name, {}).get("recorded only")]
        try:
            make_tables(record, [name for name in chosen if name in record["tables"]], data, out)
            make_pictures(record, [name for name in chosen if name in record["pictures"]], data, out)
        finally:  # keep the digests of those that were made before one failed
            if out is None:
                RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"made {', '.join(chosen)} " + (f"in {out}, from samples" if out else f"from {data.name}"))


if __name__ == "__main__":
    main()
