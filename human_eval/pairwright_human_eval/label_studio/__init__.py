"""A study on a Label Studio server: push tasks, pull what is annotated, see how far it is.

Needs the extra `[label-studio]`; without it everything else works on exported files.
"""

from pairwright_human_eval.label_studio.api import Server
from pairwright_human_eval.label_studio.pull import Pulled, pull
from pairwright_human_eval.label_studio.push import Pushed, push
from pairwright_human_eval.label_studio.state import labelling_links, pushed_state
from pairwright_human_eval.label_studio.status import Standing, status

__all__ = [
    "Pulled", "Pushed", "Server", "Standing", "labelling_links", "pull", "push", "pushed_state",
    "status",
]  # fmt: skip
