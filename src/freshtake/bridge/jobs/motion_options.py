"""What jobs that make motions are asked alike: how long it is, whether feet are held, where its travel is."""

from __future__ import annotations

from freshtake.bridge.requests import Request
from freshtake.errors import UsageError
from freshtake.workflows.lengths import Length, Seconds
from freshtake.workflows.motion_delivering import Delivery, chosen_delivery
from freshtake.workflows.motion_finishing import Finish


def finish_options(request: Request) -> Finish:
    """`plant`, `in_place` and `closing`; clips come back as NPZ, which keeps every digit."""
    return Finish(
        plant=request.get("plant", bool, str, default=True),
        delivery=delivery_option(request),
        ending="npz",
    )


def delivery_option(request: Request) -> Delivery:
    """`in_place` takes the travel out; with `closing` a loop ends with its first frame again."""
    return chosen_delivery(
        None, request.get("in_place", bool, default=False), request.get("closing", bool, default=False)
    )


def length_option(request: Request, *, needed: bool = True) -> Length | None:
    """`frames` or `seconds`; only one of them."""
    frames, seconds = request.get("frames", int), request.number("seconds")
    if frames is not None and seconds is not None:
        raise UsageError("a length is given in frames or in seconds, not in both")
    if frames is None and seconds is None:
        if needed:
            raise UsageError("say how long the motion shall be: frames, or seconds")
        return None
    if seconds is not None and not 0.0 < seconds < 1e6:
        raise UsageError(f"a length above 0 was expected, not {seconds:g} s")
    return frames if seconds is None else Seconds(float(seconds))
