"""`pairwright train`: planners and policies."""

import typer

from pairwright.cli.plan_score import plan_score_command
from pairwright.cli.rl import export_rl_command, reward_server_command, rl_outputs_command
from pairwright.cli.train_planner import train_planner_command

train = typer.Typer(
    name="train",
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
train.command("score")(plan_score_command)
train.command("export-rl")(export_rl_command)
train.command("reward-server")(reward_server_command)
train.command("rl-outputs")(rl_outputs_command)
