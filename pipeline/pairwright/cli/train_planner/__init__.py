"""`pairwright train planner`.

command.py    the command
prepared.py   from the settings to what is trained on
session.py    prepare, train, choose a checkpoint, merge, report
"""

from pairwright.cli.train_planner.command import train_planner_command

__all__ = ["train_planner_command"]
