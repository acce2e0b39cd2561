"""`python -m freshtake.bridge`: the child process. Standard output carries messages; prints go to standard error."""

import os
import sys
from pathlib import Path
from typing import BinaryIO

SHIPPED, CACHE = "FRESHTAKE_SHIPPED_CODE", "FRESHTAKE_CODE_CACHE"  # folders of machine code


def main() -> None:
    """Serve until standard input ends."""
    incoming, outgoing = _streams()
    from freshtake.bridge import shipped_code
    from freshtake.bridge.serving import serve

    shipped, cache = (Path(text) if (text := os.environ.get(name)) else None for name in (SHIPPED, CACHE))
    shipped_code.use(shipped, cache)
    code = serve(incoming, outgoing, lambda: os._exit(0))
    outgoing.flush()
    os._exit(code)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the standard streams as separate files, and redirect all prints, from Python or C, to standard error."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


if __name__ == "__main__":
    main()
