"""`pairwright downstream best-of-n`.

command.py    the command: what is wanted, and what a person sees of it
session.py    the policy and its judge first, then one scorer after the other
"""

from pairwright.cli.best_of_n.command import best_of_n_command

__all__ = ["best_of_n_command"]
