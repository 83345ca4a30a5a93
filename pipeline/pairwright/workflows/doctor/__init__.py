"""Whether every endpoint of a config is reachable and able.

examination.py goes through the servers; server.py reads what one reports of itself and puts prompts
to it, replies.py finds out by the replies what it does. findings.toml has the words of each
`ServerFinding`.
"""

from pairwright.workflows.doctor.examination import ServerReport, examine_endpoints

__all__ = ["ServerReport", "examine_endpoints"]
