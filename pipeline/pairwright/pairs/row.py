"""A released pair. The first eight fields are the official benchmark's schema, in its order.

An audit reads other people's pairs into the same record: what they do not have is None or empty.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from networkx.utils import UnionFind

from pairwright.records import BlindPreference, Follows, Origin, Record, content_id
from pairwright.text import language_of

QualityVerdict = Literal["chosen", "rejected", "tie", "undecided"]


class RowPost(Record):
    """One earlier post. Its time is ISO 8601 in UTC, without offset; its licence an SPDX id, or
    None if it is not known."""

    id: str
    text: str
    category: str = ""
    created: str | None = None
    source_url: str | None = None
    licence: str | None = None


class RowSupport(Record):
    """Counts of annotators by answer to: do the posts support that this user wants this?"""

    clearly: int
    plausibly: int
    no: int
    contradicted: int

    @property
    def most(self) -> bool:
        """Whether more than half call it clearly or plausibly there."""
        return self.clearly + self.plausibly > self.no + self.contradicted


class RowDelivery(Record):
    """Counts of annotators by answer to: which response delivers it? Each side counts those who
    named it alone."""

    chosen: int
    rejected: int
    both: int
    neither: int
    cannot_tell: int


class RowAspect(Record):
    """One aspect of the rubric, with the judge's adherence scores of both responses, annotators'
    answers (None if nobody was asked), and the way in which the planner inferred it."""

    aspect: str
    reason: str = ""
    evidence: str = ""
    post_ids: tuple[str, ...] = ()
    chosen_score: int | None = None
    rejected_score: int | None = None
    support: RowSupport | None = None
    delivery: RowDelivery | None = None
    follows: Follows | None = None


class RowQuality(Record):
    """The judge's scores of both responses on one quality scale."""

    scale: str
    chosen: int
    rejected: int


class RowVotes(Record):
    """The counted preference votes of the first round."""

    chosen: int
    rejected: int
    equal: int
    cannot_tell: int

    @property
    def n(self) -> int:
        return self.chosen + self.rejected + self.equal + self.cannot_tell


class PairVotes(RowVotes):
    """The preference votes on one pair, in a round."""

    pair: str


class Row(Record):
    """One pair as it is released, or as it was found in another person's file."""

    id: str
    question: str
    profile: tuple[RowPost, ...] = ()
    rubric_aspects: tuple[RowAspect, ...] = ()
    narrative: str | None = None
    category: str = ""
    chosen: str
    rejected: str

    item_id: str = ""
    """The item whose question this is, by the source's own id."""
    domain: str = ""
    mode: str | None = None
    """Mode of the build; None in other people's pairs."""
    twin_id: str | None = None
    asked: bool = True
    """Whether this user asked the question; False on one side of a twin."""
    user: str | None = None
    """Pseudonym of the user whose preference it states."""
    dyad: str | None = None
    """Names the users it is about: both of a twin, or the one. The cluster of every interval."""
    aspects_origin: Origin | None = None
    strategy: str = ""
    generator: str = ""
    judge: str | None = None
    quality: tuple[RowQuality, ...] = ()
    comparison: QualityVerdict | None = None
    """The judge's pairwise verdict on quality, over both orders."""
    blind_preference: BlindPreference | None = None
    """Number of orders, of two, in which the judge prefers the chosen response. The judge sees no
    user and may not call a tie. None if it was not asked, or no reply could be read."""
    votes: RowVotes | None = None
    """Votes of annotators; None if no one was asked."""
    verified: bool = False
    """Whether people's answers verified it under the rule of its study."""
    simulated: bool = False
    """Whether simulated annotators decided on it: then it is not a benchmark."""
    created: str | None = None
    """The time of the question; in mode natural, of the user's choice."""
    source_url: str | None = None
    licence: str | None = None

    @property
    def answer_key(self) -> tuple[RowAspect, ...]:
        """Aspects that this user expects: those that most annotators found supported, or all of
        them if no annotator was asked."""
        return tuple(a for a in self.rubric_aspects if a.support is None or a.support.most)

    @cached_property
    def language(self) -> str | None:
        """The language of its texts, by which their words are compared; None if it is not known.
        Both sides of a twin have the same."""
        return language_of(*sorted((self.chosen, self.rejected)), self.question)

    @cached_property
    def line(self) -> bytes:
        """The row as a JSON line, over which digests are."""
        return self.model_dump_json().encode() + b"\n"

    @cached_property
    def config(self) -> str:
        """The configuration it belongs to: domain and mode, or the domain alone."""
        return f"{self.domain}-{self.mode}" if self.mode else self.domain

    @property
    def subject(self) -> str:
        """Id of what is kept or dropped as a whole: its twin, or itself."""
        return self.twin_id or self.id

    @property
    def cluster(self) -> str:
        """Id of what its outcome depends on: its dyad, its user, or its prompt."""
        return self.dyad or self.user or content_id("prompt", self.question)

    def derived_id(self) -> str:
        """The id that item, user, mode and responses give; a released row has this one."""
        parts = (self.item_id, self.user or "", self.chosen, self.rejected)
        return content_id("pair", self.mode or "", *parts)


def has_columns(names: Iterable[str]) -> bool:
    """Whether these are the columns of released rows."""
    return {*names} == Row.model_fields.keys()


def derived_twin_id(asked: Row, other: Row) -> str:
    """The id of a twin, natural twin or placebo, from both its sides."""
    users = (asked.user or "", other.user or "")
    return content_id(asked.mode or "", asked.item_id, *users, asked.chosen, asked.rejected)


class Clusters:
    """Groups of rows that depend on each other: those of one dyad, user or prompt, and mirrored
    rows. Mirrored rows have one prompt and the same two responses with the sides swapped. Their
    users share a cluster, because what is right for the one is wrong for the other."""

    def __init__(self) -> None:
        self._union = UnionFind()
        # By prompt and responses, the clusters of the rows of either order.
        self._sides: defaultdict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))

    def add(self, row: Row) -> None:
        """Count one row."""
        if not row.dyad and row.chosen != row.rejected:
            sides = self._sides[hash((row.question, *sorted((row.chosen, row.rejected))))]
            sides[row.chosen < row.rejected].append(row.cluster)
            if all(sides):
                self._union.union(*sides[0], *sides[1])

    def name(self, cluster: str) -> str:
        """The name of the cluster that a row's own is part of, after the last row."""
        return str(self._union[cluster])

    @property
    def mirrored(self) -> bool:
        """Whether each row has its mirrored row: a scorer without the user is right in one."""
        even = all(len(one) == len(other) for one, other in self._sides.values())
        return bool(self._sides) and even


class Choice(NamedTuple):
    """The question, `file:line`, that a pair is of, if its row gives several pairs, or names the
    better place. Each of its right options is paired with each wrong one. `place` is the right
    option's, from 0; None if the file has no order."""

    question: str
    options: int
    rights: int = 1
    place: int | None = None

    @property
    def chance(self) -> float:
        """Chance that a blind choice is right: of the options, or of pairs if several are right."""
        return 1 / self.options if self.rights == 1 else 0.5


class ReadRow(NamedTuple):
    """A row with its split, which is empty if the source has none, and its place: `file:line`, or
    `file:row` counted from 1, without the folders of this machine."""

    split: str
    row: Row
    where: str
    choice: Choice | None = None


MAX_SHORTCUT = 0.58
"""The bound on accuracy on pairs without the user, unless an audit is given another."""


def blind_bound(chance: float, max_shortcut: float = MAX_SHORTCUT) -> float:
    """The bound on accuracy without the user: as far above chance as `max_shortcut` is above one
    half, of the way to 1."""
    return round(chance + (2 * max_shortcut - 1) * (1 - chance), 6)
