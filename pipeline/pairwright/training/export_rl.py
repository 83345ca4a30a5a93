"""A release's questions as data for reinforcement learning: `train export-rl`.

export.json                                        what it is of; written last
README.md                                          the same for people, and for `load_dataset`
train.parquet validation.parquet                   verl
prompts/{train,validation}.parquet                 TRL: GRPO, RLOO
preference/{train,validation}.parquet              TRL: DPO, reward models
"""

import shutil
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from typer import Option

from pairwright.errors import InputError, on_disk
from pairwright.evaluation.benchmark import Benchmark, posts_of
from pairwright.files import write_whole
from pairwright.lines import write_one
from pairwright.modes import label_of
from pairwright.options import ReleasePath
from pairwright.pages import render_markdown
from pairwright.pages.output import output_folder
from pairwright.pairs import Row
from pairwright.pairs.conversion import user_message
from pairwright.pairs.layout import places_of
from pairwright.records import Record
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules

Format = Literal["trl", "verl"]
Shown = Literal["none", "profile"]
_ABOUT = ["id", "item_id", "user", "config"]


class RlExport(Record):
    """The record of an export: its release, settings and counts."""

    release: str
    digest: str
    split: str
    format: Format
    condition: Shown
    posts: int
    counts: dict[str, dict[str, int]]
    """The number of prompts, pairs and users of `train` and of `validation`."""
    longest: int


def export_rl(
    release: ReleasePath,
    out: Annotated[Path | str, Option(help="New folder of the data.", metavar="DIR")],
    *,
    format: Annotated[Format, Option(help="Trainer of the data.")],
    condition: Annotated[Shown, Option(help="Part of the history shown.")] = "profile",
    posts: Annotated[int, Option(help="Maximum posts, best ranked first.", min=1)] = 10,
    split: Annotated[str, Option(help="The release's split to train on.")] = "validation",
    allow_test_split: Annotated[
        bool, Option("--allow-test-split", help="Allow split test.")
    ] = False,
    validation_share: Annotated[
        float, Option(help="Share of users for validation.", min=0, max=0.9)
    ] = 0.1,
) -> RlExport:
    """Write a release's questions as data for PPO and GRPO, and its pairs for DPO.

    A prompt is the question, after the user's earlier posts if --condition is profile; it never has
    aspects or narrative. Users of train and validation differ. Each prompt has the id of a pair, by
    which the reward server knows it. A release has a split for training if it was made with
    --validation.

    Raises InputError, also for the split `test` without `allow_test_split`, and StoreError.

    Examples::

        pairwright train export-rl releases/1.0.0 --format trl --out rl-data
        pairwright train export-rl releases/1.0.0 --format verl --condition none --out rl-data
    """
    root, folder = Path(release), output_folder(out)
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError("is not empty", where=folder, fix="Give --out a new folder.")
    if split == "test" and not allow_test_split:
        raise InputError(
            "test questions are what results are measured on: training on them contaminates those",
            where="--split test",
            fix="Make the release with `--validation 0.1`, whose split `validation` has other users"
            " to train on; or give --allow-test-split for what is never compared.",
        )
    pairs = Benchmark.built(root, split)
    rules = HistoryRules(posts=posts)

    def prompt(row: Row) -> str:
        if condition == "profile" and not row.profile:
            where = f"{root} [{row.id}]"
            raise InputError("it has no earlier posts", where=where, fix="--condition none")
        shown = selected(row.question, posts_of(row), rules) if condition == "profile" else ()
        return user_message(row.question, shown)

    table = pd.DataFrame(
        {
            "id": row.id,
            "item_id": row.item_id,
            "user": row.user or row.cluster,
            "config": row.config,
            "domain": row.domain,
            "subject": row.subject,
            "prompt": [{"role": "user", "content": prompt(row)}],
            "chosen": [{"role": "assistant", "content": row.chosen}],
            "rejected": [{"role": "assistant", "content": row.rejected}],
        }
        for row in pairs.rows()
        # The label of a placebo is drawn, so there is nothing to learn from it.
        if label_of(row.mode) != "equal"
    )
    if table.empty:
        fix = "Name a release with pairs of another mode than placebo."
        raise InputError("holds no pairs whose label is a preference", where=root, fix=fix)
    held = held_out(table, validation_share)
    table["part"] = held.map({True: "validation", False: "train"})
    table["first"] = ~table.duplicated(["item_id", "user"])
    named = {"prompts": ("first", "sum"), "pairs": ("id", "count"), "users": ("user", "nunique")}
    about = RlExport(
        release=pairs.ref.title,
        digest=pairs.ref.digest,
        split=split,
        format=format,
        condition=condition,
        posts=posts,
        counts=table.groupby("part").agg(**named).to_dict("index"),
        longest=max(len(message[0]["content"]) for message in table.prompt),
    )
    partial = folder.with_name(f"{folder.name}.partial")
    with on_disk(partial):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for part, lines in table.groupby("part"):
            # A prompt is named by the first pair about a question of a user.
            asked, columns = lines[lines["first"]], ["prompt", *_ABOUT]
            made = {"": _verl(asked, f"pairwright/{pairs.ref.name}")}
            if format == "trl":
                preference = lines[[*columns, "chosen", "rejected"]]
                made = {"prompts": asked[columns], "preference": preference}
            for config, data in made.items():
                (partial / config).mkdir(exist_ok=True)
                data.to_parquet(partial / config / f"{part}.parquet", index=False)
    write_whole(partial / "README.md", render_markdown("rl_readme", about=about))
    write_one(partial / "export.json", about)
    with on_disk(folder):
        partial.replace(folder)
    return about


def held_out(table: pd.DataFrame, share: float) -> pd.Series:
    """Mark the pairs for validation: those of a share of users, where users of one `subject`, such
    as both of a twin, stay together. Above 0 it is at least one group of users.

    Raises InputError if none is left for training.
    """
    place = table.user.map(places_of(table.groupby("subject").user.unique(), "rl"))
    groups = sorted(set(place))
    wanted = max(1, round(share * len(groups))) if share else 0
    if wanted and wanted >= len(groups):
        raise InputError(
            "all users are partners of each other, so that none can be held out",
            where=f"--validation-share {share:g}",
            fix="Give 0, for no validation file, or bring a release with more users in its split.",
        )
    return place.isin(groups[:wanted])


def _verl(asked: pd.DataFrame, source: str) -> pd.DataFrame:
    extra = asked[_ABOUT].assign(split=asked.part, index=range(len(asked)))
    data = {
        "data_source": source,
        "prompt": asked.prompt,
        "ability": asked.domain,
        # A function gives the reward; it is not a model of verl's own.
        "reward_model": [{"style": "rule", "ground_truth": id} for id in asked.id],
        "extra_info": extra.to_dict("records"),
    }
    return pd.DataFrame(data)
