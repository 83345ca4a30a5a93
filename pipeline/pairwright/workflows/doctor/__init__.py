"""Whether every endpoint of a config is reachable and able.

examination.py goes through the servers; server.py reads what one reports of itself, replies.py
finds out by requests what it does, thinking.py whether it thinks first, and questions.py has the
prompts. Each gives a `ServerFinding`.
"""

from pairwright.workflows.doctor.examination import ServerReport, examine_endpoints

__all__ = ["ServerReport", "examine_endpoints"]
