"""The folder of an export.

export.json                                        what it is of; written last
README.md                                          the same for people, and for `load_dataset`
train.parquet validation.parquet                   verl
prompts/{train,validation}.parquet                 TRL: GRPO, RLOO
preference/{train,validation}.parquet              TRL: DPO, reward models
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from pairwright.dataset import write_one
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.records import Record
from pairwright.train.rl.prompt_tables import (
    SPLITS,
    RlPrompt,
    Split,
    preference_table,
    prompt_table,
    verl_table,
)

Format = Literal["trl", "verl"]
NOTE = """\
Prompts for training a policy, made by `pairwright train export-rl --format {format}` from the split
`{split}` of {release}, {version}.

A policy is shown the question{shown}.
Train and validation share no user.
{aspects}{test}Questions and posts are their authors', under the licences in the release's
`attribution.csv`.
"""
SHOWN = {"none": " alone", "profile": " after {posts} of the user's earlier posts at most"}
ASPECTS = (
    "Aspects are with the prompts: the answer key. What is trained on them says nothing more when"
    " it\nis judged by them.\n"
)
TEST = (
    "These are test questions: a policy or a reward model that is trained on them is contaminated,"
    " and\nits results on this release do not count as results.\n"
)


class RlExport(Record):
    """What an export is of."""

    release: str
    version: str
    digest: str
    """Root digest of the release."""
    split: str
    format: Format
    condition: Literal["none", "profile"]
    posts: int
    """Most posts that a prompt shows."""
    history_tokens: int
    validation_share: float
    aspects: bool
    """Whether the aspects are with the prompts."""
    prompts: dict[Split, int] = Field(default={})
    pairs: dict[Split, int] = Field(default={})
    users: dict[Split, int] = Field(default={})
    repeated: int = 0
    """Pairs whose prompt another pair has already."""
    longest: int = 0
    """Characters of the longest prompt."""


def export_prompts(out: Path, about: RlExport, prompts: Sequence[RlPrompt]) -> RlExport:
    """Write the folder, whole or not at all.

    Raises InputError where it holds something, or nobody is left for validation.
    """
    if out.is_dir() and any(out.iterdir()):
        raise InputError("is not empty", where=out, fix="Give --out a new folder.")
    about = _counted(about, prompts)
    partial = out.with_name(f"{out.name}.partial")
    with on_disk(partial):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, table in _tables(about, prompts):
            (partial / name).parent.mkdir(exist_ok=True)
            pq.write_table(table, partial / name, compression="zstd")
    write_whole(partial / "README.md", _readme(about))
    write_one(partial / "export.json", about)
    with on_disk(out):
        partial.replace(out)
    return about


def splits_in(about: RlExport) -> list[Split]:
    return [split for split in SPLITS if about.pairs[split]]


def _counted(about: RlExport, rows: Sequence[RlPrompt]) -> RlExport:
    pairs = Counter(prompt.split for prompt in rows)
    prompts = Counter(prompt.split for prompt in rows if prompt.first)
    users = Counter(split for _, split in {(prompt.row.user, prompt.split) for prompt in rows})
    if about.validation_share and not pairs["validation"]:
        raise InputError(
            "all users are partners of each other, so that none can be held out",
            where=f"--validation-share {about.validation_share:g}",
            fix="Give 0, for no validation file, or bring a release with more users in its split.",
        )
    return about.model_copy(
        update={
            "prompts": {split: prompts[split] for split in SPLITS},
            "pairs": {split: pairs[split] for split in SPLITS},
            "users": {split: users[split] for split in SPLITS},
            "repeated": sum(not prompt.first for prompt in rows),
            "longest": max(len(prompt.prompt) for prompt in rows),
        }
    )


def _tables(about: RlExport, rows: Sequence[RlPrompt]) -> Iterator[tuple[str, pa.Table]]:
    for split in splits_in(about):
        prompts = [one for one in rows if one.split == split]
        if about.format == "verl":
            source = f"pairwright/{about.release}"
            yield f"{split}.parquet", verl_table(prompts, source, aspects=about.aspects)
        else:
            yield f"prompts/{split}.parquet", prompt_table(prompts, aspects=about.aspects)
            yield f"preference/{split}.parquet", preference_table(prompts)


def _readme(about: RlExport) -> str:
    note = NOTE.format(
        format=about.format,
        split=about.split,
        release=about.release,
        version=about.version,
        shown=SHOWN[about.condition].format(posts=about.posts),
        aspects=ASPECTS if about.aspects else "",
        test=TEST if about.split == "test" else "",
    )
    return "".join(_front_matter(about)) + note


def _front_matter(about: RlExport) -> Iterator[str]:
    """Which files `datasets` reads, as its repositories say it."""
    yield "---\nconfigs:\n"
    trl = {"prompts": "prompts/", "preference": "preference/"}
    for config, folder in (trl if about.format == "trl" else {"default": ""}).items():
        yield f"- config_name: {config}\n  data_files:\n"
        for split in splits_in(about):
            yield f"  - split: {split}\n    path: {folder}{split}.parquet\n"
    yield "---\n\n"
