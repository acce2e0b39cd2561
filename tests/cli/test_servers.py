"""What the studio refuses before it starts, each with one sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from freshtake.cli.entry import run
from freshtake.serve.project import Project


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("command", ["studio", "serve"])
def test_addresses_and_tokens(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = ["--project", str(tmp_path / "p")]
    assert "at least 16" in refused(capsys, command, *there, "--token", "short")
    assert "at least 16" in refused(capsys, command, *there, "--token", "with spaces and more; of it")
    assert "cannot be combined" in refused(capsys, command, *there, "--token", "5f2d8c1e9b7a46d3", "--no-token")
    assert "a token is needed" in refused(capsys, command, *there, "--host", "0.0.0.0", "--no-token")
    assert "no address" in refused(capsys, command, *there, "--host", "no such host")
    assert "--port" in refused(capsys, command, *there, "--port", "70000")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "--port" in refused(capsys, command, *there, "--port", str(taken.getsockname()[1]))
    assert not (tmp_path / "p").exists()


def test_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert "name another" in refused(capsys, "serve", "--project", str(tmp_path / "file"), "--port", "0")
    project = Project(tmp_path / "p")
    assert "another studio" in refused(capsys, "serve", "--project", str(tmp_path / "p"), "--port", "0")
    project.close()
    assert "missing.bvh" in refused(capsys, "studio", str(tmp_path / "missing.bvh"), "--project", str(tmp_path / "p"))


def test_what_is_missing_without_the_extra(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['fastapi'] = None; from freshtake.cli.entry import run; "
        f"sys.exit(run(['serve', '--project', {str(tmp_path / 'p')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "freshtake[studio]" in done.stderr and len(done.stderr.splitlines()) == 1
