"""Annotations judged one by one: a verdict, or set aside with its reason.

seen.py      an annotation on its own: is it about a task of ours, as we wrote it?
answers.py   its results as answers
voters.py    who has voted on what, and must not adjudicate it
accept.py    all together: who gave it, and which one of several counts
derive.py    from the raw files of a study to verdicts.jsonl and set_aside.jsonl
"""

from pairwright_human_eval.accept.accept import Acceptance, accept
from pairwright_human_eval.accept.derive import derive
from pairwright_human_eval.accept.reasons import REASONS, Reason

__all__ = ["REASONS", "Acceptance", "Reason", "accept", "derive"]
