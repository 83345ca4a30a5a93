"""Natural twins: read from people's own choices, matched without a model, and built into pairs."""

from collections import Counter
from pathlib import Path

import pytest

from choosers import (
    CHOICES,
    TEXTS,
    conversation,
    table_of_choices,
    table_of_texts,
    to_choices,
    write_csv,
)
from pairwright import build
from pairwright.assets import RUBRICS
from pairwright.construct.natural import natural_items
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import Chooser, Problems, SourceProblem, read_choosers

DOMAINS = Domains.load(RUBRICS)


def rules(path: Path, format: str, **more: object) -> SourceRules:
    settings = {"path": str(path), "format": format, "default_category": "politics", **more}
    return SourceRules.model_validate(settings)


def choosers(source: SourceRules) -> tuple[list[Chooser], Counter[str]]:
    said = list[SourceProblem]()
    found = read_choosers(source, DOMAINS, Path("/"), Problems(said.append))
    return list(found), Counter(one.reason for one in said)


def items(source: SourceRules, most: int = 6, seed: int = 0) -> list[Item]:
    found = read_choosers(source, DOMAINS, Path("/"), Problems())
    return list(natural_items(found, most, 2, seed, Problems()))


# ---- an exported conversation


def test_authors_are_coupled_with_those_who_voted_the_reverse(tmp_path: Path) -> None:
    tables = to_choices(conversation(tmp_path / "ward"), tmp_path / "choices")
    source = SourceRules.model_validate(tables)
    found = items(source)
    assert found
    couples = set[tuple[str, ...]]()
    for item in found:
        choice = item.opposite
        assert choice
        assert item.question.startswith("What the ward shares: Which of these statements")
        assert item.source_url == "https://pol.is/ward"
        own, other = (int(user.removeprefix("ward/")) for user in (item.user, choice.other))
        # Authors agree with their own camp and disagree with the other.
        assert own % 2 != other % 2
        for posts, camp in ((item.profile, own), (choice.profile, other)):
            assert len(posts) == 3
            assert all(f"number {camp}," in post.text for post in posts)
            assert {choice.chosen, choice.rejected}.isdisjoint(post.text for post in posts)
        couples.add(tuple(sorted((item.user, choice.other))))
    users = [user for couple in couples for user in couple]
    assert len(users) == len(set(users)) == 8, "a user has one partner"
    assert max(Counter(item.user for item in found).values()) <= 6
    assert items(source) == found


# ---- a table of choices


def test_a_history_is_what_a_user_wrote_and_chose_before(tmp_path: Path) -> None:
    path = table_of_choices(tmp_path / "choices.csv")
    texts = table_of_texts(tmp_path / "texts.csv")
    found, problems = choosers(rules(path, "choices", texts=str(texts)))
    assert not problems
    last = [one for one in found if one.user == "u0"][-1]
    known = [own.post for own in last.history[: last.older_count]]
    assert [post.kind for post in known] == ["", "", "choice", "choice", "choice"]
    assert known[2].text == (
        'Asked "How do I get to the bridge from here?", chose:\nTake the bridge.\nrather than:\n'
        "Walk round by the market and rest.\nbecause: I am in a hurry"
    )
    assert all(post.created and post.created < (last.created or "") for post in known)
    for item in items(rules(path, "choices", texts=str(texts))):
        assert item.opposite
        assert item.narrative == ("I am in a hurry" if item.user == "u0" else None)
        for half in (item, item.opposite):
            assert all((post.created or "~") < (half.created or "") for post in half.profile)


def test_rows_that_are_no_choice_are_named(tmp_path: Path) -> None:
    rows = [
        ["u1", "Q?", "One way", "Other way", "tie", "2024-01-01", ""],
        ["u1", "Q?", "One way", "Other way", "left", "2024-01-01", ""],
        ["u1", "Q?", "Same", "same", "a", "2024-01-01", ""],
        ["", "Q?", "One way", "Other way", "a", "2024-01-01", ""],
        ["u1", "", "One way", "Other way", "a", "2024-01-01", ""],
        ["u2", "Q?", "One way", "Other way", "Response A", "2024-01-01", ""],
        ["u2", "Q?", "Other way", "One way", "a", "2024-01-02", ""],
        ["u3", "Q?", "One way", "Other way", "Other way", "2024-01-01", ""],
        ["u3", "Q?", "One way", "Other way", "OPTION_B", "2024-01-02", ""],
        ["u4", "Q?", "One way", "Other way", "b", "", ""],
        ["u5", "Pick", "B", "A", "a", "2024-01-01", ""],
        ["u6", "Q?", "One way", "Other way", "one", "2024-01-01", ""],
        ["u7", "Q?", "One way", "Other way", "none", "2024-01-01", ""],
        ["u8", "Q?", "One way", "Other way", "", "2024-01-01", ""],
    ]
    path = write_csv(tmp_path / "choices.csv", CHOICES, rows)
    said = list[SourceProblem]()
    usable = read_choosers(rules(path, "choices"), DOMAINS, Path("/"), Problems(said.append))
    assert not list(usable)
    found = [(one.where[12:], one.reason) for one in said]
    assert sorted(found, key=lambda one: int(one[0])) == [
        ("2", "no_choice"), ("3", "bad_choice"), ("4", "same_options"), ("5", "missing_user"),
        ("6", "empty_question"), ("7", "changed_choice"), ("8", "changed_choice"),
        ("9", "repeated_choice"), ("10", "too_few_posts"), ("11", "bad_time"),
        ("12", "bad_choice"), ("13", "bad_choice"), ("14", "no_choice"), ("15", "no_choice"),
    ]  # fmt: skip
    held = [one.detail for one in said if one.reason == "no_choice"]
    assert held == ["`choice` is 'tie'", *["`choice` is empty"] * 2]


def test_times_decide_what_came_before_or_nothing_is_read(tmp_path: Path) -> None:
    bare = [["u0", "Q?", "One", "Two", "a", "", ""], ["u1", "Q?", "One", "Two", "b", "", ""]]
    path = write_csv(tmp_path / "choices.csv", CHOICES, bare)
    assert choosers(rules(path, "choices")) == ([], {"no_times": 1, "too_few_posts": 2})
    untimed = [[user, f"Text {n} of {user}", ""] for user in ("u0", "u1") for n in range(2)]
    texts = write_csv(tmp_path / "texts.csv", TEXTS, [*untimed, ["u0", "A late one", "2024-01-01"]])
    found, problems = choosers(rules(path, "choices", texts=str(texts)))
    assert problems == {"no_times": 1, "bad_time": 1}
    assert [one.older_count for one in found] == [2, 2]
    with pytest.raises(SourceError, match="no column question, option_a, option_b, choice"):
        choosers(rules(texts, "choices"))


def opposite_rows(*rows: tuple[str, str, str, str]) -> list[list[str]]:
    """Choices of two users, each on a question, both options and a day; they take the reverse."""
    return [
        [user, question, a, b, side, day, ""]
        for user, side in (("u1", "a"), ("u2", "b"))
        for question, a, b, day in rows
    ]


def profiles(tmp_path: Path, rows: list[list[str]], **more: object) -> dict[str, list[str]]:
    """By question: the texts of both histories."""
    path = write_csv(tmp_path / "choices.csv", CHOICES, rows)
    source = rules(path, "choices", min_posts=1, **more)
    known = read_choosers(source, DOMAINS, Path("/"), Problems())
    made = list(natural_items(known, 6, 1, 0, Problems()))
    return {
        item.question: [post.text for post in (*item.profile, *item.opposite.profile)]
        for item in made
        if item.opposite
    }


ASKED = "Which way shall I take to the old mill by the river in the morning"
BOIL = "Put the rice in cold water and {} slowly to a rolling boil"
HISTORIES: dict[str, tuple[list[tuple[str, str, str, str]], str, list[str]]] = {
    "an earlier choice of the same question, or of one of the responses, would tell the answer": (
        [
            ("Which pot?", "An iron pot.", "A clay pot.", "2024-01-01"),
            ("Which pan?", "A steel pan.", "A copper pan.", "2024-01-02"),
            ("Which pot?", "A tin pot.", "An oak pot.", "2024-01-03"),
            ("For stew?", "An iron pot.", "A steel pan.", "2024-01-04"),
        ],
        "For stew?", ["Which pot?", "Which pot?"],
    ),
    "one of the same day may be later": (
        [
            ("Where?", "A left bank", "A right bank", "2024-01-31"),
            ("When?", "An early hour", "A late hour", "2024-02-01"),
            ("Which?", "A stone bridge", "A steel deck", "2024-02-01T08:00:00"),
        ],
        "Which?", ["Where?"] * 2,
    ),
    "nothing is there that the audit takes for the question": (
        [
            ("Tea or coffee?", "Green tea.", "Black coffee!", "2024-01-01T08:00:00"),
            (f"{ASKED} then?", "By the left bank", "Over the high hill", "2024-01-02T08:00:00"),
            (f"{ASKED}?", "A stone bridge", "A steel deck", "2024-01-03T08:00:00"),
        ],
        f"{ASKED}?", ["Tea or coffee?"] * 2,
    ),
    "yes and no are other responses to every question": (
        [(f"Is plan {n} good?", "Yes", "No", f"2024-01-0{n}") for n in range(1, 4)],
        "Is plan 3 good?", ["Is plan 1 good?", "Is plan 2 good?"] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", HISTORIES)
def test_a_history_holds_no_choice_that_tells_the_answer(why: str, tmp_path: Path) -> None:
    rows, question, earlier = HISTORIES[why]
    posts = profiles(tmp_path, opposite_rows(*rows))[question]
    assert [post.splitlines()[0] for post in posts] == [f'Asked "{one}", chose:' for one in earlier]


# ---- pairs


def test_a_run_of_natural_twins_asks_no_model_and_resumes(tmp_path: Path) -> None:
    source = to_choices(conversation(tmp_path / "ward"), tmp_path / "choices")
    config = Config.model_validate({"modes": ["natural"], "source": source})
    for _ in range(2):
        result = build(config, tmp_path / "run", folder=tmp_path)
        assert result.whole
        assert result.usage.sent == 0
    pairs = list(iterate_pairs(tmp_path / "run"))
    assert len(pairs) == result.status.pairs_of("natural") > 0
    assert build(config, tmp_path / "some", folder=tmp_path, limit=3).status.count() == 3
    for first, second in zip(pairs[::2], pairs[1::2], strict=True):
        assert (first.chosen, first.rejected) == (second.rejected, second.chosen)
        assert (first.asked, second.asked, first.judge) == (True, False, None)
        assert first.user != second.user
        for pair in (first, second):
            assert (pair.rubric.aspects, pair.rubric.origin, pair.draft.generator) == ((), None, "")
