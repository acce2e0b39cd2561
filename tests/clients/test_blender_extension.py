"""The extension's zip in Blender's own process: installed into an empty profile, used, killed, uninstalled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from integrations.build_blender import version_of

from freshtake.bridge import shipped_code
from freshtake.bridge.job_request import arrays_of
from freshtake.bridge.messages import packed
from freshtake.motion.cycles.cycles import require_cycles
from tests.bridge.conftest import walks
from tests.clients.conftest import ROOT, run_in_blender

pytestmark = pytest.mark.client


@pytest.fixture(scope="session")
def archive(each_blender: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip for this platform and Blender's Python, newly built, or found in the folder FRESHTAKE_DIST."""
    python = version_of(each_blender).replace(".", "")
    out = Path(os.environ.get("FRESHTAKE_DIST", tmp_path_factory.getbasetemp() / f"dist-{python}"))
    if not list(out.glob(f"*-py{python}.zip")):
        build = [each_blender, ROOT / "integrations/build_blender.py", "--blender", each_blender, "--out", out]
        subprocess.run(build, check=True)
    (made,) = out.glob(f"*-py{python}.zip")
    return made


@pytest.fixture(scope="session")
def found(archive: Path, each_blender: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in one Blender."""
    folder = tmp_path_factory.mktemp("profile")
    values, arrays = packed([arrays_of(clip) for clip in walks(4, cycles=3)])
    np.savez(folder / "takes.npz", values=json.dumps(values), **arrays)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLENDER_USER_RESOURCES", str(folder / "profile"))
        patch.delenv("PYTHONPATH", raising=False)  # the library has to be the one in the zip
        run_in_blender(
            each_blender, "extension.py", archive, folder / "takes.npz", folder / "found.json", seconds=1800.0
        )
    read: dict[str, Any] = json.loads((folder / "found.json").read_text())
    print(json.dumps({key: value for key, value in read.items() if key != "small"}, indent=1), file=sys.stderr)
    return read


def test_it_installs_into_an_empty_profile_and_loads_nothing_heavy_there(found: dict[str, Any]) -> None:
    installed = found["installed"]
    assert installed["enabled"]
    assert "/profile/" in installed["library"].replace("\\", "/")
    assert not installed["numba_here"]


def test_a_job_gives_what_the_library_gives(found: dict[str, Any]) -> None:
    expected = [
        {"clip": k, "start": int(first), "stop": int(last) + 1}
        for k, cycles in enumerate(require_cycles(walks(4, cycles=3)))
        for first, last in cycles.spans
    ]
    assert found["small"]["pieces"] == expected


def test_killed_in_the_middle_it_says_so_and_goes_on(found: dict[str, Any]) -> None:
    assert found["killed"]["cancelled"] == "cancelled"
    assert found["killed"]["crashed"].startswith("freshtake's process ended unexpectedly (code -9")
    assert found["after"]["pieces"] == found["small"]["pieces"]


def test_nothing_of_it_keeps_blender_waiting(found: dict[str, Any]) -> None:
    assert {"request", "poll", "cancel"} <= found["calls_s"].keys()
    for taken in found["calls_s"].values():
        assert taken["median"] < 0.05
        assert taken["longest"] < 0.5  # a busy machine may delay any call


def test_it_uninstalls_without_a_trace(found: dict[str, Any]) -> None:
    assert found["uninstalled"] == {"enabled": False, "folder": False, "cache": False}
    assert found["child_ended"]


def test_it_learns_and_varies(found: dict[str, Any]) -> None:
    assert found["prepared"]["last"] == ""
    assert found["whole"]["rotations"] > 0.0


@pytest.mark.skipif(not shipped_code.processor(), reason="machine code is not shipped for this processor")
def test_the_machine_code_in_the_zip_is_all_that_is_needed(found: dict[str, Any]) -> None:
    assert not any(found["prepared"]["said"])
    assert found["compiled"] == []
