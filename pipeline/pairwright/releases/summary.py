"""The rows of a release, counted: what manifest, card and datasheet say of them."""

import hashlib
from collections import Counter
from collections.abc import Iterator

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pairwright.answer_traits import AnswerTraits, TraitFigure, row_traits, trait_figures
from pairwright.blind_preference import (
    PreferenceCase,
    PreferenceFigure,
    preference_case,
    preference_figures,
)
from pairwright.dataset import Layout, Part, Row, parts_of, read_rows
from pairwright.dataset.address import host_of
from pairwright.dataset.row import MODE_FIELDS
from pairwright.estimate import Estimate
from pairwright.intervals import accuracy_by_cluster
from pairwright.records import Cluster, Record
from pairwright.text import word_count


class PartSummary(Record):
    """One Parquet file."""

    config: str
    split: str
    path: str
    rows: int
    digest: str
    """`sha256:` over its rows as JSON lines: the same whichever library wrote the file."""


class ConfigSummary(Record):
    """One configuration, over its splits."""

    config: str
    domain: str
    mode: str
    rows: int
    subjects: int
    """Twins, or pairs of mode violate."""
    users: int
    words_chosen: float
    """Mean, rounded to two places."""
    words_rejected: float
    posts: float
    """Mean length of the profiles."""
    aspects: float
    """Mean number of aspects."""


class Summary(Record):
    """A whole release."""

    parts: tuple[PartSummary, ...]
    configs: tuple[ConfigSummary, ...]
    rows: int
    subjects: int
    users: int
    dyads: int
    questions: int
    posts: int
    """Different posts."""
    oldest: str | None
    """Day of the oldest post."""
    newest: str | None
    """Day of the newest post."""
    licences: dict[str, int]
    """Different posts by licence; `unknown` where none is known."""
    hosts: dict[str, int]
    """Different posts by the host of their address; `none` without one."""
    categories: dict[str, int]
    """Rows by subcategory."""
    origins: dict[str, int]
    """Rows by where their aspects come from."""
    aspects_of_one_post: int
    """Different aspects of users that a planner inferred and that rest on one post: the rows of one
    question in two modes have the same."""
    aspects_of_several_posts: int
    generators: dict[str, int]
    judges: dict[str, int]
    verified: int
    """Rows that people verified."""
    simulated: int
    voted: int
    """Rows with preference votes."""
    divided: int
    """Those of them on which not every vote is for the chosen response."""
    traits: tuple[TraitFigure, ...] = ()
    """Of accepted answers: what else tells which one was accepted."""
    undated_posts: int = 0
    """Different posts without a time, of rows whose question or other posts have one."""
    untimed_choices: int = 0
    """Rows of natural twins that do not say when the choice was made."""
    younger_posts: Estimate | None = None
    """Of natural twins that do not say when the choice was made: the share of pairs of which at
    least one post is younger than both responses. Its n are pairs of which all these times are
    known, its clusters couples."""
    neighbours: Estimate | None = None
    """Of natural twins: the share of pairs whose chosen response those who choose like the user
    lean to more; equal ones count one half. Its clusters are couples."""
    preferences: tuple[PreferenceFigure, ...] = ()
    """Of judged pairs, by mode: which response a judge that knows nobody prefers."""
    mode_fields: tuple[str, ...] = Field(default=(), exclude=True)
    """Which of `MODE_FIELDS` its rows have. The manifest does not repeat it."""

    @model_serializer(mode="wrap")
    def _without_later(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        """As older versions wrote it where there are none."""
        fields: dict[str, object] = handler(self)
        for name in (
            "traits", "undated_posts", "untimed_choices", "younger_posts", "neighbours",
            "preferences",
        ):  # fmt: skip
            if not getattr(self, name):
                fields.pop(name, None)
        return fields


class SummaryBuilder:
    """Rows in, a summary out."""

    def __init__(self) -> None:
        self._rows: Counter[Part] = Counter()
        self._digest = hashlib.sha256()
        self._digests: dict[Part, hashlib._Hash] = {}
        self._modes: dict[str, tuple[str, str]] = {}
        self._sums: dict[str, Counter[str]] = {}
        self._users: dict[str, set[str]] = {}
        self._subjects: dict[str, set[str]] = {}
        self._dyads: set[str] = set()
        self._questions: set[bytes] = set()
        self._posts: dict[bytes, tuple[str, str]] = {}
        self._answers: list[tuple[str, AnswerTraits, AnswerTraits]] = []
        self._points: list[tuple[Cluster, float]] = []
        self._undated: set[bytes] = set()
        self._preferences: list[PreferenceCase] = []
        self._untimed = 0
        self._younger: list[tuple[Cluster, float]] = []
        self._mode_fields: set[str] = set()
        self._aspects: dict[bytes, str] = {}
        self._days: tuple[str, str] | None = None
        self._counts: dict[str, Counter[str]] = {
            name: Counter() for name in ("category", "origin", "generator", "judge", "state")
        }

    def add(self, part: Part, row: Row) -> None:
        """Count one row; rows of a part in their order."""
        self._rows[part] += 1
        digest = self._digests.setdefault(part, hashlib.sha256())
        line = row.model_dump_json().encode() + b"\n"
        digest.update(line)
        self._digest.update(line)
        self._modes.setdefault(part.config, (row.domain, row.mode or ""))
        sums = self._sums.setdefault(part.config, Counter())
        sums["rows"] += 1
        sums["chosen"] += word_count(row.chosen)
        sums["rejected"] += word_count(row.rejected)
        sums["posts"] += len(row.profile)
        sums["aspects"] += len(row.rubric_aspects)
        self._users.setdefault(part.config, set()).add(row.user or "")
        self._subjects.setdefault(part.config, set()).add(row.subject)
        self._dyads.add(row.cluster)
        self._questions.add(_short(row.question))
        timed = bool(row.created) or any(post.created for post in row.profile)
        for post in row.profile:
            name = _short(f"{post.id}\0{post.text}")
            if name not in self._posts:
                self._posts[name] = post.licence or "unknown", _host(post.source_url)
            if timed and not post.created:
                self._undated.add(name)
            self._note_time(post.created)
        self._mode_fields.update(name for name in MODE_FIELDS if getattr(row, name) is not None)
        for answer in row.response_sources.both if row.response_sources else ():
            # Statements of a conversation have its address, and are posts where they are histories.
            if answer.source_url and row.mode != "natural":
                at = _short(answer.source_url)
                self._posts[at] = answer.licence or "unknown", _host(answer.source_url)
                self._note_time(answer.created)
        if row.neighbours:
            self._points.append((row.clusters, row.neighbours.point))
        if case := preference_case(row):
            self._preferences.append(case)
        if row.mode == "natural" and row.created is None:
            self._untimed += 1
            younger = _has_younger_post(row)
            if younger is not None:
                self._younger.append((row.clusters, float(younger)))
        if traits := row_traits(row):
            self._answers.append((row.user or "", *traits))
        self._count(row)

    def _note_time(self, created: str | None) -> None:
        if created:
            low, high = self._days or (created, created)
            self._days = min(low, created), max(high, created)

    def _count(self, row: Row) -> None:
        self._counts["category"][row.category] += 1
        self._counts["origin"][row.aspects_origin or ""] += 1
        if row.aspects_origin == "planner":
            for aspect in row.rubric_aspects:
                name = _short("\0".join((row.user or "", aspect.aspect, *aspect.post_ids)))
                self._aspects[name] = "one_post" if len(aspect.post_ids) == 1 else "several_posts"
        self._counts["generator"][row.generator] += 1
        self._counts["judge"][row.judge or "none"] += 1
        self._counts["state"].update(
            name for name in ("verified", "simulated") if getattr(row, name)
        )
        if row.votes:
            others = row.votes.rejected + row.votes.equal + row.votes.cannot_tell
            self._counts["state"].update(["voted", *(["divided"] if others else [])])

    @property
    def digest(self) -> str:
        """`content_digest` of all rows so far, in the order in which they came."""
        return f"sha256:{self._digest.hexdigest()}"

    def summary(self) -> Summary:
        """What was added so far."""
        counted = {name: dict(sorted(counts.items())) for name, counts in self._counts.items()}
        oldest, newest = self._days or (None, None)
        aspects = Counter(self._aspects.values())
        return Summary(
            parts=tuple(
                PartSummary(
                    config=part.config,
                    split=part.split,
                    path=part.path,
                    rows=self._rows[part],
                    digest=f"sha256:{self._digests[part].hexdigest()}",
                )
                for part in sorted(self._rows)
            ),
            configs=tuple(self._config(name) for name in sorted(self._modes)),
            rows=self._rows.total(),
            subjects=len(set().union(*self._subjects.values())),
            users=len(set().union(*self._users.values())),
            dyads=len(self._dyads),
            questions=len(self._questions),
            posts=len(self._posts),
            oldest=oldest and oldest[:10],
            newest=newest and newest[:10],
            licences=dict(sorted(Counter(licence for licence, _ in self._posts.values()).items())),
            hosts=dict(sorted(Counter(host for _, host in self._posts.values()).items())),
            categories=counted["category"],
            origins=counted["origin"],
            aspects_of_one_post=aspects["one_post"],
            aspects_of_several_posts=aspects["several_posts"],
            generators=counted["generator"],
            judges=counted["judge"],
            verified=self._counts["state"]["verified"],
            simulated=self._counts["state"]["simulated"],
            voted=self._counts["state"]["voted"],
            divided=self._counts["state"]["divided"],
            traits=trait_figures(self._answers),
            undated_posts=len(self._undated),
            untimed_choices=self._untimed,
            younger_posts=accuracy_by_cluster(self._younger),
            neighbours=accuracy_by_cluster(self._points),
            preferences=preference_figures(self._preferences),
            mode_fields=tuple(name for name in MODE_FIELDS if name in self._mode_fields),
        )

    def _config(self, name: str) -> ConfigSummary:
        sums = self._sums[name]
        domain, mode = self._modes[name]
        means = {key: round(total / sums["rows"], 2) for key, total in sums.items()}
        return ConfigSummary(
            config=name,
            domain=domain,
            mode=mode,
            rows=sums["rows"],
            subjects=len(self._subjects[name]),
            users=len(self._users[name]),
            words_chosen=means["chosen"],
            words_rejected=means["rejected"],
            posts=means["posts"],
            aspects=means["aspects"],
        )


def rows_of(layout: Layout) -> Iterator[tuple[Part, Row]]:
    """All rows of a release, part by part."""
    for part in parts_of(layout.root):
        for row in read_rows(layout.part(part)):
            yield part, row


def _has_younger_post(row: Row) -> bool | None:
    """Whether a post is younger than both responses; None where not all these times are known."""
    sources = row.response_sources.both if row.response_sources else ()
    responses = [source.created for source in sources if source.created]
    posts = [post.created for post in row.profile if post.created]
    if len(responses) < 2 or len(posts) < len(row.profile):
        return None
    return max(posts, default="") > max(responses)


def _short(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _host(url: str | None) -> str:
    host = host_of(url) if url else None
    return "none" if host is None else host
