"""Packages whose names load on first use: importing the package alone costs next to nothing."""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str | tuple[str, ...]], modules: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package (PEP 562).

    `homes` maps each name to the module that defines it, or each module to its names. Modules are given by their name
    below the package, or by their full name. `modules` are public modules below the package. The package repeats its
    names under TYPE_CHECKING, for checkers and editors.
    """
    by_name: dict[str, str] = {}
    for key, value in homes.items():
        by_name |= {key: value} if isinstance(value, str) else dict.fromkeys(value, key)
    short = {module.rpartition(".")[2]: module for module in modules}

    def load(name: str) -> Any:
        if (home := by_name.get(name)) is not None:
            return getattr(import_module(home if home.startswith("freshtake.") else f"{package}.{home}"), name)
        if name in short:
            return import_module(f"{package}.{short[name]}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted(import_module(package).__all__)

    return load, names


class Showable:
    """Base of objects that a notebook can show: motions and variation models."""

    def show(self, **options: Any) -> Any:
        """Show this object moving in a notebook cell, as `freshtake.view` does.

        Args:
            options: Options of `freshtake.view`: variants, count, seed, title, height.

        Returns:
            A value that a notebook displays; its `page()` is HTML for a file.
        """
        # Drawing is many layers above motions, so it is looked up on use and never imported here.
        return import_module("freshtake").view(self, **options)
