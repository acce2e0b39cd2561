"""Map files: written maps are read back, and errors are one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from freshtake.errors import FormatError
from freshtake.formats.joint_files import read_body_maps, write_body_maps
from freshtake.samples.rigs import parts


@pytest.mark.parametrize("name", ["map.toml", "map.json"])
def test_maps_come_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    source, target = parts("biped"), parts("mixamo")
    target["head"] = ['a "quoted" \\ Kopf ä']
    write_body_maps(tmp_path / name, {"source": source, "target": target})
    found = read_body_maps(tmp_path / name)
    assert found.source == source and found.target == target


def test_one_of_both_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('[target]\nhips = "Hips"\nspine = ["A", "B"]\n')
    found = read_body_maps(tmp_path / "m.toml")
    assert found.source is None
    assert found.target == {"hips": ["Hips"], "spine": ["A", "B"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the map is empty"),
        ('hips = "Hips"\n', r"'hips' is not a table of a map: write \[source\] or \[target\]"),
        ("[target]\nhips = Hips\n", "line 2: this is neither TOML nor JSON"),
        ('{"target": {"hips": "Hips",}}', "line 1: this is not JSON"),
        ("[target]\nhips = 3\n", "target.hips: the name of a joint was expected"),
        ("[target]\nspine = []\n", "target.spine: the name of a joint was expected"),
        ("target = 3\n", "target: a table with lines"),
        ('{"a":' * 5000, "not JSON|nested too deeply"),
    ],
)
def test_broken_maps_are_refused_with_their_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=said) as error:
        read_body_maps(path)
    assert str(error.value).startswith(str(path))
