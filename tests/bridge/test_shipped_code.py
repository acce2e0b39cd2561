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
