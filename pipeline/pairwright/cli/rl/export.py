"""`pairwright train export-rl`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pairwright.assets import DOCS
from pairwright.cli.shell import program
from pairwright.errors import InputError
from pairwright.text import number_of
from pairwright.workflows.output import output_folder


class Format(StrEnum):
    TRL = "trl"
    VERL = "verl"


class ShownCondition(StrEnum):
    NONE = "none"
    PROFILE = "profile"


def export_rl_command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release's folder.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="New folder of the data.", callback=output_folder)
    ],
    format: Annotated[Format, typer.Option(help="Which trainer reads it.")],
    condition: Annotated[
        ShownCondition, typer.Option(help="Whether a policy is shown the user's earlier posts.")
    ] = ShownCondition.PROFILE,
    posts: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most posts shown, best ranked first.")
    ] = 10,
    history_tokens: Annotated[
        int, typer.Option(min=100, metavar="N", help="Most tokens of posts, of 4 characters each.")
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
    from pairwright.dataset import Row, parts_of
    from pairwright.dataset.message import user_message
    from pairwright.evaluate.release import Release, pairs_by_split, posts_of
    from pairwright.retrieve import selected
    from pairwright.settings.rules import HistoryRules
    from pairwright.train.rl.export import Exported, export
    from pairwright.train.rl.prompts import prompted

    if split == "test" and not allow_test_split:
        raise InputError(
            "test questions are what results are measured on: training on them contaminates those",
            where="--split test",
            fix="Train on another split, or give --allow-test-split for what is never compared.",
        )
    there = {part.split for part in parts_of(release)}
    if there and split not in there:
        raise InputError(
            f"no pairs in the split {split!r}; the release has {pairs_by_split(release)}",
            where=release,
            fix="Make the release with `--validation 10%`, which keeps users apart to train on."
            " Users are taken by hash: where they are few, a small share comes to nobody.",
        )
    found = Release(release, split)
    policy = HistoryRules(posts=posts, history_tokens=history_tokens)

    def shown(row: Row) -> str:
        if condition == ShownCondition.NONE:
            return user_message(row.question)
        if not row.profile:
            raise InputError(
                "it has no earlier posts", where=f"{release} [{row.id}]", fix="--condition none"
            )
        return user_message(row.question, selected(row.question, posts_of(row), policy))

    about = Exported(
        release=found.ref.name,
        version=found.ref.version,
        digest=found.ref.digest,
        split=split,
        format=format.value,
        condition=condition.value,
        posts=posts,
        history_tokens=history_tokens,
        validation_share=validation_share,
        aspects=with_aspects,
    )
    made = export(out, about, prompted(list(found.rows()), shown, validation_share))
    for name, prompts in made.prompts.items():
        counts = f"{number_of(made.pairs[name], 'pair')}, {number_of(made.users[name], 'user')}"
        typer.echo(f"{name}: {number_of(prompts, 'prompt')}, {counts}")
    repeated = number_of(made.repeated, "pair asks", "pairs ask")
    typer.echo(
        f"{repeated} what another pair asks for the same user; each prompt is"
        f" there once. The longest has {made.longest:,} characters, about {made.longest // 4:,}"
        " tokens."
    )
    typer.echo(
        f"Next:\n  {program()} train reward-server --release {release} --scorers scorers.toml"
        f" --scorer NAME   # the rewards of a training; {DOCS / 'train.md'} has more"
    )
    if split == "test":
        typer.echo(
            "These are test questions: whatever is trained on them is contaminated, and its results"
            " on this release are no results.",
            err=True,
        )
