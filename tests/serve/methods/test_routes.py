"""Routes of drawing, style, texture, comparison and studies, in this process."""

from __future__ import annotations

import csv
import io
import json
import struct
from typing import Any

import numpy as np
import pytest

from freshtake import samples
from freshtake.evaluation.study import Rating, analyze
from freshtake.evaluation.study.schedule import clones_of
from freshtake.formats.ftm import load
from freshtake.formats.study_csv import read_key, read_ratings
from freshtake.serve.items import Item
from tests.serve.methods.tasks_here import Here

fastapi = pytest.importorskip("fastapi", reason="the extra studio is not installed")


def scene(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack("<I", data[:4])
    return json.loads(data[4 : 4 + length]), data[4 + length + (-(4 + length) % 4) :]


def points(manifest: dict[str, Any], data: bytes, number: int) -> np.ndarray[Any, Any]:
    shape = manifest["shapes"][number]
    count = shape["frames"] * shape["count"] * 3
    return np.frombuffer(data, "<i2", count, shape["points"]).reshape(shape["frames"], -1, 3) * shape["step"]


def test_drawings_become_variants_at_once(client: Any) -> None:
    drawn = client.get("/api/strokes/example").json()
    made = client.post("/api/strokes/variants", json={**drawn, "number": 15, "amount": 1.0}).json()["variants"]
    assert len(made) == 15 and all(len(pens) == 1 for pens in made)
    assert len({pens[0][-1][2] for pens in made}) > 2
    refused = client.post("/api/strokes/variants", json={"drawings": drawn["drawings"][:1]})
    assert refused.status_code == 400 and "2 to 12 drawings" in refused.json()["error"]
    for point in (["x", 0, 0], [0, 0], [0, "NaN", 0]):
        assert client.post("/api/strokes/variants", json={"drawings": [[[point]]]}).status_code == 422


def test_the_strength_of_a_style_is_seen_at_once(client: Any, style: Item, takes: dict[str, list[str]]) -> None:
    longs = takes["long"]

    def seen(strength: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        asked = {"take": longs[0], "styles": [[style.id, 1.0]], "strength": strength}
        manifest, data = scene(client.post("/api/style/preview", json=asked).content)
        assert [shape["role"] for shape in manifest["shapes"]] == ["input", "variant"]
        return points(manifest, data, 0), points(manifest, data, 1)

    take, same = seen(0.0)
    assert np.abs(take - same).max() < 1e-3
    changes = []
    for strength in (0.5, 1.0):
        made = seen(strength)[1]
        count = min(len(take), len(made))
        changes.append(float(np.abs(made[:count] - take[:count]).mean()))
    assert 0.002 < changes[0] < changes[1]
    refused = client.post("/api/style/preview", json={"take": longs[0], "styles": [[longs[1], 1.0]]})
    assert refused.status_code == 400 and "not a style model" in refused.json()["error"]


def test_the_jump_map_is_a_picture_of_the_jumps(client: Any, here: Here, texture: Item, blend: Item) -> None:
    from PIL import Image

    from freshtake.reports.texture_figures import dense

    told = client.get(f"/api/texture/{texture.id}").json()
    answer = client.get(f"/api/texture/{texture.id}/map.png")
    assert answer.headers["content-type"] == "image/png"
    alpha = np.asarray(Image.open(io.BytesIO(answer.content)))[..., 3]
    assert alpha.shape == (told["frames"], told["frames"]) and told["travels"]
    assert np.array_equal(alpha > 0, dense(load(here.project.path(texture.id))) > 0.0)  # type: ignore[arg-type]
    assert client.get(f"/api/texture/{blend.id}").status_code == 400


def test_a_mesh_is_sent_by_its_modes(client: Any, here: Here, flag: Item, texture: Item) -> None:
    told, data = scene(client.get(f"/api/texture/{flag.id}/modes").content)

    def array(name: str, kind: str) -> np.ndarray[Any, Any]:
        start, count = told["arrays"][name]
        return np.frombuffer(data, kind, count, start)

    base, shapes = array("base", "<f4").reshape(-1, 3), array("shapes", "<f4").reshape(told["modes"], -1, 3)
    weights = array("weights", "<f4").reshape(told["frames"], -1)
    made = base + np.tensordot(weights[[5, 40]], shapes, axes=1)
    model = load(here.project.path(flag.id))
    real = [model.decode(model.rows[k : k + 1]).vertices[0].astype(float) for k in (5, 40)]  # type: ignore[union-attr]

    def edges(points: Any) -> Any:
        return np.linalg.norm(points[1:] - points[:-1], axis=1)

    ratio = edges(made[0]) / edges(real[0])
    assert np.ptp(ratio) < 0.02 * ratio.mean()  # one scale for all
    assert np.allclose(edges(made[1]), ratio.mean() * edges(real[1]), rtol=0.02, atol=1e-3)
    chance = array("onward", "<f4") + array("chances", "<f4").reshape(told["frames"], -1).sum(axis=1)
    assert np.all((np.abs(chance - 1.0) < 1e-5) | (chance == 0.0))
    assert client.get(f"/api/texture/{texture.id}/modes").status_code == 400


def test_the_page_of_an_evaluation_is_shut_in(client: Any, report: Item, takes: dict[str, list[str]]) -> None:
    answer = client.get(f"/api/reports/{report.id}")
    assert answer.text.startswith("<!doctype html>")
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert client.get(f"/api/reports/{takes['walk'][0]}").status_code == 400


@pytest.fixture(scope="module")
def study(here: Here, takes: dict[str, list[str]]) -> str:
    walks = takes["walk"]
    made = here.run(
        "study_design", walks[:2], inputs=walks[1:], captured=[], experiment="AB", participants=2, trials=2,
        clips=2, sequences=1, name="short walk",
    )  # fmt: skip
    return made[0].id


def test_a_study_from_consent_to_its_outcome(client: Any, here: Here, study: str) -> None:
    told = client.get("/api/studies").json()[0]
    assert (
        told["name"] == "short walk" and told["trials"] == 4 and not told["people"] and "free will" in told["consent"]
    )
    assert client.get(f"/api/studies/{study}/outcome").json()["words"].startswith("nobody has given a score")
    key = read_key(here.project.path(study) / "key.csv")
    given = []
    for person, code in enumerate(("amber", "b-2")):
        assert (
            client.post(f"/api/studies/{study}/participants", json={"code": code, "consent": False}).status_code == 400
        )
        now = client.post(f"/api/studies/{study}/participants", json={"code": code, "consent": True}).json()
        while now["next"] is not None:
            position = now["next"]["position"]
            assert not any(word in json.dumps(now) for word in ("variants", "captured", "cycle", "walk"))
            manifest, _ = scene(
                client.get(f"/api/studies/{study}/scene", params={"code": code, "position": position}).content
            )
            assert [(shape["name"], shape["role"]) for shape in manifest["shapes"]] == [("", "input")]
            score = 2 + person + position
            given.append((code, position, score))
            now = client.post(
                f"/api/studies/{study}/scores",
                json={"code": code, "position": position, "score": score, "seconds": 1.5},
            ).json()
        again = {"code": code, "position": 1, "score": 5}
        assert "already" in client.post(f"/api/studies/{study}/scores", json=again).json()["error"]
    table = client.get(f"/api/studies/{study}/ratings.csv")
    assert "attachment" in table.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [(r["participant"], int(r["position"]), int(r["score"])) for r in rows] == given
    sheet = read_ratings(here.project.path(study) / "ratings.csv")  # everybody in an individual order
    assert [row["stimulus"] for row in rows] == [trial.stimulus for trial in sheet]
    ratings = [
        Rating(r["participant"], int(r["position"]), r["experiment"], r["motion"], r["stimulus"], int(r["score"]))
        for r in rows
    ]
    found = client.get(f"/api/studies/{study}/outcome").json()["outcomes"]
    for outcome, one in zip(analyze(ratings, key), found, strict=True):
        assert one["anova"]["p"] == pytest.approx(outcome.anova.p, nan_ok=True)
        assert [group["mean"]["mean"] for group in one["groups"]] == [group.mean.mean for group in outcome.groups]
    assert client.get(f"/api/studies/{study}/figure.svg").content.lstrip().startswith(b"<?xml")
    assert client.get("/api/studies").json()[0]["people"] == [
        {"code": "amber", "answered": 4, "of": 4}, {"code": "b-2", "answered": 4, "of": 4},
    ]  # fmt: skip


def test_clones_are_searched_for_and_two_are_chosen_from(client: Any, here: Here, takes: dict[str, list[str]]) -> None:
    walks = [here.take(f"many_{k}", samples.walk(np.random.default_rng(k), cycles=1, fps=15.0)) for k in range(11)]
    made = here.run(
        "study_design", walks, inputs=takes["walk"], captured=[], experiment="CD", participants=1, trials=4,
        clips=1, sequences=2, name="clones",
    )  # fmt: skip
    study, key = made[0].id, read_key(here.project.path(made[0].id) / "key.csv")
    trials = read_ratings(here.project.path(study) / "ratings.csv")
    now = client.post(f"/api/studies/{study}/participants", json={"code": "eve", "consent": True}).json()
    for trial in trials:
        where = {"code": "eve", "position": trial.position}
        manifest, _ = scene(client.get(f"/api/studies/{study}/scene", params=where).content)
        shown = [shape["name"] for shape in manifest["shapes"]]
        assert shown == [str(k) for k in range(1, 13 if trial.experiment == "C" else 3)]
        assert now["next"]["experiment"] == trial.experiment and not now.get("wrong")
        if trial.experiment == "D":
            assert client.post(f"/api/studies/{study}/scores", json={**where, "score": 3}).status_code == 400
            now = client.post(f"/api/studies/{study}/scores", json={**where, "score": 2, "seconds": 3.0}).json()
            continue
        pair = sorted(clones_of(key[trial.stimulus]))
        others = [k for k in range(1, 13) if k not in pair][:2]
        answer = client.post(f"/api/studies/{study}/scores", json={**where, "picked": others, "seconds": 4.0}).json()
        assert answer["wrong"] and answer["next"]["position"] == trial.position
        if key[trial.stimulus].condition == "in step":
            now = client.post(f"/api/studies/{study}/scores", json={**where, "picked": pair, "seconds": 7.4}).json()
        else:
            now = client.post(f"/api/studies/{study}/scores", json={**where, "picked": [], "seconds": 60.0}).json()
    assert now["next"] is None
    hunt, choice = client.get(f"/api/studies/{study}/outcome").json()["outcomes"]
    assert [group["mean"]["mean"] for group in hunt["groups"]] == [7.0, 60.0] and hunt["not_found"] == 2
    assert choice["anova"] is None and sum(group["scores"] for group in choice["groups"]) == 4
    assert client.get(f"/api/studies/{study}/figure.svg").content.lstrip().startswith(b"<?xml")


def test_everybody_has_an_order_of_their_own_and_whoever_comes_back_goes_on(
    client: Any, here: Here, study: str
) -> None:
    trials = read_ratings(here.project.path(study) / "ratings.csv")
    assert (
        len({tuple(t.stimulus for t in trials if t.participant == p) for p in ("participant_01", "participant_02")})
        == 2
    )
    join = {"code": "late", "consent": True}
    now = client.post(f"/api/studies/{study}/participants", json=join).json()
    first = {"code": "late", "position": now["next"]["position"], "score": 4}
    client.post(f"/api/studies/{study}/scores", json=first)
    again = client.post(f"/api/studies/{study}/participants", json=join).json()
    assert again["answered"] == 1 and again["next"]["position"] == 2


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"code": "amber", "position": 1, "score": 10}, 422),
        ({"code": "amber", "position": 1, "score": 4.5}, 422),
        ({"code": "amber", "position": 99, "score": 4}, 400),
        ({"code": "nobody", "position": 1, "score": 4}, 400),
    ],
)
def test_scores_that_cannot_be_are_refused(client: Any, study: str, asked: dict[str, Any], status: int) -> None:
    client.post(f"/api/studies/{study}/participants", json={"code": "amber", "consent": True})
    answer = client.post(f"/api/studies/{study}/scores", json=asked)
    assert answer.status_code == status and answer.json()["error"]


@pytest.mark.parametrize("code", ["simulated_01", "../x", "a b", "-", "ä"])
def test_codes_are_plain(client: Any, study: str, code: str) -> None:
    answer = client.post(f"/api/studies/{study}/participants", json={"code": code, "consent": True})
    assert answer.status_code == 400 and "choose another" in answer.json()["error"]
