"""Training a planner, as far as it needs no model: what is asked, what is learned, what is left
out, which checkpoint is chosen, and what a wrong setting or folder means."""

import json
from pathlib import Path
from typing import Any

import pytest

from golden import row, rows, write
from pairwright import assets
from pairwright.errors import ConfigError, SourceError
from pairwright.extras import install
from pairwright.models import parse
from pairwright.records import GoldAspect, Item
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import BUILDING, LISTING, Ask
from pairwright.settings.rules import SourceRules
from pairwright.stages.aspect_list import HEADER, format_aspects, parse_aspects
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import MAX_PLANNED, PlanReply, sifted
from pairwright.training import planner_checkpoints as folder
from pairwright.training.gold import GoldItems, by_words, read_gold
from pairwright.training.plan_settings import (
    Form,
    Training,
    TrainingHistory,
    load_training,
)
from pairwright.training.planner_checkpoints import (
    CheckpointScore,
    TrainingReport,
    apart,
    best,
    planner_page,
    sample_items,
    score_checkpoint,
)
from pairwright.training.planner_data import (
    IGNORED,
    LeftOutItem,
    PromptMaker,
    SplitPrompt,
    TrainingData,
    TrainingExample,
    aspects_of,
    carrying,
    learned_text,
    planner_prompt,
    rows_of,
    target,
    training_example,
)
from pairwright.workflows import planner_training
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


def characters(ask: Ask, target: str) -> SplitPrompt:
    """A tokenizer for tests: a token is a character."""
    prompt = "".join(message.content for message in ask.messages)
    return SplitPrompt(tuple(map(ord, prompt)), tuple(map(ord, target)))


def asking(form: Form = "plan", **changes: Any) -> PromptMaker:
    prompts = Prompts.load(assets.PROMPTS, BUILDING | LISTING)
    return PromptMaker(form, prompts, domains(), TrainingHistory(**changes), 100)


def gold(tmp_path: Path, *given: dict[str, Any]) -> GoldItems:
    path = write(tmp_path / "items.jsonl", given)
    return read_gold(SourceRules(path=path.name), domains(), tmp_path, "[source]")


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


def test_a_target_is_a_reply_that_a_build_takes_whole() -> None:
    shown = PromptPosts(POSTS, ())
    reply = parse(target("plan", QUESTION, ASPECTS, shown).text, PlanReply)
    assert isinstance(reply, PlanReply)
    plan = sifted(reply, QUESTION, shown, "en")
    assert [of.aspect for of in plan.aspects] == [of.aspect for of in ASPECTS]
    assert plan.dropped == ()
    assert [of.evidence for of in plan.aspects] == [
        "There is no oven on our narrowboat.", "My daughter is allergic to nuts!"
    ]  # fmt: skip
    assert [of.post_ids for of in plan.aspects] == [("post-0",), ("post-1",)]
    assert [of.follows for of in reply.aspects] == ["inferred", "inferred"]


def test_what_a_passage_holds_in_full_is_learned_as_stated() -> None:
    plain = GoldAspect(aspect="An allergic daughter: no nuts")
    reply = parse(target("plan", QUESTION, (plain,), PromptPosts(POSTS, ())).text, PlanReply)
    assert isinstance(reply, PlanReply)
    assert [of.follows for of in reply.aspects] == ["stated"]


def test_evidence_is_of_the_posts_and_never_of_the_narrative() -> None:
    told = GoldAspect(aspect="Nothing that contains nuts", evidence="a secret of the narrative")
    assert "secret" not in target("plan", QUESTION, (told,), PromptPosts(POSTS, ())).text


def test_an_aspect_that_no_post_carries_is_left_out_and_counted() -> None:
    other = GoldAspect(aspect="Vegan substitutes for butter")
    made = target("plan", QUESTION, (*ASPECTS, other), PromptPosts(POSTS, ()))
    assert (made.aspects, made.dropped) == (2, {"no_passage_in_posts": 1})
    assert "Vegan" not in made.text


def test_an_aspect_that_a_build_would_drop_is_left_out_and_counted() -> None:
    long = GoldAspect(aspect="nuts and an allergic daughter " * 7)
    twice = GoldAspect(aspect="Nothing that contains  nuts")
    made = target("plan", QUESTION, (*ASPECTS, long, twice), PromptPosts(POSTS, ()))
    assert made.aspects == 2
    assert made.dropped == {"repeats_another_aspect": 1, "too_long": 1}


def test_no_more_aspects_are_learned_than_are_asked_for() -> None:
    words = (
        "oven flat",
        "knees sore",
        "budget tiny",
        "kitchen shared",
        "nuts forbidden",
        "cat ill",
    )
    texts = [f"Here: {word}." for word in words]
    aspects = [GoldAspect(aspect=f"Something for {word}") for word in words]
    made = target("plan", QUESTION, aspects, PromptPosts(posts(*texts), ()))
    assert (made.aspects, made.dropped) == (MAX_PLANNED, {"more_than_asked_for": 2})


def test_a_passage_is_the_shortest_of_those_that_hold_most() -> None:
    text = "We own nuts, bolts, allergic reactions and much more of it. Nuts? Allergic to nuts."
    found = carrying("Allergic to nuts", QUESTION, PromptPosts(posts(text), ()))
    assert found is not None
    share, passage = found
    assert (passage.post, passage.passage, share) == ("p1", "Allergic to nuts.", 1.0)


def test_words_of_the_question_carry_nothing() -> None:
    shown = PromptPosts(posts("Good bread during the week is what I bake."), ())
    assert carrying("Bake good bread during the week", QUESTION, shown) is None
    assert carrying("Bake good bread with nuts", QUESTION, shown) is None


def test_the_list_of_lamp_qa_has_every_gold_aspect_once() -> None:
    made = target("lamp-qa", QUESTION, (*ASPECTS, ASPECTS[0]), PromptPosts(POSTS, ()))
    assert made.text == f"{HEADER}\n- {ASPECTS[0].aspect}\n- {ASPECTS[1].aspect}"
    assert (made.aspects, made.dropped) == (2, {"repeats_another_aspect": 1})


@pytest.mark.parametrize("form", ["plan", "lamp-qa"])
def test_what_is_learned_is_read_back_as_it_was(form: Form) -> None:
    shown = PromptPosts(POSTS, ())
    text = target(form, QUESTION, ASPECTS, shown).text
    assert aspects_of(form, text, QUESTION, shown) == tuple(of.aspect for of in ASPECTS)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        pytest.param("plan", "", id="nothing"),
        pytest.param("plan", '{"aspects": [{"aspect": "cut', id="cut short"),
        pytest.param("plan", '{"aspects": "none"}', id="another form"),
        pytest.param("lamp-qa", "", id="no list"),
        pytest.param("lamp-qa", "The user likes bread.", id="prose"),
        pytest.param("lamp-qa", f"{HEADER}\n- nuts\nand so on", id="a line that is not a bullet"),
        pytest.param("lamp-qa", f"{HEADER}\n-", id="an empty bullet"),
    ],
)
def test_a_text_that_cannot_be_read_is_no_plan(form: Form, said: str) -> None:
    assert aspects_of(form, said, QUESTION, PromptPosts(POSTS, ())) is None


def test_a_plan_without_aspects_is_a_plan() -> None:
    assert aspects_of("plan", '{"aspects": []}', QUESTION, PromptPosts(POSTS, ())) == ()
    assert parse_aspects(format_aspects(())) == ()


# Where learning begins


def test_the_loss_counts_the_completion_alone() -> None:
    assert SplitPrompt((5, 6, 7), (8, 9)).labels == [IGNORED, IGNORED, IGNORED, 8, 9]


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


def test_a_prompt_is_what_evaluation_asks_and_holds_no_narrative(tmp_path: Path) -> None:
    (item,) = items(tmp_path, row("q-1", narrative="My secret wish."))
    found = training_example(item, asking(), characters, 10**6)
    assert isinstance(found, TrainingExample)
    prompt = "".join(map(chr, found.tokens.prompt))
    assert all(f'<post id="p{n}">\n{post.text}' in prompt for n, post in enumerate(item.profile, 1))
    assert "<task>plan</task>" in prompt
    assert "secret" not in prompt
    assert all(aspect.aspect not in prompt for aspect in item.rubric_aspects)


def test_what_is_over_the_limit_loses_its_lowest_ranked_posts_and_never_the_target(
    tmp_path: Path,
) -> None:
    last = row("q-1", rubric_aspects=[{"aspect": "Baking without an oven aboard"}])
    (item,) = items(tmp_path, last)
    whole = training_example(item, asking(retrieval="recency"), characters, 10**6)
    assert isinstance(whole, TrainingExample)
    length = len(whole.tokens.prompt) + len(whole.tokens.completion)
    found = training_example(item, asking(retrieval="recency"), characters, length - 200)
    assert isinstance(found, TrainingExample)
    assert found.shown.left_out == item.profile[: len(found.shown.left_out)]
    assert found.shown.left_out
    text = "".join(map(chr, found.tokens.completion))
    reply = parse(text, PlanReply)
    assert isinstance(reply, PlanReply)
    # The target names posts as the shorter prompt does.
    assert sifted(reply, item.question, found.shown, "en").dropped == ()


@pytest.mark.parametrize(
    ("changes", "most", "reason"),
    [
        pytest.param({}, 500, "too_long", id="no post fits"),
        pytest.param(
            {"rubric_aspects": [{"aspect": "Vegan substitutes"}]}, 10**6, "empty_target",
            id="no post carries an aspect",
        ),
    ],
)  # fmt: skip
def test_an_item_that_teaches_nothing_is_refused(
    tmp_path: Path, changes: dict[str, Any], most: int, reason: str
) -> None:
    (item,) = items(tmp_path, row("q-1", **changes))
    found = training_example(item, asking(), characters, most)
    assert isinstance(found, LeftOutItem)
    assert found.reason == reason


def test_a_validation_prompt_keeps_one_post_at_least(tmp_path: Path) -> None:
    (item,) = items(tmp_path, row("q-1"))
    assert len(planner_prompt(item, asking(), lambda _: 10, 5).shown.posts) == 1
    assert len(planner_prompt(item, asking(), lambda _: 10, 10).shown.posts) == 4


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


def test_a_source_without_gold_aspects_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not one of 2 items has gold aspects"):
        gold(tmp_path, row("a", rubric_aspects=[]), row("b", rubric_aspects=[]))


def test_a_training_of_no_item_is_refused_with_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="1 no_gold_aspects, 2 too_long"):
        made(tmp_path, *rows(2), row("other", rubric_aspects=[]), max_tokens=100)


def test_a_training_whose_aspects_all_fall_says_why(tmp_path: Path) -> None:
    told = "1 empty_target; of their aspects 1 no_passage_in_posts"
    with pytest.raises(ConfigError, match=told):
        made(tmp_path, row("q-1", rubric_aspects=[{"aspect": "Vegan substitutes"}]))


def test_a_validation_user_that_is_trained_on_is_refused(tmp_path: Path) -> None:
    training = items(tmp_path, *rows(3))
    with pytest.raises(ConfigError, match=r"1 of its users are among those.*user-of-q-1"):
        apart(training, items(tmp_path, row("v", user="user-of-q-1")), "[validation]")


# Choosing a checkpoint


def check(step: int, worst: float) -> CheckpointScore:
    return CheckpointScore(
        step=step, sample="s", items=4, unreadable=0, precision=None, recall=None, f1=None,
        worst=worst,
    )  # fmt: skip


def test_the_best_checkpoint_is_the_earliest_of_those_that_match_most() -> None:
    assert best([check(1, 0.2), check(2, 0.5), check(3, 0.5), check(4, 0.1)]).step == 2


def test_a_plan_that_cannot_be_read_is_counted_and_is_no_zero_of_the_mean(tmp_path: Path) -> None:
    asked = [planner_prompt(of, asking(), lambda _: 1, 9) for of in items(tmp_path, *rows(3))]
    right = [
        target("plan", of.item.question, of.item.rubric_aspects, of.shown).text for of in asked
    ]
    said = [right[0], "no JSON", '{"aspects": []}']
    found = score_checkpoint(7, "s", asked, said, "plan", by_words)
    assert (found.step, found.items, found.unreadable) == (7, 3, 1)
    assert found.precision is not None
    assert (found.precision.value, found.precision.n) == (1.0, 1)
    assert found.f1 is not None
    assert (found.f1.value, found.f1.n) == (0.5, 2)
    assert found.worst == pytest.approx(1 / 3, abs=1e-6)


def test_a_sample_is_the_same_whatever_else_the_file_holds(tmp_path: Path) -> None:
    few = sample_items(items(tmp_path, *rows(12)), 5, seed=1)
    assert [of.id for of in few] == [of.id for of in sample_items(few, 5, seed=1)]
    assert [of.id for of in few] != [
        of.id for of in sample_items(items(tmp_path, *rows(12)), 5, seed=2)
    ]


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


def test_a_training_goes_on_in_its_own_folder(tmp_path: Path) -> None:
    folder.begin(tmp_path, begun())
    folder.begin(tmp_path, begun())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            {"settings": settings(model="other")}, "model: 'base' before, 'other' now", id="model"
        ),
        pytest.param({"fingerprint": "b2:9"}, "fingerprint", id="another model in its place"),
        pytest.param(
            {"settings": settings(model="base", lora={"r": 8})},
            "lora.r: 16 before, 8 now",
            id="hyper-parameter",
        ),
        pytest.param({"prompt": "b2:9"}, "prompt", id="prompt"),
    ],
)
def test_the_folder_of_another_training_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    folder.begin(tmp_path, begun())
    with pytest.raises(ConfigError, match="folder of another training") as raised:
        folder.begin(tmp_path, begun(**changes))
    assert message in str(raised.value)


def test_checkpoints_of_nobody_knows_what_are_refused(tmp_path: Path) -> None:
    checkpoint(tmp_path, 5)
    with pytest.raises(ConfigError, match=r"no training\.json"):
        folder.begin(tmp_path, begun())


def test_a_checkpoint_of_another_base_model_is_refused(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, 5, base="another/model")
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


def test_the_page_shows_every_checkpoint_and_what_was_left_out() -> None:
    report = TrainingReport(
        begun=begun(settings=settings(model="<b>base</b>")), refused={"no_gold_aspects": 3},
        checkpoints=(check(250, 0.2), check(500, 0.4)), chosen=500, losses=((1, 2.5), (2, 2.0)),
    )  # fmt: skip
    told = planner_page(report).markdown
    assert "checkpoint-500 is chosen" in told
    assert "can be read: none is better" not in told
    assert "validation, not used: no_gold_aspects | 3" in told
    assert "<b>base" not in planner_page(report).html


def test_checkpoints_that_write_no_plan_are_no_choice() -> None:
    nothing = check(250, 0.0).model_copy(update={"unreadable": 4})
    report = TrainingReport(
        begun=begun(), refused={}, checkpoints=(nothing,), chosen=250, losses=()
    )
    assert "No checkpoint wrote a plan that can be read" in planner_page(report).markdown


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


def test_the_defaults_are_those_that_were_published(written_settings: Path) -> None:
    found = load_training(written_settings)
    assert (found.lora.r, found.lora.alpha, found.lora.dropout) == (16, 16, 0.05)
    steps = found.steps
    assert (steps.learning_rate, steps.warmup, steps.most, steps.save_every) == (
        5e-5,
        250,
        2000,
        250,
    )
    assert (steps.batch, steps.accumulation, steps.weight_decay) == (1, 64, 0.0)
    assert (found.max_tokens, found.history.posts) == (8192, 10)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        pytest.param("[steps]\nlearning_rate = 0", "steps.learning_rate", id="no learning"),
        pytest.param("[lora]\nrank = 8", "lora.rank", id="unknown key"),
        pytest.param("[selection]\nmatch = 'judge'", "selection.match", id="unknown match"),
    ],
)
def test_a_wrong_setting_is_named(written_settings: Path, line: str, key: str) -> None:
    written_settings.write_text(f"{written_settings.read_text()}{line}\n")
    with pytest.raises(ConfigError) as raised:
        load_training(written_settings)
    assert f"[{key}]" in str(raised.value)


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
