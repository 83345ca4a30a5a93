"""The attention checks that ship: plain to whoever reads them, and to nobody who only looks."""

import re
from collections import Counter

import pytest

from pairwright import assets
from pairwright_human_eval.checks import Check, load_checks

CHECKS = load_checks(assets.HUMAN_EVAL / "checks.toml")
DOMAINS = {path.stem for path in assets.RUBRICS.glob("*.toml")} - {"quality"}
MARKUP = re.compile(r"[*_#`|<>\[\]{}~]|https?:|\n|^\s*(?:[-+]|\d+[.)])\s", re.MULTILINE)
PERSONA = re.compile(r"\b(?:given|knowing|since) (?:that )?(?:you|your)\b|\bas an? \w+ you\b", re.I)
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
def test_posts_are_those_of_a_forum(check: Check) -> None:
    assert 2 <= len(check.posts) <= 4
    assert all(30 <= words(post) <= 120 for post in check.posts)


@each
def test_both_sides_look_alike(check: Check) -> None:
    lengths = sorted(words(side) for side in (check.good, check.bad))
    assert 50 <= lengths[0] <= lengths[1] <= 95
    assert lengths[1] <= 1.4 * lengths[0]
    for side in (check.good, check.bad):
        assert not MARKUP.search(side)
        assert not PERSONA.search(side)
        assert side.isascii()
        assert side.endswith(".")


@pytest.mark.parametrize("mark", [",", ":", ";", "?", "!", "(", "'", "."])
def test_no_punctuation_tells_good_from_bad(mark: str) -> None:
    more = sum(check.good.count(mark) > check.bad.count(mark) for check in CHECKS)
    fewer = sum(check.good.count(mark) < check.bad.count(mark) for check in CHECKS)
    assert abs(more - fewer) <= len(CHECKS) // 2


def test_length_does_not_tell_good_from_bad() -> None:
    longer = sum(words(check.good) > words(check.bad) for check in CHECKS)
    shorter = sum(words(check.good) < words(check.bad) for check in CHECKS)
    assert abs(longer - shorter) <= len(CHECKS) // 3
