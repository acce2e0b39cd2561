"""Joints by the words people use."""

from __future__ import annotations

import pytest

from freshtake.reports.network_pictures import Link
from freshtake.reports.wording import joint_words, link_sentences


@pytest.mark.parametrize(
    "name, words",
    [
        ("LeftLeg", "the left knee"), ("RightUpLeg", "the right hip"), ("mixamorig:LeftForeArm", "the left elbow"),
        ("rhumerus", "the right shoulder"), ("ltibia", "the left knee"), ("lowerback", "the lower back"),
        ("Hips", "the hips"), ("LeftToeBase", "the left toes"), ("Neck1", "the neck"), ("Spine1", "the chest"),
        ("LeftShoulder", "the left collarbone"), ("tail_3", "tail_3"), ("thigh_l", "the left hip"),
    ],
)  # fmt: skip
def test_places_of_the_body(name: str, words: str) -> None:
    assert joint_words(name) == words


def test_links_become_sentences_strongest_first_and_said_once() -> None:
    links = [Link("RightUpLeg", "LeftLeg", 0.4), Link("Neck", "Neck1", 9.0), Link("Spine", "Hips", 0.9)]
    links += [Link("rfemur", "LeftLeg", 0.2), Link("Head", "LeftHand", 0.05), Link("Head", "RightHand", 0.0)]
    assert link_sentences(links) == [
        "The hips follow the lower back closely.",
        "The left knee follows the right hip closely.",
        "The left wrist follows the head a little.",
    ]
