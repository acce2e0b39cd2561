"""Items of a project: changed, undone, redone; and found by the next server."""

from __future__ import annotations

import sqlite3
from multiprocessing import Pipe
from pathlib import Path
from queue import Queue

import pytest

from freshtake.errors import FormatError, UsageError
from freshtake.serve.items import Item, Job, ProjectView, display_name, new_id
from freshtake.serve.project import MissingItem, Project
from freshtake.serve.workers import _Slot
from tests.serve.studio import Studio


def item(name: str = "walk_1", **more: object) -> Item:
    return Item(id=new_id(), kind="take", name=name, created=1.0, facts={"frames": 60}, **more)  # type: ignore[arg-type]


def view(project: Project) -> ProjectView:
    return ProjectView.model_validate_json(project.view_json())


def put(project: Project, name: str) -> Item:
    made = item(name)
    (project.files / f"{made.id}.npz").write_bytes(b"motion")
    return project.add(made, f"{made.id}.npz")


def test_steps_are_undone_and_done_again_in_their_order(tmp_path: Path) -> None:
    project = Project(tmp_path)
    a, b = put(project, "a"), put(project, "b")
    before = project.items()
    project.update(a.id, "star a", star=1)
    project.update(a.id, "rename a", name="c")
    project.remove([b.id], "remove b")
    after = project.items()
    assert [i.name for i in after] == ["c"] and after[0].star == 1
    assert view(project).undo == "remove b"
    for _ in range(3):
        project.undo()
    assert project.items() == before and view(project).undo is None
    for _ in range(3):
        project.redo()
    assert project.items() == after and view(project).redo is None
    with pytest.raises(UsageError, match="nothing to redo"):
        project.redo()
    project.undo()
    project.update(a.id, "unstar c", star=0)
    assert view(project).redo is None, "what was undone is gone once something else is done"
    project.close()


def test_changes_of_one_job_are_undone_together(tmp_path: Path) -> None:
    project = Project(tmp_path)
    a, b = put(project, "a"), put(project, "b")
    before = project.items()
    for one in (a, b, a):
        project.update(one.id, "again", name=f"{project.item(one.id).name}!", within="job")
    after = project.items()
    assert [i.name for i in after] == ["a!!", "b!"]
    project.undo()
    assert project.items() == before and view(project).undo is None
    project.redo()
    assert project.items() == after
    project.update(a.id, "star", star=1)
    project.update(a.id, "again", name="later", within="job")
    assert view(project).undo == "again"
    project.undo()
    assert project.item(a.id).name == "a!!" and view(project).undo == "star"
    project.close()


def test_every_change_has_its_number_and_is_told(tmp_path: Path) -> None:
    project = Project(tmp_path)
    told: list[dict[str, object]] = []
    project.subscribe(told.append)
    a = put(project, "a")
    project.update(a.id, "star", star=1)
    project.update(a.id, "star", star=1)
    project.remove([a.id], "remove")
    project.undo()
    assert [event["change"] for event in told] == [1, 2, 3, 4] and project.change == 4
    assert told[2] == {"change": 3, "gone": a.id} and told[3]["item"] == project.item(a.id).model_dump(mode="json")
    project.close()


def test_what_was_there_is_there_again_and_what_ran_was_interrupted(tmp_path: Path) -> None:
    project = Project(tmp_path)
    a, b = put(project, "a"), put(project, "b")
    project.put_preset("export", {"format": "fbx"})
    project.remove([b.id], "remove b")
    project.put_job(Job(id=new_id(), task="learn", created=1.0, state="running"))
    (project.files / f"{new_id()}.npz").write_bytes(b"of nothing")
    (project.work / "left").write_bytes(b"half")
    project.close()
    again = Project(tmp_path)
    assert [i.id for i in again.items() if i.kind != "movement"] == [a.id]
    assert again.presets() == {"export": {"format": "fbx"}}
    (job,) = again.jobs().values()
    assert job.state == "interrupted" and "start it again" in (job.error or "")
    assert sorted(path.stem for path in again.files.iterdir()) == sorted([a.id, b.id]), "b can still come back"
    assert not list(again.work.iterdir())
    again.undo()
    assert [i.id for i in again.items() if i.kind != "movement"] == [a.id, b.id]
    again.close()


def test_a_folder_has_one_server_at_a_time(tmp_path: Path) -> None:
    project = Project(tmp_path)
    with pytest.raises(UsageError, match="open in another studio"):
        Project(tmp_path)
    project.close()
    Project(tmp_path).close()


def test_a_folder_that_is_no_project_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "project.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(FormatError, match="cannot be opened"):
        Project(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(FormatError, match="cannot be a project folder"):
        Project(tmp_path / "file")
    newer = tmp_path / "newer"
    newer.mkdir()
    rows = sqlite3.connect(newer / "project.sqlite")
    rows.execute("PRAGMA user_version = 99")
    rows.close()
    with pytest.raises(FormatError, match="newer freshtake"):
        Project(newer)


def test_a_project_of_the_first_version_is_refused_and_keeps_its_takes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    take = put(project, "walk_1")  # without a movement
    project.execute("PRAGMA user_version = 1")
    project.close()
    with pytest.raises(FormatError, match=r"freshtake 0\.1 wrote this project: name another with --project"):
        Project(tmp_path)
    assert (tmp_path / "files" / f"{take.id}.npz").exists()


@pytest.mark.parametrize("inside", ["files", "work"])
def test_a_folder_of_something_else_keeps_what_it_holds(tmp_path: Path, inside: str) -> None:
    (tmp_path / inside).mkdir()
    diary = tmp_path / inside / "diary.txt"
    diary.write_text("dear diary")
    with pytest.raises(FormatError, match=f"its folder {inside} contains files: name another"):
        Project(tmp_path)
    assert diary.read_text() == "dear diary" and [path.name for path in tmp_path.iterdir()] == [inside]
    diary.unlink()
    Project(tmp_path).close()


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("walk.bvh", "walk.bvh"),
        ("../../etc/passwd", "passwd"),
        ("C:\\takes\\walk.bvh", "walk.bvh"),
        ("/", "unnamed"),
        ("..", "unnamed"),
        ("a\0b\n.bvh", "ab.bvh"),
        ("x" * 500, "x" * 120),
        ("ünïcödé walk.bvh", "ünïcödé walk.bvh"),
    ],
)
def test_names_are_for_reading_alone(sent: str, shown: str) -> None:
    assert display_name(sent) == shown


def test_changes_by_the_routes(studio: Studio, takes: list[str]) -> None:
    id = takes[3]
    old = studio.item(id)
    changed = studio.http.patch(f"/api/items/{id}", json={"name": "slow walk", "star": 1, "trim": [5, 30]}).json()
    assert (changed["name"], changed["star"], changed["trim"]) == ("slow walk", 1, [5, 30])
    assert studio.get("/project")["undo"] == "rename and star and trim walk_4"
    studio.http.post("/api/undo")
    assert studio.item(id) == old
    for one in takes[2:]:
        studio.http.patch(f"/api/items/{one}", json={"star": 1, "step": "all at once"})
    assert studio.get("/project")["undo"] == "star several items"
    studio.http.post("/api/undo")
    assert [studio.item(one)["star"] for one in takes[2:]] == [0, 0]
    assert "in order" in studio.refused("PATCH", f"/items/{id}", 400, json={"trim": [9, 9]})
    studio.refused("PATCH", f"/items/{id}", 422, json={"star": 5})
    studio.refused("PATCH", f"/items/{id}", 422, json={"file": "/etc/passwd"})
    studio.refused("PATCH", f"/items/{id}", 400, json={"name": None})
    assert "visible character" in studio.refused("PATCH", f"/items/{id}", 422, json={"name": " \0\u202e"})
    assert studio.http.patch(f"/api/items/{id}", json={"name": " slow\n\u202ewalk"}).json()["name"] == "slowwalk"
    studio.http.post("/api/undo")
    assert studio.http.post("/api/remove", json={"items": [id]}).status_code == 200
    assert "undo" in studio.refused("GET", f"/items/{id}", 404)
    studio.http.post("/api/undo")
    assert studio.item(id) == old
    with pytest.raises(MissingItem):
        assert studio.project is not None
        studio.project.item("0" * 16)


def test_presets_hold_numbers_that_json_knows(studio: Studio) -> None:
    for number in ("NaN", "-Infinity", "1e999"):
        answer = studio.http.put("/api/presets/pad", content=f'{{"x": {number}}}')
        assert answer.status_code == 422, "pages could not read the project any more"
    assert "pad" not in studio.get("/project")["presets"]
    assert studio.http.put("/api/presets/pad", json={"x": 0.5, "on": True}).status_code == 200
    assert studio.get("/project")["presets"]["pad"] == {"x": 0.5, "on": True}
    studio.http.put("/api/presets/pad", content="null")


def test_items_that_are_removed_while_a_job_replaces_them_stay_removed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    gone, there = put(project, "gone"), put(project, "there")
    project.remove([gone.id], "remove gone")
    job = project.put_job(Job(id=new_id(), task="again", state="running", created=1.0))
    ours, theirs = Pipe()
    for one in (gone, there):
        (project.files / f"new_{one.name}.npz").write_bytes(b"other motion")
        theirs.send(("replace", one.id, "again", f"new_{one.name}.npz", {"star": 1}))
    theirs.send(("done",))
    ended = _Slot(project, Queue(), long=False)._listen(ours, job.id, None)
    assert ended["state"] == "done" and project.job(job.id).made == [there.id]
    assert project.path(there.id).name == "new_there.npz" and not (project.files / "new_gone.npz").exists()
    with pytest.raises(MissingItem):
        project.item(gone.id)
    project.close()
