"""`freshtake plant` as a user meets it."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from tests.motion.planting.test_clip_planting import PHASE, firm, good, ground_speed, sliding
from tests.motion.puppet import standing

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "06_plant_feet.py"


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    ft.write(tmp_path / "sliding.bvh", sliding(0.5))
    ft.write(tmp_path / "good.bvh", good())
    return tmp_path / "sliding.bvh"


def test_feet_stand_in_the_file_that_is_written(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = clip.with_name("out.bvh")
    assert run(["plant", str(clip), "-o", str(out), "--like", str(clip.with_name("good.bvh"))]) == 0
    assert "contacts held" in capsys.readouterr().out
    before, after = (ground_speed(ft.read(p), 4)[firm()[:, 0]].mean() for p in (clip, out))
    assert after < 0.2 * before


def test_contacts_pins_and_mapping_from_files(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = clip.parent
    flags = standing(PHASE).astype(int)
    rows = "\n".join(f"{a},{b}" for a, b in flags)
    (place / "c.csv").write_text(f"LeftFoot,RightFoot\n{rows}\n")
    where = ft.read(clip).positions()[60, 13] + 0.02
    (place / "p.json").write_text(json.dumps([{"joint": "LeftHand", "frame": 60, "position": where.tolist()}]))
    (place / "m.json").write_text(
        json.dumps(
            {
                "left_leg": ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
                "right_leg": ["RightUpLeg", "RightLeg", "RightFoot", "RightToe"],
            }
        )
    )
    out = place / "out.bvh"
    files = ["--contacts", str(place / "c.csv"), "--pins", str(place / "p.json"), "--mapping", str(place / "m.json")]
    assert run(["plant", str(clip), "-o", str(out), *files, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["written"] == str(out) and facts["pins"][0]["residual"] < 1e-3
    assert np.linalg.norm(ft.read(out).positions()[60, 13] - where) < 1e-3


@pytest.mark.parametrize(
    ("name", "text", "option", "words"),
    [
        ("p.json", "[", "--pins", "not JSON"),
        ("p.json", '[{"joint": "Nose", "frame": 1}]', "--pins", "no joint 'Nose'"),
        ("p.json", '[{"joint": "Head", "frame": 1}]', "--pins", "cannot be pinned"),
        ("c.json", '{"Nose": [[1, 2]]}', "--contacts", "no foot 'Nose'"),
        ("c.json", '{"LeftFoot": [[1, 2000]]}', "--contacts", "ends at frame 2000"),
        ("m.json", '{"tail": ["Hips"]}', "--mapping", "neither a leg nor an arm"),
    ],
)
def test_bad_files_end_with_one_sentence(
    clip: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, option: str, words: str
) -> None:
    (clip.parent / name).write_text(text)
    out = clip.with_name("out.bvh")
    assert run(["plant", str(clip), "-o", str(out), option, str(clip.parent / name)]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not out.exists()


def test_what_has_no_feet_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stroke.csv").write_text("x,y\n0,0\n1,1\n2,1\n")
    assert run(["plant", str(tmp_path / "stroke.csv"), "-o", str(tmp_path / "o.csv")]) == 2
    assert "feet to plant" in capsys.readouterr().err


def test_no_feet_no_floor_and_other_joints_are_said_in_a_sentence(
    clip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, take = clip.parent, good()
    names = tuple(f"link_{k}" for k in range(6))
    rope = ft.Skeleton(names, np.arange(6) - 1, np.array([[0.0, 0.0, 0.0], *[[0.0, 0.2, 0.0]] * 5]))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (20, 6, 1))
    ft.write(place / "rope.bvh", ft.Clip(rope, 1 / 30, np.random.default_rng(0).normal(size=(20, 3)), still))
    root = take.root.copy()
    root[:, take.up_index] += np.linspace(0.0, 5.0, len(root))
    ft.write(place / "rising.bvh", take.changed(root=root))
    (place / "c.json").write_text('{"LeftPaw": [[0, 10]]}')
    asked = {
        "no legs can be recognized": ["rope.bvh"],
        "no legs can be recognized in": ["rope.bvh", "--contacts", "c.json"],
        "the floor cannot be found: give its height with --floor": ["rising.bvh"],
        "there is no foot 'LeftPaw' for contacts; there are LeftFoot": ["good.bvh", "--contacts", "c.json"],
        "have different skeletons": ["good.bvh", "--like", "rope.bvh"],
    }
    for words, options in asked.items():
        files = [str(place / word) if "." in word else word for word in options]
        assert run(["plant", *files, "-o", str(place / "out.bvh")]) == 2
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1 and not (place / "out.bvh").exists()


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(tmp_path / "out")])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "planted.bvh" in {path.name for path in (tmp_path / "out").iterdir()}
    assert "missed" in capsys.readouterr().out
