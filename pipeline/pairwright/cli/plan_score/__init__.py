"""`pairwright train score`.

command.py    the command
session.py    every planner, one after the other, and what is compared
"""

from pairwright.cli.plan_score.command import plan_score_command

__all__ = ["plan_score_command"]
