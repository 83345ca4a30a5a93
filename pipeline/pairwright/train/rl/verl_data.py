"""Prompts as verl reads them.

`ground_truth` is the pair's id: verl hands it to the reward function, and writes it down beside
every output, so that outputs can be judged later.
"""

from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

from pairwright.records import Record
from pairwright.train.rl.prompts import Prompted
from pairwright.train.rl.trl_data import ABOUT, MESSAGES, TEXT, Message

SCHEMA = pa.schema(
    {
        "data_source": TEXT,
        "prompt": MESSAGES,
        "ability": TEXT,
        "reward_model": pa.struct({"style": TEXT, "ground_truth": TEXT}),
        "extra_info": pa.struct(
            {"split": TEXT, "index": pa.int64(), **ABOUT, "aspects": pa.list_(TEXT)}
        ),
    }
)


class RewardModelField(Record):
    style: Literal["rule"] = "rule"
    """A function gives the reward; it is no model of verl's own."""
    ground_truth: str


class ExtraInfo(Record):
    split: str
    index: int
    """Place in the file."""
    id: str
    item_id: str
    user: str
    config: str
    aspects: tuple[str, ...]
    """Empty unless they were asked for."""


class VerlLine(Record):
    """One prompt, named by the first pair about it."""

    data_source: str
    prompt: tuple[Message]
    ability: str
    reward_model: RewardModelField
    extra_info: ExtraInfo


def verl_table(prompts: Iterable[Prompted], source: str, *, aspects: bool) -> pa.Table:
    """One line for each question of a user; `source` names the release."""
    first = [prompt for prompt in prompts if prompt.first]
    lines = [
        _line(prompt, index, source, aspects).model_dump() for index, prompt in enumerate(first)
    ]
    return pa.Table.from_pylist(lines, schema=SCHEMA)


def _line(prompted: Prompted, index: int, source: str, aspects: bool) -> VerlLine:
    row = prompted.row
    return VerlLine(
        data_source=source,
        prompt=(Message(role="user", content=prompted.prompt),),
        ability=row.domain,
        reward_model=RewardModelField(ground_truth=row.id),
        extra_info=ExtraInfo(
            split=prompted.split,
            index=index,
            id=row.id,
            item_id=row.item_id,
            user=row.user or "",
            config=row.config,
            aspects=tuple(aspect.aspect for aspect in row.rubric_aspects) if aspects else (),
        ),
    )
