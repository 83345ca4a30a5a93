"""Attention checks show their own texts alone, in the layout of a run's tasks."""

import html
import random
import re
from collections import Counter
from collections.abc import Callable

import pytest

from pairwright import assets
from pairwright.records import Pair, Post
from pairwright_human_eval.attention import (
    AttentionCheck,
    Example,
    laid_out,
    load_checks,
    median_size,
)
from pairwright_human_eval.check_tasks import check_signs
from pairwright_human_eval.tasks import Task
from small_studies import Made, study_of, user_of, violate

CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")
HALVES = tuple(half for check in CHECKS for half in check.halves)
BY_ID = {half.id: half for half in HALVES}
CHECK = HALVES[0]
TAG = re.compile(r"<[^>]*>")
END = re.compile(r"(?<=[.!?])\s+")
WORDS = "ash tin wheel lamp stone river copper paper linen anchor gravel mortar"


def sentences(chance: random.Random, words: int) -> str:
    """About so many words."""
    lines: list[str] = []
    while sum(len(line.split()) for line in lines) < words:
        line = " ".join(chance.choices(WORDS.split(), k=chance.randint(6, 22)))
        lines.append(line.capitalize() + chance.choice(".?!"))
    return " ".join(lines)


def marked(chance: random.Random, words: int) -> str:
    """A heading, a list, code and a table, in Markdown."""
    items = "\n".join(f"{n}. **Point {n}** {sentences(chance, words // 6)}" for n in (1, 2, 3))
    table = "| part | size |\n| --- | --- |\n| bolt | 8 |"
    code = "```\nturn. left\n\nturn. right\n```"
    start, end = (sentences(chance, words // 5) for _ in range(2))
    return "\n\n".join([f"## What to do\n\n{start}", items, code, table, end])


def made_of(posts: tuple[int, int], reply: Callable[[random.Random], str]) -> Made:
    """A study of pairs with so many posts."""
    chance = random.Random(0)

    def pair(n: int) -> Pair:
        profile = tuple(
            Post(id=f"{n}-{k}", text=sentences(chance, 60), created="2023-05-01T12:00:00.000")
            for k in range(chance.randint(*posts))
        )
        return violate(
            n, ["Home", "Garden"][n % 2], profile=profile, chosen=reply(chance),
            rejected=reply(chance), user=user_of(n), question=f"{WORDS[: 30 + n % 40]}?",
        )  # fmt: skip

    pairs = [pair(n) for n in range(120)]
    return study_of(pairs, annotators=6, attention=0.2, checks=CHECKS, wrong_profile=0.1)


@pytest.fixture(scope="module", params=["marked", "plain", "one post"])
def made(request: pytest.FixtureRequest) -> Made:
    if request.param == "marked":
        return made_of((3, 25), lambda chance: marked(chance, 300))
    return made_of((1, 1) if request.param == "one post" else (2, 5), lambda c: sentences(c, 110))


def posts(task: Task) -> list[str]:
    rows = task.data["posts"]
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows if isinstance(row, dict)]


def replies(task: Task) -> list[str]:
    return [str(task.data[side]) for side in ("response_a", "response_b")]


def read(task: Task) -> list[str]:
    """The replies as they are read."""
    return [" ".join(html.unescape(TAG.sub(" ", reply)).split()) for reply in replies(task)]


def words(texts: list[str]) -> int:
    return sum(len(text.split()) for text in texts)


def shared_words(first: str, second: str) -> float:
    """The words of both texts among the words of either."""
    one, other = (set(re.findall(r"\w+", text.lower())) for text in (first, second))
    return len(one & other) / len(one | other)


MEASURES: dict[str, Callable[[Task], float]] = {
    "number of posts": lambda task: len(posts(task)),
    "words of all posts": lambda task: words(posts(task)),
    "line breaks in posts": lambda task: sum("\n" in post for post in posts(task)),
    "words of both responses": lambda task: words(read(task)),
    "words a sentence of the responses": lambda task: (
        words(read(task)) / sum(len(END.split(text)) for text in read(task))
    ),
    "characters of both responses": lambda task: sum(map(len, read(task))),
    "share of words that both responses have": lambda task: shared_words(*read(task)),
    "paragraphs and list items": lambda task: len(re.findall("<(?:p|li)>", "".join(replies(task)))),
    "characters of the question": lambda task: len(str(task.data["question"])),
}


def area(checks: list[float], others: list[float]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two a check."""
    won = sum((a > b) + (a == b) / 2 for a in checks for b in others)
    return won / (len(checks) * len(others))


def test_signs_of_checks_are_measured_as_they_are(made: Made) -> None:
    checks = made.of("attention")
    asked = [t for own in made.tasks.values() for t in own if t.keyed.kind == "preference"]
    others = [task for task in asked if task.keyed.purpose != "attention"]
    found = {sign.name: sign for sign in check_signs(made.tasks)}
    for name in ("number of posts", "characters of the question", "characters of both responses"):
        measured = area([MEASURES[name](t) for t in checks], [MEASURES[name](t) for t in others])
        assert found[name].auc == pytest.approx(measured)
    assert not found["place in the work"].tells
    assert check_signs({"annotator-01": others}) == ()
    alike = [task._replace(data={**task.data, "question": "?" * 900}) for task in checks]
    told = {sign.name: sign for sign in check_signs({"annotator-01": [*others, *alike]})}
    assert told["characters of the question"] == ("characters of the question", 1.0)
    assert told["characters of the question"].tells


def wordings(*texts: str) -> set[str]:
    return {sentence for text in texts for sentence in END.split(text)}


def test_a_reader_sees_nothing_but_texts_of_this_check(made: Made) -> None:
    checks = made.of("attention")
    assert len(checks) >= 60
    for task in checks:
        check = BY_ID[task.keyed.subject]
        assert task.data["question"] in {check.question, *check.questions}
        shown = posts(task)
        own = check.posts[: len(shown)]
        assert tuple(shown[: len(own)]) == own
        assert set(shown[len(own) :]) <= set(check.neutral)
        sides = read(task) if task.keyed.expected == "A" else read(task)[::-1]
        for side, texts in zip(
            sides,
            (
                (check.good.text, *check.good.more, check.good.terse),
                (check.bad.text, *check.bad.more, check.bad.terse),
            ),
            strict=True,
        ):
            found = END.split(re.sub(r"(?<!\S)\d\. ", "", side))
            assert len(found) >= 3
            assert set(found) <= wordings(*texts)
        assert not task.data["narrative"]


def test_a_check_has_no_more_posts_than_a_task_and_no_post_twice(made: Made) -> None:
    most = max(len(posts(task)) for task in made.of("vote"))
    for tasks in made.tasks.values():
        checks = [posts(task) for task in tasks if task.keyed.purpose == "attention"]
        assert all(1 <= len(shown) <= most for shown in checks)
        assert max(Counter(text for shown in checks for text in shown).values()) == 1


# The layout


def like(posts: int, response: str) -> AttentionCheck:
    """The first check, laid out like a task of so many posts and twice this response."""
    profile = tuple(Post(id=f"{n}", text="Some words.") for n in range(posts))
    example = Example("How is it done?", profile, (response, response))
    return laid_out(CHECK, example, median_size([example]), swap=False)


@pytest.mark.parametrize("wanted", [0, 1, 4])
def test_few_posts_are_the_person_s_own(wanted: int) -> None:
    assert like(wanted, "Yes.").posts == CHECK.posts[: max(1, wanted)]


def test_more_posts_are_neutral_ones_until_there_are_no_more() -> None:
    eight = like(8, "Yes.").posts
    assert eight[:6] == CHECK.posts
    assert len(set(eight[6:]) & set(CHECK.neutral)) == 2
    assert like(50, "Yes.").posts == (*CHECK.posts, *CHECK.neutral)


def test_the_wording_is_the_one_nearest_to_the_run_s_median_response() -> None:
    short, long = like(1, "Yes. No. Well."), like(1, sentences(random.Random(1), 300))
    assert len(END.split(short.good.text)) == 3
    assert len(long.good.text) >= len(CHECK.good.text)
    assert median_size(
        [
            Example("?", (), ("One two.", "One two three four. Five six.")),
            Example("?", (), ("", "")),
        ]
    ).tolist() == [4, 1, 0.5]


def test_paragraphs_and_list_items_are_those_of_the_task() -> None:
    plain = like(1, sentences(random.Random(2), 90)).good.text
    assert "\n" not in plain
    shown = like(1, marked(random.Random(2), 90)).good.text
    first, *_ = shown.split("\n\n")
    assert plain.startswith(first)
    assert re.findall(r"^\d(?=\. )", shown, re.MULTILINE) == ["1", "2", "3"]
    assert "\n\n1. " in shown
    assert "\n2. " in shown
    assert not re.search("^#|`|[|]|[*]", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("model", "breaks"),
    [("One line.", 0), ("A title\nand a text. And more.", 1), ("A title\n\nOne.\n\nTwo.", 2)],
)
def test_posts_have_the_lines_of_the_task_s_posts(model: str, breaks: int) -> None:
    profile = tuple(Post(id=f"{n}", text=model) for n in range(3))
    example = Example("How is it done?", profile, ("Yes.", "Yes."))
    shown = laid_out(CHECK, example, median_size([example]), swap=False).posts
    assert [len(re.findall(r"\n+", post)) for post in shown] == [breaks] * 3
    assert [" ".join(post.split()) for post in shown] == list(CHECK.posts[:3])


def test_a_response_of_code_alone_lends_no_layout() -> None:
    assert "\n" not in like(1, "```\na\nb\n```").good.text
