"""Who may be whose partner, on whom a question is tried, and what a corpus knows of others."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.build_rules import TriedUsers
from pairwright.construct.candidates import choose_others, suits
from pairwright.construct.corpus import Corpus
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


def tried(corpus: Corpus, count: int = 5, **policy: Any) -> dict[str, TriedUsers]:
    return choose_others(corpus, TwinRules(**policy), count, language=lambda _: "en")


def candidates(corpus: Corpus, of: str, **policy: Any) -> set[str]:
    """Who could be the partner of a user, for the user's first question."""
    return set(tried(corpus, **policy)[f"q-{of}"].candidates)


def fit(corpus: Corpus, **policy: Any) -> bool:
    """Whether Una and Vic could be partners for the questions of both."""
    found = [candidates(corpus, "una", **policy), candidates(corpus, "vic", **policy)]
    return found == [{"vic"}, {"una"}]


# Who could be a partner


def test_two_users_whose_posts_bear_on_each_others_questions_could_be_partners(
    corpus_of: CorpusOf,
) -> None:
    assert fit(corpus_of(baker("una"), cook("vic")))


def test_nobody_to_try_a_question_on_is_no_error(corpus_of: CorpusOf) -> None:
    assert tried(corpus_of()) == {}
    assert tried(corpus_of(allrounder("una"))) == {"q-una": TriedUsers((), 0)}


def test_partners_write_in_one_category(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(baker("una"), cook("vic", category="diy"))
    assert tried(corpus)["q-una"].users == ()


def test_a_user_of_several_categories_is_a_candidate_in_that_of_the_longest_history(
    corpus_of: CorpusOf,
) -> None:
    short = user("una", BREAD, ABOUT_STEW, id="q-short", category="diy")
    long = user("una", BREAD, ABOUT_STEW, ABOUT_NEITHER, id="q-una")
    corpus = corpus_of(short, long, cook("vic", category="diy"), cook("wim"))
    assert candidates(corpus, "wim") == {"una"}
    assert candidates(corpus, "vic") == set()
    # As one of the others she is read there all the same.
    assert tried(corpus)["q-vic"].users == ("una",)


def test_the_longer_profile_is_held_to_a_ratio_of_the_shorter(corpus_of: CorpusOf) -> None:
    una = user("una", BREAD, ABOUT_STEW, ABOUT_STEW)
    for posts, fits in ((4, True), (5, False)):
        vic = user("vic", STEW, *[ABOUT_BREAD] * posts)
        assert fit(corpus_of(una, vic)) is fits
        assert fit(corpus_of(vic, una)) is fits
    vic = user("vic", STEW, *[ABOUT_BREAD] * 5)
    assert fit(corpus_of(una, vic), length_ratio=2.5)


def test_the_ratio_is_of_the_posts_that_the_twin_will_show(corpus_of: CorpusOf) -> None:
    una = user("una", BREAD, *[ABOUT_STEW] * 4)
    newer = [post(f"new-{n}", ABOUT_BREAD, "2021-01-01T00:00:00") for n in range(3)]
    vic = user("vic", STEW, ABOUT_BREAD, created="2022-01-01T00:00:00")
    vic = vic.model_copy(update={"profile": (*vic.profile, *newer)})
    # Older than una's question is one post of vic's, against four of hers.
    assert not suits(una, vic.profile, TwinRules(), "en")
    assert suits(una, vic.profile, TwinRules(length_ratio=4), "en")
    # Older than vic's are four of either's.
    assert suits(vic, una.profile, TwinRules(), "en")
    corpus = corpus_of(una, vic)
    assert (candidates(corpus, "una"), candidates(corpus, "vic")) == (set(), {"una"})


def test_a_post_bears_on_a_question_by_its_share_of_the_questions_words(
    corpus_of: CorpusOf,
) -> None:
    # Of the question's six terms (flour, gives, rye, bread, dark, crust) the post has three.
    corpus = corpus_of(
        user("una", BREAD, "Rye bread, crust."), user("vic", BREAD, "Rye bread, crust.")
    )
    assert fit(corpus, relevance_floor=0.5)
    assert not fit(corpus, relevance_floor=0.51)


def test_as_many_posts_must_bear_on_the_question_as_asked_for(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(baker("una"), cook("vic"))
    assert not fit(corpus, min_relevant=2)
    several = corpus_of(
        user("una", BREAD, ABOUT_STEW, ABOUT_STEW), user("vic", STEW, ABOUT_BREAD, ABOUT_BREAD)
    )
    assert fit(several, min_relevant=2)


def test_without_a_floor_everybody_of_the_category_fits(corpus_of: CorpusOf) -> None:
    strangers = [user(name, BREAD, ABOUT_NEITHER) for name in ("una", "vic")]
    assert not fit(corpus_of(*strangers))
    for policy in ({"min_relevant": 0}, {"relevance_floor": 0.0}):
        assert fit(corpus_of(*strangers), **policy)


def test_a_question_of_function_words_has_no_candidate(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(user("una", "What is it?", ABOUT_BREAD), user("vic", "How?", ABOUT_BREAD))
    assert candidates(corpus, "una") == set()


def test_posts_newer_than_the_question_do_not_count(corpus_of: CorpusOf) -> None:
    una = baker("una", created="2009-01-01T00:00:00")
    vic = user("vic", "What is it?", ABOUT_BREAD, ABOUT_NEITHER)
    assert candidates(corpus_of(una, vic), "una") == set()
    assert candidates(corpus_of(baker("una"), vic), "una") == {"vic"}
    timeless = una.model_copy(update={"created": None})
    assert candidates(corpus_of(timeless, vic), "una") == {"vic"}


def test_a_post_of_the_same_moment_is_not_older(corpus_of: CorpusOf) -> None:
    vic = user("vic", "What is it?", ABOUT_BREAD)
    (only,) = vic.profile
    una = user("una", BREAD, ABOUT_STEW)
    same = una.model_copy(update={"created": only.created})
    assert candidates(corpus_of(same, vic), "una") == set()
    later = una.model_copy(update={"created": "2010-01-02T00:00:01"})
    assert candidates(corpus_of(later, vic), "una") == {"vic"}


def test_who_has_asked_the_same_before_is_no_candidate(corpus_of: CorpusOf) -> None:
    una = baker("una")
    again = user("vic", "What is it?", f"{BREAD} I have tried three.", ABOUT_BREAD)
    assert candidates(corpus_of(una, again), "una") == set()
    # What the partner asked afterwards is not shown, and does no harm.
    newer = post("late", BREAD, "2021-01-01T00:00:00")
    harmless = user("vic", "What is it?", ABOUT_BREAD, created="2022-01-01T00:00:00")
    harmless = harmless.model_copy(update={"profile": (*harmless.profile, newer)})
    assert candidates(corpus_of(una, harmless), "una") == {"vic"}


def test_who_has_written_the_narrative_is_no_candidate(corpus_of: CorpusOf) -> None:
    """Where a source names no users, that user may be the asker."""
    una = baker("una", narrative="It came out of the oven pale again.")
    same = user("vic", "What is it?", f"Rye bread. {una.narrative}", ABOUT_BREAD)
    assert candidates(corpus_of(una, same), "una") == set()
    assert candidates(corpus_of(baker("una"), same), "una") == {"vic"}


def test_a_partner_suits_by_older_posts_that_bear_on_the_question_and_none_that_repeats_it() -> (
    None
):
    una = baker("una")
    policy = TwinRules()
    assert suits(una, cook("vic").profile, policy, "en")
    assert not suits(una, baker("vic").profile, policy, "en")
    assert not suits(una, (), policy, "en")
    assert not suits(una, (*cook("vic").profile, post("same", BREAD, "2012")), policy, "en")
    assert not suits(una, (post("new", ABOUT_BREAD, "2021-01-01T00:00:00"),), policy, "en")
    assert suits(una, (post("timeless", ABOUT_BREAD),), policy, "en")


# On whom a question is tried


def test_those_come_first_who_suit_both_ways_then_those_who_suit_then_the_others(
    corpus_of: CorpusOf,
) -> None:
    both = [cook(f"both{n}") for n in range(2)]
    one = [user(f"one{n}", "Where to keep a knife?", ABOUT_BREAD) for n in range(2)]
    nobody = [user(f"no{n}", "Where to keep a knife?", ABOUT_NEITHER) for n in range(20)]
    for seed in range(5):
        corpus = corpus_of(baker("una"), *nobody, *one, *both, seed=seed)
        found = tried(corpus)["q-una"]
        kinds = [name.rstrip("0123456789") for name in found.users]
        assert kinds == ["both", "both", "one", "one", "no"]
        assert found.suited == 4


def test_of_equals_the_nearest_on_the_ring_are_tried(corpus_of: CorpusOf) -> None:
    crowd = [allrounder(f"u{n}") for n in range(30)]
    corpus = corpus_of(*crowd)
    ring = corpus.rings["cooking"].users
    for name, found in tried(corpus).items():
        place = ring.index(name.removeprefix("q-"))
        steps = [(ring.index(user) - place) % 30 for user in found.users]
        assert steps == [1, 29, 2, 28, 3]
        assert found.suited == 5


def test_a_limit_chooses_for_the_first_items_of_the_source(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(*(allrounder(f"u{n}") for n in range(9)))
    whole, part = tried(corpus), choose_others(corpus, TwinRules(), 5, 3, language=lambda _: "en")
    assert part == {name: whole[name] for name in ("q-u0", "q-u1", "q-u2")}


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


def test_both_halves_of_a_twin_are_held_against_equally_many_and_nobody_against_the_own_history(
    corpus_of: CorpusOf,
) -> None:
    crowd = [allrounder(f"u{n}") for n in range(30)]
    corpus = corpus_of(*crowd, *(allrounder(f"x{n}", category="diy") for n in range(30)))
    corpus.tried = tried(corpus)
    for of in crowd:
        own = writers(corpus.others(of, of.user))
        assert len(set(own)) == 5
        assert of.user not in own
        assert all(name.startswith("u") for name in own)
        for partner in corpus.tried[of.id].candidates:
            theirs = writers(corpus.others(of, partner))
            assert len(set(theirs)) == 5
            assert set(own) - set(theirs) == {partner}
            assert set(theirs) - set(own) == {of.user}
    assert len({tuple(writers(corpus.others(of, of.user))) for of in crowd}) > 20


def test_others_are_fewer_where_there_are_fewer(corpus_of: CorpusOf) -> None:
    corpus = corpus_of(*(allrounder(f"u{n}") for n in range(3)))
    corpus.tried = tried(corpus)
    first = corpus.item(0)
    assert set(writers(corpus.others(first, "u0"))) == {"u1", "u2"}
    assert set(writers(corpus.others(first, "u1"))) == {"u0", "u2"}
    assert tried(corpus, count=0)["q-u0"].users == ()


def test_an_other_is_read_without_newer_posts_and_without_the_question(
    corpus_of: CorpusOf,
) -> None:
    una = baker("una", created="2011-06-01T00:00:00")
    vic = user("vic", "What is it?", f"{BREAD} Again.", ABOUT_BREAD, ABOUT_STEW)
    corpus = corpus_of(una, vic)
    corpus.tried = tried(corpus)
    ((read,),) = corpus.others(una, "una")
    assert read.text.startswith(ABOUT_BREAD)


def test_who_wrote_nothing_before_the_question_is_no_other(corpus_of: CorpusOf) -> None:
    early = user("una", BREAD, ABOUT_STEW, created="2010-06-01T00:00:00")
    newer = user("vic", STEW, ABOUT_BREAD, ABOUT_BREAD)
    late = newer.model_copy(update={"profile": newer.profile[1:]})
    corpus = corpus_of(early, late, baker("wim"))
    corpus.tried = tried(corpus)
    assert set(corpus.tried["q-una"].users) == {"vic", "wim"}
    assert writers(corpus.others(early, "una")) == ["wim"]


def test_the_seed_decides_on_whom_a_question_is_tried(corpus_of: CorpusOf) -> None:
    crowd = [allrounder(f"u{n}") for n in range(20)]
    first, again, other = (tried(corpus_of(*crowd, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert tried(corpus_of(*crowd[::-1], seed=1)) == first
