"""A release's questions as data for reinforcement learning."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark, posts_of
from pairwright.modes import label_of
from pairwright.options import ReleasePath
from pairwright.pages.output import output_folder
from pairwright.pairs import Row, parts_of
from pairwright.pairs.conversion import user_message
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.training.rl_data import RlExport, export_prompts, rl_prompts


def export_rl(
    release: ReleasePath,
    out: Annotated[Path | str, Option(help="New folder of the data.", metavar="DIR")],
    *,
    format: Annotated[Literal["trl", "verl"], Option(help="Which trainer reads it.")],
    condition: Annotated[
        Literal["none", "profile"], Option(help="What a policy is shown of the user.")
    ] = "profile",
    posts: Annotated[int, Option(help="Most posts shown, best ranked first.", min=1)] = 10,
    history_tokens: Annotated[int, Option(help="Most tokens of posts.", min=100)] = 6000,
    split: Annotated[str, Option(help="The release's split to train on.")] = "validation",
    allow_test_split: Annotated[
        bool, Option("--allow-test-split", help="Let --split be test.")
    ] = False,
    validation_share: Annotated[float, Option(help="Share for validation.", min=0, max=0.9)] = 0.1,
) -> RlExport:
    """Write a release's questions as data for PPO and GRPO, and its pairs for DPO.

    A prompt is the question, after the user's earlier posts where --condition is profile; aspects
    and narrative are in none. Users of train and validation differ. Each prompt has the id of a
    pair, by which the reward server knows it. A release has a split for training if it was made
    with --validation.

    Raises InputError where the split is not in the release, where it is `test` and
    `allow_test_split` is false, and where `out` cannot be written; and StoreError.

    Examples::

        pairwright train export-rl releases/1.0.0 --format trl --out rl-data
        pairwright train export-rl releases/1.0.0 --format verl --condition none --out rl-data
    """
    root, folder = Path(release), output_folder(out)
    _check_split(root, split, allow_test_split=allow_test_split)
    pairs = Benchmark.built(root, split)
    rules = HistoryRules(posts=posts, history_tokens=history_tokens)

    def prompt(row: Row) -> str:
        if condition == "none":
            return user_message(row.question)
        if not row.profile:
            where = f"{root} [{row.id}]"
            raise InputError("it has no earlier posts", where=where, fix="--condition none")
        return user_message(row.question, selected(row.question, posts_of(row), rules))

    about = RlExport(
        release=pairs.ref.name,
        version=pairs.ref.version,
        digest=pairs.ref.digest,
        split=split,
        format=format,
        condition=condition,
        posts=rules.posts,
        history_tokens=rules.history_tokens,
        validation_share=validation_share,
    )
    # Nobody should learn which response a coin called chosen.
    rows = [row for row in pairs.rows() if label_of(row.mode) != "equal"]
    return export_prompts(folder, about, rl_prompts(rows, prompt, validation_share))


def _check_split(root: Path, split: str, *, allow_test_split: bool) -> None:
    """Raise InputError for a split that the release lacks, or that nobody should train on."""
    if split == "test" and not allow_test_split:
        raise InputError(
            "test questions are what results are measured on: training on them contaminates those",
            where="--split test",
            fix="Train on another split, or give --allow-test-split for what is never compared.",
        )
    splits = {part.split for part in parts_of(root)}
    if splits and split not in splits:
        raise InputError(
            f"no pairs in the split {split!r}; the release has {', '.join(sorted(splits))}",
            where=root,
            fix="Make the release with `--validation 10%`, which keeps users apart to train on."
            " Users are taken by hash: where they are few, a small share may have none.",
        )
