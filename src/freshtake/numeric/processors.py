"""Processors for which machine code is shipped, and recognition of this computer's processor, without loading numba."""

import platform

# Levels of processors by LLVM's names, best first. Intel has x86-64-v3 since 2013, AMD since 2015.
V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
PROCESSORS = {
    "x86-64-v3": (*V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
    "x86-64-v2": V2,
}
MACHINES = ("x86_64", "AMD64")


def processors() -> tuple[str, ...]:
    """Return the processors of the shipped machine code that runs here, best first."""
    if platform.machine() not in MACHINES:
        return ()
    from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

    has = get_host_cpu_features()
    return tuple(name for name, features in PROCESSORS.items() if all(has.get(feature) for feature in features))
