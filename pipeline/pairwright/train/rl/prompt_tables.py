"""A release's questions as tables to train a policy on: prompts for TRL and for verl, and pairs of
preferences for a reward model."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import pyarrow as pa

from pairwright.dataset import Row
from pairwright.dataset.splits import places_of
from pairwright.records import Record

Split = Literal["train", "validation"]
SPLITS: tuple[Split, ...] = ("train", "validation")

TEXT = pa.string()
MESSAGES = pa.list_(pa.struct({"role": TEXT, "content": TEXT}))
ABOUT = {"id": TEXT, "item_id": TEXT, "user": TEXT, "config": TEXT}
PROMPTS = pa.schema({"prompt": MESSAGES, **ABOUT, "aspects": pa.list_(TEXT)})
PREFERENCE = pa.schema({"prompt": MESSAGES, "chosen": MESSAGES, "rejected": MESSAGES, **ABOUT})


class RlPrompt(NamedTuple):
    """A pair with the prompt that it answers."""

    row: Row
    prompt: str
    split: Split
    first: bool
    """Whether no pair before it has the same question of the same user."""


def rl_prompts(
    rows: Sequence[Row], shown: Callable[[Row], str], validation_share: float
) -> list[RlPrompt]:
    """All pairs, in their order; `shown` gives the one message of the user that a policy reads.

    `validation_share` is of groups of users that must stay together; above 0 it is one at least,
    and one stays for training.
    """
    places = places_of(_users(rows), "rl")
    held = _held(sorted(set(places.values())), validation_share)
    keys: set[tuple[str, str]] = set()
    prompts: list[RlPrompt] = []
    for row in rows:
        key = (row.item_id, row.user or row.cluster)
        split: Split = "validation" if places[key[1]] in held else "train"
        prompts.append(RlPrompt(row, shown(row), split, key not in keys))
        keys.add(key)
    return prompts


def _held(groups: Sequence[int], share: float) -> set[int]:
    wanted = max(1, round(share * len(groups))) if share else 0
    return set(groups[: min(wanted, len(groups) - 1)])


def _users(rows: Iterable[Row]) -> list[Sequence[str]]:
    """Of each pair or twin, whose it is."""
    by_subject: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        by_subject[row.subject][row.user or row.cluster] = None
    return [list(users) for users in by_subject.values()]


class ChatMessage(Record):
    role: str
    content: str


class PromptLine(Record):
    """One prompt, named by the first pair about it."""

    prompt: tuple[ChatMessage]
    id: str
    item_id: str
    user: str
    config: str
    aspects: tuple[str, ...]
    """Empty unless they were asked for."""


class PairLine(Record):
    """One pair."""

    prompt: tuple[ChatMessage]
    chosen: tuple[ChatMessage]
    rejected: tuple[ChatMessage]
    id: str
    item_id: str
    user: str
    config: str


def prompt_table(prompts: Iterable[RlPrompt], *, aspects: bool) -> pa.Table:
    """One line for each question of a user."""
    lines = [_prompt(prompt, aspects).model_dump() for prompt in prompts if prompt.first]
    return pa.Table.from_pylist(lines, schema=PROMPTS)


def preference_table(pairs: Iterable[RlPrompt]) -> pa.Table:
    """One line for each pair."""
    return pa.Table.from_pylist([_pair(pair).model_dump() for pair in pairs], schema=PREFERENCE)


def _prompt(prompted: RlPrompt, aspects: bool) -> PromptLine:
    row = prompted.row
    return PromptLine(
        prompt=_chat_message("user", prompted.prompt),
        id=row.id,
        item_id=row.item_id,
        user=row.user or "",
        config=row.config,
        aspects=tuple(aspect.aspect for aspect in row.answer_key) if aspects else (),
    )


def _pair(prompted: RlPrompt) -> PairLine:
    row = prompted.row
    return PairLine(
        prompt=_chat_message("user", prompted.prompt),
        chosen=_chat_message("assistant", row.chosen),
        rejected=_chat_message("assistant", row.rejected),
        id=row.id,
        item_id=row.item_id,
        user=row.user or "",
        config=row.config,
    )


def _chat_message(role: str, content: str) -> tuple[ChatMessage]:
    return (ChatMessage(role=role, content=content),)


VERL_SCHEMA = pa.schema(
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
    """A function gives the reward; it is not a model of verl's own."""
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
    prompt: tuple[ChatMessage]
    ability: str
    reward_model: RewardModelField
    extra_info: ExtraInfo


def verl_table(prompts: Iterable[RlPrompt], source: str, *, aspects: bool) -> pa.Table:
    """One line for each question of a user; `source` names the release."""
    first = [prompt for prompt in prompts if prompt.first]
    lines = [
        _line(prompt, index, source, aspects).model_dump() for index, prompt in enumerate(first)
    ]
    return pa.Table.from_pylist(lines, schema=VERL_SCHEMA)


def _line(prompted: RlPrompt, index: int, source: str, aspects: bool) -> VerlLine:
    row = prompted.row
    return VerlLine(
        data_source=source,
        prompt=(ChatMessage(role="user", content=prompted.prompt),),
        ability=row.domain,
        reward_model=RewardModelField(ground_truth=row.id),
        extra_info=ExtraInfo(
            split=prompted.split,
            index=index,
            id=row.id,
            item_id=row.item_id,
            user=row.user or "",
            config=row.config,
            aspects=tuple(aspect.aspect for aspect in row.answer_key) if aspects else (),
        ),
    )
