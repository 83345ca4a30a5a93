"""One pass over the rows of a release: each for itself, with its twin, with people's decisions, and
with all others.
"""

import re
from collections.abc import Callable

from pairwright.errors import Difference
from pairwright.modes import halves_of, label_of
from pairwright.pairs import Layout, Row, RowPost, licence_of, parts_of, read_rows
from pairwright.pairs.row import derived_twin_id
from pairwright.records import content_id
from pairwright.releases.primary import PrimaryFiles
from pairwright.releases.selection import votes_on
from pairwright.releases.summary import Summary, SummaryBuilder

RELEASE_AGAIN = (
    "Take the release again from where it was published; if it is the same there, tell its"
    " maintainers."
)
_LONGEST = 100
_USER = re.compile(r"user-[0-9a-f]{16}")


def difference(what: str, where: str) -> Difference:
    """The error to raise; names of files are shown so that a terminal stays whole."""
    return Difference(what, where=where if where.isprintable() else ascii(where), fix=RELEASE_AGAIN)


def same(name: str, there: object, must: object, where: str) -> None:
    """Raise Difference unless what is there is what must be."""
    if there != must:
        raise difference(f"{name} is {_shown(there)}, and must be {_shown(must)}", where)


def _shown(value: object) -> str:
    """A value for a message: escaped, and cut to about a hundred characters."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def check_rows(
    layout: Layout, primary: PrimaryFiles, progress: Callable[[str, int, int | None], None]
) -> Summary:
    """Count all rows while they are checked. Raises Difference; InputError for a file that cannot
    be read."""
    checks, summing, done = _RowChecks(primary), SummaryBuilder(), 0
    for part in parts_of(layout.root):
        first: Row | None = None
        where = part.path
        for number, row in enumerate(read_rows(layout.part(part)), start=1):
            where = f"{part.path}:{number}"
            same("domain and mode", row.config, part.config, where)
            checks.add(row, part.split, where)
            if halves_of(row.mode) == 1:
                same("twin_id", row.twin_id, None, where)
            elif first is None:
                first = row
            else:
                _check_twin(first, row, where)
                first = None
            summing.add(part, row)
            done += 1
            if done % 1000 == 0:
                progress("rows", done, None)
        if first:
            raise difference(f"half a twin: the other half of {first.twin_id} is missing", where)
    checks.end()
    return summing.summary()


def _check_twin(first: Row, other: Row, where: str) -> None:
    """Both halves hold the same responses, each chosen for one of two users."""
    same("asked", (first.asked, other.asked), (True, False), where)
    for row in (first, other):
        same("twin_id", row.twin_id, derived_twin_id(first, other), where)
    for name in ("question", "item_id", "domain", "generator", "judge", "verified"):
        same(name, getattr(other, name), getattr(first, name), where)
    same("chosen", other.chosen, first.rejected, where)
    same("rejected", other.rejected, first.chosen, where)
    if other.user == first.user:
        raise difference(f"both halves are of {other.user}", where)
    dyad = content_id("dyad", *sorted((first.user or "", other.user or "")))
    same("dyad", (first.dyad, other.dyad), (dyad, dyad), where)


class _RowChecks:
    """What every row must be, and what it must not share with another.

    With a study a release holds what was verified, and without one, which is a trial or has nothing
    to verify, whatever the build kept. Of what needs no votes it holds all.
    """

    def __init__(self, primary: PrimaryFiles) -> None:
        self._public, self._provenance = primary.public, primary.provenance
        self._kept = {unit.subject: unit for unit in primary.units if unit.subject}
        self._asked = {one.id for one in primary.public.outlines} if primary.public else set[str]()
        self._ids, self._subjects = set[str](), set[str]()
        self._splits: dict[str, str] = {}

    def add(self, row: Row, split: str, where: str) -> None:
        """One row. Raises Difference."""
        if not _USER.fullmatch(row.user or ""):
            raise difference(f"user is {row.user!r}, and must be a pseudonym", where)
        same("id", row.id, row.derived_id(), where)
        if row.id in self._ids:
            raise difference(f"{row.id} is there twice", where)
        self._ids.add(row.id)
        self._subjects.add(row.subject)
        unit = self._kept.get(row.subject)
        if unit is None:
            raise difference(f"{row.subject} is not a kept unit of the build", where)
        same("mode", row.mode, unit.mode, where)
        known = self._splits.setdefault(row.user or "", split)
        same(f"the split of {row.user}", split, known, where)
        licence = self._provenance.info.licence
        texts: list[Row | RowPost] = [row, *row.profile]
        for n, one in enumerate(texts):
            at = f"{where} [profile.{n - 1}]" if n else where
            same("licence", one.licence, licence_of(one.source_url, one.created, licence), at)
        self._check_votes(row, where)

    def _check_votes(self, row: Row, where: str) -> None:
        if self._public is None or self._is_free(row.subject, row.mode):
            same("votes, where nobody was asked,", row.votes, None, where)
            same("verified, where nobody was asked,", row.verified, False, where)
            return
        decision = self._public.decisions.get(row.subject)
        if decision is None:
            raise difference(f"{row.id} is not a pair that people were asked about", where)
        same("the decision on its subject", decision.state, "verified", where)
        same("votes", row.votes, votes_on(row.id, decision), where)
        # What simulated annotators say verifies nothing.
        same("verified", row.verified, not decision.simulated, where)
        if self._provenance.kind == "release":
            same("simulated in an ordinary release", decision.simulated, False, where)
        counted = self._public.aspect_counts.get(row.id, ())
        for n, aspect in enumerate(row.rubric_aspects):
            answers = counted[n] if counted else (None, None)
            there = (aspect.support, aspect.delivery)
            same("answers", there, tuple(answers), f"{where} [rubric_aspects.{n}]")

    def _is_free(self, subject: str, mode: str | None) -> bool:
        """Whether it needs no votes, and nobody was asked about it."""
        return subject not in self._asked and label_of(mode) == "given"

    def end(self) -> None:
        """After the last row: nothing that belongs in is left out. Raises Difference."""
        wanted = set(self._kept)
        if self._public is not None:
            wanted = {name for name, unit in self._kept.items() if self._is_free(name, unit.mode)}
            decisions = self._public.decisions.values()
            wanted |= {one.unit for one in decisions if one.state == "verified"}
        if lost := sorted(wanted - self._subjects):
            raise difference(f"{lost[0]} belongs into this release, and no row is of it", "data")
