"""A crowd as an Open Job Description template (2023-09), for Deadline Cloud and other render farms.

The template is JSON, which is YAML as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.crowd.folder import json_bytes
from freshtake.crowd.making import rate_of
from freshtake.crowd.plan import Plan
from freshtake.crowd.shards import shards_of
from freshtake.formats.files import write_bytes

MOST_PARTS = 100
ENDINGS = (".yaml", ".yml", ".json")


def write_job(target: Path, source: Path, out: Path, plan: Plan, options: list[str]) -> int:
    """Write the template of a job that makes a crowd in parts; `options` are those of the command. How many parts."""
    parts = min(MOST_PARTS, len(shards_of(plan, rate_of(plan))))
    write_bytes(target, json_bytes(job_template(source.resolve(), out.resolve(), target.resolve(), parts, options)))
    return parts


def job_template(source: Path, out: Path, target: Path, parts: int, options: list[str]) -> dict[str, Any]:
    """A step with one task per part, and a last one that checks all shards and writes the manifest.

    Paths below the folder of the template are its defaults; others have to be given, since defaults must be relative.
    """
    command = ["crowd", "{{Param.Source}}", "-o", "{{Param.Out}}", "--quiet", *options]
    part = ["--shard", "{{Task.Param.Part}}/{{Param.Parts}}"]
    return {
        "specificationVersion": "jobtemplate-2023-09",
        "name": f"freshtake crowd {source.stem}"[:128],
        "parameterDefinitions": [
            {
                "name": "Source", "type": "PATH", "objectType": "FILE", "dataFlow": "IN",
                "description": "The plan or the model.", **_default(source, target),
            },
            {
                "name": "Out", "type": "PATH", "objectType": "DIRECTORY", "dataFlow": "OUT",
                "description": "The folder of the crowd, which all workers share.", **_default(out, target),
            },
            {"name": "Parts", "type": "INT", "default": parts, "minValue": 1, "description": "Tasks of the job."},
            {"name": "Freshtake", "type": "STRING", "default": "freshtake", "description": "The program there."},
        ],
        "steps": [
            {
                "name": "Shards",
                "parameterSpace": {
                    "taskParameterDefinitions": [{"name": "Part", "type": "INT", "range": "1-{{Param.Parts}}"}]
                },
                "script": {"actions": {"onRun": {"command": "{{Param.Freshtake}}", "args": [*command, *part]}}},
            },
            {
                "name": "Manifest",
                "dependencies": [{"dependsOn": "Shards"}],
                "script": {"actions": {"onRun": {"command": "{{Param.Freshtake}}", "args": command}}},
            },
        ],
    }  # fmt: skip


def _default(path: Path, target: Path) -> dict[str, str]:
    return {"default": path.relative_to(target.parent).as_posix()} if path.is_relative_to(target.parent) else {}
