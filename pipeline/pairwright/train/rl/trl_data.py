"""Prompts and pairs as TRL reads them: its conversational prompt-only and preference formats."""

from collections.abc import Iterable

import pyarrow as pa

from pairwright.records import Record
from pairwright.train.rl.prompts import Prompted

TEXT = pa.string()
MESSAGES = pa.list_(pa.struct({"role": TEXT, "content": TEXT}))
ABOUT = {"id": TEXT, "item_id": TEXT, "user": TEXT, "config": TEXT}
PROMPTS = pa.schema({"prompt": MESSAGES, **ABOUT, "aspects": pa.list_(TEXT)})
PREFERENCE = pa.schema({"prompt": MESSAGES, "chosen": MESSAGES, "rejected": MESSAGES, **ABOUT})


class Message(Record):
    role: str
    content: str


class PromptLine(Record):
    """One prompt, named by the first pair about it."""

    prompt: tuple[Message]
    id: str
    item_id: str
    user: str
    config: str
    aspects: tuple[str, ...]
    """Empty unless they were asked for."""


class PairLine(Record):
    """One pair."""

    prompt: tuple[Message]
    chosen: tuple[Message]
    rejected: tuple[Message]
    id: str
    item_id: str
    user: str
    config: str


def prompt_table(prompts: Iterable[Prompted], *, aspects: bool) -> pa.Table:
    """One line for each question of a user."""
    lines = [_prompt(prompt, aspects).model_dump() for prompt in prompts if prompt.first]
    return pa.Table.from_pylist(lines, schema=PROMPTS)


def preference_table(pairs: Iterable[Prompted]) -> pa.Table:
    """One line for each pair."""
    return pa.Table.from_pylist([_pair(pair).model_dump() for pair in pairs], schema=PREFERENCE)


def _prompt(prompted: Prompted, aspects: bool) -> PromptLine:
    row = prompted.row
    return PromptLine(
        prompt=_said("user", prompted.prompt),
        id=row.id,
        item_id=row.item_id,
        user=row.user or "",
        config=row.config,
        aspects=tuple(aspect.aspect for aspect in row.rubric_aspects) if aspects else (),
    )


def _pair(prompted: Prompted) -> PairLine:
    row = prompted.row
    return PairLine(
        prompt=_said("user", prompted.prompt),
        chosen=_said("assistant", row.chosen),
        rejected=_said("assistant", row.rejected),
        id=row.id,
        item_id=row.item_id,
        user=row.user or "",
        config=row.config,
    )


def _said(role: str, content: str) -> tuple[Message]:
    return (Message(role=role, content=content),)
