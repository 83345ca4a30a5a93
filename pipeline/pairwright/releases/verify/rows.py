"""One pass over the rows: each for itself, in its file, with its twin, with people's decisions,
with its evidence, and with all others.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import pyarrow.parquet as pq

from pairwright import text
from pairwright.dataset import (
    Layout,
    Part,
    Row,
    RowAspect,
    RowQuality,
    licence_of,
    parts_of,
    read_rows,
)
from pairwright.dataset.layout import DOMAIN, SPLITS
from pairwright.dataset.row import derived_twin_id
from pairwright.errors import Difference
from pairwright.modes import has_rubric, is_own_choice, is_twin, needs_votes
from pairwright.records import Side, content_id, judges_of
from pairwright.releases.derive.documents import (
    AttributionLine,
    attribution_lines,
    preference_line,
)
from pairwright.releases.primary import Provenance, file_note
from pairwright.releases.selection import votes_on
from pairwright.releases.summary import Summary, SummaryBuilder
from pairwright.releases.verify.comparison import VerifyProgress, difference, same, shown
from pairwright.releases.verify.provenance import KeptUnits, known_models
from pairwright.sources.fields import is_older
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.records import aspect_id, response_id
from pairwright_human_eval.subjects import Outline, OutlinePair

NEAR = 0.001
"""Between two fits of the same votes."""
_COMMON = (
    "twin_id", "question", "item_id", "category", "domain", "strategy", "generator", "judge",
    "verified", "simulated",
)  # fmt: skip
"""What both halves say alike."""
_OF_THE_QUESTION = ("created", "source_url", "licence")
"""The same of one question that one user asked. Users' own choices each have a time and address."""
_MIRRORED = {"chosen": "rejected", "rejected": "chosen"}
"""A verdict on the same responses as the other half tells it."""


class TwinCheck:
    """Holds the halves of every unit of a file together; units of one pair pass by."""

    def __init__(self) -> None:
        self._asked: tuple[Row, str] | None = None

    def add(self, row: Row, where: str) -> None:
        """The next row of the file. Raises Difference."""
        if not is_twin(row.mode):
            self.end()
            same("twin_id", row.twin_id, None, where)
            same("asked", row.asked, True, where)
            _check_dyad([row], where)
        elif self._asked is None:
            same("asked of a twin's first half", row.asked, True, where)
            self._asked = row, where
        else:
            first, _ = self._asked
            if row.twin_id != first.twin_id:
                self.end()
            _check_twin(first, row, where)
            self._asked = None

    def end(self) -> None:
        """The file ends, or another subject begins."""
        if self._asked:
            row, where = self._asked
            raise difference(f"half a twin: the other half of {row.twin_id} does not follow", where)


def _check_twin(first: Row, other: Row, where: str) -> None:
    same("asked of a twin's second half", other.asked, False, where)
    same("twin_id", other.twin_id, derived_twin_id(first, other), where)
    for name in _COMMON:
        same(name, getattr(other, name), getattr(first, name), where)
    same("chosen", other.chosen, first.rejected, where)
    same("rejected", other.rejected, first.chosen, where)
    mirrored = _MIRRORED.get(first.comparison or "", first.comparison)
    same("comparison", other.comparison, mirrored, where)
    preference = first.blind_preference
    mirrored_preference = None if preference is None else 2 - preference
    same("blind_preference", other.blind_preference, mirrored_preference, where)
    sources = first.response_sources and first.response_sources.mirrored
    same("response_sources", other.response_sources, sources, where)
    if not is_own_choice(first.mode):
        for name in _OF_THE_QUESTION:
            same(name, getattr(other, name), getattr(first, name), where)
        same("narrative of the half that did not ask", other.narrative, None, where)
    if other.user == first.user:
        raise difference(f"both halves are of {other.user}", where)
    _check_dyad([first, other], where)


def _check_dyad(rows: list[Row], where: str) -> None:
    must = content_id("dyad", *sorted(row.user or "" for row in rows))
    for row in rows:
        same("dyad", row.dyad, must, where)


class DecisionCheck:
    """Rows as their decisions, derived again from the raw verdicts, must have them.

    With a study a release holds what was verified, and without one, which is a trial or has nothing
    to verify, whatever the build kept. Of what needs no votes it holds all.
    """

    def __init__(
        self,
        outlines: Mapping[str, Outline],
        public: ReleasedStudy | None,
        provenance: Provenance,
        kept: KeptUnits,
    ) -> None:
        """`public` is None where nobody was asked. `kept` are the build's kept units."""
        self._outlines, self._kept = outlines, kept
        self._decisions = public.decisions if public else None
        self._placebos = public is not None and public.study.placebos
        # Older formats have no answers on aspects in their rows.
        self._counts = public.aspect_counts if public and provenance.format >= 3 else {}
        self._errors = public.label_errors if public and provenance.format >= 3 else {}
        self._apart: Difference | None = None
        """The first error of a label that differs. A vote changes those of all pairs, so that what
        else differs says more and comes first."""
        self._ordinary = provenance.kind == "release"
        self._subjects: set[str] = set()

    def add(self, row: Row, where: str) -> None:
        """One row. Raises Difference."""
        self._subjects.add(row.subject)
        if self._ordinary:
            same("simulated in an ordinary release", row.simulated, False, where)
        if self._decisions is None or self._is_free(row.subject, row.mode):
            same("votes, where nobody was asked,", row.votes, None, where)
            same("verified, where nobody was asked,", row.verified, False, where)
            same("label_error, where nobody was asked,", row.label_error, None, where)
            self._check_answers(row, where)
            return
        outline = self._outlines.get(row.subject)
        pairs = outline.pairs if outline else ()
        pair = next((other for other in pairs if other.id == row.id), None)
        if outline is None or pair is None:
            raise difference(f"{row.id} is not a pair that people were asked about", where)
        _check_outline(row, outline, pair, where)
        decision = self._decisions[row.subject]
        same("the decision on its subject", decision.state, "verified", where)
        same("votes", row.votes, votes_on(row.id, decision), where)
        # Another version of a library may end the fit a step earlier or later.
        there, error = row.label_error, self._errors.get(row.id)
        near = there == error or (there and error and abs(there - error) <= NEAR)
        if not near and not self._apart:
            self._apart = difference(f"label_error is {there}, and must be {error}", where)
        self._check_answers(row, where)
        # What simulated annotators say verifies nothing.
        same("verified", row.verified, not decision.simulated, where)
        if decision.simulated:
            same("simulated", row.simulated, True, where)

    def _check_answers(self, row: Row, where: str) -> None:
        counted = self._counts.get(row.id, ())
        for n, aspect in enumerate(row.rubric_aspects):
            support, delivery = counted[n] if counted else (None, None)
            same("support", aspect.support, support, f"{where} [rubric_aspects.{n}]")
            same("delivery", aspect.delivery, delivery, f"{where} [rubric_aspects.{n}]")

    def _is_free(self, subject: str, mode: str | None) -> bool:
        """Whether it needs no votes, and nobody was asked about it."""
        return subject not in self._outlines and not needs_votes(mode, placebos=self._placebos)

    def end(self, file: str) -> None:
        """After the last row: nothing that belongs in is left out. Raises Difference."""
        if self._apart:
            raise self._apart
        wanted: Iterable[str] = self._kept
        if self._decisions is not None:
            modes = ((name, unit.mode) for name, (_, unit) in self._kept.items())
            free = (name for name, mode in modes if self._is_free(name, mode))
            decided = self._decisions.values()
            passed = (decision.subject for decision in decided if decision.state == "verified")
            wanted = (*free, *passed)
        if lost := next((subject for subject in wanted if subject not in self._subjects), None):
            raise difference(f"{lost} belongs into this release, and no row is of it", file)


def _check_outline(row: Row, outline: Outline, pair: OutlinePair, where: str) -> None:
    for name in ("mode", "domain", "dyad"):
        same(name, getattr(row, name), getattr(outline, name), where)
    same("asked", row.asked, pair.asked, where)
    same("the hash of chosen", response_id(row.chosen), pair.chosen, where)
    same("the hash of rejected", response_id(row.rejected), pair.rejected, where)
    aspects = tuple(aspect_id(aspect.aspect) for aspect in row.rubric_aspects)
    same("the hashes of the aspects", aspects, pair.aspects, where)
    sides: tuple[Side, Side] = ("chosen", "rejected")
    for side in sides:
        scores = tuple(getattr(aspect, f"{side}_score") for aspect in row.rubric_aspects)
        judged = pair.adherence.get(side) or (None,) * len(scores)
        same(f"{side}_score of the aspects", scores, judged, where)
    chosen, rejected = (outline.quality.get(name, {}) for name in (pair.chosen, pair.rejected))
    quality = tuple(
        RowQuality(scale=scale, chosen=score, rejected=rejected[scale])
        for scale, score in chosen.items()
        if scale in rejected
    )
    same("quality", row.quality, quality, where)


_NO_RUBRIC = {"rubric_aspects": (), "aspects_origin": None}
"""What a row does not have of a mode without rubrics: nobody's needs were claimed."""
_NOBODYS = {**_NO_RUBRIC, "strategy": "", "generator": "", "judge": None, "quality": (),
            "comparison": None, "blind_preference": None}  # fmt: skip
"""The same where the label is the user's own choice: no model had a part in it."""


def check_absent(row: Row, where: str) -> None:
    """A row has nothing that its mode has not. Raises Difference."""
    if not has_rubric(row.mode):
        for name, nothing in (_NOBODYS if is_own_choice(row.mode) else _NO_RUBRIC).items():
            same(f"{name} in mode {row.mode}", getattr(row, name), nothing, where)


def check_evidence(row: Row, where: str) -> None:
    """Posts are older than the question, and hold the evidence. Raises Difference."""
    for n, post in enumerate(row.profile):
        if row.created and post.created and not is_older(post.created, row.created):
            at = f"{where} [profile.{n}]"
            raise difference(f"is of {shown(post.created)}, not before the question", at)
    if row.aspects_origin == "planner":
        for n, aspect in enumerate(row.rubric_aspects):
            _check_aspect(row, aspect, f"{where} [rubric_aspects.{n}]")


def _check_aspect(row: Row, aspect: RowAspect, where: str) -> None:
    if strangers := set(aspect.post_ids) - {post.id for post in row.profile}:
        raise difference(f"{shown(min(strangers))} is not a post of the profile", where)
    named = [post.text for post in row.profile if post.id in aspect.post_ids]
    if any(_quoted(aspect.evidence, post) for post in named):
        return
    for passage in text.passages(aspect.evidence) or [aspect.evidence]:
        if not any(_quoted(passage, post) for post in named):
            raise difference(f"evidence is {shown(passage)}, and in no post it names", where)


def _quoted(passage: str, post: str) -> bool:
    """Whether a post holds a passage, as the build looks for it: in what the planner read."""
    if passage.strip() and passage in post:
        return True
    quote = text.bare_quote(passage)
    return bool(quote) and quote in _folded(post)


@lru_cache(maxsize=4096)
def _folded(post: str) -> str:
    return text.normalised(post)


# A user's posts come again with each of their pairs.
_licence_of = lru_cache(maxsize=4096)(licence_of)
_USER = re.compile(r"user-[0-9a-f]{16}")


class RowTotals(NamedTuple):
    """All rows, counted."""

    summary: Summary
    digest: str
    """`content_digest` of all rows, file by file."""
    subjects: Mapping[str, int]
    """How many rows each has."""
    attributed: set[AttributionLine]
    """The lines of attribution.csv."""
    preference: Mapping[str, str]
    """By path: the sha256 of each file of preference/, with the canary that was given."""


def check_rows(
    layout: Layout,
    units: KeptUnits,
    decided: DecisionCheck,
    provenance: Provenance,
    canary: str,
    progress: VerifyProgress,
) -> RowTotals:
    """Raises Difference; InputError for a file that cannot be read."""
    own, summing = _AllRows(units, provenance), SummaryBuilder()
    models = known_models(provenance, layout)
    attributed, preference, done = set[AttributionLine](), dict[str, str](), 0
    for part in parts_of(layout.root):
        halves, before, lines = TwinCheck(), done, hashlib.sha256()
        for number, row in enumerate(read_rows(layout.part(part)), start=1):
            where = f"{part.path}:{number}"
            own.add(part, row, where)
            halves.add(row, where)
            decided.add(row, where)
            if models is not None and not is_own_choice(row.mode):
                named = [("judge", judge) for judge in judges_of(row.judge)]
                for name, model in [("generator", row.generator), *named]:
                    if model is not None and model not in models:
                        what = f"{name} is {shown(model)}, no model that the build states"
                        raise difference(what, where)
            check_evidence(row, where)
            check_absent(row, where)
            own.check_content(row, where)
            summing.add(part, row)
            # So that no file made of rows needs another reading.
            attributed.update(attribution_lines(row))
            lines.update(preference_line(row, canary).encode())
            done += 1
            if done % 1000 == 0:
                progress("rows", done, None)
        halves.end()
        check_part(layout, part, provenance, done - before)
        preference[layout.inside(layout.preference(part))] = lines.hexdigest()
    return RowTotals(summing.summary(), summing.digest, own.subjects, attributed, preference)


class _AllRows:
    """What every row must be, and what it must not share with another."""

    def __init__(self, units: KeptUnits, provenance: Provenance) -> None:
        self._kept = units
        self._licence = provenance.info.licence
        self._format = provenance.format
        self.subjects: Counter[str] = Counter()
        self._ids: set[str] = set()
        self._splits: dict[str, str] = {}
        self._profiles: dict[tuple[str, str], int] = {}
        self._before: tuple[Part, int] | None = None

    def add(self, part: Part, row: Row, where: str) -> None:
        if not DOMAIN.fullmatch(row.domain) or row.mode is None:
            raise difference(f"domain {row.domain!r} and mode {row.mode} name no folder", where)
        same("domain and mode", row.config, part.config, where)
        if not _USER.fullmatch(row.user or ""):
            raise difference(f"user is {row.user!r}, and must be a pseudonym", where)
        if row.stranger is not None and not _USER.fullmatch(row.stranger):
            raise difference(f"stranger is {row.stranger!r}, and must be a pseudonym", where)
        same("id", row.id, row.derived_id(), where)
        if row.id in self._ids:
            raise difference(f"{row.id} is there twice", where)
        self._ids.add(row.id)
        self.subjects[row.subject] += 1
        split = self._splits.setdefault(row.user or "", part.split)
        same(f"the split of {row.user}", part.split, split, where)
        self._check_order(part, row, where)
        self._check_sources(row, where)
        # What was known of a user when a question was asked is one, whatever was made of it.
        profile, about = hash(row.profile), (row.user or "", row.item_id)
        if self._profiles.setdefault(about, profile) != profile:
            raise difference(f"has another profile of {row.user} than a row before it", where)

    def _check_order(self, part: Part, row: Row, where: str) -> None:
        if row.subject not in self._kept:
            raise difference(f"{row.subject} is not a kept unit of the build", where)
        line, unit = self._kept[row.subject]
        same("mode", row.mode, unit.mode, where)
        name = content_id("unit", f"{row.mode}:{row.item_id}")
        same("the unit of its item", name, unit.unit, where)
        before = self._before[1] if self._before and self._before[0] == part else 0
        # The second half of a twin has its first half's place.
        if line < before or (line == before and row.asked):
            raise difference(f"{row.subject} is out of the build's order", where)
        self._before = part, line

    def check_content(self, row: Row, where: str) -> None:
        """What ids do not cover, such as the texts of question and posts, is as the build kept it.
        In format 1 nothing tells."""
        if self._format == 1:
            return
        contents = self._kept[row.subject][1].contents
        place = 0 if row.asked else 1
        same("content", row.content, contents[place] if place < len(contents) else None, where)

    def _check_sources(self, row: Row, where: str) -> None:
        """Each licence follows from an address and a date. An author of a response is known by a
        pseudonym alone, or not at all."""
        must = licence_of(row.source_url, row.created, self._licence)
        same("licence", row.licence, must, where)
        for n, post in enumerate(row.profile):
            must = _licence_of(post.source_url, post.created, self._licence)
            if post.licence != must:
                same("licence", post.licence, must, f"{where} [profile.{n}]")
        both = row.response_sources.both if row.response_sources else ()
        for side, source in zip(("chosen", "rejected"), both, strict=False):
            at = f"{where} [response_sources.{side}]"
            if source.user and not _USER.fullmatch(source.user):
                raise difference(f"user is {shown(source.user)}, and must be a pseudonym", at)
            must = _licence_of(source.source_url, source.created, self._licence)
            same("licence", source.licence, must, at)


_MAGIC = 4
_END = 8
"""The footer's length, and the magic once more."""


def check_part(layout: Layout, part: Part, provenance: Provenance, rows: int) -> None:
    """What a file of so many rows says of itself. Raises Difference."""
    if not rows:
        raise difference("holds no rows", part.path)
    if part.split != SPLITS[0] and not provenance.validation_share:
        raise difference("is there, and no user is in this split", part.path)
    path = layout.part(part)
    metadata = pq.read_metadata(path)
    note = {b"pairwright": file_note(provenance).encode()}
    same("metadata", pq.read_schema(path).metadata, note, part.path)
    # A reader sees no bytes but those of the columns and the footer.
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    columns = (group.column(n) for group in groups for n in range(group.num_columns))
    size = sum(column.total_compressed_size for column in columns)
    size += _MAGIC + metadata.serialized_size + _END
    same("the number of its bytes", path.stat().st_size, size, part.path)
