"""The rows of a release, counted: what manifest, card and datasheet say of them."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from operator import not_

from pydantic import Field

from pairwright.answer_traits import AnswerTraits, TraitFigure, row_traits, trait_figures
from pairwright.blind_preference import (
    PreferenceCase,
    PreferenceFigure,
    preference_case,
    preference_figures,
)
from pairwright.dataset import Layout, Part, Row, RowPost, parts_of, read_rows
from pairwright.dataset.address import host_of
from pairwright.dataset.row import MODE_FIELDS
from pairwright.estimate import Estimate
from pairwright.intervals import accuracy_by_cluster
from pairwright.modes import has_no_preference
from pairwright.records import Record, ResponseSource
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
    """Units: both halves of a twin are one."""
    users: int
    words_chosen: float
    """Mean, rounded to two places."""
    words_rejected: float
    posts: float
    """Mean length of the profiles."""
    aspects: float
    """Mean number of aspects."""
    mode_fields: tuple[str, ...] = Field(default=(), exclude=True)
    """Which of `MODE_FIELDS` its rows have. The manifest does not repeat it."""


_is_empty = not_
"""Where a later field has no value, a summary is written as older versions wrote it."""


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
    """Those of them on which not every vote is for the chosen response or, in a placebo, for no
    difference."""
    traits: tuple[TraitFigure, ...] = Field(default=(), exclude_if=_is_empty)
    """Of accepted answers: what else tells which one was accepted."""
    undated_posts: int = Field(default=0, exclude_if=_is_empty)
    """Different posts without a time, of rows whose question or other posts have one."""
    untimed_choices: int = Field(default=0, exclude_if=_is_empty)
    """Rows of natural twins that do not say when the choice was made."""
    younger_posts: Estimate | None = Field(default=None, exclude_if=_is_empty)
    """Of natural twins that do not say when the choice was made: the share of pairs of which at
    least one post is younger than both responses. Its n are pairs of which all these times are
    known, its clusters couples."""
    neighbours: Estimate | None = Field(default=None, exclude_if=_is_empty)
    """Of natural twins: the share of pairs whose chosen response those who choose like the user
    lean to more; equal ones count one half. Its clusters are couples."""
    preferences: tuple[PreferenceFigure, ...] = Field(default=(), exclude_if=_is_empty)
    """Of judged pairs, by mode: which response a judge that knows nobody prefers."""

    @property
    def mode_fields(self) -> tuple[str, ...]:
        """Which of `MODE_FIELDS` any of its rows have."""
        there = {name for config in self.configs for name in config.mode_fields}
        return tuple(name for name in MODE_FIELDS if name in there)

    @property
    def drawn(self) -> int:
        """Rows of placebos, in which what is called chosen is drawn."""
        return sum(one.rows for one in self.configs if has_no_preference(one.mode))


class _ConfigRows:
    """What is summed over the rows of one configuration."""

    def __init__(self, row: Row) -> None:
        self.domain, self.mode = row.domain, row.mode or ""
        # All rows of a configuration have the same.
        self.mode_fields = tuple(name for name in MODE_FIELDS if getattr(row, name) is not None)
        self.users, self.subjects = set[str](), set[str]()
        self.rows, self.sums = 0, Counter[str]()

    def add(self, row: Row) -> None:
        self.users.add(row.user or "")
        self.subjects.add(row.subject)
        self.rows += 1
        self.sums["words_chosen"] += word_count(row.chosen)
        self.sums["words_rejected"] += word_count(row.rejected)
        self.sums["posts"] += len(row.profile)
        self.sums["aspects"] += len(row.rubric_aspects)

    def summary(self, name: str) -> ConfigSummary:
        return ConfigSummary(
            config=name,
            domain=self.domain,
            mode=self.mode,
            rows=self.rows,
            subjects=len(self.subjects),
            users=len(self.users),
            mode_fields=self.mode_fields,
            **{key: round(total / self.rows, 2) for key, total in self.sums.items()},
        )


class SummaryBuilder:
    """Rows in, a summary out."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._rows: Counter[Part] = Counter()
        self._digests: dict[Part, hashlib._Hash] = {}
        self._configs: dict[str, _ConfigRows] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._dyads: set[str] = set()
        self._questions: set[bytes] = set()
        self._posts: dict[bytes, tuple[str, str]] = {}
        """By hash: licence and host."""
        self._undated: set[bytes] = set()
        self._days: tuple[str, str] | None = None
        self._aspects: dict[bytes, str] = {}
        self._answers: list[tuple[str, AnswerTraits, AnswerTraits]] = []
        self._leanings: list[tuple[str, float]] = []
        self._younger: list[tuple[str, float]] = []
        self._preferences: list[PreferenceCase] = []

    def add(self, part: Part, row: Row) -> None:
        """Count one row; rows of a part in their order."""
        line = row.model_dump_json().encode() + b"\n"
        self._digest.update(line)
        self._digests.setdefault(part, hashlib.sha256()).update(line)
        self._rows[part] += 1
        if part.config not in self._configs:
            self._configs[part.config] = _ConfigRows(row)
        self._configs[part.config].add(row)
        self._dyads.add(row.cluster)
        self._questions.add(_short(row.question))
        self._add_posts(row)
        self._add_counts(row)
        if row.aspects_origin == "planner":
            for aspect in row.rubric_aspects:
                name = _short("\0".join((row.user or "", aspect.aspect, *aspect.post_ids)))
                self._aspects[name] = "one_post" if len(aspect.post_ids) == 1 else "several_posts"
        if row.neighbours:
            self._leanings.append((row.cluster, row.neighbours.point))
        if case := preference_case(row):
            self._preferences.append(case)
        if traits := row_traits(row):
            self._answers.append((row.user or "", *traits))
        untimed = row.mode == "natural" and row.created is None
        younger = _has_younger_post(row) if untimed else None
        if younger is not None:
            self._younger.append((row.cluster, float(younger)))

    def _add_posts(self, row: Row) -> None:
        """The posts, and answers that people published."""
        timed = bool(row.created) or any(post.created for post in row.profile)
        texts: list[tuple[bytes, RowPost | ResponseSource]] = []
        for post in row.profile:
            name = _short(f"{post.id}\0{post.text}")
            texts.append((name, post))
            if timed and not post.created:
                self._undated.add(name)
        # Statements of a conversation have its address, and are posts where they are histories.
        if row.response_sources and row.mode != "natural":
            answers = row.response_sources.both
            texts += [(_short(each.source_url), each) for each in answers if each.source_url]
        for name, text in texts:
            if name not in self._posts:
                host = host_of(text.source_url) if text.source_url else None
                self._posts[name] = text.licence or "unknown", "none" if host is None else host
            if text.created:
                low, high = self._days or (text.created, text.created)
                self._days = min(low, text.created), max(high, text.created)

    def _add_counts(self, row: Row) -> None:
        self._counts["category"][row.category] += 1
        self._counts["origin"][row.aspects_origin or ""] += 1
        self._counts["generator"][row.generator] += 1
        self._counts["judge"][row.judge or "none"] += 1
        states, votes = self._counts["state"], row.votes
        states["verified"] += row.verified
        states["simulated"] += row.simulated
        states["voted"] += votes is not None
        if votes is not None:
            for_label = votes.equal if has_no_preference(row.mode) else votes.chosen
            states["divided"] += for_label < votes.n
        states["untimed"] += row.mode == "natural" and row.created is None

    @property
    def digest(self) -> str:
        """`content_digest` of all rows so far, in the order in which they came."""
        return f"sha256:{self._digest.hexdigest()}"

    def summary(self) -> Summary:
        """What was added so far."""
        configs = dict(sorted(self._configs.items()))
        counts = {name: dict(sorted(counted.items())) for name, counted in self._counts.items()}
        states, aspects = self._counts["state"], Counter(self._aspects.values())
        oldest, newest = self._days or (None, None)
        return Summary(
            parts=tuple(
                PartSummary(
                    config=part.config,
                    split=part.split,
                    path=part.path,
                    rows=rows,
                    digest=f"sha256:{self._digests[part].hexdigest()}",
                )
                for part, rows in sorted(self._rows.items())
            ),
            configs=tuple(rows.summary(name) for name, rows in configs.items()),
            rows=self._rows.total(),
            subjects=len(set().union(*(rows.subjects for rows in configs.values()))),
            users=len(set().union(*(rows.users for rows in configs.values()))),
            dyads=len(self._dyads),
            questions=len(self._questions),
            posts=len(self._posts),
            oldest=oldest and oldest[:10],
            newest=newest and newest[:10],
            licences=dict(sorted(Counter(licence for licence, _ in self._posts.values()).items())),
            hosts=dict(sorted(Counter(host for _, host in self._posts.values()).items())),
            categories=counts.get("category", {}),
            origins=counts.get("origin", {}),
            aspects_of_one_post=aspects["one_post"],
            aspects_of_several_posts=aspects["several_posts"],
            generators=counts.get("generator", {}),
            judges=counts.get("judge", {}),
            verified=states["verified"],
            simulated=states["simulated"],
            voted=states["voted"],
            divided=states["divided"],
            traits=trait_figures(self._answers),
            undated_posts=len(self._undated),
            untimed_choices=states["untimed"],
            younger_posts=accuracy_by_cluster(self._younger),
            neighbours=accuracy_by_cluster(self._leanings),
            preferences=preference_figures(self._preferences),
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
