"""Plans: the crowd matches the plan, and errors name the key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.crowd.casting import cast_of
from freshtake.crowd.plan import counts, loops_needed
from freshtake.crowd.plan_files import problems, read_places, read_plan
from freshtake.errors import FormatError

GOOD = """
number = 10
seconds = 2
fps = 30
seed = 4
mode = "library"
variants = 8
[placement]
kind = "disc"
spacing = 1.0
radius = 20
[[groups]]
name = "walkers"
model = "a.ftm"
share = 0.6
amount = [0.8, 1.2]
size = [0.9, 1.1]
[[groups]]
model = "b.ftm"
share = 0.4
heading = [-180, 180]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.ftm", "b.ftm"):
        (tmp_path / name).write_bytes(b"a model, which is read later")
    return tmp_path


def read(folder: Path, text: str) -> object:
    path = folder / "crowd.toml"
    path.write_text(text)
    return read_plan(path)


def test_a_plan_is_read_and_cast(folder: Path) -> None:
    path = folder / "crowd.toml"
    path.write_text(GOOD)
    plan = read_plan(path, {"seed": 5})
    assert (plan.number, plan.fps, plan.seed, plan.variants) == (10, 30.0, 5, 8)
    cast = cast_of(plan)
    assert np.bincount(cast.group).tolist() == [6, 4]
    assert ((cast.amount[:6] >= 0.8) & (cast.amount[:6] <= 1.2)).all() and (cast.amount[6:] == 1.0).all()
    assert np.ptp(cast.size[:6]) > 0.0 and np.ptp(cast.heading[6:]) > 1.0 and (cast.heading[:6] == 0.0).all()
    assert cast.variant[:6].max() <= 5 < cast.variant[6:].min()  # 8 variants by share: 5 and 3
    more = cast_of(read_plan(path, {"seed": 5, "number": 20}))
    np.testing.assert_array_equal(more.phase[:10], cast.phase)


def test_shares_become_whole_numbers_that_sum_up() -> None:
    assert counts(10, (0.6, 0.3, 0.1)) == [6, 3, 1]
    assert counts(7, (1 / 3, 1 / 3, 1 / 3)) == [3, 2, 2]
    assert sum(counts(101, (0.55, 0.44, 0.01))) == 101


BAD = {
    'model = "a.ftm"': ('model = "c.ftm"', r"groups\[0\].model: there is no model 'c.ftm'"),
    "share = 0.4": ("share = 0.3", "groups: the shares must sum to 1, but sum to 0.9"),
    "number = 10": ("number = 0", "number: 1 to 10000000 was expected, not 0"),
    "seconds = 2": ('seconds = "two"', "seconds: a number was expected, not 'two'"),
    'mode = "library"': ('mode = "cycle"', "mode: one of unique, library was expected, not 'cycle'"),
    "fps = 30": ("frames = 30", "frames: no such key here; the keys are number, seconds"),
    "amount = [0.8, 1.2]": ("amount = [1.2, 0.8]", r"groups\[0\].amount: a range from low to high"),
    "size = [0.9, 1.1]": ("size = [0.9]", r"groups\[0\].size: 2 entries were expected, not 1"),
    'kind = "disc"': ('kind = "paths"', "placement.radius: a placement of kind paths has no radius"),
    "radius = 20": ("radius = -2", "placement.radius: a number above 0 was expected, not -2"),
    "seed = 4": ("seed = true", "seed: a whole number was expected, not True"),
    "spacing = 1.0": ("spacing = nan", "placement.spacing: a finite number"),
    "[placement]": ("[placement", "this is not TOML"),
}


@pytest.mark.parametrize("line", BAD)
def test_what_is_wrong_is_said_with_its_key(folder: Path, line: str) -> None:
    other, sentence = BAD[line]
    with pytest.raises(FormatError, match=sentence):
        read(folder, GOOD.replace(line, other))


def test_a_bound_on_one_side_is_said_as_such(folder: Path) -> None:
    with pytest.raises(FormatError, match="seed: 0 or more was expected, not -3"):
        read(folder, GOOD.replace("seed = 4", "seed = -3"))


ADDED = {
    "[avoidance]\nradius = 0": "avoidance.radius: a number above 0 was expected, not 0",
    "[avoidance]": "mode: characters of a library share loops and cannot be steered individually",
    "[repetition]\nvisible = 20": "repetition: it determines the number of variants: leave out variants",
    "[repetition]\nvisible = 2000": "repetition.visible: 1 to 1000 was expected, not 2000",
    '[ground]\nfile = "a.png"\nsize = [1, 2]\nheight = 1': "ground.file: there is no height map 'a.png'",
    '[ground]\nfile = "a.png"\nsize = [1, 0]': r"ground.size\[1\]: a number above 0 was expected, not 0|ground.height",
    '[ground]\nfile = "a.ftm"': r"ground.size: this key is required \(Metres along x and z\)",
    "[[groups]]\nmodel = 'a.ftm'\nshare = 0.1\ntarget = [1, 2, 3]": r"groups\[2\].target: 2 entries were expected",
    "[[groups]]\nmodel = 'a.ftm'\nshare = 0.1\npaths = [[[0, 0]]]": "2 or more points of a path",
    "[[groups]]\nmodel = 'a.ftm'\nshare = 0.1\ntarget = [1, 2]\npaths = [[[0, 0], [1, 1]]]": "leave one out",
    "[groups.placement]\nkind = 'csv'": r"groups\[1\].placement.file: a placement of kind csv needs it",
    "phase = [0, 2]": r"groups\[1\].phase\[1\]: 0 to 1 was expected, not 2",
}


@pytest.mark.parametrize("lines", ADDED)
def test_what_is_wrong_with_routes_and_grounds_is_said_with_its_key(folder: Path, lines: str) -> None:
    with pytest.raises(FormatError, match=ADDED[lines]):
        read(folder, GOOD + lines)


def test_a_library_is_as_large_as_a_view_needs_it(folder: Path) -> None:
    text = GOOD.replace("variants = 8", "") + "[repetition]\nvisible = 20\nprobability = 0.2\n"
    path = folder / "crowd.toml"
    path.write_text(text)
    plan = read_plan(path)
    assert plan.variants == loops_needed(20, 0.2, [0.6, 0.4], 0.1) > 20  # 0.2 s of 2 s
    assert cast_of(plan).variant.max() <= plan.variants


PATHS = """
number = 3
[placement]
kind = "paths"
paths = {paths}
[[groups]]
model = "a.ftm"
"""


@pytest.mark.parametrize(
    "paths, sentence",
    [
        ("[[[0, 0]]]", r"placement.paths\[0\]: 2 or more points of a path were expected, not 1"),
        ("[[[0, 0], [0, 1], [0, 1]]]", r"placement.paths\[0\]\[2\]: this point repeats the previous one"),
        ("[]", "placement.paths: 1 or more"),
        ("[[[0, 0], [1]]]", r"placement.paths\[0\]\[1\]: 2 entries"),
    ],
)
def test_paths_need_points_that_lead_somewhere(folder: Path, paths: str, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        read(folder, PATHS.replace("{paths}", paths))


def test_places_from_a_table(folder: Path) -> None:
    text = 'number = 2\n[placement]\nkind = "csv"\nfile = "places.csv"\n[[groups]]\nmodel = "a.ftm"\n'
    table = folder / "places.csv"
    table.write_text("name,x,z,heading\na,1,2,90\nb,3,4,0\n")
    (folder / "crowd.toml").write_text(text)
    plan = read_plan(folder / "crowd.toml")
    cast = cast_of(plan, read_places(plan))
    np.testing.assert_allclose(cast.ground, [[1, 2], [3, 4]])
    np.testing.assert_allclose(cast.heading, [np.pi / 2, 0.0])
    for content, sentence in (
        ("x,z\n1,2\n", "the table has 1 positions for 2 characters"),
        ("x,y\n1,2\n", "line 1: columns x and z were expected"),
        ("x,z\n1,2\n1,far\n", "line 3: numbers were expected"),
    ):
        table.write_text(content)
        with pytest.raises(FormatError, match=sentence):
            cast_of(plan, read_places(plan))


def test_every_problem_of_a_plan_has_a_key() -> None:
    assert [key for key, _ in problems({})] == ["groups"]
    assert [key for key, _ in problems({"groups": [{"share": 2}]})] == ["groups[0].model", "groups[0].share"]
