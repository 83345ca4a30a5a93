"""`pairwright train export-rl` and `rl-outputs`: prompts for a trainer, and outputs from it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pairwright.cli.printing import command, print_commands
from pairwright.cli.scoring import ReleasePath, new_folder
from pairwright.text import number_of


class TrainerFormat(StrEnum):
    TRL = "trl"
    VERL = "verl"


class ShownCondition(StrEnum):
    NONE = "none"
    PROFILE = "profile"


def export_rl_command(
    release: ReleasePath,
    out: Annotated[Path, new_folder("New folder of the data.")],
    format: Annotated[TrainerFormat, typer.Option(help="Which trainer reads it.")],
    condition: Annotated[
        ShownCondition, typer.Option(help="Whether a policy is shown the user's earlier posts.")
    ] = ShownCondition.PROFILE,
    posts: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most posts shown, best ranked first.")
    ] = 10,
    history_tokens: Annotated[
        int,
        typer.Option(
            min=100,
            metavar="N",
            help="Most tokens of posts, of 4 characters each (Chinese: 1).",
        ),
    ] = 6000,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="The release's split to train on.")
    ] = "validation",
    allow_test_split: Annotated[
        bool, typer.Option("--allow-test-split", help="Let --split be test.")
    ] = False,
    validation_share: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share of users kept for validation.")
    ] = 0.1,
    with_aspects: Annotated[
        bool,
        typer.Option("--with-aspects", help="Put the aspects beside the prompts, for rewards."),
    ] = False,
) -> None:
    """Write a release's questions as data for PPO and GRPO, and its pairs for DPO.

    A prompt is the question, after the user's earlier posts where --condition is profile; aspects
    and narrative are in none. Users of train and validation differ. Each prompt has the id of a
    pair, by which the reward server and `pairwright downstream judge-outputs` know it. A
    release has a split for training if it was made with --validation.

    Examples:

      pairwright train export-rl releases/1.0.0 --format trl --out rl-data

      pairwright train export-rl releases/1.0.0 --format verl --condition none --out rl-data

      pairwright train reward-server --release releases/1.0.0 --scorers scorers.toml
      --scorer skywork
    """
    # What reads and retrieves takes a while to import, and other commands do without.
    from pairwright.settings.rules import HistoryRules
    from pairwright.workflows.rl_data import export_rl

    done = export_rl(
        release,
        out,
        format=format.value,
        condition=condition.value,
        history=HistoryRules(posts=posts, history_tokens=history_tokens),
        split=split,
        allow_test_split=allow_test_split,
        validation_share=validation_share,
        aspects=with_aspects,
    )
    for name, prompts in done.prompts.items():
        counts = f"{number_of(done.pairs[name], 'pair')}, {number_of(done.users[name], 'user')}"
        typer.echo(f"{name}: {number_of(prompts, 'prompt')}, {counts}")
    repeated = number_of(done.repeated, "pair asks", "pairs ask")
    typer.echo(
        f"{repeated} what another pair asks for the same user; each prompt is"
        f" there once. The longest has {done.longest:,} characters, about {done.longest // 4:,}"
        " tokens."
    )
    serve = command(
        "train", "reward-server", "--release", release, "--scorers", "scorers.toml",
        "--scorer", "NAME",
    )  # fmt: skip
    print_commands(Console(), "Next:", [serve])
    if split == "test":
        typer.echo(
            "These are test questions: what is trained on them is contaminated, and cannot be"
            " evaluated on this release.",
            err=True,
        )


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
    from pairwright.workflows.rl_data import rl_outputs

    done = rl_outputs(dump, model, out)
    typer.echo(
        f"{number_of(done.outputs, 'output')} of {number_of(done.steps, 'step')};"
        f" {number_of(done.further, 'further output')} to the same prompt in the same step left"
        " out."
    )
