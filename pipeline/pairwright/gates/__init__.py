"""Gates: pure functions that accept or refuse a draft on what was measured. No model calls.

Text gates run before the judges, so that a draft that leaks or is cut short costs no
judgement; judged gates run after. Every gate of a group is measured, whatever the others say.

writing.py      the gates on texts
judged.py       the gates on judgements
phrases.py phrases.toml    ways of talking that the text gates look for, by language
results.py      a gate's decision

A gate's limit is a rule of the build (`settings`), and what a writer reads after its refusal is one
of `notes.toml` of `drafting`.
"""

from pairwright.gates.judged import Fit, judge_quality, judge_twin, judge_violate
from pairwright.gates.writing import DraftSides, check_echo, check_shared_words, check_writing

__all__ = [
    "DraftSides",
    "Fit",
    "check_echo",
    "check_shared_words",
    "check_writing",
    "judge_quality",
    "judge_twin",
    "judge_violate",
]
