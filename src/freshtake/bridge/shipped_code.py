"""Machine code that comes with an extension, compiled when the extension was built, for a processor most users have.

    python -m freshtake.bridge.shipped_code FOLDER     compile everything into FOLDER, for the processor below

Kernels give the same bits as when they are compiled for the processor at hand: which registers are used differs, the
order of additions does not.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from freshtake import __version__

FACTS = "made_for.json"
# What a processor can do, as LLVM calls it: x86-64-v3 is what Intel has since 2013 and AMD since 2015.
PROCESSORS = {
    "x86-64-v3": (
        "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
        "sse4.2", "ssse3", "xsave",
    )
}  # fmt: skip
OF_MACHINE = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3"}
_in_use: list[Path] = []


def use(shipped: Path | None, cache: Path | None) -> None:
    """Look for machine code in `shipped`, where it fits this computer, and keep what is compiled in `cache`.

    To be called before numba is loaded, because kernels that are not there are compiled for the same processor.
    """
    made_for = None if shipped is None else read_facts(shipped)
    if shipped is not None and made_for is not None and "NUMBA_CPU_NAME" not in os.environ and made_for == facts():
        aim_at(made_for["processor"])
        _in_use.append(shipped)
    folders = [*_in_use, *([] if cache is None else [cache])]
    if folders:
        from freshtake.numeric.machine_code import keep_machine_code_in

        keep_machine_code_in(*map(str, folders))


def in_use() -> bool:
    """Whether this process has machine code that came with it, so that nothing has to be compiled."""
    return bool(_in_use)


def aim_at(processor: str) -> None:
    """Have numba compile for this processor, and for no more than it can do."""
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor, ""


def read_facts(folder: Path) -> Any:
    """What the machine code in a folder was made for; None where there is none."""
    try:
        return json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def facts() -> dict[str, str]:
    """What machine code has to be made for to run here."""
    return {
        "processor": processor(),
        "system": sys.platform,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "freshtake": __version__,
        **{name: version(name) for name in ("numba", "llvmlite")},
    }


def processor() -> str:
    """The one of our processors that this computer has; empty where it has none of them."""
    name = OF_MACHINE.get(platform.machine(), "")
    if not name:
        return ""
    from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

    has = get_host_cpu_features()
    return name if all(has.get(feature) for feature in PROCESSORS[name]) else ""


def main() -> None:
    """Compile everything into a folder."""
    folder, made_for = Path(sys.argv[1]), facts()
    if not made_for["processor"]:
        sys.exit("this computer's processor is none that machine code is shipped for")
    aim_at(made_for["processor"])
    from freshtake.numeric.machine_code import keep_machine_code_in
    from freshtake.workflows.warming_up import warm_up

    keep_machine_code_in(str(folder))
    warm_up()
    (folder / FACTS).write_text(json.dumps(made_for), encoding="utf-8")


if __name__ == "__main__":
    main()
