"""A studio that runs as users start it, and pages of it in a real browser."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

PATIENCE = 300.0  # seconds: a busy machine may be compiling for the first time


class Studio:
    """`freshtake studio --no-open` in a separate process."""

    def __init__(self, project: Path, log: Path) -> None:
        command = [sys.executable, "-m", "freshtake", "studio", "--no-open", "--json", "--project", str(project)]
        self.project, self._log = project, log.open("w+", encoding="utf-8")
        self.process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, stderr=self._log, text=True)
        assert self.process.stdout is not None
        said = json.loads("".join(iter(self._line, "}\n")) + "}")
        self.door, self.token = str(said["url"]), str(said["token"])  # the address that a browser opens
        self.url = self.door.partition("?")[0]

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the studio has ended: its last words are in the log"
        return line

    def ask(self, path: str, method: str = "GET", said: Any = None) -> Any:
        """What a route answers."""
        data = None if said is None else json.dumps(said).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        request = Request(self.url + path, data=data, method=method, headers=headers)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def items(self, kind: str) -> list[dict[str, Any]]:
        """The items of a kind, as the server reports them."""
        return [item for item in self.ask("api/project")["items"] if item["kind"] == kind]

    def file(self, id: str) -> Path:
        """Return the current file of an item: a remade variant has a new one."""
        with closing(sqlite3.connect(self.project / "project.sqlite")) as rows:
            (name,) = rows.execute("SELECT file FROM items WHERE id = ?", (id,)).fetchone()
        return self.project / "files" / name

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the processes that work for it."""
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with suppress(OSError):  # it may end meanwhile
                own = f"\nPPid:\t{self.process.pid}\n" in (folder / "status").read_text()
                if own and b"spawn_main" in (folder / "cmdline").read_bytes():
                    os.kill(int(folder.name), number)

    def close(self) -> None:
        """End it, and all that it started."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


class Window:
    """A page of the studio, with its requests and console messages."""

    def __init__(self, browser: Any, studio: Studio, size: tuple[int, int] = (1000, 620)) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.studio = studio
        self.page = browser.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(reduced_motion="reduce")  # nothing plays by itself: software drawing takes a core
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.goto(studio.door)
        self.until("window.studio?.state.ready")

    def of(self, script: str) -> Any:
        """What a line of JavaScript says; `s` is the state of the page, `v` its first viewport."""
        names = "const s = window.studio?.state, v = [...(window.studioViewports?.values() ?? [])][0];"
        return self.page.evaluate(f"(() => {{ {names} return {script}; }})()")

    def until(self, script: str, seconds: float = PATIENCE) -> Any:
        """Wait until a line of JavaScript says something true; the page's policy forbids Playwright's own way."""
        end = time.monotonic() + seconds
        while not (found := self.of(script)):
            assert time.monotonic() < end, f"never true: {script}; the page says {self.toasts()}"
            self.page.wait_for_timeout(40)
        return found

    def tab(self, name: str) -> None:
        """Open a tab."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def press(self, name: str, **how: Any) -> None:
        """Press the first button of this name."""
        self.page.get_by_role("button", name=name, exact=how.pop("exact", True), **how).first.click()

    def upload(self, files: Sequence[Path]) -> None:
        """Choose files, as the button does it."""
        self.page.locator("input[type=file]").first.set_input_files([str(file) for file in files])

    def toasts(self, kind: str = "") -> list[str]:
        """The page's toasts, or those of one kind."""
        found: list[str] = self.of(
            f"(s?.toasts ?? []).filter((one) => !'{kind}' || one.kind === '{kind}').map((one) => one.words)"
        )
        return found

    def count(self, kind: str) -> str:
        """A line of JavaScript that counts the items of a kind."""
        return f"s.items.filter((item) => item.kind === '{kind}').length"
