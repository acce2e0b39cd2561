"""Machine code that came with an extension is used where it fits, and only there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from freshtake.bridge import shipped_code

PROGRAM = """
import os, sys
from pathlib import Path
from freshtake.bridge import shipped_code
shipped_code.use(Path(sys.argv[1]), Path(sys.argv[2]))
from freshtake.numeric import machine_code
print([shipped_code.in_use(), os.environ.get("NUMBA_CPU_NAME"), machine_code._folders])
"""

COMPARED = """
import sys
import numpy as np
from freshtake.bridge import shipped_code
if sys.argv[1]:
    shipped_code.aim_at(sys.argv[1])
from freshtake.numeric.machine_code import keep_machine_code_in
keep_machine_code_in(sys.argv[2])
from freshtake.numeric.dtw import costs
from freshtake.numeric.limb_kernels import carry_into
rng = np.random.default_rng(0)
a, b, quaternions = (rng.normal(size=size) for size in ((40, 37), (50, 37), (40, 4)))
out = np.empty((40, 3))
for quaternion, vector, row in zip(quaternions, a, out):
    carry_into(quaternion, vector[:3], row)
print(costs(a, b).tobytes().hex(), out.tobytes().hex())
"""


def used(shipped: Path, **environment: str) -> str:
    own = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_CPU")}
    own["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", PROGRAM, str(shipped), "/cache"]
    return subprocess.run(
        command, env={**own, **environment}, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.skipif(not shipped_code.processor(), reason="machine code is not shipped for this processor")
def test_it_is_used_where_everything_fits(tmp_path: Path) -> None:
    facts = shipped_code.facts()
    (tmp_path / shipped_code.FACTS).write_text(json.dumps(facts))
    assert used(tmp_path) == str([True, facts["processor"], [str(tmp_path), "/cache"]])
    assert used(tmp_path, NUMBA_CPU_NAME="generic") == str([False, "generic", ["/cache"]])


@pytest.mark.parametrize("key", ["processor", "python"])
def test_what_was_made_for_something_else_is_not_used(tmp_path: Path, key: str) -> None:
    (tmp_path / shipped_code.FACTS).write_text(json.dumps({**shipped_code.facts(), key: "other"}))
    assert used(tmp_path) == str([False, None, ["/cache"]])


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_file_that_says_nothing_is_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / shipped_code.FACTS).write_text(text)
    assert shipped_code.read_facts(tmp_path) in (None, [])
    assert shipped_code.read_facts(tmp_path / "nothing") is None


def test_a_processor_that_lacks_something_has_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, features in shipped_code.PROCESSORS.items():
        monkeypatch.setitem(shipped_code.PROCESSORS, name, (*features, "what no processor has"))
    assert shipped_code.processor() == ""


@pytest.mark.skipif(not shipped_code.processor(), reason="machine code is not shipped for this processor")
def test_its_results_are_those_of_this_computers_own_machine_code(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_CPU")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    results = [
        subprocess.run(
            [sys.executable, "-c", COMPARED, processor, str(tmp_path / "code")],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout
        for processor in ("", shipped_code.processor())
    ]  # fmt: skip
    assert results[0] == results[1] and len(results[0]) > 1000
