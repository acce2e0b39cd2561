"""Jobs for render farms: every part once, then the whole."""

from __future__ import annotations

import json
from pathlib import Path

from freshtake.cli.entry import run


def test_a_job_has_a_task_per_part_and_ends_with_the_manifest(walk: Path, tmp_path: Path) -> None:
    words = ["crowd", str(walk), "-n", "2000", "--seconds", "60", "--seed", "3", "-o", str(tmp_path / "crowd")]
    assert run([*words, "--openjd", str(tmp_path / "job.yaml")]) == 0
    job = json.loads((tmp_path / "job.yaml").read_text())
    given = {one["name"]: one.get("default") for one in job["parameterDefinitions"]}
    assert given["Parts"] == 100 and given["Out"] == "crowd"
    assert given["Source"] is None  # elsewhere: defaults must lie below the template
    parts, whole = (step["script"]["actions"]["onRun"]["args"] for step in job["steps"])
    assert parts[:-2] == whole and parts[-1] == "{{Task.Param.Part}}/{{Param.Parts}}"
    assert whole[:4] == ["crowd", "{{Param.Source}}", "-o", "{{Param.Out}}"]
    assert whole[whole.index("--count") + 1] == "2000" and whole[whole.index("--seed") + 1] == "3"
    assert job["steps"][1]["dependencies"] == [{"dependsOn": "Shards"}]
    assert not (tmp_path / "crowd").exists()
    assert run([*words, "--openjd", str(tmp_path / "job.yaml")]) == 2  # what exists is not replaced
