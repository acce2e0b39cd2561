"""Every command that writes, in a small version, with its inputs."""

from __future__ import annotations

from pathlib import Path

from freshtake.cli.entry import run
from tests.faults.servers import call_agent_server

# Words of a command; {} is its result, whose ending gives the format.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "learn": (["learn", "walk", "-o", "{}"], "model.ftm"),
    "vary": (["vary", "walk.ftm", "-n", "4", "-o", "{}"], "variants"),
    "vary to one file": (["vary", "walk.ftm", "-n", "3", "-o", "{}"], "all.glb"),
    "stream": (["stream", "walk.ftm", "--frames", "90", "-o", "{}"], "endless.bvh"),
    "loop": (["loop", "walk", "-o", "{}"], "loops"),
    "pack": (["pack", "walk.ftm", "-n", "3", "-o", "{}"], "pack"),
    "plant": (["plant", "walk/walk_1.bvh", "-o", "{}"], "planted.bvh"),
    "retarget": (["retarget", "walk", "--onto", "limp/limp_1.bvh", "-o", "{}"], "on_limp"),
    "convert to USD": (["convert", "walk/walk_1.bvh", "{}", "--unit", "cm"], "walk.usda"),
    "convert to FBX": (["convert", "walk/walk_1.bvh", "{}", "--unit", "cm"], "walk.fbx"),
    "convert to npz": (["convert", "walk/walk_1.bvh", "{}"], "walk.npz"),
    "cut": (["cut", "walk/walk_1.bvh", "--range", "3:40", "-o", "{}"], "pieces"),
    "evaluate": (["evaluate", "--inputs", "walk", "--outputs", "walk", "-o", "{}"], "report.html"),
    "augment": (["augment", "walk", "-n", "2", "-o", "{}"], "augmented"),
    "style apply": (["style", "apply", "style.ftm", "long/walk_long_1.bvh", "-o", "{}", "--keep-going"], "styled.bvh"),
    "blend sample": (["blend", "sample", "blend.ftm", "--frames", "60", "-o", "{}"], "blend.bvh"),
    "texture sample": (["texture", "sample", "texture.ftm", "--frames", "60", "-o", "{}"], "texture.bvh"),
    "crowd": (["crowd", "walk.ftm", "-n", "6", "--seconds", ".3", "--workers", "1", "-o", "{}"], "crowd"),
    "view": (["view", "walk", "-o", "{}"], "page.html"),
    "samples": (["samples", "write", "walk", "-n", "3", "-o", "{}"], "samples"),
    # Not a command line: the server for agents is started, and its tool of this name is called.
    "mcp": (["mcp", "vary", "walk.ftm", "{}"], "by_agent"),
}
# Pages and reports contain the time of the run: they have to be complete, not equal.
SAME_SIZE_ONLY = {"evaluate", "view"}
# Results written file by file, each of them complete: shards of a crowd, loops of several clips, samples.
FILE_BY_FILE = {"crowd", "loop", "samples"}


def prepare(home: Path) -> None:
    """Write the takes and models that the commands read."""
    for name, count in (("walk", 3), ("limp", 1)):
        assert run(["samples", "write", name, "-n", str(count), "-o", str(home / name), "-q"]) == 0
    long = ["samples", "write", "walk_long", "-n", "1", "-o", str(home / "long"), "-q"]
    assert run(long) == 0
    for words in (
        ["learn", f"{home}/walk", "-o", f"{home}/walk.ftm"],
        ["blend", "learn", f"walk={home}/walk", f"limp={home}/limp", "-o", f"{home}/blend.ftm"],
        ["texture", "learn", f"{home}/long", "-o", f"{home}/texture.ftm"],
        ["style", "learn", "--source", f"{home}/walk/walk_1.bvh", "--target", f"{home}/limp/limp_1.bvh", "-o",
         f"{home}/style.ftm"],
    ):  # fmt: skip
        assert run([*words, "-q"]) == 0, words


def run_words(words: list[str]) -> int:
    """Run a command in this process and return its exit code."""
    if words[0] != "mcp":
        return run(words)
    _, tool, model, out, *options = words
    return call_agent_server(tool, {"model": model, "out": out, "count": 4, "replace": "--force" in options})


def words_of(name: str, out: Path) -> list[str]:
    """Return the words of a command that writes to `out`."""
    return [word.replace("{}", str(out)) for word in COMMANDS[name][0]] + ["--quiet"]
