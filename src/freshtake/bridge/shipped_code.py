"""Machine code that ships with an extension, compiled for a common processor when the extension was built.

    python -m freshtake.bridge.shipped_code FOLDER [PROCESSOR [STEP ...]]     compile into FOLDER, for a processor

Compiled functions give the same bits as if compiled for the local processor: the registers differ, but not the order of
additions.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from freshtake import __version__
from freshtake.numeric.processors import processors

FACTS = "made_for.json"
_in_use: list[Path] = []


def use(shipped: Path | None, cache: Path | None) -> None:
    """Use the machine code in `shipped` if it fits this computer, and cache newly compiled code in `cache`.

    Call this before numba is imported, because missing functions are compiled for the same processor.
    """
    made_for = None if shipped is None else read_facts(shipped)
    if shipped is not None and made_for is not None and "NUMBA_CPU_NAME" not in os.environ and made_for == facts():
        aim_at(made_for["processor"])
        _in_use.append(shipped)
    folders = [*_in_use, *([] if cache is None else [cache])]
    if folders:
        from freshtake.numeric.compiled import keep_machine_code_in

        keep_machine_code_in(*map(str, folders))


def in_use() -> bool:
    """Return whether this process uses shipped machine code, so nothing has to be compiled."""
    return bool(_in_use)


def aim_at(processor: str) -> None:
    """Make numba compile for this processor, without other features of the host."""
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor, ""


def read_facts(folder: Path) -> Any:
    """Return the facts that the machine code in a folder was made for; None if there are none."""
    try:
        return json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def facts() -> dict[str, str]:
    """Return the facts that machine code must match to run here."""
    return {
        "processor": processor(),
        "system": sys.platform,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "freshtake": __version__,
        **{name: version(name) for name in ("numba", "llvmlite")},
    }


def processor() -> str:
    """Return the best supported processor whose code this computer can run; empty if there is none."""
    return next(iter(processors()), "")


def main() -> None:
    """Compile everything, or some steps of `warm_up`, into a folder."""
    folder, made_for = Path(sys.argv[1]), facts()
    made_for["processor"] = sys.argv[2] if len(sys.argv) > 2 else made_for["processor"]
    if not made_for["processor"]:
        sys.exit("no machine code is shipped for this computer's processor")
    aim_at(made_for["processor"])
    from freshtake.numeric.compiled import keep_machine_code_in
    from freshtake.workflows.compiling import warm_up

    keep_machine_code_in(str(folder))
    warm_up(steps=sys.argv[3:] or None)
    (folder / FACTS).write_text(json.dumps(made_for), encoding="utf-8")


if __name__ == "__main__":
    main()
