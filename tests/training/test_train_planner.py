"""Training a planner, as far as it needs no model: what is asked, what is learned, what is left
out, and what a wrong setting or folder means."""

import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from golden import gold, planning_prompts, row, rows, write
from pairwright.assets import install
from pairwright.errors import ConfigError, SourceError
from pairwright.records import GoldAspect, Post
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import PlanReply, sifted
from pairwright.training import train_planner
from pairwright.training.planner_data import (
    Conversation,
    Training,
    examples_of,
    planner_prompt,
    target,
)
from scripted import domains, posts
from study import pairwright

ASPECTS = (
    GoldAspect(aspect="Baking without an oven aboard", reason="No oven."),
    GoldAspect(aspect="Nothing that contains nuts", reason="An allergy."),
)
POSTS = posts(
    "Hello. There is no oven on our narrowboat. What now?", "My daughter is allergic to nuts!"
)
QUESTION = "How do I bake good bread during the week?"
MANY = 10**6


def characters(conversation: Conversation) -> int:
    """A token is a character."""
    return sum(len(message["content"]) for part in conversation.values() for message in part)


def settings(**changes: Any) -> Training:
    tables = {"source": {"path": "train.jsonl"}, "validation": {"path": "val.jsonl"}}
    return Training.model_validate({"model": "base", **tables, **changes})


def examples(
    folder: Path, *given: dict[str, Any], most: int = MANY
) -> tuple[list[Conversation], dict[str, int]]:
    prompt = partial(
        planner_prompt, settings=settings(), prompts=planning_prompts(), domains=domains()
    )
    return examples_of(gold(folder, *given), prompt, characters, most, "[source]")


# What is to be written


def written(
    *aspects: GoldAspect, shown: tuple[Post, ...] = POSTS
) -> tuple[PlanReply, Counter[str]]:
    return target(QUESTION, aspects, PromptPosts(shown, ()))


def test_a_target_is_a_reply_that_a_build_takes_whole() -> None:
    reply, _ = written(*ASPECTS)
    plan = sifted(reply, QUESTION, PromptPosts(POSTS, ()), "en")
    assert [(of.aspect, of.evidence, of.post_ids) for of in plan.aspects] == [
        (ASPECTS[0].aspect, "There is no oven on our narrowboat.", ("post-0",)),
        (ASPECTS[1].aspect, "My daughter is allergic to nuts!", ("post-1",)),
    ]
    assert plan.dropped == ()
    assert [of.follows for of in reply.aspects] == ["inferred", "inferred"]
    # What a passage holds in full is learned as stated.
    plain, _ = written(GoldAspect(aspect="An allergic daughter: no nuts"))
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
    reply, counted = written(*ASPECTS, *(GoldAspect(aspect=name) for name in further))
    assert (reply, counted) == (written(*ASPECTS)[0], dropped)


# Items as a planner sees them


def test_a_prompt_is_what_a_build_asks_and_holds_no_narrative(tmp_path: Path) -> None:
    given = row("q-1", narrative="My secret wish.")
    [found], _ = examples(tmp_path, given)
    prompt = "".join(message["content"] for message in found["prompt"])
    texts = [post["text"] for post in given["profile"]]
    assert all(f'<post id="p{n}">\n{text}' in prompt for n, text in enumerate(texts, 1))
    assert "<task>plan</task>" in prompt
    assert "secret" not in prompt
    assert all(aspect["aspect"] not in prompt for aspect in given["rubric_aspects"])


def test_all_that_is_left_out_is_counted(tmp_path: Path) -> None:
    found, counts = examples(
        tmp_path,
        *rows(3),
        row("no-gold", rubric_aspects=[]),
        row("not-carried", rubric_aspects=[{"aspect": "Vegan substitutes"}]),
        row("q-0"),
    )
    assert counts == {
        "items": 3,
        "users": 3,
        "aspects": 6,
        "aspects left out: no_passage_in_posts": 1,
        "refused: duplicate_id": 1,
        "refused: empty_target": 1,
        "refused: no_gold_aspects": 1,
        "tokens": sum(map(characters, found)),
    }


def test_a_training_of_no_item_is_refused_with_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not one of 2 items has gold aspects"):
        gold(tmp_path, row("a", rubric_aspects=[]), row("b", rubric_aspects=[]))
    with pytest.raises(ConfigError, match="no_gold_aspects 1, refused: too_long 2"):
        examples(tmp_path, *rows(2), row("other", rubric_aspects=[]), most=100)
    with pytest.raises(ConfigError, match=r"no_passage_in_posts 1.*empty_target 1"):
        examples(tmp_path, row("q-1", rubric_aspects=[{"aspect": "Vegan substitutes"}]))


# The folder and the settings of a training


def test_a_validation_user_that_is_trained_on_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", rows(3))
    write(tmp_path / "val.jsonl", [row("v", user="user-of-q-1")])
    with pytest.raises(ConfigError, match=r"1 user is also in \[source\]: user-of-q-1"):
        train_planner.read_examples(settings(), tmp_path, characters)


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
    train_planner.begin(tmp_path, settings(), EXAMPLES)
    train_planner.begin(tmp_path, settings(), EXAMPLES)
    with pytest.raises(ConfigError, match="folder of another training") as raised:
        train_planner.begin(tmp_path, now, data)
    assert message in str(raised.value)


def checkpoint(out: Path, step: int) -> Path:
    path = out / f"checkpoint-{step}" / train_planner.STATE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"global_step": step}))
    return path


def test_checkpoints_that_say_not_of_what_are_refused(tmp_path: Path) -> None:
    checkpoint(tmp_path, 5)
    with pytest.raises(ConfigError, match="folder of another training"):
        train_planner.begin(tmp_path, settings(), EXAMPLES)


def test_a_checkpoint_that_was_being_written_is_passed_over(tmp_path: Path) -> None:
    for step in (10, 9):
        checkpoint(tmp_path, step)
    checkpoint(tmp_path, 20).unlink()
    checkpoint(tmp_path, 30).write_text('{"log_')
    (tmp_path / "checkpoint-none").mkdir()
    assert sorted(train_planner.checkpoints(tmp_path)) == [9, 10]


def test_without_the_extra_training_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    path, out = tmp_path / "planner.toml", tmp_path / "out"
    path.write_text(
        'model = "m"\n[source]\npath = "train.jsonl"\n[validation]\npath = "val.jsonl"\n'
    )
    done = pairwright("train", "planner", path, "--out", out)
    assert done.code == 2
    assert "torch: not installed" in done.err
    assert install("train") in done.err
    assert not out.exists()
