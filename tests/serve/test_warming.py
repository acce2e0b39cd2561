"""Compiling in the background: missing kernels are known, and progress ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake import samples
from freshtake.motion.planting import plant
from freshtake.numeric.compiled import has_machine_code
from freshtake.serve.processes import Warming, steps_to_compile
from freshtake.workflows.compiling import STEPS


def test_what_was_compiled_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    plant(samples.walk(np.random.default_rng(0), cycles=1))
    assert has_machine_code("numeric.smooth_path.solve_banded")
    assert not has_machine_code("numeric.smooth_path.no_such_function")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert steps_to_compile() == [name for name in STEPS if name != "clips on other skeletons"], "nothing is here yet"


def test_a_step_is_compiled_in_its_process_and_the_end_is_published() -> None:
    heard: list[dict[str, Any]] = []
    warming = Warming(heard.append, ["planting"])
    try:
        warming._thread.join(120.0)
        assert heard[-1] == {"warming": None} and warming.now is None
        assert warming._process is not None
        warming._process.process.join(120.0)
        assert warming._process.process.exitcode == 0, "all is compiled"
        assert all(event["warming"]["seconds_left"] > 0 for event in heard[:-1])
    finally:
        warming.close()
