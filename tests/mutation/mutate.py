"""Break the numeric core on purpose, one operator, comparison or constant at a time; list changes no test notices.

    python -m tests.mutation.mutate [METHOD or MODULE ...] [--most 20] [--constants]

Each mutation runs in a separate forked process, in which the module is loaded from its changed source and only its
tests run. If machine code contains the module's numbers, tests run uncompiled, since compiling would take
longer than the tests. Not part of `make test`: see `make mutate`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib.abc
import importlib.machinery
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeGuard

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0  # of processor time: a mutation that runs for longer hangs, which tests would notice
KILLED, SURVIVED = 70, 71  # exit codes that nothing else ends with: a broken run must not count as either


class Target(NamedTuple):
    """A module of a method's core and the tests that belong to it."""

    method: str
    module: str
    tests: tuple[str, ...]


EQUIVALENT = {
    "BLOCK": "blocks of any length give the same motion",
    "MARGIN": "any margin that is not less gives the same motion",
    "LET_GO": "a turn of a degree in half a year",
    "SCRATCH": "memory that is set aside",
    "LINK_SCRATCH": "memory that is set aside",
}  # constants that may have other values, and the reason
LAWS = "variation/test_constants.py"
TARGETS = (
    Target("variation", "variation.deviations", (LAWS, "variation/test_variants.py", "variation/test_population.py")),
    Target("variation", "variation.sampling", (LAWS, "variation/test_sampling.py", "variation/test_variants.py")),
    Target(
        "variation",
        "variation.standing",
        (
            LAWS,
            "variation/test_standing.py",
        ),
    ),
    Target("variation", "variation.phase", (LAWS, "variation/test_phase.py", "variation/test_sampling.py")),
    Target("variation", "variation.goals.conditioning", (LAWS, "variation/goals/test_conditioning.py")),
    Target("variation", "variation.network", (LAWS, "variation/test_likelihood.py", "variation/test_network.py")),
    Target(
        "variation",
        "variation.live",
        (
            "variation/test_live_control.py",
            "variation/test_planting.py",
        ),
    ),
    Target("variation", "variation.steering", (LAWS, "variation/test_steering.py")),
    Target("variation", "variation.amount", ("variation/test_amount.py", "variation/test_guarding.py")),
    Target("variation", "variation.examples", ("variation/test_examples.py",)),
    Target("variation", "variation.redrawing", ("variation/test_redrawing.py",)),
    Target("variation", "variation.selection.by_likelihood", ("variation/selection/test_by_likelihood.py",)),
    Target("variation", "variation.selection.candidates", ("variation/selection/test_candidates.py",)),
    Target(
        "variation",
        "variation.selection.unlike",
        ("variation/selection/test_unlike.py", "variation/selection/test_spots.py"),
    ),
    Target("variation", "variation.learning", ("variation/test_ingest.py",)),
    Target(
        "variation",
        "variation.paper.learning",
        ("variation/paper/test_paper_model.py", "variation/paper/test_networks_of_the_paper.py"),
    ),
    Target("variation", "variation.paper.constraints", ("variation/paper/test_paper_model.py",)),
    Target("style", "style.warping.warps", ("style/warping/test_space_warp.py", "style/warping/test_time_warp.py")),
    Target("style", "style.systems.state_kernels", ("style/systems/test_banks.py",)),
    Target("density", "density.runs", ("density/test_runs.py", "density/test_kernel_twins.py")),
    Target("density", "density.jumps", ("density/test_kernel_twins.py",)),
    Target("density", "density.pose_density", ("density/test_densities.py",)),
    Target("texture", "texture.play_kernels", ("texture/test_play_kernels.py", "texture/test_jump_map.py")),
    Target(
        "planting",
        "motion.planting.foot_plans",
        ("motion/planting/test_foot_contacts.py", "motion/planting/test_foot_plans.py"),
    ),
    Target("planting", "motion.planting.limb_leading", ("motion/planting/test_limb_leading.py",)),
    Target("planting", "numeric.limb_kernels", ("numeric/test_limb_kernels.py",)),
)

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutation(NamedTuple):
    """One change inside a function or of a named constant: its line, its description, and its node in the tree."""

    line: int
    change: str
    scope: int
    node: int  # in the order of ast.walk
    changed: ast.AST

    def applied(self, tree: ast.Module) -> ast.Module:
        """Return a copy of the module's tree with this change."""
        whole = copy.deepcopy(tree)
        target = list(ast.walk(scopes(whole)[self.scope]))[self.node]
        for name, value in ast.iter_fields(self.changed):
            setattr(target, name, value)
        return whole


def scopes(tree: ast.Module) -> list[ast.FunctionDef | ast.Assign]:
    """Return the functions of a module, without methods, and its named constants."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) or is_constant(node)]


def is_constant(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """Whether a statement names numbers, such as SLOWEST, FASTEST = 0.4, 2.5."""
    if not isinstance(node, ast.Assign):
        return False
    name = ast.unparse(node.targets[0]).strip("()").replace(", ", "")
    return name.isupper() and name not in EQUIVALENT


def path_of(module: str) -> Path:
    """Return the file of a module below freshtake."""
    return ROOT / "src" / "freshtake" / Path(*module.split(".")).with_suffix(".py")


def in_machine_code(module: str) -> bool:
    """Whether compiled functions are in a module, or in a module that imports from it."""
    sources = (path.read_text() for path in (ROOT / "src").rglob("*.py") if path != path_of(module))
    compiling = [source for source in sources if "numeric.compiled import" in source]
    own = "numeric.compiled import" in path_of(module).read_text()
    return own or any(f"from freshtake.{module} import" in source for source in compiling)


def mutations(tree: ast.Module) -> Iterator[Mutation]:
    """Return every possible change inside functions and of named constants."""
    for f, scope in enumerate(scopes(tree)):
        for k, node in enumerate(ast.walk(scope)):
            if isinstance(scope, ast.Assign):
                name, found = ast.unparse(scope.targets[0]), nearby(node)
            else:
                name, found = scope.name, changes(node)
            for changed, change in found:
                yield Mutation(getattr(node, "lineno", scope.lineno), f"{name}: {change}", f, k, changed)


def nearby(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Return a number that is plausible but wrong: the next integer, or 1.5 times the number."""
    if isinstance(node, ast.Constant) and _is_number(node.value):
        value = node.value + 1 if isinstance(node.value, int) else 1.5 * node.value or 1.0
        yield _with(node, value=value), f"{node.value} becomes {value:g}"


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Return a node with a plausible mistake."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPS:
        yield _with(node, op=SWAPS[type(node.op)]()), ast.unparse(node)
    if isinstance(node, ast.BoolOp):
        yield _with(node, op=SWAPS[type(node.op)]()), ast.unparse(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield _with(node, ops=[SWAPS[type(node.ops[0])](), *node.ops[1:]]), ast.unparse(node)
    if isinstance(node, ast.Constant) and _is_number(node.value):
        yield _with(node, value=node.value + 1), f"{node.value} becomes {node.value + 1}"


def _is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number; truth values, which Python counts as integers, are not."""
    return type(value) in (int, float)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A loader of one module from a tree instead of its file."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.name, self.path = f"freshtake.{module}", path_of(module)
        self.code = compile(ast.fix_missing_locations(tree), str(self.path), "exec")

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(self.path))
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def survives(target: Target, tree: ast.Module) -> bool:
    """Whether all tests pass with this tree in place of the module, in a separate process."""
    child = os.fork()
    if child == 0:
        import pytest

        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # not wall time: busy machines are slow
        import numba

        numba.config.DISABLE_JIT = uncompiled = in_machine_code(target.module)  # type: ignore[attr-defined]
        # Compiled code divides by zero without a warning.
        options = ["-W", "ignore::RuntimeWarning"] if uncompiled else []
        sys.meta_path.insert(0, Changed(target.module, tree))
        code = None
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            files = [str(ROOT / "tests" / name) for name in target.tests]
            with contextlib.suppress(Exception):
                code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options, *files])
        noticed = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)  # the latter: the module does not load
        os._exit(SURVIVED if code == pytest.ExitCode.OK else KILLED if code in noticed else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (KILLED, SURVIVED, -signal.SIGPROF):
        raise RuntimeError(f"the tests of {target.module} could not be run: exit code {status}")
    return status == SURVIVED


def main(arguments: Sequence[str]) -> int:
    """Mutate, and list the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "methods", nargs="*", help="variation, style, density, texture, planting, or modules; default: all"
    )
    parser.add_argument("--most", type=int, default=20, help="mutations per module, at equal steps through all of them")
    parser.add_argument("--constants", action="store_true", help="named constants only, all of them")
    chosen = parser.parse_args(arguments)
    for name in ("numpy", "numba", "scipy.stats", "pytest"):  # loaded once, for all forks
        importlib.import_module(name)
    total = survived = 0
    for target in TARGETS:
        if chosen.methods and not {target.method, target.module} & set(chosen.methods):
            continue
        tree = ast.parse(path_of(target.module).read_text())
        every = list(mutations(tree))
        if chosen.constants:
            every = [one for one in every if isinstance(scopes(tree)[one.scope], ast.Assign)]
        most = len(every) if chosen.constants else min(chosen.most, len(every))
        step = max(len(every) / max(most, 1), 1.0)
        picked = [every[int(k * step)] for k in range(most)]
        if not picked:
            continue
        if not survives(target, tree):
            print(f"{target.module}: its tests fail, or take too long, without any mutation", flush=True)
            continue
        left = 0
        for one in picked:
            if survives(target, one.applied(tree)):
                left += 1
                print(f"  {path_of(target.module).name}:{one.line}  {one.change}", flush=True)
        print(f"{target.module}: {len(picked) - left} of {len(picked)} noticed (there are {len(every)})", flush=True)
        total, survived = total + len(picked), survived + left
    print(f"{total - survived} of {total} mutations noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
