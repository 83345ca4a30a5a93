"""The fictional users of examples/recorded: what the demonstration needs of them."""

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from pairwright import assets
from pairwright.records import Item
from pairwright.settings import config
from pairwright.sources import read
from pairwright.text import spans
from scripted import domains

FOLDER = assets.EXAMPLES / "recorded"


@pytest.fixture(scope="module")
def settings() -> config.Config:
    return config.load(FOLDER / "pairwright.toml")


@pytest.fixture(scope="module")
def items(settings: config.Config) -> list[Item]:
    """Every row, without one problem."""
    found = list(read(settings.source, domains(), FOLDER))
    assert [row for row in found if not isinstance(row, Item)] == []
    return [row for row in found if isinstance(row, Item)]


@pytest.fixture(scope="module")
def by_user(items: list[Item]) -> dict[str, Item]:
    """Each user's first question; the history is that of all questions."""
    first: dict[str, Item] = {}
    for item in items:
        assert item.profile == first.setdefault(item.user, item).profile
    return first


def test_each_category_has_users_enough_for_partners(by_user: dict[str, Item]) -> None:
    users = Counter(item.category for item in by_user.values())
    assert len(users) == 3
    assert all(6 <= n <= 8 for n in users.values())


def test_every_history_is_older_than_every_question_of_its_category(items: list[Item]) -> None:
    for item in items:
        assert 4 <= len(item.profile) <= 9
        times = [post.created or "" for post in item.profile]
        assert all(earlier < later for earlier, later in pairwise(times))
        others = [other.created or "" for other in items if other.category == item.category]
        assert times[-1] < min(others), f"{item.id} cannot be everybody's partner"


def test_they_are_uneven_and_answer_others_too(by_user: dict[str, Item]) -> None:
    items = list(by_user.values())
    words = [len(post.text.split()) for item in items for post in item.profile]
    assert min(words) >= 30
    assert max(words) <= 170
    assert max(words) > 3 * min(words)
    rows: list[dict[str, Any]] = [
        json.loads(line)
        for line in (FOLDER / "histories.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    kinds = Counter(post["kind"] for row in rows for post in row["profile"])
    assert set(kinds) == {"question", "answer"}
    assert kinds["answer"] >= len(rows)


def test_no_two_users_share_a_phrase(by_user: dict[str, Item]) -> None:
    """Texts that repeat a turn of phrase read as made by one hand."""
    items = list(by_user.values())
    said = [frozenset().union(*(spans(post.text, 6) for post in item.profile)) for item in items]
    shared = [
        (items[a].id, items[b].id, " ".join(phrase))
        for a in range(len(items))
        for b in range(a)
        for phrase in said[a] & said[b]
    ]
    assert shared == []
