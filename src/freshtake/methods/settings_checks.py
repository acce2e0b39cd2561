"""Checks that the settings of all methods share: one of several words, a number between two others."""

from __future__ import annotations

from freshtake.errors import UsageError


def one_of(settings: object, name: str, choices: tuple[str, ...]) -> None:
    """Refuse a setting that is none of the choices."""
    if getattr(settings, name) not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {getattr(settings, name)!r}")


def between(settings: object, name: str, low: float, high: float) -> None:
    """Refuse a number outside its range or, where `low` is an integer, one that is not; None passes."""
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, but is {value!r}")
    if isinstance(low, int) and not isinstance(value, int):
        raise UsageError(f"{name} must be a whole number, but is {value!r}")
