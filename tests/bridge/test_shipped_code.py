"""Machine code shipped with an extension is used if and only if it fits."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from freshtake.bridge import shipped_code
from freshtake.numeric.processors import PROCESSORS

PROGRAM = """
import os, sys
from pathlib import Path
from freshtake.bridge import shipped_code
shipped_code.use(Path(sys.argv[1]), Path(sys.argv[2]))
from freshtake.numeric import compiled
print([shipped_code.in_use(), os.environ.get("NUMBA_CPU_NAME"), compiled._folders])
"""

COMPARED = """
import sys
import zipfile
import numpy as np
from freshtake.bridge import shipped_code
if sys.argv[1]:
    shipped_code.aim_at(sys.argv[1])
from freshtake.numeric.compiled import keep_machine_code_in
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
    for name, features in list(PROCESSORS.items()):
        monkeypatch.setitem(PROCESSORS, name, (*features, "what no processor has"))
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


def test_a_wheel_with_machine_code_is_a_wheel(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "build_wheel", Path(__file__).parents[2] / "integrations/build_wheel.py"
    )
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    info = "freshtake-1.0.dist-info"
    with zipfile.ZipFile(tmp_path / "freshtake-1.0-py3-none-any.whl", "w") as pure:
        pure.writestr("freshtake/__init__.py", "")
        pure.writestr(f"{info}/METADATA", "Name: freshtake\nRequires-Dist: numba>=0.61\n\n# Title\n\ntext\n")
        pure.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        pure.writestr(f"{info}/RECORD", "old")
    code = tmp_path / "code/x86-64-v3/freshtake.numeric.dtw"
    code.mkdir(parents=True)
    (code / "dtw.costs.nbc").write_bytes(b"code")
    target = tmp_path / tool.with_tag("freshtake-1.0-py3-none-any.whl")
    for _ in range(2):
        tool.repack(tmp_path / "freshtake-1.0-py3-none-any.whl", target, tmp_path / "code", ["numba==0.68.1"])
        first = target.read_bytes()
    assert first == target.read_bytes() and f"-cp3{sys.version_info.minor}-" in target.name
    with zipfile.ZipFile(target) as wheel:
        members = {name: wheel.read(name) for name in wheel.namelist()}
    assert members["freshtake/machine_code/x86-64-v3/freshtake.numeric.dtw/dtw.costs.nbc"] == b"code"
    head, _, text = members[f"{info}/METADATA"].decode().partition("\n\n")
    assert "Requires-Dist: numba==0.68.1" in head.splitlines() and text == "# Title\n\ntext\n"
    assert f"Tag: {tool.tag()}" in members[f"{info}/WHEEL"].decode().splitlines()
    rows = [line.split(",") for line in members[f"{info}/RECORD"].decode().splitlines()]
    assert {row[0] for row in rows} == members.keys()
    for name, checksum, size in rows[:-1]:
        assert (checksum, int(size)) == (tool.checksum(members[name]), len(members[name]))
