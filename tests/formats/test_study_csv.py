"""The tables of a study: written tables are read back, and a bad row gives one sentence that names its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from freshtake.errors import FormatError
from freshtake.evaluation.study import Rating, Stimulus, Trial
from freshtake.formats.study_csv import read_key, read_ratings, write_key, write_ratings

HEAD = "participant,position,experiment,motion,stimulus,score\n"
KEY_HEAD = "stimulus,experiment,motion,condition,sources\n"


def test_ratings_come_back(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    ratings = [Rating("Ann, Dr", 1, "A", "walk", "s1", 9), Rating("Ann, Dr", 2, "A", "walk", 's"2', None)]
    write_ratings(path, ratings)
    assert read_ratings(path) == ratings
    write_ratings(path, [Trial(*rating[:5]) for rating in ratings])
    assert read_ratings(path) == [rating._replace(score=None) for rating in ratings]


def test_keys_come_back(tmp_path: Path) -> None:
    stimuli = [Stimulus("s1", "A", "walk", "variants", ("v1",)), Stimulus("s2", "B", "walk", "cycle", ("a", "b", "a"))]
    write_key(tmp_path / "key.csv", stimuli)
    assert read_key(tmp_path / "key.csv") == {s.name: s for s in stimuli}


def test_tables_from_spreadsheets_are_read(tmp_path: Path) -> None:
    """A byte order mark, spaces, carriage returns, columns in another order and one more, empty lines."""
    path = tmp_path / "ratings.csv"
    text = "score, stimulus,participant,Position,experiment,motion,remark\r\n 7 ,s1,p1,3,A,walk,good\r\n\r\n,,,,,,\r\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_ratings(path) == [Rating("p1", 3, "A", "walk", "s1", 7)]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        (HEAD + "p,1,A,walk,s,10\n", "line 2", "from 1 to 9"),
        (HEAD + "p,1,A,walk,s,0\n", "line 2", "from 1 to 9"),
        (HEAD + "p,1,A,walk,s,5\np,2,A,walk,t,4.5\n", "line 3", "whole number"),
        (HEAD + "p,1,A,walk,s,good\n", "line 2", "'good'"),
        (HEAD + "p,1,A,walk,s,²\n", "line 2", "from 1 to 9"),
        (HEAD + "p,one,A,walk,s,5\n", "line 2", "'one'"),
        (HEAD + "p,0,A,walk,s,5\n", "line 2", "position"),
        (HEAD + ",1,A,walk,s,5\n", "line 2", "participant is missing"),
        (HEAD + "p,1,A,walk,,5\n", "line 2", "stimulus is missing"),
        (HEAD + "p,1,A,walk,s\n", "line 2", "not 5"),
        (HEAD + "p,1,A,walk,s,5\np,1,A,walk,t,5\n", "line 3", "two rows"),
        (HEAD, "", "no ratings"),
        ("", "line 1", "'participant' is missing"),
        ("participant,position\np,1\n", "line 1", "'experiment' is missing"),
        (HEAD + 'p,1,A,walk,"s,5\n', "", "CSV"),
    ],
)
def test_bad_ratings_are_one_sentence(text: str, place: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_ratings(path)
    said = str(caught.value)
    assert said.startswith(str(path)) and says in said and "\n" not in said and place in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (KEY_HEAD + "s,E,walk,variants,\n", "the experiments are A, B, C and D"),
        (KEY_HEAD + "s,A,walk,cycle,\n", "variants and captured"),
        (KEY_HEAD + "s,A,walk,variants,\ns,A,walk,captured,\n", "twice"),
        ("stimulus\ns\n", "'experiment' is missing"),
    ],
)
def test_bad_keys_are_one_sentence(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=says):
        read_key(path)
    with pytest.raises(FormatError, match="no such file"):
        read_key(tmp_path / "none.csv")
