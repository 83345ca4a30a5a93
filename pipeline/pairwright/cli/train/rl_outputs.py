"""`pairwright train rl-outputs`."""

from pathlib import Path
from typing import Annotated

import typer


def rl_outputs_command(
    dump: Annotated[Path, typer.Argument(metavar="DUMP", help="What the trainer wrote down.")],
    model: Annotated[str, typer.Option(metavar="NAME", help="What the policy is called.")],
    out: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="The file of outputs.")],
) -> None:
    """Turn the outputs that verl or TRL wrote down into a file for `downstream judge-outputs`.

    DUMP is verl's rollout_data_dir or validation_data_dir, or the output_dir of a TRL trainer with
    log_completions, in a training with pairwright's reward function on pairwright's prompts. Each
    step becomes a model NAME@STEP; of several outputs to one prompt in a step the first is taken.

    Examples:

      pairwright train rl-outputs checkpoints/validation --model qwen-grpo --out outputs.jsonl

      pairwright downstream judge-outputs releases/1.0.0 outputs.jsonl --scorers scorers.toml
      --out judged
    """
    from pairwright.text import number_of
    from pairwright.workflows.rl_data import rl_outputs

    done = rl_outputs(dump, model, out)
    typer.echo(
        f"{number_of(done.outputs, 'output')} of {number_of(done.steps, 'step')};"
        f" {number_of(done.further, 'further output')} to the same prompt in the same step left"
        " out."
    )
