"""Training a planner, as far as it needs no model: what is asked, what is learned, what is left
out, which checkpoint is chosen, and what a wrong setting or folder means."""

import json
from pathlib import Path
from typing import Any

import pytest

from golden import gold, planning_prompts, row, rows, write
from pairwright.errors import ConfigError, SourceError
from pairwright.extras import install
from pairwright.models import parse
from pairwright.records import GoldAspect, Item, Post
from pairwright.settings.prompt import Ask
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import PlanReply, sifted
from pairwright.training import planner_checkpoints as folder
from pairwright.training import planner_training
from pairwright.training.plan_settings import Training, TrainingHistory
from pairwright.training.planner_data import (
    LeftOutItem,
    PlanTarget,
    PromptMaker,
    SplitPrompt,
    TrainingData,
    TrainingExample,
    aspects_of,
    learned_text,
    planner_prompt,
    rows_of,
    target,
    training_example,
)
from scripted import domains, expect, posts
from study import pairwright

ASPECTS = (
    GoldAspect(aspect="Baking without an oven aboard", reason="No oven."),
    GoldAspect(aspect="Nothing that contains nuts", reason="An allergy."),
)
POSTS = posts(
    "Hello. There is no oven on our narrowboat. What now?", "My daughter is allergic to nuts!"
)
QUESTION = "How do I bake good bread during the week?"


def characters(ask: Ask, target: str) -> SplitPrompt:
    """A tokenizer for tests: a token is a character."""
    prompt = "".join(message.content for message in ask.messages)
    return SplitPrompt(tuple(map(ord, prompt)), tuple(map(ord, target)))


def asking(**changes: Any) -> PromptMaker:
    return PromptMaker(planning_prompts(), domains(), TrainingHistory(**changes), 100)


def items(tmp_path: Path, *given: dict[str, Any]) -> tuple[Item, ...]:
    return gold(tmp_path, *given).items


def settings(**changes: Any) -> Training:
    source = {"path": "train.jsonl"}
    return Training.model_validate(
        {"model": "m", "source": source, "validation": {"path": "val.jsonl"}, **changes}
    )


def made(
    tmp_path: Path, *given: dict[str, Any], **changes: Any
) -> tuple[list[SplitPrompt], TrainingData]:
    source = gold(tmp_path, *given)
    return rows_of(settings(**changes), source, asking(), characters, lambda: None)


# What is to be written


def written(*aspects: GoldAspect, shown: tuple[Post, ...] = POSTS) -> PlanTarget:
    return target(QUESTION, aspects, PromptPosts(shown, ()))


def replied(text: str) -> PlanReply:
    return expect(PlanReply, parse(text, PlanReply))


def test_a_target_is_a_reply_that_a_build_takes_whole() -> None:
    reply = replied(written(*ASPECTS).text)
    plan = sifted(reply, QUESTION, PromptPosts(POSTS, ()), "en")
    assert [(of.aspect, of.evidence, of.post_ids) for of in plan.aspects] == [
        (ASPECTS[0].aspect, "There is no oven on our narrowboat.", ("post-0",)),
        (ASPECTS[1].aspect, "My daughter is allergic to nuts!", ("post-1",)),
    ]
    assert plan.dropped == ()
    assert [of.follows for of in reply.aspects] == ["inferred", "inferred"]
    # What a passage holds in full is learned as stated.
    plain = GoldAspect(aspect="An allergic daughter: no nuts")
    assert [of.follows for of in replied(written(plain).text).aspects] == ["stated"]


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
    made = written(*ASPECTS, *(GoldAspect(aspect=name) for name in further))
    assert (made.aspects, made.dropped) == (2, dropped)
    assert made.text == written(*ASPECTS).text


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (written(*ASPECTS).text, tuple(of.aspect for of in ASPECTS)),
        ('{"aspects": []}', ()),
        ('{"aspects": [{"aspect": "cut', None),
        ('{"aspects": "none"}', None),
    ],
    ids=["a target", "a plan without aspects", "cut short", "another form"],
)
def test_a_plan_is_read_as_it_was_learned_and_nothing_else_is_one(
    said: str, read: tuple[str, ...] | None
) -> None:
    assert aspects_of(said, QUESTION, PromptPosts(POSTS, ())) == read


# Where learning begins


@pytest.mark.parametrize(
    ("written", "learned"),
    [
        pytest.param("plan</s>\n", "plan</s>", id="what stands after the end is not"),
        pytest.param("plan</s>", "plan</s>", id="the end is"),
        pytest.param("plan", "plan</s>", id="an end that the template leaves out is"),
        pytest.param("<think></think>plan</s>", "<think></think>plan</s>", id="thinking"),
    ],
)
def test_what_is_learned_is_the_target_and_its_end(written: str, learned: str) -> None:
    assert learned_text(written, "</s>") == learned


# Items as a planner sees them


def example(item: Item, most: int = 10**6, **changes: Any) -> TrainingExample:
    return expect(TrainingExample, training_example(item, asking(**changes), characters, most))


def test_a_prompt_is_what_evaluation_asks_and_holds_no_narrative(tmp_path: Path) -> None:
    (item,) = items(tmp_path, row("q-1", narrative="My secret wish."))
    prompt = "".join(map(chr, example(item).tokens.prompt))
    assert all(f'<post id="p{n}">\n{post.text}' in prompt for n, post in enumerate(item.profile, 1))
    assert "<task>plan</task>" in prompt
    assert "secret" not in prompt
    assert all(aspect.aspect not in prompt for aspect in item.rubric_aspects)


def test_what_is_over_the_limit_loses_low_ranked_posts_and_never_the_target(tmp_path: Path) -> None:
    last = row("q-1", rubric_aspects=[{"aspect": "Baking without an oven aboard"}])
    (item,) = items(tmp_path, last)
    whole = example(item, retrieval="recency").tokens
    length = len(whole.prompt) + len(whole.completion)
    found = example(item, length - 200, retrieval="recency")
    assert found.shown.left_out == item.profile[: len(found.shown.left_out)]
    assert found.shown.left_out
    reply = replied("".join(map(chr, found.tokens.completion)))
    # The target names posts as the shorter prompt does.
    assert sifted(reply, item.question, found.shown, "en").dropped == ()


def test_an_item_that_teaches_nothing_is_refused(tmp_path: Path) -> None:
    uncarried = row("q-2", rubric_aspects=[{"aspect": "Vegan substitutes"}])
    whole, empty = items(tmp_path, row("q-1"), uncarried)
    for item, most, reason in ((whole, 500, "too_long"), (empty, 10**6, "empty_target")):
        found = training_example(item, asking(), characters, most)
        assert expect(LeftOutItem, found).reason == reason


def test_all_that_is_left_out_is_counted(tmp_path: Path) -> None:
    found, data = made(
        tmp_path,
        *rows(3),
        row("no-gold", rubric_aspects=[]),
        row("not-carried", rubric_aspects=[{"aspect": "Vegan substitutes"}]),
        row("q-0"),
    )
    assert len(found) == data.items == data.users == 3
    assert data.refused == {"duplicate_id": 1, "empty_target": 1, "no_gold_aspects": 1}
    assert data.learned == sum(len(of.completion) for of in found)
    assert data.tokens == data.learned + sum(len(of.prompt) for of in found)


def test_a_training_of_no_item_is_refused_with_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not one of 2 items has gold aspects"):
        gold(tmp_path, row("a", rubric_aspects=[]), row("b", rubric_aspects=[]))
    with pytest.raises(ConfigError, match="1 no_gold_aspects, 2 too_long"):
        made(tmp_path, *rows(2), row("other", rubric_aspects=[]), max_tokens=100)
    with pytest.raises(ConfigError, match="1 empty_target; of their aspects 1 no_passage_in_posts"):
        made(tmp_path, row("q-1", rubric_aspects=[{"aspect": "Vegan substitutes"}]))


def test_a_validation_user_that_is_trained_on_is_refused(tmp_path: Path) -> None:
    training = items(tmp_path, *rows(3))
    with pytest.raises(ConfigError, match=r"1 of its users are among those.*user-of-q-1"):
        folder.apart(training, items(tmp_path, row("v", user="user-of-q-1")), "[validation]")


# Choosing a checkpoint


def check(step: int, worst: float) -> folder.CheckpointScore:
    return folder.CheckpointScore(
        step=step, sample="s", items=4, unreadable=0, precision=None, recall=None, f1=None,
        worst=worst,
    )  # fmt: skip


def test_the_best_checkpoint_is_the_earliest_of_those_that_match_most() -> None:
    assert folder.best([check(1, 0.2), check(2, 0.5), check(3, 0.5), check(4, 0.1)]).step == 2


def test_a_plan_that_cannot_be_read_is_counted_and_is_no_zero_of_the_mean(tmp_path: Path) -> None:
    asked = [planner_prompt(of, asking(), lambda _: 1, 9) for of in items(tmp_path, *rows(3))]
    right = [target(of.item.question, of.item.rubric_aspects, of.shown).text for of in asked]
    said = [right[0], "no JSON", '{"aspects": []}']
    found = folder.score_checkpoint(7, "s", asked, said)
    assert (found.step, found.items, found.unreadable) == (7, 3, 1)
    assert found.precision is not None
    assert (found.precision.value, found.precision.n) == (1.0, 1)
    assert found.f1 is not None
    assert (found.f1.value, found.f1.n) == (0.5, 2)
    assert found.worst == pytest.approx(1 / 3, abs=1e-6)


# The folder of a training


def begun(**changes: Any) -> folder.TrainingStart:
    data = TrainingData(
        source="b2:0", items=1, users=1, refused={}, aspects=2, dropped={}, shortened=0, tokens=9,
        learned=3,
    )  # fmt: skip
    fields: dict[str, Any] = {
        "settings": settings(model="base"), "fingerprint": "b2:1", "prompt": "b2:2", "data": data
    }  # fmt: skip
    return folder.TrainingStart(**{**fields, **changes})


def checkpoint(out: Path, step: int, base: str = "base") -> Path:
    path = out / f"checkpoint-{step}"
    path.mkdir(parents=True)
    (path / folder.ADAPTER).write_text(json.dumps({"base_model_name_or_path": base}))
    (path / folder.STATE).write_text(json.dumps({"log_history": [{"step": 1, "loss": 2.5}]}))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": settings(model="other")}, "model: 'base' before, 'other' now"),
        ({"settings": settings(model="base", lora={"r": 8})}, "lora.r: 16 before, 8 now"),
        ({"fingerprint": "b2:9"}, "fingerprint"),
        ({"prompt": "b2:9"}, "prompt"),
    ],
    ids=["another model", "a hyper-parameter", "another model in its place", "prompt"],
)
def test_a_training_goes_on_in_its_own_folder_and_in_no_other(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    folder.begin(tmp_path, begun())
    folder.begin(tmp_path, begun())
    with pytest.raises(ConfigError, match="folder of another training") as raised:
        folder.begin(tmp_path, begun(**changes))
    assert message in str(raised.value)


def test_checkpoints_of_another_training_or_base_model_are_refused(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, 5, base="another/model")
    with pytest.raises(ConfigError, match=r"no training\.json"):
        folder.begin(tmp_path, begun())
    with pytest.raises(ConfigError, match="of another base model: another/model"):
        folder.check_base(path, "base")


def test_a_checkpoint_that_was_being_written_is_passed_over(tmp_path: Path) -> None:
    checkpoint(tmp_path, 10)
    checkpoint(tmp_path, 9)
    (checkpoint(tmp_path, 20) / folder.STATE).unlink()
    (checkpoint(tmp_path, 30) / folder.STATE).write_text('{"log_')
    (tmp_path / "checkpoint-none").mkdir()
    assert [step for step, _ in folder.checkpoints(tmp_path)] == [9, 10]


def test_the_chosen_adapter_is_kept_without_what_only_training_needs(tmp_path: Path) -> None:
    chosen = checkpoint(tmp_path, 10)
    for name in ("adapter_model.safetensors", "optimizer.pt", "tokenizer.json"):
        (chosen / name).write_text(name)
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "of an earlier choice").touch()
    kept = folder.keep_adapter(chosen, tmp_path)
    assert sorted(path.name for path in kept.iterdir()) == [
        "adapter_config.json", "adapter_model.safetensors", "tokenizer.json"
    ]  # fmt: skip


# Settings


@pytest.fixture
def written_settings(tmp_path: Path) -> Path:
    write(tmp_path / "train.jsonl", rows(2))
    write(tmp_path / "val.jsonl", rows(2, "v"))
    path = tmp_path / "planner.toml"
    path.write_text(
        'model = "m"\n[source]\npath = "train.jsonl"\n[validation]\npath = "val.jsonl"\n'
    )
    return path


def test_without_the_extra_training_says_what_to_install(
    written_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner_training, "LIBRARIES", ("no_such_library",))
    out = written_settings.parent / "out"
    done = pairwright("train", "planner", written_settings, "--out", out)
    assert done.code == 2
    assert "no_such_library: not installed" in done.err
    assert install("train") in done.err
    assert not out.exists()
