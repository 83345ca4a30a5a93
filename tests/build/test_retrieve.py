"""Ranking a profile against a question: whole posts, ties, budgets, and no post that gets lost."""

import random

import pytest

from pairwright.errors import ConfigError
from pairwright.extras import install
from pairwright.records import Post
from pairwright.retrieve import dense, ranked, selected, within_budget
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


def test_the_posts_that_share_rare_words_with_the_question_come_first() -> None:
    assert ids(ranked(QUESTION, PROFILE, policy()))[:2] == ["post-1", "post-3"]
    assert ids(selected(QUESTION, PROFILE, policy(posts=2))) == ["post-1", "post-3"]


def test_ids_stay_with_their_texts() -> None:
    texts = {post.id: post.text for post in PROFILE}
    shuffled = list(PROFILE)
    random.Random(3).shuffle(shuffled)
    for order in (PROFILE, tuple(shuffled)):
        found = ranked(QUESTION, order, policy())
        assert {post.id: post.text for post in found} == texts
        assert found[0].id == "post-1"


def test_the_ranking_is_of_the_meaningful_words_and_not_of_the_and_how() -> None:
    profile = posts("How do I do this, and which is it?", "Flour.")
    assert ids(ranked("How do I use flour, and which is it?", profile, policy())) == [
        "post-1",
        "post-0",
    ]


def test_forms_of_a_word_count_as_the_word() -> None:
    profile = posts("The brakes squeal.", "The saddle creaks.")
    assert ranked("Does braking wear the rim?", profile, policy())[0].id == "post-0"


def test_ties_keep_the_later_post_first() -> None:
    same = posts(*["I bake bread."] * 4)
    assert ids(ranked(QUESTION, same, policy())) == ["post-3", "post-2", "post-1", "post-0"]
    strangers = posts("Cats.", "Dogs.", "Birds.")
    assert ids(ranked(QUESTION, strangers, policy())) == ["post-2", "post-1", "post-0"]


def test_a_question_of_function_words_ranks_by_recency() -> None:
    assert ids(ranked("What is it?", PROFILE, policy())) == ids(tuple(reversed(PROFILE)))


def test_recency_takes_the_latest() -> None:
    found = selected(QUESTION, PROFILE, policy(retrieval="recency", posts=2))
    assert set(ids(found)) == {"post-3", "post-4"}


def test_no_more_posts_are_shown_than_asked_for() -> None:
    for k in range(1, 8):
        assert len(selected(QUESTION, PROFILE, policy(posts=k))) == min(k, len(PROFILE))


def test_a_profile_that_fits_is_shown_whole() -> None:
    assert set(selected(QUESTION, PROFILE, policy())) == set(PROFILE)
    for few in ((), PROFILE[:1]):
        assert selected(QUESTION, few, policy()) == few
        assert ranked(QUESTION, few, policy()) == few


def test_posts_of_words_only_punctuation_are_ranked_too() -> None:
    odd = posts("...", "中文", "Rye bread", "😀")
    found = ranked(QUESTION, odd, policy())
    assert found[0].id == "post-2"
    assert set(found) == set(odd)


def test_the_budget_keeps_the_longest_head_of_the_ranking() -> None:
    order = posts("a" * 400, "b" * 400, "c" * 400, "d")
    assert ids(within_budget(order, 200)) == ["post-0", "post-1"]
    assert ids(within_budget(order, 199)) == ["post-0"]
    assert ids(within_budget(order, 300)) == ["post-0", "post-1", "post-2"]
    assert within_budget(order, 301) == order
    assert within_budget((), 100) == ()


@pytest.mark.parametrize(("character", "tokens"), [("x", 100), ("é", 100), ("包", 400), ("ก", 400)])
def test_a_character_without_spaces_around_it_is_a_token(character: str, tokens: int) -> None:
    order = tuple(Post(id=f"post-{n}", text=character * 400) for n in range(3))
    assert len(within_budget(order, 2 * tokens)) == 2
    assert len(within_budget(order, 2 * tokens - 1)) == 1


def test_a_first_post_over_the_budget_alone_is_still_shown_and_alone() -> None:
    order = posts("a" * 10_000, "b")
    assert ids(within_budget(order, 100)) == ["post-0"]


def test_over_the_budget_the_lowest_ranked_posts_are_left_out_and_not_the_latest() -> None:
    profile = posts("bread crust " * 15, "cat " * 60, "flour for rye " * 15)
    found = selected(QUESTION, profile, policy(history_tokens=110))
    assert set(ids(found)) == {"post-0", "post-2"}


def test_an_over_long_best_post_is_shown_alone_and_whole() -> None:
    profile = posts("The cat sleeps.", "Rye flour, bread and crust. " * 100, "A film.")
    found = selected(QUESTION, profile, policy(history_tokens=100))
    assert ids(found) == ["post-1"]
    assert found[0].text == profile[1].text


def test_another_question_about_the_same_profile_ranks_anew() -> None:
    asked = [QUESTION, "Why does my bicycle chain slip?", "Do cats like radiators?"]
    assert [ranked(question, PROFILE, policy())[0].id for question in asked] == [
        "post-1",
        "post-0",
        "post-2",
    ]


def test_dense_ranking_without_its_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dense, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="sentence-transformers is not installed") as caught:
        dense.require()
    assert install("dense") in caught.value.fix
    assert "bm25" in caught.value.fix
