from __future__ import annotations

import numpy as np

from freshtake.reports.selection_figure import selection_figure
from freshtake.variation.selection.candidates import Selection, Verdict


def test_rejected_clips_that_were_scored_have_a_map_each() -> None:
    missed = np.zeros((20, 3))
    missed[5:9, 1] = 9.0
    verdicts = (
        Verdict(True, 2.0, "", (), np.zeros((20, 3))),
        Verdict(False, -5.0, "why", (), missed),
        Verdict(False, float("nan"), "another skeleton"),
    )
    found = Selection(verdicts, 1.5, np.array([1.4, 2.0, 2.2]), ("a", "b", "c"), measure="likelihood")
    figure = selection_figure(found, ["one", "two", "three"])
    maps = [axis for axis in figure.axes if axis.images]
    assert [axis.get_title() for axis in maps] == ["two"]
    np.testing.assert_array_equal(maps[0].images[0].get_array(), missed.T)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["trusted", "one", "two", "three"]
    assert any("not comparable" in text.get_text() for text in figure.axes[0].texts)


def test_without_rejected_clips_there_are_likelihoods_alone() -> None:
    found = Selection((Verdict(True, 2.0),), 1.5, np.array([1.4, 2.0, 2.2]), ("a",))
    assert len(selection_figure(found, ["one"]).axes) == 1


def test_joints_that_a_reason_names_are_always_shown() -> None:
    missed = np.tile(np.arange(20.0)[::-1], (20, 1))
    joints = tuple(f"j{k}" for k in range(20))
    found = Selection((Verdict(False, 0.0, "why", (), missed, ("j19",)),), 1.5, np.array([1.4, 2.0]), joints)
    axis = next(axis for axis in selection_figure(found, ["one"]).axes if axis.images)
    shown = [label.get_text() for label in axis.get_yticklabels()]
    assert shown == [*[f"j{k}" for k in range(11)], "j19"]


def test_chances_are_drawn_as_powers_of_ten() -> None:
    verdicts = (Verdict(True, 0.5), Verdict(False, 1e-6, "why", (), np.ones((20, 1))), Verdict(False, float("nan")))
    figure = selection_figure(Selection(verdicts, 0.05, np.array([0.2, 0.9, 1.0]), ("a",)), ["one", "two", "three"])
    ticks = [float(label.get_text()) for label in figure.axes[0].get_xticklabels()]
    assert min(ticks) == -6.0 and -1.3 in ticks and max(ticks) <= 0.0
    assert "power of 10" in figure.axes[0].get_xlabel()
