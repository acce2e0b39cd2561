"""`freshtake warm-up`: compile ahead."""

from __future__ import annotations

from freshtake.cli.console import print_json, progress_bar, say
from freshtake.cli.options import Json


def warm_up(*, json: Json = False) -> int:
    """Compile everything now, so that the first real command does not have to; needed once after an installation.

    **Examples**

    ```
    freshtake warm-up
    ```
    """
    import time

    from freshtake.workflows.warming_up import warm_up as run

    began = time.monotonic()
    with progress_bar() as report:
        run(report)
    seconds = time.monotonic() - began
    if json:
        print_json({"seconds": round(seconds, 1)})
    else:
        say(f"compiled and kept; this took {seconds:.0f} s")
    return 0
