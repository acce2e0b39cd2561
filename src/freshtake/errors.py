"""The errors that freshtake raises on purpose. Catch `FreshtakeError` to catch them all."""

import re

LONGEST_MESSAGE = 900  # characters: a sentence with a long path and a few names


class FreshtakeError(Exception):
    """Base of all errors that freshtake raises on purpose; the message is one sentence for the user."""

    def __init__(self, message: str = "") -> None:
        # Messages quote names from files; in damaged files these can be of any length and contain line ends
        # or terminal control codes. Both ends of a long message are kept: file and problem.
        message = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", message)
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 3 :]}"
        super().__init__(message)


class InvalidMotion(FreshtakeError):
    """A skeleton, clip, stroke, point clip or mesh sequence that cannot exist; names the joint or array."""


class SkeletonMismatch(FreshtakeError):
    """Clips that must share a skeleton but have incompatible ones."""


class UsageError(FreshtakeError):
    """An invalid request; the message names the choices."""


class MissingExtra(FreshtakeError):
    """A feature that needs an optional dependency which is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: install it with pip install 'freshtake[{extra}]'")


class FormatError(FreshtakeError):
    """A file that cannot be read or written; names the file, the place in it, and the expected content."""

    def __init__(self, path: object, problem: str, place: str = "") -> None:
        self.path = str(path)
        self.place = place
        self.problem = problem
        super().__init__(": ".join(part for part in (self.path, place, problem) if part))
