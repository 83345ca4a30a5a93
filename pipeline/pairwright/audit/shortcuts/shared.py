"""What is kept of a pair that the informed baselines are tried on: what it shares with its user."""

from typing import NamedTuple

from pairwright import text
from pairwright.audit.shortcuts.stems import Flags, Stems, among, stems
from pairwright.dataset import Row


class Side(NamedTuple):
    """One response."""

    words: Stems
    of_profile: Flags
    """Which of them the profile has, function words left out."""
    overlap: tuple[int, int, int]
    """Content words shared with the profile, with the aspects, and with the profile when those of
    the question and the aspects are left out."""


class Shared(NamedTuple):
    """A pair."""

    chosen: Side
    rejected: Side
    has_profile: bool
    has_aspects: bool


def shared(row: Row) -> Shared:
    """Hold a row's two responses against its profile and aspects."""
    profile = text.terms_of(post.text for post in row.profile)
    aspects = text.terms_of(aspect.aspect for aspect in row.rubric_aspects)
    elsewhere = aspects | text.terms(row.question)
    chosen, rejected = (
        _side(given, profile, aspects, elsewhere) for given in (row.chosen, row.rejected)
    )
    return Shared(chosen, rejected, bool(row.profile), bool(aspects))


def _side(
    given: str, profile: frozenset[str], aspects: frozenset[str], elsewhere: frozenset[str]
) -> Side:
    words, own = stems(given), text.terms(given)
    of_profile = own & profile
    overlap = len(of_profile), len(own & aspects), len(of_profile - elsewhere)
    return Side(words, among(words, of_profile), overlap)
