"""What a user says in one sentence; everything below comes together here."""

from freshtake.workflows.conversion import convert
from freshtake.workflows.cutting import cut_take
from freshtake.workflows.demonstration import demo
from freshtake.workflows.description import describe, describe_set
from freshtake.workflows.evaluating import evaluate, evaluate_motions
from freshtake.workflows.sampling import SAMPLE_SETS, download_takes, write_samples

__all__ = [
    "SAMPLE_SETS",
    "convert",
    "cut_take",
    "demo",
    "describe",
    "describe_set",
    "download_takes",
    "evaluate",
    "evaluate_motions",
    "write_samples",
]
