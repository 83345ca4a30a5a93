"""The attention checks that ship: plain to whoever reads them, and to nobody who only looks."""

import re
from collections import Counter

import pytest

from pairwright import assets
from pairwright_human_eval.attention import AttentionCheck, load_checks

CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")
DOMAINS = {path.stem for path in assets.RUBRICS.glob("*.toml")} - {"quality"}
MARKUP = re.compile(r"[*_#`|<>\[\]{}~]|https?:|\n|^\s*(?:[-+]|\d+[.)])\s", re.MULTILINE)
PERSONA = re.compile(r"\b(?:given|knowing|since) (?:that )?(?:you|your)\b|\bas an? \w+ you\b", re.I)
# What half of the people need, by the start of their question.
NEEDS = {
    "What headphones": r"deaf|left ear|working ear",
    "What should we watch": r"epilep|flash|strobe|seizure",
    "Can you suggest a video game": r"(?:one|left|right|wrong) hand|right-handed",
    "Which instrument": r"neighbour|next door|complain",
    "What can I bake": r"\begg",
    "What is the best way to get from Leeds": r"\bfly\b|aeroplane",
    "How can I get fitter": r"\bknees?\b",
    "How can I put up some shelves": r"\bholes?\b",
    "Where should I keep the money": r"cannot afford|go down in value|in full|or risk|same day",
    "How can I find out more": r"no computer|screen|internet|on the wall",
    "I have been asked to give the toast": r"larynx|no voice|cannot (?:speak|talk)|don't talk",
    "How do I find a flat in Lyon": r"\bBruno\b|\bdogs?\b",
}
each = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.question[:40])


def words(text: str) -> int:
    return len(text.split())


def test_every_domain_has_eight() -> None:
    assert Counter(check.domain for check in CHECKS) == dict.fromkeys(DOMAINS, 8)


def test_nothing_is_there_twice() -> None:
    texts = [text for c in CHECKS for text in (c.question, *c.posts, c.good, c.bad)]
    assert len({text.casefold() for text in texts}) == len(texts)
    assert len({check.id for check in CHECKS}) == len(CHECKS)


@each
def test_posts_are_those_of_a_forum(check: AttentionCheck) -> None:
    lengths = [words(post) for post in check.posts]
    assert len(lengths) == 10
    assert all(15 <= length <= 90 for length in lengths)
    assert max(lengths) >= 2 * min(lengths)
    assert all(post.isascii() and not MARKUP.search(post) for post in check.posts)


def test_no_two_posts_open_alike() -> None:
    openings = Counter(
        tuple(post.casefold().split()[:4]) for check in CHECKS for post in check.posts
    )
    assert [opening for opening, times in openings.items() if times > 1] == []


@pytest.mark.parametrize(("start", "need"), NEEDS.items())
def test_a_need_stands_in_the_first_two_posts_and_comes_up_again(start: str, need: str) -> None:
    (check,) = (check for check in CHECKS if check.question.startswith(start))
    told = [re.search(need, post, re.I) is not None for post in check.posts]
    assert all(told[:2])  # as few as a task may show
    assert sum(told[2:]) >= 2


@each
def test_both_sides_look_alike(check: AttentionCheck) -> None:
    lengths = sorted(words(side) for side in (check.good, check.bad))
    assert 50 <= lengths[0] <= lengths[1] <= 95
    assert lengths[1] <= 1.4 * lengths[0]
    for side in (check.good, check.bad):
        assert not MARKUP.search(side)
        assert not PERSONA.search(side)
        assert side.isascii()
        assert side.endswith(".")


@each
def test_a_check_has_a_second_wording_and_two_more_questions(check: AttentionCheck) -> None:
    short, long = check.questions
    assert len(short) <= 50 < 95 <= len(long)
    lengths = sorted(words(side) for side in (check.good_terse, check.bad_terse))
    assert 60 <= lengths[0] <= lengths[1] <= 1.1 * lengths[0]
    for text in (check.good_terse, check.bad_terse):
        assert 7 <= len(re.findall(r"[.!?](?:\s|$)", text)) <= 10
        assert not MARKUP.search(text)
        assert not PERSONA.search(text)
        assert text.isascii()
        assert text.endswith(".")


@pytest.mark.parametrize("mark", [",", ":", ";", "?", "!", "(", "'", "."])
def test_no_punctuation_tells_good_from_bad(mark: str) -> None:
    more = sum(check.good.count(mark) > check.bad.count(mark) for check in CHECKS)
    fewer = sum(check.good.count(mark) < check.bad.count(mark) for check in CHECKS)
    assert abs(more - fewer) <= len(CHECKS) // 2


def test_length_does_not_tell_good_from_bad() -> None:
    longer = sum(words(check.good) > words(check.bad) for check in CHECKS)
    shorter = sum(words(check.good) < words(check.bad) for check in CHECKS)
    assert abs(longer - shorter) <= len(CHECKS) // 3
