"""What the settings of all methods share: a copy with changes, and checks of words and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from freshtake.errors import UsageError


class Changeable:
    """Settings that can be copied with changes."""

    def changed(self, **changes: Any) -> Self:
        """Return a copy with some settings replaced.

        Args:
            **changes: new values by the name of their setting.

        Returns:
            The copy, validated like any other settings.
        """
        return replace(self, **changes)  # type: ignore[type-var]


def one_of(settings: object, name: str, choices: tuple[Any, ...]) -> None:
    """Refuse a setting that is none of the choices."""
    value = getattr(settings, name)
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}")


def between(settings: object, name: str, low: float, high: float) -> None:
    """Refuse a number outside its range or, where `low` is an integer, one that is not; None passes."""
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, but is {value!r}")
    if isinstance(low, int) and not isinstance(value, int):
        raise UsageError(f"{name} must be a whole number, but is {value!r}")
