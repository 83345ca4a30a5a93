"""`pairwright train planner`."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from pairwright.errors import ConfigError
from pairwright.extras import install
from pairwright.workflows.output import output_folder

LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets")


def train_planner_command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS.toml", help="What is trained, on what, and how.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of checkpoints and adapter.",
            callback=output_folder,
        ),
    ],
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
    from pairwright.train.planner.settings import load_training

    training = load_training(settings)
    if absent := [name for name in LIBRARIES if not find_spec(name)]:
        raise ConfigError(
            f"{', '.join(absent)}: not installed",
            where="pairwright train planner",
            fix=f"Run {install('train')}.",
        )
    # What trains takes seconds to import, and other commands do without.
    from pairwright.cli.train_planner.session import Session

    Session(training, settings.resolve().parent, out).run(merge)
