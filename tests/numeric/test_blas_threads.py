"""One thread for linear algebra, whatever the process settings, and the same results with any number."""

from __future__ import annotations

import os
import subprocess
import sys

LIMIT = """
from concurrent.futures import ThreadPoolExecutor
import numpy
from threadpoolctl import threadpool_info
from freshtake.numeric.blas_threads import on_one_blas_thread, one_blas_thread

def counts(_=None):
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}

given = counts()
assert given == {2}, given
with one_blas_thread():
    assert counts() == {1}
    with one_blas_thread():
        pass
    assert counts() == {1}, "an inner block put the count back"
assert counts() == given

@one_blas_thread()
def inside(_=None):
    return counts()

with ThreadPoolExecutor(4) as pool:
    assert all(found == {1} for found in pool.map(inside, range(40)))
assert counts() == given
for found in on_one_blas_thread(counts() for _ in range(2)):
    assert found == {1} and counts() == given
try:
    with one_blas_thread():
        raise KeyError
except KeyError:
    assert counts() == given
"""

MODELS = """
import hashlib
import numpy as np
import freshtake as ft
from freshtake import samples

def walks(style, seeds):
    return [samples.walk(np.random.default_rng(k), cycles=2, style=style) for k in seeds]

def told(name, *arrays):
    print(name, hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest())

normal, limp = walks("normal", (1, 2)), walks("limp", (3, 4))
style = ft.style.learn(list(zip(normal, limp)))
told("style", *style.bank.packed, style.translate(normal[0]).rotations)
density = ft.density.learn({"normal": normal, "limp": limp})
told("density", density.rows(np.random.default_rng(0), frames=200, weights={"normal": 0.5, "limp": 0.5}))
texture = ft.texture.learn(samples.flag(np.random.default_rng(0), frames=120))
told("texture", texture.sample(np.random.default_rng(0), frames=60).vertices)
variation = ft.variation.learn([samples.cheer(np.random.default_rng(k)) for k in (1, 2)], rng=np.random.default_rng(0))
made = variation.sample(np.random.default_rng(0))
told("variation", made.root, made.rotations)
found = ft.evaluation.evaluate(normal, limp, rng=np.random.default_rng(0))
told("evaluation", *(figure.value for figure in found.figures))
"""


def output(program: str, threads: int) -> str:
    variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(variables, str(threads))
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_limit_holds_inside_and_is_lifted_by_the_last_to_leave() -> None:
    output(LIMIT, 2)


def test_models_and_motions_do_not_depend_on_the_number_of_threads() -> None:
    assert output(MODELS, 1) == output(MODELS, 2)
