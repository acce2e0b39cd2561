"""The description of the routes is valid, and every request it allows is answered without a server error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st

from freshtake.serve.app import make_app
from freshtake.serve.project import Project
from freshtake.serve.tasks import TASKS
from tests.serve.studio import Studio

SCHEMA: dict[str, Any] = {}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    project = Project(tmp_path_factory.mktemp("schema"))
    found = make_app(project).openapi()
    project.close()
    return found


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(one) for one in value.values()))
    return set().union(*(references(one) for one in value)) if isinstance(value, list) else set()


def test_the_description_is_whole(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1") and described["info"]["title"] == "freshtake"
    known = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert references(described) <= known
    names = [way["operationId"] for ways in described["paths"].values() for way in ways.values()]
    assert len(names) == len(set(names))
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            assert path.startswith("/api/") and way["description"], f"{method} {path}"
            asked = {one["name"] for one in way.get("parameters", ()) if one["in"] == "path"}
            assert asked == set(re.findall(r"{(\w+)}", path))
            assert "422" in way["responses"] and "error" in str(described["components"]["schemas"]["Problem"])


def test_every_task_that_may_be_asked_for_is_known(described: dict[str, Any]) -> None:
    body = described["paths"]["/api/jobs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["discriminator"]["mapping"]) <= set(TASKS)
    assert set(TASKS) - set(body["discriminator"]["mapping"]) == {"read", "samples"}, "those have separate routes"


def values(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a schema allows, small."""
    if "$ref" in schema:
        return values(whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]], whole)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return st.one_of([values(one, whole) for one in schema[word]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        fields = {name: values(one, whole) for name, one in schema.get("properties", {}).items()}
        needed = {name: fields[name] for name in schema.get("required", ())}
        rest = {name: one for name, one in fields.items() if name not in needed}
        if not fields and isinstance(schema.get("additionalProperties"), dict):
            return st.dictionaries(st.text(max_size=8), values(schema["additionalProperties"], whole), max_size=2)
        return st.fixed_dictionaries(needed, optional=rest)
    if kind == "array":
        least = schema.get("minItems", 0)
        if "prefixItems" in schema:
            return st.tuples(*(values(one, whole) for one in schema["prefixItems"])).map(list)
        return st.lists(values(schema.get("items", {}), whole), min_size=least, max_size=least + 2)
    if kind == "integer":
        return st.integers(schema.get("minimum", -(2**40)), min(schema.get("maximum", 2**40), 2**53))
    if kind == "number":
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1e9))
        return st.floats(low, schema.get("maximum", 1e9), allow_nan=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    return st.text(max_size=min(schema.get("maxLength", 12), 12))


@settings(max_examples=50)
@given(data=st.data())
def test_whatever_is_asked_is_answered(studio: Studio, data: st.DataObject) -> None:
    described = SCHEMA or SCHEMA.update(studio.http.get("/openapi.json").json()) or SCHEMA
    path = data.draw(st.sampled_from(sorted(described["paths"])))
    method = data.draw(st.sampled_from(sorted(described["paths"][path])))
    if path == "/api/samples/{name}" or path in ("/api/undo", "/api/redo"):
        return  # the first makes samples, the others change what other tests rely on
    way = described["paths"][path][method]
    filled, query = path, {}
    for one in way.get("parameters", ()):
        value = data.draw(values(one["schema"], described))
        if one["in"] == "path":
            filled = filled.replace("{" + one["name"] + "}", str(value))
        elif value is not None:
            query[one["name"]] = value
    body = way.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    sent = data.draw(values(body, described)) if body else None
    try:
        answer = studio.http.request(method, filled, params=query, json=sent)
    except (httpx.InvalidURL, UnicodeEncodeError):
        return
    assert answer.status_code < 500, (method, filled, query, sent, answer.text)
    if answer.status_code >= 400:
        assert set(answer.json()) == {"error"} and answer.json()["error"]
    else:
        assert str(answer.status_code) in way["responses"]


def test_an_application_has_no_pages_of_other_hosts(described: dict[str, Any], tmp_path: Path) -> None:
    project = Project(tmp_path)
    app: FastAPI = make_app(project)
    assert app.docs_url is None and app.redoc_url is None
    project.close()
