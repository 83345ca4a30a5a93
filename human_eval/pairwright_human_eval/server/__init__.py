"""A Label Studio of one's own, on this machine only: its environment, its process, its accounts."""

from pairwright_human_eval.server.environment import Environment, prepare
from pairwright_human_eval.server.run import LabelStudioServer
from pairwright_human_eval.server.team import team

__all__ = ["Environment", "LabelStudioServer", "prepare", "team"]
