"""`pairwright train export-rl`, `reward-server` and `rl-outputs`.

export.py    a release's questions for TRL and verl
server.py    the server's command: what it serves, from its first line to its end
scoring.py   the scorer behind it, bound to a release
outputs.py   what a training wrote down, for `pairwright downstream judge-outputs`
"""

from pairwright.cli.rl.export import export_rl_command
from pairwright.cli.rl.outputs import rl_outputs_command
from pairwright.cli.rl.server import reward_server_command

__all__ = ["export_rl_command", "reward_server_command", "rl_outputs_command"]
