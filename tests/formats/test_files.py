"""Reading and writing whole files: what is refused before opening, and what is left behind when writing fails."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

from freshtake.errors import FormatError
from freshtake.formats import files
from freshtake.formats.files import (
    Existing,
    check_free,
    choose_existing,
    is_folder,
    read_bytes,
    read_head,
    read_text,
    replacing,
    replacing_folder,
    write_bytes,
)


def test_bytes_survive(tmp_path: Path) -> None:
    content = bytes(range(256)) * 100
    write_bytes(tmp_path / "x", content)
    assert read_bytes(tmp_path / "x") == content
    assert read_head(tmp_path / "x", 10) == content[:10]
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain", "plain"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("Füße".encode(), "Füße"),
        ("Füße".encode("latin-1"), "Füße"),
        (b"", ""),
    ],
)
def test_text_is_utf8_or_latin1(tmp_path: Path, content: bytes, text: str) -> None:
    (tmp_path / "x").write_bytes(content)
    assert read_text(tmp_path / "x") == text


@pytest.mark.parametrize(
    ("content", "says"), [(b"ab\x00cd", "byte 2: text was expected"), ("x".encode("utf-16"), "UTF-16")]
)
def test_binary_is_no_text(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match=says):
        read_text(tmp_path / "x")


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as stream:
        stream.truncate(5 << 30)  # sparse: takes no room
    with pytest.raises(FormatError, match="5368709120 bytes, more than"):
        read_bytes(tmp_path / "x")
    (tmp_path / "y").write_bytes(b"12345")
    assert read_bytes(tmp_path / "y", largest=5) == b"12345"
    with pytest.raises(FormatError, match="5 bytes, more than the limit of 4"):
        read_bytes(tmp_path / "y", largest=4)


@pytest.mark.parametrize("read", [read_bytes, read_head, read_text])
def test_what_is_no_regular_file_is_refused_without_opening_it(tmp_path: Path, read: object) -> None:
    assert callable(read)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="not a regular file"):
        read(tmp_path / "pipe")
    with pytest.raises(FormatError, match="this is a folder"):
        read(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / "missing")
    with pytest.raises(FormatError, match="Not a directory"):
        (tmp_path / "file").write_text("")
        read(tmp_path / "file" / "below")
    with pytest.raises(FormatError, match="null character"):
        read(tmp_path / "a\0b")


def test_is_folder(tmp_path: Path) -> None:
    assert is_folder(tmp_path)
    assert not is_folder(tmp_path / "missing")
    with pytest.raises(FormatError, match="too long"):
        is_folder(tmp_path / ("x" * 5000))


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "x.bvh"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(target) as temporary:
        temporary.write_text("half of the n")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_target_is_not_there_before_the_end(tmp_path: Path) -> None:
    with replacing(tmp_path / "x") as temporary:
        temporary.write_text("new")
        assert not (tmp_path / "x").exists()
        assert temporary.parent == tmp_path
    assert (tmp_path / "x").read_text() == "new"


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250 + ".bvh")
    write_bytes(target, b"1")
    assert target.read_bytes() == b"1"


def test_writing_where_it_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="there is a folder of this name"):
        write_bytes(tmp_path / "folder", b"")
    with pytest.raises(FormatError, match="null character"):
        write_bytes(tmp_path / "a\0b", b"")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder"]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a" / "b" / "x", b"1")
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"1"
    with replacing_folder(tmp_path / "c" / "d") as temporary:
        (temporary / "y").write_text("2")
    assert (tmp_path / "c" / "d" / "y").read_text() == "2"


def refill(folder: Path, choice: Existing) -> None:
    choose_existing(choice)
    with replacing_folder(folder) as temporary:
        (temporary / "sub").mkdir()
        for name in ("1", "sub/2"):
            (temporary / name).write_text("new")


def test_what_is_there_is_refused_or_replaced_as_chosen(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("1", "sub/2", "sub/3"):
        (tmp_path / name).write_text("old")
    for choice in (Existing.REFUSE, Existing.REPLACE_FILES):
        with pytest.raises(FormatError, match="not empty"):
            copy_context().run(refill, tmp_path, choice)
    copy_context().run(refill, tmp_path, Existing.REPLACE)
    assert {name: (tmp_path / name).read_text() for name in ("1", "sub/2", "sub/3")} == {
        "1": "new", "sub/2": "new", "sub/3": "old",
    }  # fmt: skip
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "sub"]

    def rewrite(choice: Existing) -> None:
        choose_existing(choice)
        write_bytes(tmp_path / "1", b"newest")

    with pytest.raises(FormatError, match="--force"):
        copy_context().run(rewrite, Existing.REFUSE)
    assert (tmp_path / "1").read_text() == "new"
    copy_context().run(rewrite, Existing.REPLACE)
    assert (tmp_path / "1").read_text() == "newest"


def test_our_own_mistakes_are_not_dressed_up_as_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a bug"), replacing(tmp_path / "x"):
        raise ValueError("a bug")


def test_folders_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "mesh"
    with pytest.raises(RuntimeError), replacing_folder(target) as temporary:
        (temporary / "1.obj").write_text("v")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    target.mkdir()  # an empty one may be replaced
    with replacing_folder(target) as temporary:
        (temporary / "1.obj").write_text("v")
    assert [p.name for p in target.iterdir()] == ["1.obj"]
    with pytest.raises(FormatError, match="not empty"), replacing_folder(target):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["mesh"]


KILLED = """
import os, signal, sys
from pathlib import Path
from freshtake.formats.files import replacing, replacing_folder
with replacing(Path(sys.argv[1]) / "x.bvh") as file, replacing_folder(Path(sys.argv[1]) / "y") as folder:
    file.write_text("half")
    (folder / "1").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


HOLDS = """
import sys
from pathlib import Path
from freshtake.formats.files import replacing, replacing_folder
with replacing(Path(sys.argv[1]) / "x.bvh") as file, replacing_folder(Path(sys.argv[1]) / "y") as folder:
    file.write_text("whole")
    (folder / "1").write_text("whole")
    print("writing", flush=True)
    sys.stdin.read()
"""


def in_another_process_space(*command: str) -> list[str]:
    """A command whose process numbers mean nothing to others, as in a container with the same host name."""
    isolated = ["unshare", "--pid", "--fork", "--mount-proc", *command]
    if shutil.which("unshare") is None:
        return list(command)
    works = subprocess.run([*isolated[:4], "true"], capture_output=True, check=False).returncode == 0
    return isolated if works else list(command)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks: leftovers are recognized by age there")
def test_what_a_killed_process_left_is_cleared_at_the_next_write_and_what_a_live_one_writes_is_not(
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 2 and all(name.endswith(".tmp") for name in left)
    elsewhere = tmp_path / re.sub(r"\.[0-9a-f]{8}-", ".00000000-", left[0])
    long_ago = tmp_path / re.sub(r"\.[0-9a-f]{8}-", ".00000001-", left[0])
    longer_name = tmp_path / f"{left[0]}.usdc"  # some formats are written under one, next to the file with the lock
    librarys = tmp_path / f"{left[0]}.YD7TJI"  # as USD's library names unfinished files
    mine = tmp_path / ".notes.tmp"
    for path in (elsewhere, long_ago, longer_name, librarys, mine):
        path.write_text("")
    os.utime(long_ago, (1e9, 1e9))
    live = tmp_path / "live"
    live.mkdir()
    command = in_another_process_space(sys.executable, "-c", HOLDS, str(live))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "writing\n"
        used = sorted(live.iterdir())
        assert len(used) == 2
        (live / f"{used[0].name}.c3d").write_text("")
        for folder in (tmp_path, live):
            write_bytes(folder / "other.bvh", b"1")
        assert {path.name for path in tmp_path.iterdir()} == {"other.bvh", elsewhere.name, mine.name, "live"}
        assert sorted(live.iterdir()) == [*used[:1], live / f"{used[0].name}.c3d", *used[1:], live / "other.bvh"]
        owner.communicate("")
    assert (live / "x.bvh").read_text() == (live / "y" / "1").read_text() == "whole"


def test_of_two_commands_into_one_new_folder_or_file_the_second_is_refused(tmp_path: Path) -> None:
    def both(choice: Existing) -> None:
        choose_existing(choice)
        with replacing_folder(tmp_path / choice.name) as slow:
            (slow / "1").write_text("slow")
            (slow / "2").write_text("slow")
            with replacing_folder(tmp_path / choice.name) as quick:
                (quick / "1").write_text("quick")

    for choice in Existing:
        with pytest.raises(FormatError, match="another command filled this folder in the meantime"):
            copy_context().run(both, choice)
        assert [(p.name, p.read_text()) for p in (tmp_path / choice.name).iterdir()] == [("1", "quick")]

    def file_twice() -> None:
        choose_existing(Existing.REFUSE)
        with replacing(tmp_path / "x") as slow:
            slow.write_text("slow")
            write_bytes(tmp_path / "x", b"quick")

    with pytest.raises(FormatError, match="there is a file of this name"):
        copy_context().run(file_twice)
    assert (tmp_path / "x").read_text() == "quick"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["x", *(choice.name for choice in Existing)])


def test_what_is_durable_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[tuple[str, bytes | None]] = []
    target = tmp_path / "model.ftm"

    def noted(descriptor: int) -> None:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        order.append(("folder" if folder else "file", target.read_bytes()))
        if not folder:
            assert os.pread(descriptor, 9, 0) == b"new"

    target.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", noted)
    write_bytes(target, b"new", durable=True)
    assert order == [("file", b"old"), ("folder", b"new")]
    write_bytes(target, b"quick")
    assert len(order) == 2


def test_models_and_crowds_are_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import freshtake as ft
    from freshtake.crowd.folder import replace_file

    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    ft.save(tmp_path / "m.ftm", ft.texture.learn(ft.samples.walk(np.random.default_rng(0), cycles=3)))
    assert len(synced) == 2
    replace_file(tmp_path / "manifest.json", b"{}")
    assert len(synced) == 4


def test_a_folder_that_holds_leftovers_only_is_free(tmp_path: Path) -> None:
    """A command killed before its first file leaves a folder with a temporary file: it can be rerun."""
    folder = tmp_path / "out"
    folder.mkdir()
    left = folder / f".first.json.{files._machine()}-{'1' * 16}.tmp"
    left.write_bytes(b"half")
    with replacing_folder(folder) as temporary:
        (temporary / "first.json").write_bytes(b"all of it")
    assert [path.name for path in folder.iterdir()] == ["first.json"]


def test_a_folder_with_the_temporary_file_of_a_living_process_is_not_free(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with replacing(folder / "first.json") as temporary, pytest.raises(FormatError, match="is not empty"):
        temporary.write_bytes(b"half")
        check_free(folder)
    check_free(folder / "second.json")
