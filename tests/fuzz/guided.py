"""Coverage-guided fuzzing of readers: python -m tests.fuzz.guided [TARGET ...] [--seconds 1200] [--keep fuzz-failures].

Runs one target after another (all targets if none is named), each for a number of seconds of processor time, so a run
on a busy machine does the same work. Prints a row for each.

Needs atheris, which freshtake does not require: install it into a separate environment next to freshtake. Readers are
instrumented as they are imported, so inputs that reach new branches are kept and damaged further. Half of the
damage comes from libFuzzer, the other half from `tests.fuzz.mutate`, which also damages the inside of containers and
corrects their checksums. Models are loaded, not used: `python -m tests.fuzz` uses them. Every kind of failure is
written to the folder once, with its traceback. `--corpus` names a folder that inputs are read from and added to.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

FAILED = 3  # exit code of a target with failures
LONGEST = 1 << 16  # bytes of an input, unless a good file is longer than half of it


def main() -> None:
    """Run each target in a child process, since libFuzzer ends its process, until its time is over."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=1200, help="of processor time, for each target")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--corpus", type=Path, help="a folder with a folder for each target")
    options = parser.parse_args()
    with instrumented():  # once for all targets, which are forked from this process
        from tests.fuzz import child  # noqa: F401
        from tests.fuzz.seeds import TARGETS
    targets, failed = options.targets or TARGETS, False
    print(
        "| target | inputs | processor s | inputs kept for new branches | kinds of failures |\n|---|---|---|---|---|",
        flush=True,
    )
    for name in targets:
        with tempfile.TemporaryDirectory(prefix="freshtake-guided-") as scratch:
            process = os.fork()
            if process == 0:
                corpus = (options.corpus or Path(scratch, "corpus")) / name.replace(" ", "_")
                run(name, options.seconds, options.keep, corpus, Path(scratch))
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            failed |= code != 0
            if code not in (0, FAILED):
                print(f"| {name} | ended with code {code}: see {options.keep} | | | |", flush=True)
    sys.exit(int(failed))


def instrumented() -> AbstractContextManager[None]:
    """Count the branches of the readers that are imported meanwhile."""
    import atheris

    hooks: AbstractContextManager[None] = atheris.instrument_imports(include=["freshtake"], exclude=_compiled())
    return hooks


def run(name: str, seconds: int, keep: Path, corpus: Path, scratch: Path) -> None:
    """Fuzz one target in this process, and end it."""
    import atheris

    scene = scratch / "scene"
    for place in (scene, corpus, keep):
        place.mkdir(parents=True, exist_ok=True)
    # Readers are imported when they are first used: they have to be used here once.
    with instrumented():
        import numpy as np

        import freshtake as ft
        from tests.fuzz.child import complaint, limit_memory
        from tests.fuzz.mutate import mutate
        from tests.fuzz.seeds import make_target

        target = make_target(name, scratch)
        for beside, content in target.beside:
            (scene / beside).write_bytes(content)
        path = scene / target.file
        reader = ft.load if path.suffix == ".ftm" else target.read
        for number, content in enumerate(target.seeds):
            (corpus / f"good-{number}").write_bytes(content)
            path.write_bytes(content)
            assert not complaint(scene if target.name == "obj" else path, reader=reader)
    stem = target.name.replace(" ", "_")
    reported: set[str] = set()

    until, done = _worked() + seconds, 0

    def one_input(data: bytes) -> None:
        nonlocal done
        if _worked() > until:
            row = (target.name, f"{done:,}", seconds, len(list(corpus.iterdir())), len(reported))
            os.write(1, f"| {' | '.join(map(str, row))} |\n".encode())
            os._exit(FAILED if reported else 0)
        done += 1
        path.write_bytes(data)
        problem = complaint(scene if target.name == "obj" else path, reader=reader)
        if problem and (kind := _kind(problem)) not in reported:
            reported.add(kind)
            kept = keep / f"{stem}-{hashlib.sha256(data).hexdigest()[:12]}"
            kept.with_suffix(path.suffix).write_bytes(data)
            kept.with_suffix(".txt").write_text(problem, encoding="utf-8")
            print(f"FAILURE {kept}: {problem.strip().splitlines()[-1]}", flush=True)

    def damage(data: bytes, most: int, seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        other = target.seeds[int(rng.integers(0, len(target.seeds)))]
        if target.inside is None or rng.random() < 0.3:
            return mutate(data, other, rng)[:most]
        try:
            return target.inside(data, other, rng)[:most]
        except Exception:  # only a complete container can be opened and damaged inside
            return target.inside(other, other, rng)[:most]

    limit_memory()
    longest = max(LONGEST, *[2 * len(seed) for seed in target.seeds])
    atheris.Setup(
        [
            sys.argv[0], str(corpus), f"-max_len={longest}", f"-artifact_prefix={keep}/{stem}-", "-rss_limit_mb=4000",
            "-timeout=3600", "-verbosity=0",
        ],
        one_input,
        custom_mutator=damage,
    )  # fmt: skip
    atheris.Fuzz()


def _worked() -> float:
    """Return the seconds of processor time so far, including ended children, in which some readers work."""
    return sum(os.times()[:4])


def _compiled() -> list[str]:
    """Return the modules with compiled functions: numba reads their code, which must not be instrumented."""
    source = Path(__file__).resolve().parents[2] / "src"
    paths = [path for path in source.rglob("*.py") if "numeric.compiled" in path.read_text(encoding="utf-8")]
    return [".".join(path.relative_to(source).with_suffix("").parts) for path in paths]


def _kind(problem: str) -> str:
    """Return a key that failures of one cause share: the locations in a traceback, or the sentence without its file."""
    lines = [line for line in problem.splitlines() if line.strip().startswith("File ")]
    return "\n".join(lines) or problem[:30]


if __name__ == "__main__":
    main()
