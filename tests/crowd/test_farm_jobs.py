"""Jobs for render farms: the plan, every part once, then the manifest."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from freshtake.cli.entry import run

# What Flamenco hands to a job type: `author` makes tasks and commands, the job collects tasks.
FLAMENCO = """
const author = {
    Task: (name, type) => ({ name, type, commands: [], after: [],
        addCommand(command) { this.commands.push(command); }, addDependency(task) { this.after.push(task.name); } }),
    Command: (name, parameters) => ({ name, parameters }),
};
const fs = require("fs"), vm = require("vm");
const context = vm.createContext({ author });
const found = vm.runInContext(fs.readFileSync(process.argv[2], "utf8") + ";[JOB_TYPE, compileJob]", context);
const settings = Object.fromEntries(found[0].settings.map((one) => [one.key, one.default]));
const tasks = [];
found[1]({ settings, addTask: (task) => tasks.push(task) });
process.stdout.write(JSON.stringify(tasks));
"""


def test_a_job_has_a_task_per_part_and_ends_with_the_manifest(walk: Path, tmp_path: Path) -> None:
    words = ["crowd", str(walk), "-n", "2000", "--seconds", "60", "--seed", "3", "-o", str(tmp_path / "crowd")]
    assert run([*words, "--job", str(tmp_path / "job.yaml")]) == 0
    job = json.loads((tmp_path / "job.yaml").read_text())
    given = {one["name"]: one.get("default") for one in job["parameterDefinitions"]}
    assert given["Parts"] == 100 and given["Out"] == "crowd"
    assert given["Source"] is None  # elsewhere: defaults must lie below the template
    plan, parts, whole = (step["script"]["actions"]["onRun"]["args"] for step in job["steps"])
    assert plan == [*whole, "--plan-only"]
    assert parts[:-2] == whole and parts[-1] == "{{Task.Param.Part}}/{{Param.Parts}}"
    assert whole[:4] == ["crowd", "{{Param.Source}}", "-o", "{{Param.Out}}"]
    assert whole[whole.index("--count") + 1] == "2000" and whole[whole.index("--seed") + 1] == "3"
    assert [step.get("dependencies") for step in job["steps"]] == [
        None, [{"dependsOn": "Plan"}], [{"dependsOn": "Shards"}],
    ]  # fmt: skip
    assert not (tmp_path / "crowd").exists()
    assert run([*words, "--job", str(tmp_path / "job.yaml")]) == 2  # what exists is not replaced


def test_a_planned_crowd_keeps_its_routes_and_is_the_same_in_parts(walk: Path, tmp_path: Path) -> None:
    words = ["crowd", str(walk), "-n", "4", "--seconds", "0.5", "--avoid", "--seed", "3"]
    assert run([*words, "-o", str(tmp_path / "whole")]) == 0
    farmed = tmp_path / "farmed"
    assert run([*words, "-o", str(farmed), "--plan-only"]) == 0
    assert not list(farmed.glob("shard*")) and not (farmed / "manifest.json").exists()
    planned = (farmed / "routes.npz").stat().st_mtime_ns
    assert run([*words, "-o", str(farmed), "--shard", "1/1"]) == 0
    assert (farmed / "routes.npz").stat().st_mtime_ns == planned  # read, not planned again
    assert (farmed / "manifest.json").read_bytes() == (tmp_path / "whole" / "manifest.json").read_bytes()
    assert run([*words, "-o", str(farmed), "--plan-only", "--shard", "1/2"]) == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: Flamenco's scripts are JavaScript")
def test_the_tasks_of_a_flamenco_job_make_the_crowd(walk: Path, tmp_path: Path) -> None:
    script, out = tmp_path / "crowd.js", tmp_path / "crowd"
    plan = tmp_path / "plan.toml"
    plan.write_text(f'number = 3\nshard_size = 2\nseconds = 0.3\n[[groups]]\nmodel = "{walk.as_posix()}"\n')
    assert run(["crowd", str(plan), "-o", str(out), "--seed", "2", "--job", str(script)]) == 0
    (tmp_path / "flamenco.cjs").write_text(FLAMENCO)
    done = subprocess.run(["node", tmp_path / "flamenco.cjs", script], capture_output=True, text=True, check=True)
    tasks = json.loads(done.stdout)
    assert [task["name"] for task in tasks] == ["plan", "part-1", "part-2", "manifest"]
    assert [task["after"] for task in tasks] == [[], ["plan"], ["plan"], ["part-1", "part-2"]]
    for task in tasks:
        (command,) = task["commands"]
        assert command["name"] == "exec" and command["parameters"]["exe"] == "{freshtake}"
        assert run(command["parameters"]["args"]) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["seed"] == 2 and len(manifest["shards"]) == 2


def test_the_ending_of_a_job_names_its_farm(walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["crowd", str(walk), "-o", str(tmp_path / "crowd"), "--job", str(tmp_path / "job.txt")]) == 2
    assert "must end in .yaml, .yml, .json (Open Job Description) or .js (Flamenco)" in " ".join(
        capsys.readouterr().err.split()
    )
