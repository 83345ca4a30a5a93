"""Annotations judged one by one: each is a verdict, or set aside with its reason.

task_annotations.py  an annotation with the task that it answers
people.py            which account is which annotator, and who has voted on what
acceptance.py        all together: which annotation counts, and the files that are derived from them
"""

from pairwright_human_eval.accept.acceptance import Acceptance, accept, derive
from pairwright_human_eval.annotation import REASONS, Reason

__all__ = ["REASONS", "Acceptance", "Reason", "accept", "derive"]
