"""Who may be whose partner, and what a corpus knows of other users."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import Corpus
from pairwright.construct.partners import match_partners, suits
from pairwright.records import Item, Post
from pairwright.settings.rules import TwinRules
from scripted import item, post, settings

CorpusOf = Callable[..., Corpus]
BREAD = "Which flour gives rye bread a dark crust?"
STEW = "Why does my lentil stew turn watery overnight?"
ABOUT_BREAD = "My rye bread is pale and the crust is soft."
ABOUT_STEW = "The lentil stew was thick, and overnight it turned thin."
ABOUT_NEITHER = "The cat sleeps on the radiator."


@pytest.fixture
def corpus_of(tmp_path: Path) -> Iterator[CorpusOf]:
    """Write items to a corpus; it is closed after the test."""
    with ExitStack() as stack:

        def write(*items: Item, **config: Any) -> Corpus:
            path = tmp_path / f"items-{len(list(tmp_path.iterdir()))}.jsonl"
            return stack.enter_context(closing(Corpus.write(items, path, settings(**config))))

        yield write


def user(name: str, question: str, *texts: str, **changes: Any) -> Item:
    """A user with one item: posts of 2010, 2011, ..., and a question of 2020."""
    profile = tuple(
        post(f"{name}-{n}", f"{text} ({name}, {n})", f"{2010 + n}-01-01T00:00:00")
        for n, text in enumerate(texts)
    )
    return item(profile, **{"id": f"q-{name}", "user": name, "question": question} | changes)


def baker(name: str, **changes: Any) -> Item:
    """Asks about bread, has written about stew."""
    return user(name, BREAD, ABOUT_STEW, ABOUT_NEITHER, **changes)


def cook(name: str, **changes: Any) -> Item:
    """Asks about stew, has written about bread."""
    return user(name, STEW, ABOUT_BREAD, ABOUT_NEITHER, **changes)


def allrounder(name: str, **changes: Any) -> Item:
    """Asks about bread, has written about both; suits everybody."""
    return user(name, BREAD, ABOUT_BREAD, ABOUT_STEW, **changes)


def matched(corpus: Corpus, seed: int = 0, **policy: Any) -> dict[str, str]:
    found = match_partners(corpus, TwinRules(**policy), seed)
    for name, partner in found.items():
        assert found[partner] == name
        assert partner != name
    return found


def couples(corpus: Corpus, seed: int = 0, **policy: Any) -> set[frozenset[str]]:
    return {frozenset(couple) for couple in matched(corpus, seed, **policy).items()}


# A matching


def test_two_users_whose_posts_bear_on_each_others_questions_are_partners(
    corpus_of: CorpusOf,
) -> None:
    assert matched(corpus_of(baker("una"), cook("vic"))) == {"una": "vic", "vic": "una"}


def test_everybody_has_one_partner_at_most(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(*(allrounder(f"u{n}") for n in range(9)))
    for seed in range(5):
        found = couples(corpus, seed)
        assert len(found) == 4
        assert len(frozenset().union(*found)) == 8


def test_the_matching_is_that_of_its_seed(corpus_of: CorpusOf) -> None:
    items = [allrounder(f"u{n}") for n in range(10)]
    first, second = corpus_of(*items), corpus_of(*items)
    assert all(matched(first, seed) == matched(second, seed) for seed in range(5))
    assert len({frozenset(couples(first, seed)) for seed in range(10)}) > 5


def test_nobody_to_match_with_is_no_error(corpus_of: CorpusOf) -> None:
    assert matched(corpus_of()) == {}
    assert matched(corpus_of(allrounder("una"))) == {}


def test_partners_write_in_one_category(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(baker("una"), cook("vic", category="diy"))
    assert matched(corpus) == {}


def test_a_user_of_several_categories_is_matched_in_that_of_the_longest_history(
    corpus_of: CorpusOf,
) -> None:
    short = user("una", BREAD, ABOUT_STEW, id="q-1", category="diy")
    long = user("una", BREAD, ABOUT_STEW, ABOUT_NEITHER, id="q-2")
    corpus = corpus_of(short, long, cook("vic", category="diy"), cook("wim"))
    assert matched(corpus) == {"una": "wim", "wim": "una"}


def test_a_user_with_several_items_is_matched_once(corpus_of: CorpusOf) -> None:
    items = [allrounder(name, id=f"{name}-{n}") for name in ("una", "vic", "wim") for n in range(4)]
    assert len(couples(corpus_of(*items))) == 1


# Who fits


def test_the_longer_profile_is_held_to_a_ratio_of_the_shorter(corpus_of: CorpusOf) -> None:
    una = user("una", BREAD, ABOUT_STEW, ABOUT_STEW)
    for posts, fits in ((4, True), (5, False)):
        vic = user("vic", STEW, *[ABOUT_BREAD] * posts)
        assert bool(matched(corpus_of(una, vic))) is fits
        assert bool(matched(corpus_of(vic, una))) is fits
    vic = user("vic", STEW, *[ABOUT_BREAD] * 5)
    assert matched(corpus_of(una, vic), length_ratio=2.5)


def test_the_ratio_is_of_the_posts_that_the_twin_will_show(corpus_of: CorpusOf) -> None:
    una = user("una", BREAD, *[ABOUT_STEW] * 4)
    newer = [post(f"new-{n}", ABOUT_BREAD, "2021-01-01T00:00:00") for n in range(3)]
    vic = user("vic", STEW, ABOUT_BREAD, created="2022-01-01T00:00:00")
    vic = vic.model_copy(update={"profile": (*vic.profile, *newer)})
    # Older than una's question is one post of vic's, against four of hers.
    assert not suits(una, vic.profile, TwinRules())
    assert suits(una, vic.profile, TwinRules(length_ratio=4))
    # Older than vic's are four of either's: they are partners, for his question alone.
    assert suits(vic, una.profile, TwinRules())
    assert matched(corpus_of(una, vic)) == {"una": "vic", "vic": "una"}
    assert matched(corpus_of(una, vic.model_copy(update={"question": "Why?"}))) == {}


def test_a_post_bears_on_a_question_by_its_share_of_the_questions_words(
    corpus_of: CorpusOf,
) -> None:
    # Of the question's six terms (flour, gives, rye, bread, dark, crust) the post has three.
    corpus = corpus_of(
        user("una", BREAD, "Rye bread, crust."), user("vic", BREAD, "Rye bread, crust.")
    )
    assert matched(corpus, relevance_floor=0.5)
    assert matched(corpus, relevance_floor=0.51) == {}


def test_as_many_posts_must_bear_on_the_question_as_asked_for(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(baker("una"), cook("vic"))
    assert matched(corpus, min_relevant=2) == {}
    several = corpus_of(
        user("una", BREAD, ABOUT_STEW, ABOUT_STEW), user("vic", STEW, ABOUT_BREAD, ABOUT_BREAD)
    )
    assert matched(several, min_relevant=2)


def test_without_a_floor_everybody_of_the_category_fits(corpus_of: CorpusOf) -> None:
    strangers = [user(name, BREAD, ABOUT_NEITHER) for name in ("una", "vic")]
    assert matched(corpus_of(*strangers)) == {}
    for policy in ({"min_relevant": 0}, {"relevance_floor": 0.0}):
        assert matched(corpus_of(*strangers), **policy)


def test_a_question_of_function_words_finds_no_partner(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(user("una", "What is it?", ABOUT_BREAD), user("vic", "How?", ABOUT_BREAD))
    assert matched(corpus) == {}


def test_posts_newer_than_the_question_do_not_count(corpus_of: CorpusOf) -> None:
    una = baker("una", created="2009-01-01T00:00:00")
    vic = user("vic", "What is it?", ABOUT_BREAD, ABOUT_NEITHER)
    assert matched(corpus_of(una, vic)) == {}
    assert matched(corpus_of(baker("una"), vic))
    assert matched(corpus_of(una.model_copy(update={"created": None}), vic))


def test_a_post_of_the_same_moment_is_not_older(corpus_of: CorpusOf) -> None:
    vic = user("vic", "What is it?", ABOUT_BREAD)
    (only,) = vic.profile
    una = user("una", BREAD, ABOUT_STEW)
    assert matched(corpus_of(una.model_copy(update={"created": only.created}), vic)) == {}
    later = una.model_copy(update={"created": "2010-01-01T00:00:01"})
    assert matched(corpus_of(later, vic))


def test_who_has_asked_the_same_before_is_no_partner(corpus_of: CorpusOf) -> None:
    una = baker("una")
    again = user("vic", "What is it?", f"{BREAD} I have tried three.", ABOUT_BREAD)
    assert matched(corpus_of(una, again)) == {}
    # What the partner asked afterwards is not shown, and does no harm.
    newer = post("late", BREAD, "2021-01-01T00:00:00")
    harmless = user("vic", "What is it?", ABOUT_BREAD, created="2022-01-01T00:00:00")
    harmless = harmless.model_copy(update={"profile": (*harmless.profile, newer)})
    assert matched(corpus_of(una, harmless))


# Rounds


def test_what_the_mutual_round_leaves_over_is_matched_one_way(corpus_of: CorpusOf) -> None:
    silent = user("vic", STEW, ABOUT_BREAD, ABOUT_NEITHER)
    una = user("una", BREAD, ABOUT_NEITHER, ABOUT_NEITHER)
    for order in ((una, silent), (silent, una)):
        corpus = corpus_of(*order)
        for seed in range(4):
            assert couples(corpus, seed) == {frozenset({"una", "vic"})}


def test_a_mutual_partner_is_taken_before_a_one_way_one(corpus_of: CorpusOf) -> None:
    # Vic's posts bear on Una's question and hers on his; Wim's bear on hers only.
    wim = user("wim", "Where to keep a knife?", ABOUT_BREAD, ABOUT_NEITHER)
    corpus = corpus_of(wim, baker("una"), cook("vic"))
    for seed in range(10):
        assert couples(corpus, seed) == {frozenset({"una", "vic"})}


def test_a_partner_suits_by_older_posts_that_bear_on_the_question_and_none_that_repeats_it() -> (
    None
):
    una = baker("una")
    policy = TwinRules()
    assert suits(una, cook("vic").profile, policy)
    assert not suits(una, baker("vic").profile, policy)
    assert not suits(una, (), policy)
    assert not suits(una, (*cook("vic").profile, post("same", BREAD, "2012")), policy)
    assert not suits(una, (post("new", ABOUT_BREAD, "2021-01-01T00:00:00"),), policy)
    assert suits(una, (post("timeless", ABOUT_BREAD),), policy)


# A corpus


def test_items_come_back_as_they_were_written(corpus_of: CorpusOf) -> None:
    odd = user("Zoë\n\u2028", 'A "quoted"\nquestion? 😀', "Text with\nlines\u2028and\x85more")
    items = (odd, baker("una"), cook("vic"))
    corpus = corpus_of(*items)
    assert len(corpus) == 3
    for position in (2, 0, 1, 0):
        assert corpus.item(position) == items[position]


def test_the_latest_item_of_a_user_is_the_one_with_the_longest_history(
    corpus_of: CorpusOf,
) -> None:
    texts = [[ABOUT_BREAD], [ABOUT_BREAD] * 3, [ABOUT_STEW] * 3]
    corpus = corpus_of(*(user("una", BREAD, *t, id=f"q-{n}") for n, t in enumerate(texts)))
    assert corpus.latest("una").id == "q-1"


def writers(histories: tuple[tuple[Post, ...], ...]) -> list[str]:
    return [history[0].id.split("-")[0] for history in histories]


def test_others_are_users_of_the_category_but_neither_asker_nor_partner(
    corpus_of: CorpusOf,
) -> None:
    crowd = [allrounder(f"u{n}") for n in range(30)]
    corpus = corpus_of(*crowd, *(allrounder(f"x{n}", category="diy") for n in range(30)))
    corpus.partners = match_partners(corpus, TwinRules(), 0)
    for of in crowd:
        found = writers(corpus.others(of))
        assert len(set(found)) == 5
        assert not set(found) & {of.user, corpus.partners.get(of.user, "")}
        assert all(name.startswith("u") for name in found)
        assert corpus.others(of) == corpus.others(of)
    assert len({tuple(writers(corpus.others(of))) for of in crowd}) > 20


def test_others_are_fewer_where_there_are_fewer(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(*(allrounder(f"u{n}") for n in range(4)))
    corpus.partners = {"u0": "u1", "u1": "u0"}
    assert set(writers(corpus.others(corpus.item(0)))) == {"u2", "u3"}
    assert corpus_of(allrounder("una")).others(allrounder("una")) == ()


def test_the_number_and_the_seed_of_others_are_the_configs(corpus_of: CorpusOf) -> None:
    crowd = [allrounder(f"u{n}") for n in range(20)]
    none = corpus_of(*crowd, planner={"others": 0})
    assert none.others(crowd[0]) == ()
    first, again, other = (corpus_of(*crowd, seed=seed) for seed in (1, 1, 2))
    assert [first.others(of) for of in crowd] == [again.others(of) for of in crowd]
    assert [first.others(of) for of in crowd] != [other.others(of) for of in crowd]


def test_a_user_with_many_items_leaves_enough_others(corpus_of: CorpusOf) -> None:
    many = [allrounder("una", id=f"q-{n}") for n in range(20)]
    corpus = corpus_of(*many, *(allrounder(f"u{n}") for n in range(10)), planner={"others": 2})
    assert {len(corpus.others(of)) for of in many} == {2}
