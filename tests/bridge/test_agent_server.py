"""Tools for agents: the fields of the requests, tested with the official client over real standard streams."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.bridge.agent_server import call, input_schema, request_of, tools
from freshtake.cli.entry import run
from freshtake.errors import UsageError
from freshtake.requests import fields_of


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    for k in range(3):
        ft.write(tmp_path / f"walk_{k}.bvh", ft.samples.walk(np.random.default_rng(k)))
    return tmp_path


@pytest.mark.parametrize("task", tools())
def test_every_field_of_a_request_is_an_argument_with_its_help(task: str) -> None:
    schema, fields = input_schema(tools()[task]), [one for one in fields_of(tools()[task]) if one.option.agents]
    assert set(schema["properties"]) == {one.name for one in fields} | {"replace"}
    assert schema["required"] == [one.name for one in fields if one.required]
    for one in fields:
        assert schema["properties"][one.name]["description"] == one.option.help


def test_what_is_outside_of_the_folders_is_refused(takes: Path) -> None:
    inside = {"model": "walk.ftm", "out": "variants"}
    assert request_of("vary", inside, [takes]).out == takes / "variants"  # type: ignore[attr-defined]
    (takes / "way_out").symlink_to(takes.parent)
    for path in ("../other", "/etc/passwd", "way_out/x", str(takes.parent / "x")):
        with pytest.raises(UsageError, match="outside of the allowed folders"):
            request_of("vary", {**inside, "out": path}, [takes])
    with pytest.raises(UsageError, match="outside of the allowed folders"):
        request_of("learn", {"takes": ["walk_0.bvh", "../x.bvh"], "out": "m.ftm"}, [takes])


def test_no_agent_connects_to_a_scheduler(takes: Path) -> None:
    for name in ("scheduler", "engine"):
        with pytest.raises(UsageError, match=f"crowd has no argument '{name}'"):
            request_of("crowd", {"source": "walk.ftm", "out": "crowd", name: "dask"}, [takes])


def test_folders_that_do_not_exist_are_refused_also_where_tools_are_only_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp", "--allow", str(tmp_path / "nothere"), "--json"]) == 2
    said = capsys.readouterr()
    assert "nothere is not a folder" in said.err and said.out == ""
    assert run(["mcp", "--allow", str(tmp_path), "--json"]) == 0


def test_files_that_a_text_names_and_links_in_folders_are_refused_too(takes: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.bvh"
    ft.write(outside, ft.samples.walk(np.random.default_rng(9)))
    call("learn", {"takes": ["walk_0.bvh", "walk_1.bvh"], "out": "walk.ftm"}, [takes])
    with pytest.raises(ft.FreshtakeError, match="outside of the allowed folders"):
        call("vary", {"model": "walk.ftm", "out": "v", "count": 1, "start": f"{outside}:0"}, [takes])
    (takes / "folder").mkdir()
    (takes / "folder" / "link.bvh").symlink_to(outside)
    with pytest.raises(ft.FreshtakeError, match="outside of the allowed folders"):
        call("learn", {"takes": ["folder"], "out": "other.ftm"}, [takes])
    assert not (takes / "v").exists() and not (takes / "other.ftm").exists()


def test_tasks_that_write_temporary_files_are_carried_out_too(takes: Path) -> None:
    (takes / "walks").mkdir()
    for path in takes.glob("walk_*.bvh"):
        path.rename(takes / "walks" / path.name)
    call("augment", {"folder": "walks", "out": "data.tar", "count": 1}, [takes])
    assert (takes / "data.tar").exists()
    ft.write(takes / "flag.npz", ft.samples.flag(np.random.default_rng(0)))
    tables = call("texture_tables", {"meshes": ["flag.npz"]}, [takes])["result"]
    assert len(next(iter(tables.values()))["compression"]) > 1


def test_limits_and_names_are_those_of_the_command_line(takes: Path) -> None:
    for arguments, message in (
        ({"model": "m.ftm", "out": "v", "amount": 9.0}, "amount must lie between 0 and 4"),
        ({"model": "m.ftm", "out": "v", "wild": True}, "vary has no argument 'wild'"),
        ({"model": "m.ftm"}, "vary needs out"),
        ({"model": "m.ftm", "out": "v", "count": "many"}, "count cannot be 'many'"),
    ):
        with pytest.raises(UsageError, match=message):
            request_of("vary", arguments, [takes])
    with pytest.raises(UsageError, match=r"there is no tool 'delete'; the tools are .*learn"):
        request_of("delete", {}, [takes])


def test_existing_files_are_replaced_only_where_that_is_asked_for(takes: Path) -> None:
    learned = call("learn", {"takes": ["walk_0.bvh", "walk_1.bvh"], "out": "walk.ftm"}, [takes])
    assert (takes / "walk.ftm").is_file()
    json.dumps(learned)
    with pytest.raises(ft.FreshtakeError, match="there is a file of this name"):
        call("learn", {"takes": ["walk_0.bvh", "walk_1.bvh"], "out": "walk.ftm"}, [takes])
    call("learn", {"takes": ["walk_0.bvh", "walk_1.bvh"], "out": "walk.ftm", "replace": True}, [takes])


def with_client(folder: Path, work: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    """Start the real command, and work with it through the official client."""
    anyio = pytest.importorskip("anyio")
    mcp = pytest.importorskip("mcp", reason="mcp is not installed: pip install freshtake[mcp]")
    from mcp.client.stdio import stdio_client

    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "freshtake", "mcp", "--allow", str(folder)], cwd=str(folder)
    )

    async def main() -> None:
        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            await work(session)

    anyio.run(main)


def test_an_agent_learns_and_varies(takes: Path) -> None:
    async def work(session: Any) -> None:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(listed) == set(tools())
        assert listed["vary"].input_schema == input_schema(tools()["vary"])
        arguments: dict[str, Any] = {"takes": [f"walk_{k}.bvh" for k in range(3)], "out": "walk.ftm"}
        learned = await session.call_tool("learn", arguments)
        assert not learned.is_error, learned.content
        varied = await session.call_tool("vary", {"model": "walk.ftm", "out": "variants", "count": 2, "seed": 5})
        assert not varied.is_error, varied.content
        assert [Path(path).name for path in varied.structured_content["result"]["paths"]] == [
            "variant_001.bvh", "variant_002.bvh",
        ]  # fmt: skip
        refused = await session.call_tool("vary", {"model": "../walk.ftm", "out": "v2"})
        assert refused.is_error and "outside of the allowed folders" in refused.content[0].text

    with_client(takes, work)
    from freshtake.cli.entry import run

    assert run(["vary", str(takes / "walk.ftm"), "-n", "2", "--seed", "5", "-o", str(takes / "same"), "-q"]) == 0
    for name in ("variant_001.bvh", "variant_002.bvh"):
        assert (takes / "variants" / name).read_bytes() == (takes / "same" / name).read_bytes()
