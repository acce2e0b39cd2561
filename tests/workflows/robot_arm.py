"""A robot arm of three hinges for tests: takes of a reach as tables of angles, its limits, and its MuJoCo model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import freshtake as ft

LIMITS = {"base": (-1.0, 1.0), "shoulder": (-0.2, 1.3), "elbow": (-2.0, 0.05)}
LINKS = (0.1, 0.4, 0.3)  # metres: the base's height, upper and lower arm
MODEL = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body><joint name="base" type="hinge" axis="0 0 1" range="-1 1" limited="true"/><geom size="0.05"/>
      <body pos="0 0 0.1"><joint name="shoulder" type="hinge" axis="0 -1 0" range="-0.2 1.3" limited="true"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
        <body pos="0.4 0 0"><joint name="elbow" type="hinge" axis="0 -1 0" range="-2 0.05" limited="true"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/><site name="hand" pos="0.3 0 0"/>
  </body></body></body></worldbody>
</mujoco>
"""


def reach(rng: np.random.Generator, frames: int = 40) -> ft.Stroke:
    """Out to a position that differs from take to take, and back; the elbow comes near its limit."""
    time = np.arange(frames) / 30
    swing = np.sin(np.pi * np.arange(frames) / (frames - 1)) ** 2
    turn, lift, bend = rng.normal([0.7, 1.1, 1.2], [0.12, 0.1, 0.1])
    angles = np.stack([turn * swing, lift * swing, 0.04 - bend * (1 - swing)], axis=1)
    return ft.Stroke(angles, time, tuple(LIMITS), "reach")


def write_robot(folder: Path, takes: int = 4) -> Path:
    """Takes and limits as CSV files; returns the file of limits."""
    for k in range(takes):
        ft.write(folder / f"reach_{k + 1}.csv", reach(np.random.default_rng(k)))
    rows = [f"{joint},{low},{high}" for joint, (low, high) in LIMITS.items()]
    (folder / "limits.csv").write_text("\n".join(["joint,low,high", *rows]) + "\n")
    return folder / "limits.csv"


def hand(angles: np.ndarray) -> np.ndarray:
    """Where the hand is (frames, 3), by plane geometry."""
    base, shoulder, elbow = angles.T
    out = LINKS[1] * np.cos(shoulder) + LINKS[2] * np.cos(shoulder + elbow)
    up = LINKS[0] + LINKS[1] * np.sin(shoulder) + LINKS[2] * np.sin(shoulder + elbow)
    return np.stack([out * np.cos(base), out * np.sin(base), up], axis=1)
