"""Coverage-guided fuzzing of one reader: python -m tests.fuzz.guided TARGET [--seconds 1200] [--keep fuzz-failures].

Needs atheris, which is no requirement of ours: install it into an environment of its own next to freshtake. The readers
are instrumented as they are imported, so that inputs which reach new branches are kept and damaged further; the first
input that ends in anything but a sentence of ours ends the run and is written to the folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

# Packages with readers; modules with compiled functions are left out, since numba reads their code.
INSTRUMENTED = ["freshtake.formats", "freshtake.crowd", "freshtake.bridge", "freshtake.requests", "freshtake.workflows"]
LONGEST = 1 << 16  # bytes of an input


def main() -> None:
    """Run one target until the time is over or an input fails."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzz.child import complaint, limit_memory
        from tests.fuzz.seeds import TARGETS, make_target
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="freshtake-guided-"))
    target = make_target(options.target, folder)
    scene, corpus = folder / "scene", folder / "corpus"
    for place in (scene, corpus, options.keep):
        place.mkdir(parents=True, exist_ok=True)
    for name, content in target.beside:
        (scene / name).write_bytes(content)
    for number, content in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(content)
    path = scene / target.file

    def one_input(data: bytes) -> None:
        path.write_bytes(data)
        problem = complaint(scene if target.name == "obj" else path, reader=target.read)
        if problem:
            raise AssertionError(problem)

    limit_memory()
    atheris.Setup(
        [
            sys.argv[0], str(corpus), f"-max_total_time={options.seconds}", f"-max_len={LONGEST}",
            f"-artifact_prefix={options.keep}/{target.name.replace(' ', '_')}-", "-rss_limit_mb=4000",
            "-timeout=60", "-print_final_stats=1",
        ],
        one_input,
    )  # fmt: skip
    atheris.Fuzz()


if __name__ == "__main__":
    main()
