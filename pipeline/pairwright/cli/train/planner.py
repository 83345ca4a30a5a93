"""`pairwright train planner`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import say
from pairwright.cli.progress import display, interruptible
from pairwright.cli.scoring import new_folder


def train_planner_command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS.toml", help="What is trained, on what, and how.")
    ],
    out: Annotated[Path, new_folder("Folder of checkpoints and adapter.")],
    merge: Annotated[
        bool, typer.Option("--merge", help="Also write the model with the adapter in its weights.")
    ] = False,
) -> None:
    """Train a planner: posts and a question in, the gold aspects out (extra [train]).

    Supervised fine-tuning with LoRA. The loss counts the target's tokens alone. Items without gold
    aspects are refused and counted. The checkpoint whose plans match the gold aspects of validation
    items best is kept in DIR/adapter. Running the same command again goes on where it stopped.

    Examples:

      pairwright train planner planner.toml --out planner

      pairwright train planner planner.toml --out planner --merge

      vllm serve MODEL --enable-lora --lora-modules planner=planner/adapter

      pairwright train score score.toml --out scores
    """
    from pairwright.train.planner.report_page import warnings
    from pairwright.workflows.planner_training import train_planner

    console = Console(stderr=True)
    with display(console) as progress, interruptible() as stop:
        done = train_planner(settings, out, merge=merge, progress=progress, stop=stop)
    for line in (
        *warnings(done.report),
        f"checkpoint-{done.report.chosen} is chosen; serve {done.merged or done.adapter}",
        f"Open: {out / 'report.html'}",
    ):
        say(console, line)
