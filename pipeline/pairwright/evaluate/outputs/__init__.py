"""How far outputs serve the aspects of their questions, whatever wrote them.

records.py   an output, and what the judge says of it
read.py      a file of outputs, held to the release
judging.py   every output judged, one score an aspect
summary.py   what a model's outputs come to, with what is left open
"""

from pairwright.evaluate.outputs.judging import AspectJudge, judge_outputs
from pairwright.evaluate.outputs.records import (
    JudgedOutput,
    Output,
    OutputScores,
    QuestionOutput,
    by_model,
    mean_adherence,
    model_score,
    read_outputs,
)

__all__ = [
    "AspectJudge",
    "Found",
    "Judged",
    "Output",
    "OutputScores",
    "by_model",
    "judge_outputs",
    "mean_adherence",
    "read_outputs",
    "summarised",
]
