"""The dependency rule, read off the import statements: a layer imports only layers before it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "freshtake"
LAYERS = [
    "errors", "numeric", "motion", "variation", "style", "density", "texture", "evaluation",
    "formats", "samples", "workflows", "crowd", "cli", "studio", "__main__",
]  # fmt: skip
METHODS = {"variation", "style", "density", "texture"}
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name != "__init__.py")
NO_FILES = LAYERS[: LAYERS.index("formats")]


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_earlier_layers(path: Path) -> None:
    here = layer(path)
    for name in imported(ast.parse(path.read_text())):
        if not name.startswith("freshtake."):
            continue
        there = name.split(".")[1]
        if there == "__version__":
            continue
        assert there in LAYERS, f"{path} imports {name}, which is no layer"
        assert LAYERS.index(there) <= LAYERS.index(here), f"{path} ({here}) imports {name}, a later layer"
        assert not (METHODS & {here} and METHODS & {there} and here != there), f"{path} imports another method: {name}"


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) in NO_FILES], ids=lambda p: p.stem)
def test_no_files_clocks_or_hidden_state_before_formats(path: Path) -> None:
    tree = ast.parse(path.read_text())
    forbidden = {"os", "pathlib", "time", "datetime", "threading", "random", "subprocess", "shutil", "tempfile"}
    names = imported(tree) - ({"threading.Lock"} if path.name == "blas_threads.py" else set())
    roots = {name.split(".")[0] for name in names}
    assert not roots & forbidden, f"{path} imports {roots & forbidden}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input"}, f"{path}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Attribute) and node.attr in {"seed", "default_rng"}:
            raise AssertionError(f"{path}:{node.lineno} makes or seeds a random generator: take one as an argument")


def test_numeric_uses_array_libraries_only() -> None:
    allowed = {"numpy", "scipy", "numba", "freshtake", "functools", "typing", "__future__", "collections", "math"}
    limiter = {"contextlib", "sys", "threading", "threadpoolctl"}
    for path in (PACKAGE / "numeric").rglob("*.py"):
        roots = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))}
        extra = limiter if path.name == "blas_threads.py" else set()
        assert roots <= allowed | extra, f"{path} imports {roots - allowed}"
