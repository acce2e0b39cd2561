"""`python -m freshtake.bridge`: the child process. Standard output is for messages; what is printed goes elsewhere."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def main() -> None:
    """Serve until standard input ends."""
    incoming, outgoing = _streams()
    from freshtake.bridge.serving import serve

    code = serve(incoming, outgoing, lambda: os._exit(0))
    outgoing.flush()
    os._exit(code)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The standard streams as files of our own; whoever prints now, in Python or in C, prints to standard error."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


if __name__ == "__main__":
    main()
