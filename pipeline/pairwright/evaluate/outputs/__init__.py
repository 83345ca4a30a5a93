"""How far outputs serve the aspects of their questions, whatever wrote them.

records.py   an output, the file of outputs, what the judge says of each, and the mean of a model
judging.py   every output judged, one score an aspect
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
    "JudgedOutput",
    "Output",
    "OutputScores",
    "QuestionOutput",
    "by_model",
    "judge_outputs",
    "mean_adherence",
    "model_score",
    "read_outputs",
]
