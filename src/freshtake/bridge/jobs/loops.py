"""Takes closed to loops."""

from __future__ import annotations

from freshtake.bridge.jobs.motion_options import finish_options
from freshtake.bridge.requests import Answer, Request
from freshtake.methods.progress import Progress
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.motion_looping import motion_loop


@one_blas_thread()
def loop(request: Request) -> Answer:
    """The best loop of each take, of so many `cycles`; with `whole` the take is one cycle already."""
    files, finish = request.files(), finish_options(request)
    cycles = None if request.get("whole", bool, default=False) else request.get("cycles", int, default=1)
    (request.folder / "loops").mkdir()
    made, spans = [], []
    for number, path in enumerate(files):
        request.report(Progress(number / len(files), request.names[path]))
        target = request.folder / "loops" / path.name
        found = motion_loop(path, target, cycles=cycles, finish=finish, reading={"warn": request.note})
        made.append(target)
        spans.append({"start": found.span.start, "stop": found.span.stop})
    return request.answer({"spans": spans}, made)
