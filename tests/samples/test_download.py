"""Downloads, from a server on this machine with the test's own files and list."""

from __future__ import annotations

import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Progress
from freshtake.samples.download import BASE_URL, CREDIT, DownloadFailed, Take, download, takes

CONTENT = {"01_01": b"HIERARCHY one\n" * 40_000, "01_02": b"HIERARCHY two\n" * 10, "01_03": b"three"}


class Handler(BaseHTTPRequestHandler):
    """Serves CONTENT, except where `faults` of the server says how to fail."""

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.asked.append(self.path)
        name = self.path.rsplit("/", 1)[-1].removesuffix(".bvh")
        fault = server.faults.get(name, "")
        if fault == "once" and server.asked.count(self.path) == 1:
            fault = "500"
        if fault.isdigit() or name not in CONTENT:
            self.send_error(int(fault) if fault.isdigit() else 404)
            return
        body = CONTENT[name]
        if fault == "changed":
            body = body[:-1] + b"?"
        if fault == "endless":
            body += bytes(1 << 20)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "truncated" else body)

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.faults: dict[str, str] = {}

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that hangs up early is part of the tests

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/data/"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def listed() -> list[Take]:
    return [
        Take(name, f"001/{name}.bvh", len(body), hashlib.sha256(body).hexdigest(), "walk")
        for name, body in CONTENT.items()
    ]


def test_the_list() -> None:
    found = takes()
    assert len(found) >= 60 and len({t.take for t in found}) == len({t.file_name for t in found}) == len(found)
    for take in found:
        assert re.fullmatch(r"\d{3}/\d{2,3}_\d{2}\.bvh", take.path) and take.file_name == f"{take.take}.bvh"
        assert re.fullmatch(r"[0-9a-f]{64}", take.sha256) and 10_000 < take.bytes < 50_000_000 and take.description
    assert BASE_URL.startswith("https://") and BASE_URL.endswith("/") and "mocap.cs.cmu.edu" in CREDIT


def test_named_takes_arrive_complete_and_in_order(server: Server, tmp_path: Path) -> None:
    said: list[Progress] = []
    files = download(
        ["01_02", "01_01", "01_02"], tmp_path / "new", base_url=server.address, listed=listed(), report=said.append
    )
    assert files == [tmp_path / "new" / "01_02.bvh", tmp_path / "new" / "01_01.bvh"]
    assert [f.read_bytes() for f in files] == [CONTENT["01_02"], CONTENT["01_01"]]
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["01_01.bvh", "01_02.bvh"]
    shares = [progress.share for progress in said]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 5
    assert said[0].what == "take 01_02" and said[-1].what == "take 01_01"


def test_without_names_all_takes_are_fetched(server: Server, tmp_path: Path) -> None:
    assert len(download([], tmp_path, base_url=server.address, listed=listed())) == 3


def test_existing_files_are_fetched_again_only_if_they_differ(server: Server, tmp_path: Path) -> None:
    download(["01_03"], tmp_path, base_url=server.address, listed=listed())
    download(["01_03"], tmp_path, base_url=server.address, listed=listed())
    assert len(server.asked) == 1
    (tmp_path / "01_03.bvh").write_bytes(b"thre")
    download(["01_03"], tmp_path, base_url=server.address, listed=listed())
    assert len(server.asked) == 2 and (tmp_path / "01_03.bvh").read_bytes() == b"three"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("404", r"take 01_01 could not be fetched: the server answered 404 for http://127.*01_01.bvh"),
        ("503", "the server answered 503"),
        ("changed", "its SHA-256 is not the listed one: try again"),
        ("truncated", "the connection was lost: try again"),
        ("endless", "more than the listed 560000 bytes"),
    ],
)
def test_failures_name_the_take_and_leave_nothing(server: Server, tmp_path: Path, fault: str, message: str) -> None:
    server.faults["01_01"] = fault
    with pytest.raises(DownloadFailed, match=message) as caught:
        download(["01_02", "01_01"], tmp_path, base_url=server.address, listed=listed(), retries=0)
    assert "\n" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["01_02.bvh"]


def test_an_old_file_stays_when_the_new_one_is_wrong(server: Server, tmp_path: Path) -> None:
    (tmp_path / "01_03.bvh").write_bytes(b"old")
    server.faults["01_03"] = "changed"
    with pytest.raises(DownloadFailed):
        download(["01_03"], tmp_path, base_url=server.address, listed=listed(), retries=0)
    assert (tmp_path / "01_03.bvh").read_bytes() == b"old"


def test_a_passing_fault_is_tried_again(server: Server, tmp_path: Path) -> None:
    server.faults["01_03"] = "once"
    download(["01_03"], tmp_path, base_url=server.address, listed=listed(), retries=1)
    assert len(server.asked) == 2


def test_a_server_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(DownloadFailed, match=r"take 01_03 .* cannot be reached: check the internet connection"):
            download(["01_03"], tmp_path, base_url=address, listed=listed(), retries=0)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file(server: Server, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(FreshtakeError, match="cannot be written"):
        download(["01_03"], tmp_path / "taken", base_url=server.address, listed=listed(), retries=0)


def test_unknown_names_are_refused_before_anything_is_fetched(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no public take '99_99' in the list of 3, such as 01_01, 01_02, 01_03"):
        download(["01_01", "99_99"], tmp_path, base_url=server.address, listed=listed())
    assert server.asked == []
