"""What `freshtake stream --live` does: keys in, poses out, and at the end how punctual they were."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freshtake.cli.console import output, print_json, warn
from freshtake.cli.live_keys import pressed_keys
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.workflows.live_steering import Steers
    from freshtake.workflows.motion_sending import SendReport


class Session(NamedTuple):
    """Options of live motion; `unused` are those of files, which have no meaning here."""

    unused: dict[str, object]
    anywhere: bool = False
    listen: int | None = None
    seconds: float | None = None
    amount: float = 1.0
    speed: float = 1.0
    heading: float | None = None
    in_place: bool = False
    keep_going: bool = False


def send_live(
    model: Path, address: str, session: Session, *, plant: bool | str, unit_m: float | None, seed: int, json: bool
) -> int:
    """Send until the end; keys steer where stdin is a terminal."""
    from freshtake.workflows import motion_send as run
    from freshtake.workflows.live_steering import Steers, key_pressed, keys_help
    from freshtake.workflows.motion_sending import address_of

    given = [name for name, value in session.unused.items() if value is not None]
    if given:
        raise UsageError(f"{given[0]} is for files, not for --live: leave one of them out")
    if session.seconds is not None and not 0.0 < session.seconds < 1e9:
        raise UsageError(f"a time above 0 was expected, not {session.seconds:g} s")
    target = address_of(address, anywhere=session.anywhere)
    steers = Steers(session.amount, session.speed, session.heading)
    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    keys_shown = not terminal

    def each_tick(now: Steers) -> None:
        nonlocal keys_shown
        typed = keys()
        if not keys_shown:
            keys_shown = True
            print(keys_help(now.classes), file=sys.stderr)
        if [key for key in typed if key_pressed(now, key)] and terminal:
            print(f"\r{now.status()}\033[K", end="", file=sys.stderr, flush=True)

    with pressed_keys() as keys:
        done = run(
            model, target, steers=steers, seconds=session.seconds, in_place=session.in_place, listen=session.listen,
            anywhere=session.anywhere, plant=plant, unit_m=unit_m, seed=seed, keep_going=session.keep_going,
            each_tick=each_tick, warn=warn,
        )  # fmt: skip
    _tell(done, json)
    return 0


def _tell(done: SendReport, json: bool) -> None:
    timing = done.timing
    if json:
        print_json({**done._asdict(), "address": f"vmc://{done.address.host}:{done.address.port}",
                    "timing": timing._asdict()})  # fmt: skip
        return
    output().print(
        f"sent {timing.sent} poses in {done.seconds:.1f} s to {done.address.host}:{done.address.port}, "
        f"late by {timing.median_ms:.2f} ms (median), {timing.p99_ms:.2f} ms (99th percentile), "
        f"{timing.worst_ms:.1f} ms at worst; {timing.left_out} skipped",
        markup=False,
    )
