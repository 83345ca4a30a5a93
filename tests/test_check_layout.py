"""Attention checks are as long as a run's tasks, and laid out like them."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from pairwright import assets
from pairwright.records import Pair, Post
from pairwright_human_eval.check_layout import laid_out
from pairwright_human_eval.checks import load_checks
from pairwright_human_eval.tasks import Task
from verified import Made, study_of, user_of, violate

CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")
CHECK = CHECKS[0]
MARKED = re.compile(r"<(li|h\d|pre|table|strong)")


def sentences(chance: random.Random, words: int) -> str:
    """About so many words in sentences of different length."""
    found: list[str] = []
    while sum(len(line.split()) for line in found) < words:
        line = [f"word{chance.randrange(99)}" for _ in range(chance.randint(5, 18))]
        found.append(" ".join(line).capitalize() + chance.choice(".?!"))
    return " ".join(found)


def plain(chance: random.Random, words: int) -> str:
    return sentences(chance, words)


def marked(chance: random.Random, words: int) -> str:
    """A heading, a list, code and a table, in Markdown."""
    items = "\n".join(f"{n}. **Point {n}** {sentences(chance, words // 6)}" for n in (1, 2, 3))
    table = "| part | size |\n| --- | --- |\n| bolt | 8 |"
    code = "```\nturn. left\n\nturn. right\n```"
    lines = [f"## What to do\n\n{sentences(chance, words // 5)}", items, code, table]
    return "\n\n".join([*lines, sentences(chance, words // 5)])


def made_of(
    posts: tuple[int, int], words: tuple[int, int], reply: Callable[[random.Random], str]
) -> Made:
    """A study of pairs with so many posts, of so many words each."""
    chance = random.Random(0)

    def pair(n: int) -> Pair:
        profile = tuple(
            Post(
                id=f"{n}-{k}",
                text=sentences(chance, chance.randint(*words)),
                created=f"2023-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T12:00:00.000",
            )
            for k in range(chance.randint(*posts))
        )
        return violate(
            n, ["Home", "Garden"][n % 2], profile=profile, chosen=reply(chance),
            rejected=reply(chance), user=user_of(n),
        )  # fmt: skip

    pairs = [pair(n) for n in range(120)]
    return study_of(pairs, annotators=6, attention=0.2, checks=CHECKS, wrong_profile=0.1)


RUNS: dict[str, dict[str, Any]] = {
    "long posts and marked replies": {
        "posts": (3, 25),
        "words": (30, 400),
        "reply": lambda chance: marked(chance, chance.randint(200, 450)),
    },
    "few short posts and plain replies": {
        "posts": (2, 5),
        "words": (20, 60),
        "reply": lambda chance: plain(chance, chance.randint(70, 130)),
    },
    "one post": {
        "posts": (1, 1),
        "words": (60, 90),
        "reply": lambda chance: plain(chance, chance.randint(100, 300)),
    },
}


@pytest.fixture(scope="module", params=list(RUNS))
def made(request: pytest.FixtureRequest) -> Made:
    return made_of(**RUNS[request.param])


def posts(task: Task) -> list[str]:
    rows = task.data["posts"]
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows if isinstance(row, dict)]


def replies(task: Task) -> list[str]:
    return [str(task.data[side]) for side in ("response_a", "response_b")]


MEASURES: dict[str, Callable[[Task], float]] = {
    "number of posts": lambda task: len(posts(task)),
    "length of posts": lambda task: sum(map(len, posts(task))),
    "length of the first post": lambda task: len(posts(task)[0]),
    "length of replies": lambda task: sum(map(len, replies(task))),
    "difference of replies": lambda task: abs(len(replies(task)[0]) - len(replies(task)[1])),
    "paragraphs, list items and headings": lambda task: len(
        re.findall(r"<(?:p|li|h\d|pre|tr)>", "".join(replies(task)))
    ),
    "bold words": lambda task: "".join(replies(task)).count("<strong>"),
}


def area(checks: list[float], others: list[float]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    won = sum((a > b) + (a == b) / 2 for a in checks for b in others)
    return won / (len(checks) * len(others))


@pytest.mark.parametrize("measure", list(MEASURES))
def test_no_rule_of_length_or_layout_tells_a_check(made: Made, measure: str) -> None:
    checks = [MEASURES[measure](task) for task in made.of("attention")]
    others = [MEASURES[measure](task) for task in (*made.of("vote"), *made.of("repeat"))]
    assert len(checks) >= 60
    assert 0.4 <= area(checks, others) <= 0.6


# What a check keeps


def test_what_makes_a_check_plain_is_never_shortened() -> None:
    """The need is in the first two posts, and a response's first sentence may be common to both."""
    for check in CHECKS:
        short = laid_out(check, ("Short.",) * 4, "Short.", "Short.")
        assert short.posts[:2] == check.posts[:2]
        assert all(post.count(" ") >= 1 for post in short.posts[2:])
        for side, whole in ((short.good, check.good), (short.bad, check.bad)):
            assert whole.startswith(side)
            assert len(re.findall(r"[.!?](?:\s|$)", side)) >= 3


def test_a_longer_one_begins_with_the_whole_check_and_ends_like_the_run_s() -> None:
    chance = random.Random(1)
    models = tuple(sentences(chance, 200) for _ in range(12))
    good, bad = plain(chance, 300), marked(chance, 300)
    long = laid_out(CHECK, models, good, bad)
    assert len(long.posts) == 12
    for shown, own, model in zip(long.posts, CHECK.posts, models, strict=False):
        assert shown.startswith(own)
        assert shown[-40:] == model[-40:]
    assert long.posts[10:] == models[10:]
    assert long.good.startswith(CHECK.good)
    assert long.good[-40:] == good[-40:]
    assert long.bad.startswith(f"## {CHECK.question}\n\n{CHECK.bad[:40]}")
    assert abs(len(long.bad) - len(bad)) < 100


def test_no_sentence_slips_into_a_heading() -> None:
    chance = random.Random(2)
    heading = "# " + "word " * ((len(CHECK.good) + len(CHECK.question)) // 5)
    shown = laid_out(CHECK, ("A post.",), f"{heading}\n\n{plain(chance, 100)}", "Short.")
    first, blank, *_ = shown.good.split("\n")
    assert (first, blank) == (f"# {CHECK.question}", "")
    assert CHECK.good[:40] in shown.good


@pytest.mark.parametrize("before", [10, 40, 80, 200])
def test_neither_a_table_nor_code_is_torn_apart(before: int) -> None:
    chance = random.Random(before)
    block = (
        "```\na. b\n\nc. d\n```\n\n| x | y |\n| --- | --- |\n| one. | two. |\n| three. | four. |"
    )
    model = f"{sentences(chance, before)}\n\n{block}\n\n{sentences(chance, 30)}"
    shown = laid_out(CHECK, ("A post.",), model, model)
    for side in (shown.good, shown.bad):
        assert side.count("```") in (0, 2)
        assert len(re.findall(r"^\|", side, re.MULTILINE)) in (0, 4)


def test_an_annotator_s_own_votes_lend_no_check_their_responses() -> None:
    """With people enough, everybody has subjects that they do not vote on."""
    made = made_of((5, 8), (20, 40), lambda chance: plain(chance, 250))
    endings = {side[-60:]: s.id for s in made.subjects for side in (s.first, s.second)}
    for tasks in made.tasks.values():
        voted = {t.keyed.subject for t in tasks if t.keyed.kind == "preference"}
        for task in tasks:
            if task.keyed.purpose == "attention":
                ends = [re.sub(r"</?p>|\n", "", side)[-60:] for side in replies(task)]
                assert not {endings[end] for end in ends} & voted
