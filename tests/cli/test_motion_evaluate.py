"""`freshtake evaluate` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import freshtake
from freshtake.cli.entry import run
from tests.evaluation.stepping import takes


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("takes")
    out: dict[str, list[str]] = {}
    for seed, (kind, count) in enumerate({"input": 2, "variant": 3, "extra": 2}.items()):
        out[kind] = []
        for k, clip in enumerate(takes(seed, count)):
            path = folder / f"{kind}_{k}.bvh"
            freshtake.write(path, clip)
            out[kind].append(str(path))
    return out


def command(files: dict[str, list[str]], *more: str) -> list[str]:
    return ["evaluate", "--inputs", *files["input"], "--outputs", *files["variant"], "--extra", *files["extra"], *more]


def test_a_page_and_a_table(files: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "deep" / "report.html"
    assert run(command(files, "-o", str(target), "--title", "Steps")) == 0
    printed = capsys.readouterr()
    lines = [line.strip() for line in printed.out.splitlines()]
    start = next(k for k, line in enumerate(lines) if line.startswith("diversity"))
    assert lines[start + 1].startswith("jerk of hands and feet")
    assert lines[start + 3].startswith("speed of planted feet")
    assert f"wrote {target}" in printed.out
    assert "<h1>Steps</h1>" in target.read_text()
    assert [p.name for p in target.parent.iterdir()] == ["report.html"]
    assert "data-viewport" in target.read_text()


def test_a_folder_and_json(files: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report"
    assert run(command(files, "-o", str(target), "--json")) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["variants"] == ["variant_0", "variant_1", "variant_2"]
    assert summary["figures"]["copied"]["value"] == 0
    assert [Path(p).name for p in summary["written"]] == ["report.html", "figures.json"]
    stored = json.loads((target / "figures.json").read_text())
    assert stored["figures"] == summary["figures"]
    assert (target / "overlay_variants.png").read_bytes().startswith(b"\x89PNG")
    assert run(command(files, "-o", str(target))) == 2
    assert "not empty" in capsys.readouterr().err


def test_only_figures_and_all_of_them(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command(files, "--all", "--action", "none")) == 0
    text = capsys.readouterr().out
    assert "windows covered by one clip" in text
    assert "action is not available" in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["evaluate"], "--inputs"),
        (["evaluate", "--inputs", "a.bvh"], "--outputs"),
        (["evaluate", "--inputs", "a.bvh", "--outputs", "b.bvh"], "a.bvh: there is no such file"),
        (["evaluate", "--inputs", "a.bvh", "--outputs", "b.bvh", "-o", "r.pdf"], "(.html)"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert says in printed.err
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_action_names_the_choices(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command(files, "--action", "dance")) == 2
    assert "root-height" in capsys.readouterr().err
    assert run(["evaluate", "--help"]) == 0
    assert "freshtake evaluate" in capsys.readouterr().out.split("Examples", 1)[1]
