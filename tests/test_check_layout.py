"""Attention checks have the sizes of a run's tasks, and are laid out like them."""

import html
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pairwright import assets
from pairwright.records import Pair, Post
from pairwright_human_eval.attention import AttentionCheck, load_checks
from pairwright_human_eval.check_layout import Example, laid_out
from pairwright_human_eval.tasks import Task
from small_studies import Made, study_of, user_of, violate

CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")
HALVES = tuple(half for check in CHECKS for half in check.halves)
CHECK = HALVES[0]
DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "stackexchange"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real histories at {DATA}")
TAG = re.compile(r"<[^>]+>")
END = re.compile(r"[.!?](?=\s|$)")
WORDS = {
    "short": "a to of the and how you can will most some near side work keep until water often",
    "long": "of the with some before every table kitchen morning between several probably different"
    " important generally sometimes instructions",
}
"""About 3.6 and 6.2 letters a word."""
STYLES = [(4, 12), (6, 20), (10, 26)]
"""Words of the shortest and the longest sentence of a post: people differ."""


def sentences(
    chance: random.Random, words: int, of: str = "mixed", lengths: tuple[int, int] = (6, 22)
) -> str:
    """About so many words in sentences of so many words."""
    vocabulary = (WORDS["short"] + " " + WORDS["long"] if of == "mixed" else WORDS[of]).split()
    found: list[str] = []
    made = 0
    while made < words:
        line = chance.choices(vocabulary, k=chance.randint(*lengths))
        made += len(line)
        found.append(" ".join(line).capitalize() + chance.choice(".?!"))
    return " ".join(found)


def plain(chance: random.Random, words: int, of: str = "mixed") -> str:
    return sentences(chance, words, of, (5, 18))


def marked(chance: random.Random, words: int, of: str = "mixed") -> str:
    """A heading, a list, code and a table, in Markdown, in sentences of up to 30 words."""

    def some(share: int) -> str:
        return sentences(chance, words // share, of, (8, 30))

    items = "\n".join(f"{n}. **Point {n}** {some(6)}" for n in (1, 2, 3))
    table = "| part | size |\n| --- | --- |\n| bolt | 8 |"
    code = "```\nturn. left\n\nturn. right\n```"
    lines = [f"## What to do\n\n{some(5)}", items, code, table]
    return "\n\n".join([*lines, some(5)])


def made_of(
    posts: tuple[int, int],
    words: tuple[int, int],
    reply: Callable[[random.Random], str],
    question: tuple[int, int] = (7, 16),
) -> Made:
    """A study of pairs with so many posts, of so many words each."""
    chance = random.Random(0)

    def asked() -> str:
        vocabulary = " ".join(WORDS.values()).split()
        line = chance.choices(vocabulary, k=chance.randint(*question))
        return " ".join(line).capitalize() + "?"

    def pair(n: int) -> Pair:
        profile = tuple(
            Post(
                id=f"{n}-{k}",
                text=sentences(chance, chance.randint(*words), "mixed", chance.choice(STYLES)),
                created=f"2023-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T12:00:00.000",
            )
            for k in range(chance.randint(*posts))
        )
        return violate(
            n, ["Home", "Garden"][n % 2], profile=profile, chosen=reply(chance),
            rejected=reply(chance), user=user_of(n), question=asked(),
        )  # fmt: skip

    pairs = [pair(n) for n in range(120)]
    return study_of(pairs, annotators=6, attention=0.2, checks=CHECKS, wrong_profile=0.1)


RUNS: dict[str, dict[str, Any]] = {
    "long posts and marked replies of long words": {
        "posts": (3, 25),
        "words": (30, 400),
        "question": (12, 18),
        "reply": lambda chance: marked(chance, chance.randint(200, 450), "long"),
    },
    "few posts and plain replies of short sentences": {
        "posts": (2, 5),
        "words": (60, 160),
        "question": (6, 8),
        "reply": lambda chance: plain(chance, chance.randint(80, 130)),
    },
    "one post": {
        "posts": (1, 1),
        "words": (90, 160),
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


def read(task: Task) -> list[str]:
    """The replies as they are read."""
    return [html.unescape(TAG.sub(" ", reply)) for reply in replies(task)]


def words(texts: list[str]) -> int:
    return sum(len(text.split()) for text in texts)


def words_a_sentence(texts: list[str]) -> float:
    return words(texts) / max(1, sum(len(END.findall(text)) for text in texts))


def question(task: Task) -> str:
    return str(task.data["question"])


MEASURES: dict[str, Callable[[Task], float]] = {
    "number of posts": lambda task: len(posts(task)),
    "length of posts": lambda task: sum(map(len, posts(task))),
    "words of posts": lambda task: words(posts(task)),
    "words a sentence of posts": lambda task: words_a_sentence(posts(task)),
    "length of the first post": lambda task: len(posts(task)[0]),
    "length of replies": lambda task: sum(map(len, replies(task))),
    "words of replies": lambda task: words(read(task)),
    "words a sentence of replies": lambda task: words_a_sentence(read(task)),
    "difference of replies": lambda task: abs(len(replies(task)[0]) - len(replies(task)[1])),
    "paragraphs, list items and headings": lambda task: len(
        re.findall(r"<(?:p|li|h\d|pre|tr)>", "".join(replies(task)))
    ),
    "bold words": lambda task: "".join(replies(task)).count("<strong>"),
    "length of the question": lambda task: len(question(task)),
}


def area(checks: list[float], others: list[float]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    won = sum((a > b) + (a == b) / 2 for a in checks for b in others)
    return won / (len(checks) * len(others))


@pytest.mark.parametrize("measure", list(MEASURES))
def test_no_rule_of_size_or_layout_tells_a_check(made: Made, measure: str) -> None:
    checks = [MEASURES[measure](task) for task in made.of("attention")]
    others = [MEASURES[measure](task) for task in (*made.of("vote"), *made.of("repeat"))]
    assert len(checks) >= 60
    assert 0.4 <= area(checks, others) <= 0.6


@pytest.mark.real
@needs_data
@pytest.mark.parametrize("site", ["coffee", "movies"])
def test_nor_in_a_run_of_real_histories(site: str) -> None:
    """Their questions and posts; the replies are sentences of random words."""
    chance = random.Random(0)
    lines = (DATA / f"{site}.jsonl").read_text(encoding="utf-8").splitlines()
    items = [item for item in map(json.loads, lines) if item["profile"]]

    def pair(n: int) -> Pair:
        item = items[n % len(items)]
        profile = tuple(
            Post(id=f"{n}-{post['id']}", text=post["text"], created=post["created"])
            for post in item["profile"]
        )
        good, bad = (marked(chance, chance.randint(200, 400)) for _ in range(2))
        return violate(
            n, "Home", profile=profile, question=item["question"], chosen=good, rejected=bad,
            user=user_of(n), created="2026-01-01T12:00:00.000",
        )  # fmt: skip

    pairs = [pair(n) for n in range(150)]
    studies = [
        study_of(pairs, annotators=9, attention=0.05, checks=CHECKS, seed=s) for s in range(4)
    ]
    found = {}
    for measure, of in MEASURES.items():
        checks = [of(task) for made in studies for task in made.of("attention")]
        found[measure] = area(checks, [of(task) for made in studies for task in made.of("vote")])
    assert {name: value for name, value in found.items() if not 0.4 <= value <= 0.6} == {}


# What a check keeps


def like(posts: tuple[str, ...], good: str, bad: str) -> Example:
    """A task of these texts."""
    shown = tuple(Post(id=f"{n}", text=text) for n, text in enumerate(posts))
    return Example("pair-0", "How is it done?", shown, (good, bad))


def set_like(check: AttentionCheck, posts: tuple[str, ...], good: str, bad: str) -> AttentionCheck:
    """The check with sizes and ends of one and the same task."""
    example = like(posts, good, bad)
    return laid_out(check, example, (example,), swap=False)


def wordings(*texts: str) -> set[str]:
    return {s.strip() for text in texts for s in re.split(r"(?<=[.!?])\s", text)}


def test_what_makes_a_check_plain_is_never_shortened() -> None:
    """What decides is in each of the first two posts, and in the first sentences of a response."""
    for check in HALVES:
        short = set_like(check, ("Short.",) * 4, "Short.", "Short.")
        assert short.posts[:2] == check.posts[:2]
        assert all(post.count(" ") >= 1 for post in short.posts[2:])
        for side, own in (
            (short.good, wordings(check.good, check.good_terse)),
            (short.bad, wordings(check.bad, check.bad_terse)),
        ):
            shown = wordings(side)
            assert len(shown) >= 3
            assert shown <= own


def test_a_longer_one_begins_with_its_own_text_and_ends_like_the_run_s() -> None:
    chance = random.Random(1)
    models = tuple(sentences(chance, 200) for _ in range(12))
    good, bad = plain(chance, 300), marked(chance, 300)
    long = set_like(CHECK, models, good, bad)
    assert len(long.posts) == 12
    for n, (shown, own, model) in enumerate(zip(long.posts, CHECK.posts, models, strict=False)):
        assert shown.startswith(own if n < 2 else re.split(r"(?<=[.!?])\s", own)[0])
        assert shown[-40:] == model[-40:]
    assert long.posts[len(CHECK.posts) :] == models[len(CHECK.posts) :]
    first = {re.split(r"(?<=[.!?])\s", of)[0] for of in (CHECK.good, CHECK.good_terse)}
    assert any(long.good.startswith(sentence) for sentence in first)
    assert {long.good[-40:], long.bad[-40:]} == {good[-40:], bad[-40:]}
    assert abs(len(long.good) - len(good)) < 100
    assert abs(len(long.bad) - len(bad)) < 150


def test_no_sentence_slips_into_a_heading() -> None:
    chance = random.Random(2)
    heading = "# " + "word " * ((len(CHECK.good) + len(CHECK.question)) // 5)
    model = f"{heading}\n\n{plain(chance, 100)}"
    shown = set_like(CHECK, ("A post.",), model, model)
    first, blank, *_ = shown.good.split("\n")
    assert (first, blank) == (f"# {shown.question.rstrip('?')}", "")


@pytest.mark.parametrize("before", [10, 40, 80, 200])
def test_neither_a_table_nor_code_is_torn_apart(before: int) -> None:
    chance = random.Random(before)
    block = (
        "```\na. b\n\nc. d\n```\n\n| x | y |\n| --- | --- |\n| one. | two. |\n| three. | four. |"
    )
    model = f"{sentences(chance, before)}\n\n{block}\n\n{sentences(chance, 30)}"
    shown = set_like(CHECK, ("A post.",), model, model)
    for side in (shown.good, shown.bad):
        assert side.count("```") in (0, 2)
        assert len(re.findall(r"^\|", side, re.MULTILINE)) in (0, 4)


@pytest.mark.real
def test_no_end_of_a_text_comes_twice_for_an_annotator() -> None:
    made = made_of((5, 8), (60, 90), lambda chance: plain(chance, 250))
    for tasks in made.tasks.values():
        checks = [task for task in tasks if task.keyed.purpose == "attention"]
        ends = [side[-60:] for task in checks for side in replies(task)]
        ends += [text[-60:] for task in checks for text in posts(task)]
        assert len(set(ends)) == len(ends) > 20


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
