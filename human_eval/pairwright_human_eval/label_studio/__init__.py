"""A study on a Label Studio server: push tasks, pull what is annotated, see how far it is.

Needs the extra `[label-studio]`; without it everything else works on exported files.
"""

from pairwright_human_eval.label_studio.client import LabelStudioClient
from pairwright_human_eval.label_studio.projects import labelling_links, pushed_state
from pairwright_human_eval.label_studio.pull import PullResult, TaskProgress, pull, status
from pairwright_human_eval.label_studio.push import PushResult, push

__all__ = [
    "LabelStudioClient",
    "PullResult",
    "PushResult",
    "TaskProgress",
    "labelling_links",
    "pull",
    "push",
    "pushed_state",
    "status",
]  # fmt: skip
