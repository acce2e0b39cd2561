"""The dependency rule, checked on all import statements: a layer imports only layers before it, also in a method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "freshtake"
LAYERS = [
    "lazy", "errors", "numeric", "motion", "methods", "variation", "style", "density", "texture", "evaluation",
    "formats", "samples", "reports", "requests", "robots", "workflows", "crowd", "bridge", "serve", "studio", "cli",
    "__main__",
]  # fmt: skip
METHODS = {"variation", "style", "density", "texture"}
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name != "__init__.py")
NO_FILES = LAYERS[: LAYERS.index("formats")]

# Inside a method: pieces <- synthesize <- model <- what works on a finished model (learning, selection, ...).
BEFORE_MODEL = {  # call synthesize, and the model calls them
    "variation": ("goals", "live", "redrawing"),
    "density": ("cycle_blending",),
    "texture": ("live", "loop_making", "cells", "guiding"),
}
AFTER_MODEL = {
    "variation": ("learning", "selection"),
    "style": ("learning", "simple_translations", "style_mixing"),
    "density": ("learning",),
    "texture": ("learning",),
}
# Steps against that order which are known and to be removed: importer -> imported.
KNOWN_STEPS_BACK: set[tuple[str, str]] = set()


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_name(path: Path) -> str:
    return ".".join(("freshtake", *path.relative_to(PACKAGE).with_suffix("").parts))


NAMES = {module_name(path) for path in MODULES}


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def without_types(tree: ast.Module) -> ast.Module:
    """Return the module without `if TYPE_CHECKING` blocks: imports for the checker alone are not dependencies."""
    body = [n for n in tree.body if not (isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test))]
    return ast.Module(body, [])


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


def rank(method: str, module: str) -> int:
    """Return the position of a module in the order of its method."""
    inside = module.removeprefix(f"freshtake.{method}.") + "."
    if inside.startswith(tuple(f"{late}." for late in AFTER_MODEL[method])):
        return 4
    if inside.startswith(tuple(f"{late}." for late in BEFORE_MODEL.get(method, ()))):
        return 2
    return {"synthesize.": 1, "sampling.": 1, "model.": 3}.get(inside, 0)


def steps_back(method: str) -> Iterator[tuple[str, str]]:
    """Return imports of later modules of the same method."""
    for path in MODULES:
        if layer(path) != method:
            continue
        here = module_name(path)
        for name in sorted(imported(without_types(ast.parse(path.read_text())))):
            there = name if name in NAMES else name.rpartition(".")[0]
            if there in NAMES and there.startswith(f"freshtake.{method}.") and rank(method, there) > rank(method, here):
                yield here.removeprefix("freshtake."), there.removeprefix("freshtake.")


def test_inside_a_method_pieces_come_before_synthesize_before_the_model_before_learning() -> None:
    found = {step for method in METHODS for step in steps_back(method)}
    assert found - KNOWN_STEPS_BACK == set(), "imports against the order pieces, synthesize, model, learning"
    assert KNOWN_STEPS_BACK - found == set(), "no longer so: remove these from KNOWN_STEPS_BACK"


@cache
def loaded_first(module: str) -> frozenset[str]:
    """Return our modules that a module imports at top level."""
    tree = without_types(ast.parse((PACKAGE / Path(*module.split(".")[1:]).with_suffix(".py")).read_text()))
    tops = ast.Module([n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)], [])
    return frozenset(n if n in NAMES else n.rpartition(".")[0] for n in imported(tops)) & NAMES


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) in METHODS], ids=lambda p: str(p.relative_to(PACKAGE)))
def test_pieces_do_not_import_one_another_in_circles(path: Path) -> None:
    """Check that no module of a method imports itself through others."""
    start = module_name(path)
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        here = ahead.pop()
        for there in loaded_first(here) - seen:
            assert there != start, f"{start} is imported again by {here}"
            seen.add(there)
            ahead.append(there)


@pytest.mark.parametrize(
    "path", [p for p in MODULES if layer(p) in NO_FILES], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_files_clocks_or_hidden_state_before_formats(path: Path) -> None:
    tree = ast.parse(path.read_text())
    forbidden = {"os", "pathlib", "time", "datetime", "threading", "random", "subprocess", "shutil", "tempfile"}
    exempt = {"blas_threads.py": {"threading.Lock"}, "compiled.py": {"pathlib.Path", "time"}}  # code kept on disk
    names = imported(tree) - exempt.get(path.name, set())
    roots = {name.split(".")[0] for name in names}
    assert not roots & forbidden, f"{path} imports {roots & forbidden}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input"}, f"{path}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Attribute) and node.attr in {"seed", "default_rng"}:
            raise AssertionError(f"{path}:{node.lineno} makes or seeds a random generator: take one as an argument")


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) not in {"reports", "workflows", "formats"}], ids=str)
def test_only_reports_draw(path: Path) -> None:
    roots = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))}
    assert "matplotlib" not in roots, f"{path} draws: pictures belong to reports/"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_constant_of_a_module_is_set_twice(path: Path) -> None:
    # Two modules merged into one may have had constants of the same name: the later value would serve both.
    targets = [
        target
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    assert sorted(names) == sorted(set(names))


def test_numeric_uses_array_libraries_only() -> None:
    allowed = {"numpy", "numba", "freshtake", "functools", "typing", "__future__", "collections", "math"}
    more = {
        "blas_threads.py": {"contextlib", "sys", "threading", "threadpoolctl"},
        "processors.py": {"llvmlite", "platform"},
        "compiled.py": {
            "contextlib",
            "hashlib",
            "llvmlite",
            "pathlib",
            "pickle",
            "secrets",
            "sys",
            "time",
            "types",
        },
    }
    for path in (PACKAGE / "numeric").rglob("*.py"):
        roots = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))}
        assert roots <= allowed | more.get(path.name, set()), f"{path} imports {roots - allowed}"
