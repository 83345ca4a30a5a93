"""`pairwright downstream`: whether what a benchmark measures matters for what models write."""

import typer

from pairwright.cli.downstream.best_of_n import best_of_n_command
from pairwright.cli.downstream.certify import certify_command
from pairwright.cli.downstream.completions import completions_command
from pairwright.cli.downstream.correlate import correlate_command
from pairwright.cli.downstream.judge_outputs import judge_outputs_command
from pairwright.cli.downstream.policy import policy_command
from pairwright.cli.groups import CommandGroup

downstream = typer.Typer(
    name="downstream",
    cls=CommandGroup,
    help="""Measure whether a good score on a release goes with good responses.

    Examples:

      pairwright downstream best-of-n releases/1.0.0 --scorers scorers.toml --scorer skywork
      --out best

      pairwright downstream judge-outputs releases/1.0.0 outputs.jsonl --scorers scorers.toml
      --out judged

      pairwright downstream correlate models.csv --benchmark accuracy --downstream best_of_16
    """,
    no_args_is_help=True,
    rich_markup_mode=None,
)
downstream.command("best-of-n")(best_of_n_command)
downstream.command("judge-outputs")(judge_outputs_command)
downstream.command("policy")(policy_command)
downstream.command("completions")(completions_command)
downstream.command("correlate")(correlate_command)
downstream.command("certify")(certify_command)
