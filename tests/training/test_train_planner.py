"""Training a planner, as far as it needs no model: what is asked, what is learned, what is left
out, and what a wrong setting or folder means."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from golden import row, rows, write
from pairwright.assets import install
from pairwright.construct.folder import to_toml
from pairwright.errors import ConfigError, SourceError
from pairwright.records import GoldAspect, Post
from pairwright.stages.planner import PlanReply, sifted
from pairwright.stages.question import PromptPosts
from pairwright.training import train_planner
from pairwright.training.planner_data import Conversation, Training, target
from scripted import post, posts
from study import pairwright

ASPECTS = ("Baking without an oven aboard", "Nothing that contains nuts")
POSTS = posts(
    "Hello. There is no oven on our narrowboat. What now?", "My daughter is allergic to nuts!"
)
QUESTION = "How do I bake good bread during the week?"
VEGAN = [{"aspect": "Vegan substitutes"}]


def written(*aspects: str, shown: tuple[Post, ...] = POSTS) -> tuple[PlanReply, Counter[str]]:
    """What is to be written, and the aspects that are left out."""
    gold = [GoldAspect(aspect=aspect, reason="So.") for aspect in aspects]
    return target(QUESTION, gold, PromptPosts(shown, ()))


def characters(conversation: Conversation) -> int:
    """A token is a character."""
    return sum(len(message["content"]) for part in conversation.values() for message in part)


def settings(**changes: Any) -> Training:
    tables = {"source": {"path": "train.jsonl"}, "validation": {"path": "val.jsonl"}}
    return Training.model_validate({"model": "base", "max_tokens": 10**6, **tables, **changes})


def examples(
    folder: Path, *given: dict[str, Any], **changes: Any
) -> tuple[list[Conversation], dict[str, int]]:
    """The examples of a table [source] with these rows, and their counts."""
    write(folder / "train.jsonl", given)
    write(folder / "val.jsonl", [row("v")])
    found, counts = train_planner.read_examples(settings(**changes), folder, characters)
    return found["[source]"], counts["[source]"]


def test_a_target_is_a_reply_that_a_build_takes_whole() -> None:
    reply, _ = written(*ASPECTS)
    plan = sifted(reply, QUESTION, PromptPosts(POSTS, ()), "en")
    assert [(of.aspect, of.evidence, of.post_ids) for of in plan.aspects] == [
        (ASPECTS[0], "There is no oven on our narrowboat.", ("post-0",)),
        (ASPECTS[1], "My daughter is allergic to nuts!", ("post-1",)),
    ]
    assert plan.dropped == ()
    assert [of.follows for of in reply.aspects] == ["inferred", "inferred"]
    # A post without a space is read as fast as any other.
    long, _ = written(*ASPECTS, shown=(*POSTS, post("post-9", "面包" * 60_000)))
    assert long == reply
    # What a passage holds in full is learned as stated.
    plain, _ = written("An allergic daughter: no nuts")
    assert [of.follows for of in plain.aspects] == ["stated"]


@pytest.mark.parametrize(
    ("further", "dropped"),
    [
        (["Vegan substitutes for butter"], {"no_passage_in_posts": 1}),
        (["nuts and an allergic daughter " * 7, "Nothing that contains  nuts"],
         {"repeats_another_aspect": 1, "too_long": 1}),
    ],
)  # fmt: skip
def test_an_aspect_that_is_not_learned_is_counted(
    further: list[str], dropped: dict[str, int]
) -> None:
    assert written(*ASPECTS, *further) == (written(*ASPECTS)[0], dropped)


def test_all_that_is_left_out_is_counted_and_no_prompt_holds_what_no_planner_reads(
    tmp_path: Path,
) -> None:
    first = row("q-1", narrative="My secret wish.")
    no_gold, not_carried = row("bare", rubric_aspects=[]), row("q-2", rubric_aspects=VEGAN)
    found, counts = examples(tmp_path, first, row("q-3"), no_gold, not_carried, row("q-3"))
    assert counts == {
        "items": 2,
        "users": 2,
        "aspects": 4,
        "aspects left out: no_passage_in_posts": 1,
        "refused: duplicate_id": 1,
        "refused: empty_target": 1,
        "refused: no_gold_aspects": 1,
        "tokens": sum(map(characters, found)),
    }
    prompt = "".join(message["content"] for message in found[0]["prompt"])
    texts = [post["text"] for post in first["profile"]]
    assert all(f'<post id="p{n}">\n{text}' in prompt for n, text in enumerate(texts, 1))
    assert "<task>plan</task>" in prompt
    for secret in ("secret", *(aspect["aspect"] for aspect in first["rubric_aspects"])):
        assert secret not in prompt


BARE = row("bare", rubric_aspects=[])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([BARE, row("b", rubric_aspects=[])], SourceError, "not one of 2 items has gold aspects"),
        ([*rows(2), BARE], ConfigError, "no_gold_aspects 1, refused: too_long 2"),
        ([row("q-1", rubric_aspects=VEGAN)], ConfigError, "no_passage_in_posts 1.*empty_target 1"),
        ([row("v")], ConfigError, r"1 user is also in \[source\]: user-of-v"),
    ],
)
def test_a_training_that_cannot_be_is_refused_with_the_reasons(
    tmp_path: Path, given: list[dict[str, Any]], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        examples(tmp_path, *given, max_tokens=100)


EXAMPLES: dict[str, list[Conversation]] = {"[source]": [{"prompt": [], "completion": []}]}


@pytest.mark.parametrize(
    ("now", "data", "message"),
    [
        (settings(model="other"), EXAMPLES, "model: 'base' before, 'other' now"),
        (settings(lora={"r": 8}), EXAMPLES, "lora.r: 16 before, 8 now"),
        (settings(), {}, "examples: "),
    ],
    ids=["another model", "a hyper-parameter", "other items or another prompt"],
)
def test_a_training_goes_on_in_its_own_folder_and_in_no_other(
    tmp_path: Path, now: Training, data: dict[str, list[Conversation]], message: str
) -> None:
    for _ in range(2):
        train_planner.begin(tmp_path, settings(), EXAMPLES)
    with pytest.raises(ConfigError, match="folder of another training") as raised:
        train_planner.begin(tmp_path, now, data)
    assert message in str(raised.value)


def test_checkpoints_are_whole_and_of_this_training(tmp_path: Path) -> None:
    for step, state in ((9, "{}"), (10, '{"step": 10}'), (8, '{"step": 8}'), (30, '{"log_')):
        path = tmp_path / f"checkpoint-{step}" / train_planner.STATE
        path.parent.mkdir()
        path.write_text(state)
    (tmp_path / "checkpoint-20").mkdir()
    (tmp_path / "checkpoint-none").mkdir()
    assert sorted(train_planner.checkpoints(tmp_path)) == [8, 10]
    with pytest.raises(ConfigError, match="folder of another training"):
        train_planner.begin(tmp_path, settings(), EXAMPLES)


def test_without_the_extra_training_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    path, out = tmp_path / "planner.toml", tmp_path / "out"
    path.write_text(to_toml(settings().model_dump(mode="json", exclude_none=True)))
    done = pairwright("train", "planner", path, "--out", out)
    assert (done.code, out.exists()) == (2, False)
    assert f"torch: not installed\nhint: Run {install('train')}" in done.err
