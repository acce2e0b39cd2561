"""Files of pins, contacts and mappings: their meaning, and one sentence for each unreadable one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.errors import FormatError
from freshtake.formats.joint_files import read_contacts, read_mapping, read_pins


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_pins(tmp_path: Path) -> None:
    text = (
        '[{"joint": "LeftHand", "frames": [3, 6], "position": [1, 2.5, 3]},'
        ' {"joint": "Hips", "frame": 9, "hard": false}]'
    )
    first, second = read_pins(written(tmp_path, "a.json", text))
    assert (first.joint, first.run, first.hard) == ("LeftHand", range(3, 6), True)
    np.testing.assert_array_equal(np.asarray(first.position), [1, 2.5, 3])
    assert (second.joint, second.run, second.hard, second.position) == ("Hips", range(9, 10), False, None)


def test_contacts_from_json_and_csv(tmp_path: Path) -> None:
    spans = read_contacts(written(tmp_path, "c.json", '{"LeftFoot": [[2, 5], [7, 8]], "RightFoot": []}'))
    np.testing.assert_array_equal(spans["LeftFoot"], [[2, 5], [7, 8]])
    assert spans["RightFoot"].shape == (0, 2)
    columns = read_contacts(written(tmp_path, "c.csv", "frame,LeftFoot,RightFoot\n0,0,1\n1,0.5,1\n"))
    assert list(columns) == ["LeftFoot", "RightFoot"] and columns["LeftFoot"].tolist() == [0.0, 0.5]


def test_mapping(tmp_path: Path) -> None:
    assert read_mapping(written(tmp_path, "m.json", '{"left_leg": ["a", "b", "c"]}')) == {"left_leg": ["a", "b", "c"]}


BAD_PINS = {
    "{": "not JSON",
    "3": "a list of pins",
    "[3]": "name of a joint",
    '[{"joint": "a"}]': "either frame",
    '[{"joint": "a", "frame": 1, "frames": [1, 2]}]': "either frame",
    '[{"joint": "a", "frame": 1.5}]': "whole numbers",
    '[{"joint": "a", "frame": true}]': "whole numbers",
    '[{"joint": "a", "frames": [5, 2]}]': "whole numbers",
    '[{"joint": "a", "frame": 1, "colour": 2}]': "not a field of a pin",
    '[{"joint": "a", "frame": 1, "position": [1, 2]}]': "3 numbers",
    '[{"joint": "a", "frame": 1, "position": ["x", 2, 3]}]': "3 numbers",
    '[{"joint": "a", "frame": 1, "hard": "yes"}]': "true or false",
    '[{"joint": "a", "frame": 1, "blend": -1}]': "blend",
    "[" * 100_000: "JSON|nested",
}


@pytest.mark.parametrize("text", BAD_PINS, ids=lambda t: t[:40])
def test_bad_pins_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=BAD_PINS[text]):
        read_pins(written(tmp_path, "bad.json", text))


def test_a_table_of_pins_is_refused_with_the_form_that_is_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="this is not JSON, but a list of pins such as"):
        read_pins(written(tmp_path, "pins.csv", "joint,start,stop,x,y,z\nLeftHand,3,6,1,2.5,3\n"))


def test_bad_contacts_and_mappings_are_refused(tmp_path: Path) -> None:
    for text, words in (("[]", "an object"), ('{"a": [[1]]}', "list of"), ('{"a": [[4, 2]]}', "list of")):
        with pytest.raises(FormatError, match=words):
            read_contacts(written(tmp_path, "bad.json", text))
    with pytest.raises(FormatError, match="from 0 to 1"):
        read_contacts(written(tmp_path, "bad.csv", "LeftFoot\n0\n3\n"))
    for text, words in (("[]", "an object"), ('{"left_leg": "LeftFoot"}', "list of joint names")):
        with pytest.raises(FormatError, match=words):
            read_mapping(written(tmp_path, "bad.json", text))
    with pytest.raises(FormatError, match="no such file"):
        read_pins(tmp_path / "absent.json")
