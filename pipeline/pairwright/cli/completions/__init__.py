"""`pairwright downstream completions`.

command.py    the command: what is wanted, and what a person sees of it
source.py     the items that can be asked, each with another user's posts
session.py    the writing first, then one scorer after the other
"""

from pairwright.cli.completions.command import completions_command

__all__ = ["completions_command"]
