"""Run jobs in worker processes that stay alive; short and long tasks have separate ones."""

import queue
import shutil
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.items import ENDED, Item, Job, new_id
from freshtake.serve.processes import (
    LONG_JOBS,
    SHORT_JOBS,
    Process,
    memory_limit,
    prepare_process,
    report_crash,
    start_process,
)
from freshtake.serve.project import MissingItem, Project, now
from freshtake.serve.tasks import TASKS, Task
from freshtake.workflows.compiling import usable_cores

MOST_WAITING = 200
TICK = 0.25  # seconds between checks of the time limit
JobQueue = queue.Queue[tuple[str, dict[str, Any]] | None]
KILLED = "the process that did this was killed from outside (is memory short?): try again, or use less data"
NOT_KEPT = "this could not be stored ({}): try again"
OFTEN_USED = ("freshtake.serve.tasks.reading", "freshtake.serve.tasks.varying", "freshtake.workflows.varying")

# A job is read, changed and stored under this lock; otherwise stale progress could undo a cancellation.
_changing = threading.RLock()


class Workers:
    """Runs the jobs of a project."""

    def __init__(self, project: Project, count: int | None = None) -> None:
        self.project = project
        count = count or max(1, min(4, usable_cores() - 1))
        # Waiting jobs, by whether their tasks are long.
        self._waiting: dict[bool, JobQueue] = {False: queue.Queue(), True: queue.Queue()}
        # One process is reserved for short jobs, so that sliders do not wait for learning.
        self._slots = [_Slot(project, self._waiting[long], long) for long in (False, *[True] * count)]
        for slot in self._slots:
            slot.start()

    def submit(self, task: str, items: Iterable[str] = (), **settings: Any) -> Job:
        """Queue a job."""
        if task not in TASKS:
            raise UsageError(f"there is no task {task!r}; the tasks are {', '.join(TASKS)}")
        jobs = self._waiting[TASKS[task].long]
        if jobs.qsize() >= MOST_WAITING:
            raise UsageError("too many jobs are waiting already: let some finish, or cancel them")
        ids = list(items)
        movement = next(iter([self.project.item(id).movement for id in ids]), None)
        job = self.project.put_job(Job(id=new_id(), task=task, created=now(), items=ids, movement=movement))
        jobs.put((job.id, {"items": ids, **settings}))
        return job

    def cancel(self, id: str) -> Job:
        """Remove a job from the queue, or end the process that runs it."""
        with _changing:
            job = self.project.job(id)
            if job.state in ENDED:
                return job
            job = self.project.put_job(job.model_copy(update={"state": "cancelled", "seconds_left": None}))
        for slot in self._slots:
            slot.end(id)
        return job

    def close(self) -> None:
        """End all processes."""
        for slot in self._slots:
            slot.close()
        # None ends threads that wait for a job.
        for jobs in self._waiting.values():
            for _ in self._slots:
                jobs.put(None)
        for slot in self._slots:
            slot.join(5.0)


class _Slot(threading.Thread):
    """A worker process, replaced when it ends, and the thread listening to it."""

    def __init__(self, project: Project, jobs: JobQueue, long: bool) -> None:
        super().__init__(daemon=True)
        self._project, self._jobs, self._long = project, jobs, long
        self._process: Process | None = None
        self._job: str | None = None
        self._lock = threading.Lock()
        self._step = ""  # changes of the same step are undone together
        self._count = 0
        self._killed = False  # is_alive() may stay true for a moment after kill()
        self.closed = False

    def run(self) -> None:
        """Run jobs in turn until None arrives."""
        if not self._long:  # somebody is waiting for short jobs
            self._to_process()
        while (entry := self._jobs.get()) is not None:
            job, settings = entry
            if not self.closed and self._project.job(job).state == "waiting":
                self._run_job(job, settings)

    def end(self, job: str) -> None:
        """Kill the process if it runs this job."""
        with self._lock:
            if self._job == job:
                self._kill()

    def close(self) -> None:
        """Kill the process, and start no more jobs."""
        self.closed = True
        with self._lock:
            self._kill()

    def _kill(self) -> None:
        self._killed = True
        if self._process is not None:
            self._process.process.kill()

    def _to_process(self) -> Connection:
        """Return the pipe to a running process."""
        if self._process is not None:
            # Processes are replaced regularly, so that leaks in libraries do not accumulate.
            if not self._killed and self._count < 100 and self._process.process.is_alive():
                return self._process.pipe
            self._process.close()
        nice = LONG_JOBS if self._long else SHORT_JOBS
        self._process, self._count, self._killed = start_process(work, self._project.folder, nice), 0, False
        return self._process.pipe

    def _run_job(self, id: str, settings: dict[str, Any]) -> None:
        job = self._project.job(id)
        self._step = settings.pop("step", None) or id
        with self._lock:
            if self.closed:
                return
            pipe = self._to_process()
            self._job = id
            self._count += 1
        ended: dict[str, Any] = {}
        try:
            if self._project.job(id).state != "waiting":  # cancelled while a process was started for it
                return
            self._project.put_job(job.model_copy(update={"state": "running", "phase": "starting"}))
            pipe.send((id, job.task, settings))
            ended = self._listen(pipe, id, TASKS[job.task].seconds)
        except (EOFError, OSError):
            self._killed = True
            ended = {} if self.closed else _failed(KILLED)
        except Exception as error:  # e.g. a full disk; the next job gets a new process
            self._killed = True
            ended = _failed(NOT_KEPT.format(error))
        finally:
            with self._lock:
                self._job = None
            # The end is reported last, when the files of the job are deleted.
            _clear(self._project, id, settings)
            self._end(id, ended)

    def _end(self, id: str, changes: dict[str, Any]) -> None:
        try:
            if changes:
                self._change(id, **changes, seconds_left=None)
        except Exception as error:  # e.g. a full disk
            with suppress(Exception):
                self._change(id, **_failed(NOT_KEPT.format(error)), seconds_left=None)

    def _listen(self, pipe: Connection, id: str, seconds: float | None) -> dict[str, Any]:
        """Handle the messages of the process, and return the job's outcome."""
        began = time.monotonic()
        while True:
            if seconds is not None and time.monotonic() - began > seconds:
                self._kill()
                return _failed(f"this took longer than {seconds:g} s: use a shorter file")
            if not pipe.poll(TICK):
                continue
            kind, *words = pipe.recv()
            if kind == "report":
                self._report(id, began, *words)
            elif kind == "note":
                self._change(id, notes=[*self._project.job(id).notes, *words][-50:])
            elif kind == "item":
                self._add(id, *words)
            elif kind == "replace":
                self._replace(id, *words)
            else:
                return {"state": "done", "done": self._project.job(id).of} if kind == "done" else _failed(*words)

    def _change(self, id: str, **changes: Any) -> None:
        with _changing:
            job = self._project.job(id)
            if job.state not in ENDED:
                self._project.put_job(job.model_copy(update=changes))

    def _report(self, id: str, began: float, phase: str, done: float, of: float) -> None:
        share = done / of if of > 0.0 else 0.0
        took = time.monotonic() - began
        # Early estimates would be too unsteady.
        remaining = round(took * (1.0 / share - 1.0), 1) if share > 0.02 else None
        self._change(id, phase=phase, done=done, of=of, seconds_left=remaining)

    def _add(self, id: str, body: str, file: str | None) -> None:
        item = Item.model_validate_json(body)
        task = self._project.job(id).task
        words = "add files" if task == "read" and self._step != id else _undo_words(item, task)
        self._project.add(item, file, words, self._step)
        if item.kind != "movement":
            self._change(id, made=[*self._project.job(id).made, item.id])

    def _replace(self, id: str, item: str, words: str, file: str, changes: dict[str, Any]) -> None:
        try:
            self._project.update(item, words, file, within=self._step, **changes)
        except MissingItem:  # removed in the meantime
            (self._project.files / file).unlink(missing_ok=True)
            return
        self._change(id, made=[*self._project.job(id).made, item])


def _failed(sentence: str) -> dict[str, Any]:
    return {"state": "failed", "error": sentence}


def _undo_words(item: Item, task: str) -> str | None:
    """Return the label for undoing a new item; None for files to download, which cannot be undone."""
    if item.kind in ("export", "report", "crowd"):
        return None
    if item.kind == "variant":
        return "make variants"
    if task in ("samples", "cut"):
        return "add samples" if task == "samples" else "cut takes"
    return f"learn {item.name}" if item.kind == "model" and task != "read" else f"add {item.name}"


def _clear(project: Project, id: str, settings: dict[str, Any]) -> None:
    """Delete a job's folder and its uploaded file."""
    shutil.rmtree(project.work / id, ignore_errors=True)
    if "upload" in settings:
        with suppress(OSError):
            (project.work / settings["upload"]).unlink(missing_ok=True)


def work(folder: Path, nice: int, pipe: Connection) -> None:
    """Run jobs until the server ends or closes the pipe."""
    prepare_process(nice)
    project = Project(folder, read_only=True)
    # Imported in advance, so that the first job starts immediately.
    for module in OFTEN_USED:
        import_module(module)
    with suppress(EOFError, OSError):
        while True:
            job, task, settings = pipe.recv()
            _run(project, pipe, job, task, settings)


def _run(project: Project, pipe: Connection, job: str, name: str, settings: dict[str, Any]) -> None:
    """Run one job; its exceptions do not end the process."""
    from freshtake.serve.tasks.context import Context

    task = TASKS[name]
    context = Context(project, job, lambda *message: pipe.send(message), settings.get("items", ()))
    try:
        with _warnings_as_notes(context.warn), _compiling(task, context), memory_limit(task.memory):
            task.load()(context, **settings)
        pipe.send(("done",))
    except FreshtakeError as error:
        pipe.send(("failed", context.in_words(str(error))))
    except MemoryError:
        pipe.send(("failed", "this needs more memory than allowed: use a shorter or smaller file"))
    except BrokenPipeError:
        raise  # the server was killed: nobody is left to report to, and this process ends
    except Exception as error:
        pipe.send(("failed", report_crash(error, f"job {name}")))
    finally:
        shutil.rmtree(context.folder, ignore_errors=True)


@contextmanager
def _warnings_as_notes(warn: Any) -> Iterator[None]:
    """Turn Python warnings into notes of the job."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # from NumPy: results are checked, problems reported in words
        warnings.showwarning = lambda message, *rest, **more: warn(str(message))
        yield


@contextmanager
def _compiling(task: Task, context: Any) -> Iterator[None]:
    """Report compilation, which happens once after installation, and how long it takes."""
    from freshtake.methods.progress import Countdown
    from freshtake.numeric.compiled import tell_of_compiling
    from freshtake.workflows.compiling import expected_times

    countdown = Countdown(lambda: expected_times(task.command), lambda sentence: None, time.monotonic)

    def heard(kernel: str, begins: bool) -> None:
        countdown.heard(kernel, begins)
        if begins:
            context.report(str(countdown) or "compiling once")

    tell_of_compiling(heard)
    try:
        yield
    finally:
        tell_of_compiling(None)
