"""`pairwright train`: planners and policies."""

import typer

from pairwright.cli.groups import CommandGroup
from pairwright.cli.train.planner import score_planners_command, train_planner_command
from pairwright.cli.train.reward_server import reward_server_command
from pairwright.cli.train.rl_files import export_rl_command, rl_outputs_command

train = typer.Typer(
    name="train",
    cls=CommandGroup,
    help="""Train planners on gold aspects, and policies on a release's questions.

    Examples:

      pairwright train planner planner.toml --out planner

      pairwright train score score.toml --out scores

      pairwright train export-rl releases/1.0.0 --format trl --out rl-data
    """,
    no_args_is_help=True,
    rich_markup_mode=None,
)
train.command("planner")(train_planner_command)
train.command("score")(score_planners_command)
train.command("export-rl")(export_rl_command)
train.command("reward-server")(reward_server_command)
train.command("rl-outputs")(rl_outputs_command)
