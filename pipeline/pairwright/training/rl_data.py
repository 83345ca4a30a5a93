"""A release's questions as data to train a policy on.

The folder of an export:

    export.json                                        what it is of; written last
    README.md                                          the same for people, and for `load_dataset`
    train.parquet validation.parquet                   verl
    prompts/{train,validation}.parquet                 TRL: GRPO, RLOO
    preference/{train,validation}.parquet              TRL: DPO, reward models
"""

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_one
from pairwright.pairs import Row
from pairwright.pairs.layout import places_of
from pairwright.records import Record

Split = Literal["train", "validation"]
SPLITS: tuple[Split, ...] = ("train", "validation")
TrainerFormat = Literal["trl", "verl"]

_TEXT = pa.string()
_MESSAGES = pa.list_(pa.struct({"role": _TEXT, "content": _TEXT}))
_ABOUT = {"id": _TEXT, "item_id": _TEXT, "user": _TEXT, "config": _TEXT}
PROMPTS = pa.schema({"prompt": _MESSAGES, **_ABOUT})
PREFERENCE = pa.schema({"prompt": _MESSAGES, "chosen": _MESSAGES, "rejected": _MESSAGES, **_ABOUT})
VERL = pa.schema(
    {
        "data_source": _TEXT,
        "prompt": _MESSAGES,
        "ability": _TEXT,
        "reward_model": pa.struct({"style": _TEXT, "ground_truth": _TEXT}),
        "extra_info": pa.struct({"split": _TEXT, "index": pa.int64(), **_ABOUT}),
    }
)


class RlPrompt(NamedTuple):
    """A pair with the prompt that it answers."""

    row: Row
    prompt: str
    split: Split
    first: bool
    """Whether no pair before it has the same question of the same user."""

    @property
    def about(self) -> dict[str, object]:
        """What names the pair in every table."""
        row = self.row
        return {"id": row.id, "item_id": row.item_id, "user": row.user or "", "config": row.config}


def rl_prompts(
    rows: Sequence[Row], shown: Callable[[Row], str], validation_share: float
) -> list[RlPrompt]:
    """All pairs, in their order; `shown` gives the one message of the user that a policy reads.

    `validation_share` is of groups of users that must stay together; above 0 it is one at least,
    and one stays for training.
    """
    by_subject: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        by_subject[row.subject][row.user or row.cluster] = None
    places = places_of([list(users) for users in by_subject.values()], "rl")
    groups = sorted(set(places.values()))
    wanted = max(1, round(validation_share * len(groups))) if validation_share else 0
    held = set(groups[: min(wanted, len(groups) - 1)])
    keys: set[tuple[str, str]] = set()
    prompts: list[RlPrompt] = []
    for row in rows:
        key = (row.item_id, row.user or row.cluster)
        split: Split = "validation" if places[key[1]] in held else "train"
        prompts.append(RlPrompt(row, shown(row), split, key not in keys))
        keys.add(key)
    return prompts


class RlExport(Record):
    """What an export is of."""

    release: str
    version: str
    digest: str
    """Root digest of the release."""
    split: str
    format: TrainerFormat
    condition: Literal["none", "profile"]
    posts: int
    """Most posts that a prompt shows."""
    history_tokens: int
    validation_share: float
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
    pairs = Counter(one.split for one in prompts)
    asked = Counter(one.split for one in prompts if one.first)
    users = Counter(split for _, split in {(one.row.user, one.split) for one in prompts})
    if about.validation_share and not pairs["validation"]:
        raise InputError(
            "all users are partners of each other, so that none can be held out",
            where=f"--validation-share {about.validation_share:g}",
            fix="Give 0, for no validation file, or bring a release with more users in its split.",
        )
    counts = {"prompts": asked, "pairs": pairs, "users": users}
    about = about.model_copy(
        update={
            **{name: {split: of[split] for split in SPLITS} for name, of in counts.items()},
            "repeated": sum(not one.first for one in prompts),
            "longest": max(len(one.prompt) for one in prompts),
        }
    )
    partial = out.with_name(f"{out.name}.partial")
    with on_disk(partial):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, table in _tables(about, prompts):
            (partial / name).parent.mkdir(exist_ok=True)
            pq.write_table(table, partial / name, compression="zstd")
    configs = {"prompts": "prompts/", "preference": "preference/"}
    template = Path(__file__).with_name("rl_readme.md.jinja").read_text(encoding="utf-8")
    readme = jinja2.Template(template, trim_blocks=True, keep_trailing_newline=True).render(
        about=about,
        # What stands before the text says which files `datasets` reads.
        configs=configs if about.format == "trl" else {"default": ""},
        splits=[split for split in SPLITS if about.pairs[split]],
    )
    write_whole(partial / "README.md", readme)
    write_one(partial / "export.json", about)
    with on_disk(out):
        partial.replace(out)
    return about


def _tables(about: RlExport, rows: Sequence[RlPrompt]) -> Iterator[tuple[str, pa.Table]]:
    """One line for each question of a user, named by the first pair about it; of preferences one
    for each pair."""
    for split in SPLITS:
        pairs = [one for one in rows if one.split == split]
        prompts = [one for one in pairs if one.first]
        if not pairs:
            continue
        if about.format == "verl":
            lines: list[dict[str, Any]] = [
                {
                    "data_source": f"pairwright/{about.release}",
                    "prompt": _messages("user", one.prompt),
                    "ability": one.row.domain,
                    # A function gives the reward; it is not a model of verl's own.
                    "reward_model": {"style": "rule", "ground_truth": one.row.id},
                    "extra_info": {"split": split, "index": n, **one.about},
                }
                for n, one in enumerate(prompts)
            ]
            yield f"{split}.parquet", pa.Table.from_pylist(lines, schema=VERL)
            continue
        asked = [{"prompt": _messages("user", one.prompt), **one.about} for one in prompts]
        yield f"prompts/{split}.parquet", pa.Table.from_pylist(asked, schema=PROMPTS)
        preferences = [
            {
                "prompt": _messages("user", one.prompt),
                "chosen": _messages("assistant", one.row.chosen),
                "rejected": _messages("assistant", one.row.rejected),
                **one.about,
            }
            for one in pairs
        ]
        yield f"preference/{split}.parquet", pa.Table.from_pylist(preferences, schema=PREFERENCE)


def _messages(role: str, content: str) -> list[dict[str, str]]:
    return [{"role": role, "content": content}]
