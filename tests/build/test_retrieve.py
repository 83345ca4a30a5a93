"""Ranking a profile against a question: whole posts, ties, budgets, and no post that gets lost."""

import sys

import pytest

from pairwright.assets import install
from pairwright.errors import ConfigError
from pairwright.records import Post
from pairwright.retrieve import ranked, selected, within_budget
from pairwright.settings.rules import PlanRules
from scripted import posts

QUESTION = "Which flour gives rye bread a good crust?"
PROFILE = posts(
    "My bicycle chain slips on every hill.",
    "Rye flour makes my bread heavy, and the crust stays pale.",
    "The cat sleeps on the radiator.",
    "I bake bread twice a week.",
    "A film about a lighthouse keeper.",
)


def ids(found: tuple[Post, ...]) -> list[str]:
    return [post.id for post in found]


def policy(**changes: object) -> PlanRules:
    return PlanRules.model_validate(changes)


@pytest.mark.parametrize(
    ("question", "texts", "first"),
    [
        # Posts that share rare words with the question come first.
        (QUESTION, [post.text for post in PROFILE], ["post-1", "post-3"]),
        ("Why does my bicycle chain slip?", [post.text for post in PROFILE], ["post-0"]),
        ("Do cats like radiators?", [post.text for post in PROFILE], ["post-2"]),
        # By the meaningful words, and not by the and how; forms of a word count as the word.
        ("How do I use flour, and which is it?", ["How do I do this, and which is it?", "Flour."],
         ["post-1", "post-0"]),
        ("Does braking wear the rim?", ["The brakes squeal.", "The saddle creaks."], ["post-0"]),
        # Ties keep the later post first, and a question of function words ranks by recency.
        (QUESTION, ["I bake bread."] * 4, ["post-3", "post-2", "post-1", "post-0"]),
        (QUESTION, ["Cats.", "Dogs.", "Birds."], ["post-2", "post-1", "post-0"]),
        ("What is it?", [post.text for post in PROFILE],
         ["post-4", "post-3", "post-2", "post-1", "post-0"]),
        # Posts of punctuation only are ranked, too.
        (QUESTION, ["...", "中文", "Rye bread", "😀"], ["post-2"]),
        (QUESTION, ["...", "!!!"], ["post-1", "post-0"]),
        (QUESTION, [], []),
    ],
)  # fmt: skip
def test_posts_are_ranked_by_what_they_share_with_the_question(
    question: str, texts: list[str], first: list[str]
) -> None:
    profile = posts(*texts)
    found = ranked(question, profile, "bm25")
    assert ids(found)[: len(first)] == first
    assert set(found) == set(profile)


def test_no_more_posts_are_shown_than_asked_for_and_a_profile_that_fits_is_shown_whole() -> None:
    for k in range(1, 8):
        assert len(selected(QUESTION, PROFILE, policy(posts=k))) == min(k, len(PROFILE))
    assert ids(selected(QUESTION, PROFILE, policy(posts=2))) == ["post-1", "post-3"]
    latest = selected(QUESTION, PROFILE, policy(retrieval="recency", posts=2))
    assert ids(latest) == ["post-3", "post-4"]
    for all_of_them in (PROFILE, (), PROFILE[:1]):
        assert selected(QUESTION, all_of_them, policy()) == all_of_them


def test_the_budget_keeps_the_longest_head_of_the_ranking() -> None:
    order = posts("a" * 400, "b" * 400, "c" * 400, "d")
    for tokens, kept in ((200, 2), (199, 1), (300, 3), (301, 4)):
        assert within_budget(order, tokens) == order[:kept]
    assert within_budget((), 100) == ()
    # A first post that is over the budget alone is still shown, and alone.
    assert ids(within_budget(posts("a" * 10_000, "b"), 100)) == ["post-0"]


def test_dense_ranking_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match="sentence-transformers is not installed") as caught:
        ranked(QUESTION, PROFILE[:3], "dense")
    assert install("dense") in caught.value.fix
    assert "bm25" in caught.value.fix
