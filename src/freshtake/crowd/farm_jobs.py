"""Write a crowd as a job for a render farm: plan once, make the parts, check and list them.

Two kinds of farms have a format for this: Open Job Description 2023-09 (Deadline Cloud and others; a JSON template, so
also YAML) and Flamenco, Blender's farm, whose job types are scripts in JavaScript. Any other queue can run the same
three commands: with --plan-only, with --shard K/N, and with neither.
"""

import json
from pathlib import Path
from typing import Any

from freshtake.crowd.folder import json_bytes
from freshtake.crowd.making import rate_of
from freshtake.crowd.plan import Plan, shards_of
from freshtake.errors import FormatError
from freshtake.formats.files import write_bytes
from freshtake.requests.crowd import Crowd
from freshtake.requests.fields import fields_of

FLAMENCO = ".js"
OPEN_JOB_DESCRIPTION = (".yaml", ".yml", ".json")

# Flamenco calls compileJob with the settings of the form that JOB_TYPE describes; {freshtake} is a variable in the
# manager, so each platform can have its own path to the program.
_FLAMENCO_SCRIPT = """\
// A Flamenco job type that makes a crowd with freshtake: copy it into the folder "scripts" of Flamenco Manager.
const JOB_TYPE = {
    label: %(label)s,
    description: "Plan a crowd, make its parts on all workers, then check and list them",
    settings: [
        { key: "source", type: "string", subtype: "file_path", required: true, default: %(source)s,
          description: "The plan (.toml) or model (.ftm), in the shared storage" },
        { key: "out", type: "string", subtype: "dir_path", required: true, default: %(out)s,
          description: "The folder of the crowd, in the shared storage" },
        { key: "parts", type: "int32", default: %(parts)d, description: "How many tasks make the crowd" },
        { key: "freshtake", type: "string", default: "{freshtake}", visible: false,
          description: "The program on the workers" },
    ],
};
const OPTIONS = %(options)s;

function compileJob(job) {
    const settings = job.settings;
    const command = ["crowd", settings.source, "-o", settings.out, "--quiet"].concat(OPTIONS);

    // Routes and positions are planned once: parts that start together would each plan them.
    const plan = crowdTask("plan", settings, command.concat(["--plan-only"]));
    job.addTask(plan);

    // The last task finds every part made; it checks them and writes the manifest.
    const manifest = crowdTask("manifest", settings, command);
    for (let part = 1; part <= settings.parts; part++) {
        const task = crowdTask("part-" + part, settings, command.concat(["--shard", part + "/" + settings.parts]));
        task.addDependency(plan);
        manifest.addDependency(task);
        job.addTask(task);
    }
    job.addTask(manifest);
}

function crowdTask(name, settings, args) {
    const task = author.Task(name, "misc");
    task.addCommand(author.Command("exec", { exe: settings.freshtake, args: args }));
    return task;
}
"""


# The farm chooses parts and processes; all other options are the same for every task.
_PER_TASK = {"source", "out", "job", "shard", "plan_only", "engine", "workers", "scheduler"}


def option_words(request: Crowd) -> list[str]:
    """Return the options of a request as words of the command line, for the tasks of a job."""
    words = []
    for one in fields_of(Crowd):
        value = getattr(request, one.name)
        if one.name in _PER_TASK or value == one.default:
            continue
        name = next(iter(one.option.names), f"--{one.name.replace('_', '-')}")
        words += [name] if value is True else [name, str(value.resolve() if isinstance(value, Path) else value)]
    return words


def write_job(target: Path, request: Crowd, plan: Plan) -> int:
    """Write a job that makes a crowd in parts, and return the number of parts.

    The extension of `target` chooses the farm: .yaml, .yml or .json for Open Job Description, .js for Flamenco.
    All workers share the folders that the request names.
    """
    source, out, options = request.source, request.out, option_words(request)
    # Beyond a hundred parts, starting Python would cost more time than it saves.
    parts = min(100, len(shards_of(plan, rate_of(plan))))
    ending = target.suffix.lower()
    if ending == FLAMENCO:
        values = {
            "label": json.dumps(f"freshtake crowd {source.stem}"),
            "source": json.dumps(source.resolve().as_posix()),
            "out": json.dumps(out.resolve().as_posix()),
            "parts": parts,
            "options": json.dumps(options),
        }
        data = (_FLAMENCO_SCRIPT % values).encode()
    elif ending in OPEN_JOB_DESCRIPTION:
        data = json_bytes(job_template(source.resolve(), out.resolve(), target.resolve(), parts, options))
    else:
        endings = ", ".join(OPEN_JOB_DESCRIPTION)
        raise FormatError(target, f"the name must end in {endings} (Open Job Description) or {FLAMENCO} (Flamenco)")
    write_bytes(target, data)
    return parts


def job_template(source: Path, out: Path, target: Path, parts: int, options: list[str]) -> dict[str, Any]:
    """Return an Open Job Description template: a planning step, one task per part, and a step for the manifest.

    Paths below the template's folder are its defaults; others must be given, since defaults must be relative.
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
            {"name": "Plan", "script": _script([*command, "--plan-only"])},
            {
                "name": "Shards",
                "dependencies": [{"dependsOn": "Plan"}],
                "parameterSpace": {
                    "taskParameterDefinitions": [{"name": "Part", "type": "INT", "range": "1-{{Param.Parts}}"}]
                },
                "script": _script([*command, *part]),
            },
            {"name": "Manifest", "dependencies": [{"dependsOn": "Shards"}], "script": _script(command)},
        ],
    }  # fmt: skip


def _script(arguments: list[str]) -> dict[str, Any]:
    return {"actions": {"onRun": {"command": "{{Param.Freshtake}}", "args": arguments}}}


def _default(path: Path, target: Path) -> dict[str, str]:
    return {"default": path.relative_to(target.parent).as_posix()} if path.is_relative_to(target.parent) else {}
