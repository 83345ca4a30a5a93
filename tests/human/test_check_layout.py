"""Attention checks are made like a run's tasks: no rule on what is seen tells which is one."""

import html
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from pairwright import assets
from pairwright.records import Pair, Post
from pairwright_human_eval.attention import AttentionCheck, MirroredCheck, load_checks
from pairwright_human_eval.check_tasks import TaskSign, check_signs
from pairwright_human_eval.check_wording import Example, Sizes, check_like, signs_of
from pairwright_human_eval.subjects import subjects_of
from pairwright_human_eval.tasks import Task
from pairwright_human_eval.workload import repeated_subjects
from small_studies import Made, study_of, tell, user_of, violate
from study import pairwright

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


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    """The pairs of the recorded demo."""
    folder = tmp_path_factory.mktemp("demo")
    pairwright("init", str(folder))
    pairwright("build", str(folder / "pairwright.toml"), "--run", str(folder / "run"))
    lines = Path(folder / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


@pytest.fixture(scope="module", params=["demo", "200 pairs"])
def studies(request: pytest.FixtureRequest, demo: list[Pair]) -> list[Made]:
    """Studies of the demo, or of its pairs again and again under other names."""
    pairs, seeds = demo, 4
    if request.param == "200 pairs":
        subjects = subjects_of(demo, Path("pairs.jsonl"))
        n = len(subjects) * 200 // len(demo)
        pairs = [pair for subject in repeated_subjects(subjects, n) for pair in subject.pairs]
        assert len(pairs) >= 195
        seeds = 3
    return [
        study_of(
            pairs, annotators=11, attention=0.05, checks=CHECKS, votes=4, repeats=0.05, seed=seed
        )
        for seed in range(seeds)
    ]


def tasks_of(studies: list[Made]) -> dict[str, list[Task]]:
    """By study and annotator."""
    return {f"{n} {who}": own for n, one in enumerate(studies) for who, own in one.tasks.items()}


def telling(signs: tuple[TaskSign, ...]) -> dict[str, float]:
    return {sign.name: round(sign.auc, 3) for sign in signs if not 0.4 <= sign.auc <= 0.6}


def test_nothing_that_is_seen_tells_a_check_or_a_repeat(studies: list[Made]) -> None:
    tasks = tasks_of(studies)
    assert sum(len(one.of("attention")) for one in studies) >= 150
    checks, repeats = check_signs(tasks), check_signs(tasks, "repeat")
    assert len(checks) == 20
    assert telling(checks) == {}
    assert telling(repeats) == {}
    # The page has the same figures.
    page = (assets.ROOT / "benchmarks" / "verification.md").read_text(encoding="utf-8")
    column = 2 if len(studies) == 4 else 3
    for sign, again in zip(checks, repeats, strict=True):
        (row,) = re.findall(rf"^\| {sign.name} \|.*", page, re.M)
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert [cells[column], cells[column + 2]] == [
            f"{one.auc:.2f}".removeprefix("0") for one in (sign, again)
        ]


def test_a_repeat_comes_fifteen_tasks_later_or_not_at_all(studies: list[Made]) -> None:
    for own in tasks_of(studies).values():
        asked = [task.keyed for task in own if task.keyed.kind == "preference"]
        repeats = [n for n, keyed in enumerate(asked) if keyed.purpose == "repeat"]
        assert repeats or len(asked) < 35
        assert not repeats or len(asked) >= 28
        for n in repeats:
            first = next(k for k, keyed in enumerate(asked) if keyed.pair == asked[n].pair)
            assert n - first >= 15


def posts(task: Task) -> list[str]:
    rows = task.data["posts"]
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows if isinstance(row, dict)]


def read(task: Task) -> list[str]:
    """The replies as they are read."""
    replies = [str(task.data[side]) for side in ("response_a", "response_b")]
    return [" ".join(html.unescape(TAG.sub(" ", reply)).split()) for reply in replies]


def wordings(*texts: str) -> set[str]:
    return {sentence for text in texts for sentence in END.split(text)}


def test_the_words_that_posts_and_responses_share_do_not_tell_the_right_answer(
    studies: list[Made],
) -> None:
    won = []
    for task in (task for one in studies for task in one.of("attention")):
        shown = set(re.findall(r"\w{4,}", " ".join(posts(task)).lower()))
        right, wrong = (
            len(shown & set(re.findall(r"\w{4,}", text.lower())))
            for text in (read(task) if task.keyed.expected == "A" else read(task)[::-1])
        )
        won.append((right > wrong) + (right == wrong) / 2)
    assert 0.4 <= sum(won) / len(won) <= 0.6


def test_a_check_s_own_posts_stand_among_those_of_one_user(
    demo: list[Pair], studies: list[Made]
) -> None:
    theirs = {pair.user: {post.text for post in pair.profile} for pair in demo}
    for task in (task for one in studies for task in one.of("attention")):
        check, shown = BY_ID[task.keyed.subject], posts(task)
        joined = " ".join(" ".join(shown).split())
        assert all(" ".join(own.split()) in joined for own in check.posts[:2])
        others = [text for text in shown if any(text in own for own in theirs.values())]
        assert len(others) == len(shown) - 2
        assert any(set(others) <= own for own in theirs.values())


def test_responses_hold_sentences_of_the_check_alone_each_once(studies: list[Made]) -> None:
    for task in studies[0].of("attention"):
        check = BY_ID[task.keyed.subject]
        assert task.data["question"] in {check.question, *check.questions}
        sides = read(task) if task.keyed.expected == "A" else read(task)[::-1]
        for side, own in zip(sides, (check.good, check.bad), strict=True):
            found = END.split(re.sub(r"(?<!\S)\d\. ", "", side))
            assert len(found) >= 3
            assert max(Counter(found).values()) == 1
            assert set(found) <= wordings(own.text, own.terse, *own.more, *own.common)
        assert not task.data["narrative"]


def test_signs_are_measured_as_they_are(studies: list[Made]) -> None:
    asked = [t for t in studies[0].all() if t.keyed.kind == "preference"]
    checks = [task for task in asked if task.keyed.purpose == "attention"]
    others = [task for task in asked if task.keyed.purpose != "attention"]
    assert check_signs({"annotator-01": others}) == ()
    alike = [task._replace(data={**task.data, "question": "?" * 900}) for task in checks]
    told = {sign.name: sign for sign in check_signs({"annotator-01": [*others, *alike]})}
    assert told["characters of the question"] == ("characters of the question", 1.0)
    assert told["characters of the question"].tells
    assert told["place in the work"].auc == 1.0


# The layout

NONE = 0 * signs_of(("A.", "B."), "", ())
ONE = NONE + 1


def like(posts: list[str], response: str) -> AttentionCheck:
    """The first check, made like a task with these posts and twice this response."""
    profile = tuple(Post(id=f"{n}", text=text) for n, text in enumerate(posts))
    seen = signs_of((response, response), "How is it done?", tuple(posts))
    example = Example("user", "How is it done?", profile, (response, response), seen)
    return check_like(CHECK, example, NONE, ONE, swap=False)


@pytest.mark.parametrize(
    ("lengths", "own"),
    [
        ([], len(CHECK.posts)),  # A qualification shows no user's posts.
        ([50], 1),
        ([500], 1),
        ([60, 60], 2),
        ([60] * 10, 2),
    ],
)
def test_two_posts_are_the_person_s_own(lengths: list[int], own: int) -> None:
    models = [sentences(random.Random(n), words) for n, words in enumerate(lengths)]
    shown = like(models, "Yes.").posts
    assert len(shown) == max(len(models), own)
    assert len([text for text in shown if text not in models]) == own
    assert CHECK.posts[0] in shown[0] or len(shown) > 1


def test_own_posts_are_about_as_long_as_those_whose_places_they_take() -> None:
    first, second = (len(CHECK.posts[n].split()) for n in range(2))
    lengths = (10, first, 200, second, 10)
    models = [sentences(random.Random(n), words) for n, words in enumerate(lengths)]
    shown = like(models, "Yes.").posts
    assert shown == (models[0], CHECK.posts[0], models[2], CHECK.posts[1], models[4])
    joined = like([sentences(random.Random(1), first + second)], "Yes.").posts
    assert joined == (" ".join(CHECK.posts[:2]),)


def test_the_wording_is_the_one_nearest_to_the_task_s_responses() -> None:
    short, long = like([], "Yes. No. Well."), like([], sentences(random.Random(1), 300))
    assert len(END.split(short.good.text)) == 3
    assert len(long.good.text) >= len(CHECK.good.text)


@pytest.mark.parametrize("check", CHECKS[::4], ids=lambda check: check.question[:30])
def test_the_coin_has_no_part_in_what_is_shown_beside_the_posts(check: MirroredCheck) -> None:
    models = sentences(random.Random(1), 90), marked(random.Random(2), 110)
    posts = tuple(Post(id=f"{n}", text=sentences(random.Random(n), 60)) for n in range(4))
    seen = signs_of(models, "How is it done?", tuple(post.text for post in posts))
    example = Example("user", "How is it done?", posts, models, seen)
    first, second = (
        check_like(half, example, NONE, ONE, swap)
        for half, swap in zip(check.halves, (False, True), strict=True)
    )
    assert first.question == second.question
    assert (first.good, first.bad) == (second.bad, second.good)
    assert first.posts != second.posts


def test_what_earlier_checks_fell_short_of_is_made_up_for() -> None:
    model = sentences(random.Random(1), 90)
    seen = signs_of((model, model), "How is it done?", ())
    example = Example("user", "How is it done?", (), (model, model), seen)
    lacking: Sizes = NONE.copy()
    lacking[0] = 40  # Words of both.
    texts = [check_like(CHECK, example, more, ONE, swap=False) for more in (NONE, lacking)]
    few, many = (len(f"{one.good.text} {one.bad.text}".split()) for one in texts)
    assert many > few + 10


def test_paragraphs_and_list_items_are_those_of_the_task() -> None:
    plain = like([], sentences(random.Random(2), 90)).good.text
    assert "\n" not in plain
    shown = like([], marked(random.Random(2), 90)).good.text
    assert re.findall(r"^\d(?=\. )", shown, re.MULTILINE) == ["1", "2", "3"]
    assert "\n\n1. " in shown
    assert "\n2. " in shown
    assert not re.search("^#|`|[|]|[*]", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("model", "breaks"),
    [("One line.", 0), ("A title\nand a text. And more.", 1), ("A title\n\nOne.\n\nTwo.", 2)],
)
def test_own_posts_have_the_lines_of_those_whose_places_they_take(model: str, breaks: int) -> None:
    shown = like([model] * 3, "Yes.").posts
    own = [text for text in shown if text != model]
    assert len(own) == 2
    for post in own:
        most = len(END.split(post.replace("\n", " "))) - 1
        assert len(re.findall(r"\n+", post)) == min(breaks, most)


def test_a_response_of_code_alone_lends_no_layout() -> None:
    assert "\n" not in like([], "```\na\nb\n```").good.text


def test_posts_are_rather_of_users_whom_the_annotator_has_not_met() -> None:
    pairs = [violate(n, user=user_of(n)) for n in range(80)]
    users = {pair.id: pair.user for pair in pairs}
    made = study_of(pairs, annotators=20, attention=0.05)
    for own in made.tasks.values():
        met = {tell(users[task.keyed.pair]) for task in own if task.keyed.pair}
        checks = [posts(task) for task in own if task.keyed.purpose == "attention"]
        shown = {text.split()[0] for check in checks for text in check if "remark" in text}
        assert len(shown) == len(checks) >= 7
        assert not shown & met
