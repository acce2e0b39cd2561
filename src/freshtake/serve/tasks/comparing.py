"""Tasks of the compare and study tabs: baselines, evaluations, and studies with people.

A study's stimuli, sheet and key are in a folder written by `study_design`; answers are rows in SQLite, so none is lost
when the page or the server closes.
"""

import re
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.study import QUESTIONS, Outcome, Rating, Stimulus, Trial, analyze
from freshtake.evaluation.study.schedule import MEASURES, SEARCH, SIMULATED, clones_of, scale_of
from freshtake.formats.study_csv import read_key, read_ratings
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.items import Item
from freshtake.serve.project import Project
from freshtake.serve.tasks.context import Context, motion_sets

CONSENT = (
    "I take part of my own free will and may stop at any time. My scores are stored on this computer under the code "
    "that I choose, without my name."
)
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,23}")


class Design(NamedTuple):
    """The design of a study: trials by participant number, and the key."""

    slots: tuple[tuple[Trial, ...], ...]
    key: dict[str, Stimulus]


class StudyStore:
    """The studies of a project: items whose file is the folder written by `study_design`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._designs: dict[str, Design] = {}

    def folder(self, study: str) -> Path:
        """Return the folder of a study."""
        if self.project.item(study).facts.get("what") != "study":
            raise UsageError("this is not a study: choose one from the list")
        return self.project.path(study)

    def studies(self) -> list[dict[str, Any]]:
        """Return all studies, the newest first."""
        return [self._summary(item) for item in reversed(self.project.items()) if item.facts.get("what") == "study"]

    def _summary(self, item: Item) -> dict[str, Any]:
        """Return one study with the progress of all participants."""
        design = self.design(item.id)
        people = self.project.execute(
            "SELECT p.code, p.slot, COUNT(a.position) FROM study_participants p LEFT JOIN study_answers a "
            "ON a.study = p.study AND a.code = p.code WHERE p.study = ? GROUP BY p.code ORDER BY p.slot",
            (item.id,),
        )
        experiments = list(dict.fromkeys(s.experiment for s in design.key.values()))
        return {
            "id": item.id,
            "name": item.name,
            "created": item.created,
            "experiments": [{"name": e, "measure": MEASURES[e], "question": QUESTIONS[e]} for e in experiments],
            "stimuli": len(design.key),
            "planned": len(design.slots),
            "trials": len(design.slots[0]),
            "consent": CONSENT,
            "people": [
                {"code": code, "answered": done, "of": len(design.slots[slot % len(design.slots)])}
                for code, slot, done in people
            ],
        }

    def design(self, study: str) -> Design:
        """Read the design from the folder of a study."""
        if study not in self._designs:
            folder = self.folder(study)
            trials: dict[str, list[Trial]] = {}
            for rating in read_ratings(folder / "ratings.csv"):
                trials.setdefault(rating.participant, []).append(Trial(*rating[:5]))
            slots = tuple(tuple(sorted(some, key=lambda trial: trial.position)) for some in trials.values())
            self._designs[study] = Design(slots, read_key(folder / "key.csv"))
        return self._designs[study]

    def join(self, study: str, code: str, consent: bool) -> dict[str, Any]:
        """Register a participant, or resume; the first participant gets the first order drawn."""
        self.design(study)
        if not CODE.fullmatch(code) or code.startswith(SIMULATED):
            raise UsageError("a participant's code has 1 to 24 letters, digits, - and _: choose another")
        if not consent:
            raise UsageError("consent is needed to take part: read the sentence and agree to it")
        self.project.execute(
            "INSERT OR IGNORE INTO study_participants SELECT ?, ?, COALESCE(MAX(slot) + 1, 0), ?, ? "
            "FROM study_participants WHERE study = ?",
            (study, code, time.time(), CONSENT, study),
        )
        return self.next_trial(study, code)

    def trials_of(self, study: str, code: str) -> tuple[Trial, ...]:
        """Return a participant's trials, in order."""
        rows = self.project.execute("SELECT slot FROM study_participants WHERE study = ? AND code = ?", (study, code))
        if not rows:
            raise UsageError(f"{code!r} is not taking part in this study: begin with consent")
        slots = self.design(study).slots
        return slots[rows[0][0] % len(slots)]

    def next_trial(self, study: str, code: str) -> dict[str, Any]:
        """Return a participant's next trial; nothing in it reveals the condition."""
        trials = self.trials_of(study, code)
        answered = "SELECT position FROM study_answers WHERE study = ? AND code = ?"
        done = {position for (position,) in self.project.execute(answered, (study, code))}
        upcoming = [
            {"position": one.position, "experiment": one.experiment, "question": QUESTIONS[one.experiment]}
            for one in trials
            if one.position not in done
        ]
        return {"code": code, "answered": len(done), "of": len(trials), "next": upcoming[0] if upcoming else None}

    def stimulus(self, study: str, code: str, position: int) -> list[Path]:
        """Return the files shown to a participant at a position, from left to right."""
        name, folder = self._trial(study, code, position).stimulus, self.folder(study) / "stimuli"
        files = sorted(folder.glob(f"{name}.*")) or sorted(folder.glob(f"{name}_[0-9][0-9].*"))
        if not files:
            raise UsageError("the motion of this trial is gone: remake the study")
        return files

    def _trial(self, study: str, code: str, position: int) -> Trial:
        trial = next((one for one in self.trials_of(study, code) if one.position == position), None)
        if trial is None:
            raise UsageError(f"there is no trial {position} for {code!r}: reload the page")
        return trial

    def answer(
        self, study: str, code: str, position: int, score: int | None, seconds: float = 0.0, picked: Sequence[int] = ()
    ) -> dict[str, Any]:
        """Store a score, once per trial. A search for clones ends with the correct pair, or after a minute."""
        trial = self._trial(study, code, position)
        if trial.experiment == "C":
            correct = set(picked) == clones_of(self.design(study).key[trial.stimulus])
            if not correct and seconds < SEARCH:
                return {**self.next_trial(study, code), "wrong": True}
            score = max(1, min(round(seconds), SEARCH)) if correct else SEARCH
        lowest, highest = scale_of(trial.experiment)
        if isinstance(score, bool) or not isinstance(score, int) or not lowest <= score <= highest:
            raise UsageError(f"a score is a whole number from {lowest} to {highest}, but is {score!r}")
        row = (study, code, position, trial.stimulus, score, max(0.0, min(float(seconds), 86400.0)), time.time())
        try:
            self.project.execute("INSERT INTO study_answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise UsageError(f"trial {position} already has a score: continue with the next one") from None
        return self.next_trial(study, code)

    def ratings(self, study: str) -> list[Rating]:
        """Return the trials of all participants who have started, with their scores."""
        given = "SELECT code, position, score FROM study_answers WHERE study = ?"
        scores = {(code, position): score for code, position, score in self.project.execute(given, (study,))}
        order = "SELECT code FROM study_participants WHERE study = ? ORDER BY slot"
        codes = [code for (code,) in self.project.execute(order, (study,))]
        return [
            Rating(code, *trial[1:], scores.get((code, trial.position)))
            for code in codes
            for trial in self.trials_of(study, code)
        ]

    def outcomes(self, study: str) -> list[Outcome]:
        """Analyze the scores so far."""
        ratings = self.ratings(study)
        if not any(rating.score is not None for rating in ratings):
            raise UsageError("nobody has given a score yet: let someone take part first")
        return analyze(ratings, self.design(study).key)


@one_blas_thread()
def noise(context: Context, *, items: list[str], kind: str, number: int, matched: list[str], seed: int) -> None:
    """Make baselines from takes: noise as strong as the variation of `matched`, mixtures, or replays."""
    from freshtake.evaluation.baselines import basis_of, changes, make
    from freshtake.evaluation.baselines.making import match

    takes, variants = motion_sets(context, items, matched)
    basis = basis_of(takes)
    amount = None
    if variants and kind not in ("convex", "replay"):
        context.report("matching the amount", 0.0, 1.0)
        amount = match(basis, kind, changes(basis, variants), np.random.default_rng([seed, 0])).amount
    for k in range(1, number + 1):
        context.report(kind, k - 1, number)
        name = f"{kind}_{k:03d}"
        motion = make(basis, kind, np.random.default_rng([seed, k]), amount=amount, name=name).motion
        context.add_motion(
            "variant", name, motion, seed=seed, settings={"kind": kind, "amount": amount},
            facts={"method": kind, "baseline": True}, group=f"{kind} baseline",
        )  # fmt: skip


@one_blas_thread()
def evaluate(context: Context, *, items: list[str], inputs: list[str], baselines: list[str], name: str) -> None:
    """Measure variants (`items`) against real takes, and write the report as a page."""
    from freshtake.reports.verdict import verdict_of
    from freshtake.workflows.evaluating import evaluate_motions

    context.report("reading", 0.0, 1.0)
    takes, variants = motion_sets(context, inputs, items)
    page = context.folder / "report.html"
    evaluated = evaluate_motions(takes, variants, target=page, baselines=baselines, title=name, report=context.progress)
    verdict, result = verdict_of(evaluated.result), evaluated.result.as_dict()
    rows = [
        {"key": key, **{word: figure[word] for word in ("title", "group", "unit", "value", "verdict")},
         "real": [figure["real_low"], figure["real_high"]],
         "baselines": {name: values[key]["value"] for name, values in result["baselines"].items() if key in values}}
        for key, figure in result["figures"].items()
    ]  # fmt: skip
    facts = {
        "usable": verdict.usable,
        "verdict": verdict.sentence,
        "figures": rows,
        "baselines": list(result["baselines"]),
        "variants": len(variants),
        "inputs": len(takes),
        "notes": result["notes"],
    }
    context.add("report", name, page, {"what": "evaluation", **facts}, settings={"variants": items, "inputs": inputs})


def study_design(
    context: Context, *, items: list[str], inputs: list[str], captured: list[str], experiment: str, name: str,
    **plan: Any,
) -> None:  # fmt: skip
    """Design a study of variants (`items`): experiments A to D of `workflows.evaluating.study_design`."""
    from freshtake.requests.evaluation import StudyDesign
    from freshtake.workflows import study_design as design

    files = [[context.path(id) for id in ids] for ids in (items, inputs, captured)]
    request = StudyDesign(
        variants=files[0], inputs=files[1], captured=files[2], experiment=experiment, out=context.folder / "study",
        **{**plan, "motion": re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:40] or "motion"},
    )  # fmt: skip
    written = design(request, context.progress)
    facts = {
        "what": "study",
        "experiments": list(experiment),
        "stimuli": len(written.stimuli),
        "participants": request.participants,
        "trials": written.trials // request.participants,
    }
    settings = {"variants": items, "inputs": inputs, "captured": captured, "seed": request.seed}
    context.add("report", name, request.out, facts, settings=settings)
