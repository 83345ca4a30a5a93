"""`pairwright evaluate`.

command.py    the command: what is wanted
session.py    every scorer in every condition, one after the other, each with its files
planner.py    the planner under test
shown.py      what a person sees of it
verify.py     results derived again from their stored replies
"""

from pairwright.cli.evaluate.command import evaluate_command

__all__ = ["evaluate_command"]
