"""Who may be whose partner, on whom a question is tried, and what a corpus knows of others."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import Corpus
from pairwright.construct.partners import Candidates, TriedUsers
from pairwright.records import Item, Post
from scripted import item, policy, post

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

        def write(*items: Item, seed: int = 0) -> Corpus:
            path = tmp_path / f"items-{len(list(tmp_path.iterdir()))}.jsonl"
            return stack.enter_context(closing(Corpus.write(items, path, seed)))

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


def candidates_of(corpus: Corpus, count: int = 5, **twin: Any) -> Candidates:
    return Candidates(corpus, policy(planner={"others": count}, twin=twin))


def tried(corpus: Corpus, count: int = 5, **twin: Any) -> dict[str, TriedUsers]:
    """By item, the users that its question is tried on."""
    found = candidates_of(corpus, count, **twin)
    return {item.id: found.of(item) for item in map(corpus.item, range(len(corpus)))}


def suited(one: TriedUsers) -> set[str]:
    """Who could be the partner."""
    return set(one.users[: one.suited])


# Who could be a partner


def changed(of: Item, *added: Post, **update: Any) -> Item:
    return of.model_copy(update={"profile": (*of.profile, *added), **update})


UNKNOWING = user("vic", "What is it?", ABOUT_BREAD, ABOUT_NEITHER)
"""Suits Una, and asks what nobody can suit."""
STEWS = user("una", BREAD, ABOUT_STEW, ABOUT_STEW)
HALF = [user(name, BREAD, "Rye bread, crust.") for name in ("una", "vic")]
"""Of the question's six terms (flour, gives, rye, bread, dark, crust) the post has three."""
STRANGERS = [user(name, BREAD, ABOUT_NEITHER) for name in ("una", "vic")]
MOMENT = "2010-01-01T00:00:00"
NARRATIVE = "It came out of the oven pale again."
LATE = "2022-01-01T00:00:00"
BEFORE = user("una", BREAD, *[ABOUT_STEW] * 4)
AFTER = changed(
    user("vic", STEW, ABOUT_BREAD, created=LATE),
    *(post(f"new-{n}", ABOUT_BREAD, "2021-01-01T00:00:00") for n in range(3)),
)
"""The ratio is of the posts that the twin will show: one of Vic's is older than Una's question, and
all of Una's are older than Vic's."""


@pytest.mark.parametrize(
    ("una", "vic", "twin", "fits"),
    [
        pytest.param(baker("una"), cook("vic"), {}, (True, True), id="posts bear both ways"),
        pytest.param(baker("una"), cook("vic", category="diy"), {}, (False, False), id="category"),
        pytest.param(STEWS, user("vic", STEW, *[ABOUT_BREAD] * 4), {}, (True, True), id="ratio"),
        pytest.param(STEWS, user("vic", STEW, *[ABOUT_BREAD] * 5), {}, (False, False),
                     id="over the ratio"),
        pytest.param(STEWS, user("vic", STEW, *[ABOUT_BREAD] * 5), {"length_ratio": 2.5},
                     (True, True), id="another ratio"),
        pytest.param(*HALF, {}, (True, True), id="share of the words"),
        pytest.param(*STRANGERS, {}, (False, False), id="strangers"),
        pytest.param(user("una", "What is it?", ABOUT_BREAD), user("vic", "How?", ABOUT_BREAD), {},
                     (False, False), id="questions of function words"),
        # Posts newer than the question, and of the same moment.
        pytest.param(baker("una"), UNKNOWING, {}, (True, False), id="older posts"),
        pytest.param(baker("una", created="2009-01-01T00:00:00"), UNKNOWING, {}, (False, False),
                     id="newer posts"),
        pytest.param(baker("una", created=None), UNKNOWING, {}, (True, False), id="no time"),
        pytest.param(user("una", BREAD, ABOUT_STEW, created=MOMENT), user("vic", "?", ABOUT_BREAD),
                     {}, (False, False), id="the same moment"),
        pytest.param(user("una", BREAD, ABOUT_STEW, created="2010-01-02T00:00:01"),
                     user("vic", "?", ABOUT_BREAD), {}, (True, False), id="a day later"),
        # Who has asked the same before is none; what is asked afterwards is not shown.
        pytest.param(baker("una"), user("vic", "?", f"{BREAD} I have tried three.", ABOUT_BREAD),
                     {}, (False, False), id="the same question"),
        pytest.param(baker("una"), changed(user("vic", "?", ABOUT_BREAD, created=LATE),
                     post("late", BREAD, "2021-01-01T00:00:00")), {}, (True, False),
                     id="the same question later"),
        # Where a source names no users, who wrote the narrative may be the asker.
        pytest.param(baker("una", narrative=NARRATIVE),
                     user("vic", "?", f"Rye bread. {NARRATIVE}", ABOUT_BREAD), {}, (False, False),
                     id="the narrative"),
        pytest.param(baker("una"), user("vic", "?", f"Rye bread. {NARRATIVE}", ABOUT_BREAD), {},
                     (True, False), id="another's narrative"),
        pytest.param(BEFORE, AFTER, {}, (False, True), id="ratio of what is shown"),
        pytest.param(BEFORE, AFTER, {"length_ratio": 4}, (True, True),
                     id="another ratio of what is shown"),
    ],
)  # fmt: skip
def test_who_could_be_whose_partner(
    corpus_of: CorpusOf, una: Item, vic: Item, twin: dict[str, Any], fits: tuple[bool, bool]
) -> None:
    for corpus in (corpus_of(una, vic), corpus_of(vic, una)):
        asked = tried(corpus, **twin)
        found = [suited(asked[f"q-{name}"]) for name in ("una", "vic")]
        assert found == [{"vic"} if fits[0] else set(), {"una"} if fits[1] else set()]


def writers(histories: tuple[tuple[Post, ...], ...]) -> list[str]:
    return [history[0].id.split("-")[0] for history in histories]


def test_both_halves_of_a_twin_are_held_against_equally_many_and_nobody_against_the_own_history(
    corpus_of: CorpusOf,
) -> None:
    crowd = [allrounder(f"u{n}") for n in range(30)]
    found = candidates_of(
        corpus_of(*crowd, *(allrounder(f"x{n}", category="diy") for n in range(30)))
    )
    for of in crowd:
        own = set(writers(found.histories(of, of.user)))
        assert (len(own), of.user in own, {name[0] for name in own}) == (5, False, {"u"})
        for partner in suited(found.of(of)):
            theirs = set(writers(found.histories(of, partner)))
            assert (own - theirs, theirs - own) == ({partner}, {of.user})
    # Fewer where there are fewer.
    few = corpus_of(*(allrounder(f"u{n}") for n in range(3)))
    assert set(writers(candidates_of(few).histories(few.item(0), "u1"))) == {"u0", "u2"}
    assert tried(few, count=0)["q-u0"].users == ()


def test_an_other_is_read_without_newer_posts_and_without_the_question(corpus_of: CorpusOf) -> None:
    una = baker("una", created="2011-06-01T00:00:00")
    vic = user("vic", "What is it?", f"{BREAD} Again.", ABOUT_BREAD, ABOUT_STEW)
    # Who wrote nothing before the question is no other.
    late = user("wim", STEW, "Older.", "Old.", ABOUT_BREAD)
    late = late.model_copy(update={"profile": late.profile[2:]})
    found = candidates_of(corpus_of(una, vic, late))
    ((read,),) = found.histories(una, "una")
    assert read.text.startswith(ABOUT_BREAD)


def test_nobody_is_left_alone_in_a_block(
    corpus_of: CorpusOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairwright.construct.corpus.BLOCK", 4)
    blocks = corpus_of(*(baker(str(n)) for n in range(5))).blocks
    assert sorted(map(len, {*blocks.values()})) == [2, 3]
