"""`pairwright doctor`: is every endpoint of a config reachable and able?

command.py goes through the servers; server.py reads what one tells of itself, and structured.py,
backend.py, prefix.py and seeds.py find out by requests what it does. Each gives a `Finding`.
"""

from pairwright.cli.doctor.command import doctor_command

__all__ = ["doctor_command"]
