"""The rows of a release, counted: what manifest and card say of them."""

import hashlib
from collections import Counter
from collections.abc import Iterator

from pairwright.pairs import Layout, Part, Row, parts_of, read_rows
from pairwright.pairs.address import host_of
from pairwright.records import Record
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
    days: tuple[str, str] | None
    """Of the oldest and the newest post."""
    licences: dict[str, int]
    """Different posts by licence; `unknown` if none is known."""
    hosts: dict[str, int]
    """Different posts by the host of their address; `none` without one."""
    origins: dict[str, int]
    """Rows by where their aspects come from."""
    verified: int
    """Rows that people verified."""
    untimed: int
    """Rows that do not say when the question was asked, or the choice made."""


class SummaryBuilder:
    """Rows in, a summary out."""

    def __init__(self) -> None:
        self._digests: dict[Part, hashlib._Hash] = {}
        self._rows = Counter[Part]()
        self._sums: dict[str, Counter[str]] = {}
        self._sets: dict[tuple[str, str], set[str]] = {}
        self._configs: dict[str, str] = {}
        self._posts: dict[str, tuple[str, str]] = {}
        """By hash: licence and host."""
        self._days: tuple[str, str] | None = None
        self._origins, self._counts = Counter[str](), Counter[str]()

    def add(self, part: Part, row: Row) -> None:
        """Count one row; rows of a part in their order."""
        line = row.model_dump_json().encode() + b"\n"
        self._digests.setdefault(part, hashlib.sha256()).update(line)
        self._rows[part] += 1
        self._configs.setdefault(part.config, row.mode or "")
        for name, value in (
            ("users", row.user or ""), ("subjects", row.subject), ("dyads", row.cluster),
            ("questions", _short(row.question)),
        ):  # fmt: skip
            self._sets.setdefault((name, part.config), set()).add(value)
        sums = self._sums.setdefault(part.config, Counter())
        sums["words_chosen"] += word_count(row.chosen)
        sums["words_rejected"] += word_count(row.rejected)
        sums["posts"] += len(row.profile)
        sums["aspects"] += len(row.rubric_aspects)
        self._origins[row.aspects_origin or "none"] += 1
        self._counts["verified"] += row.verified
        self._counts["untimed"] += row.created is None
        for post in row.profile:
            name = _short(f"{post.id}\0{post.text}")
            if name not in self._posts:
                host = host_of(post.source_url) if post.source_url else None
                self._posts[name] = post.licence or "unknown", host or "none"
            if post.created:
                day = post.created[:10]
                low, high = self._days or (day, day)
                self._days = min(low, day), max(high, day)

    def summary(self) -> Summary:
        """What was added so far."""
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
            configs=tuple(map(self._config, sorted(self._configs))),
            rows=self._rows.total(),
            subjects=len(self._all("subjects")),
            users=len(self._all("users")),
            dyads=len(self._all("dyads")),
            questions=len(self._all("questions")),
            posts=len(self._posts),
            days=self._days,
            licences=_counted(licence for licence, _ in self._posts.values()),
            hosts=_counted(host for _, host in self._posts.values()),
            origins=dict(sorted(self._origins.items())),
            verified=self._counts["verified"],
            untimed=self._counts["untimed"],
        )

    def _all(self, name: str) -> set[str]:
        return set().union(*(values for (one, _), values in self._sets.items() if one == name))

    def _config(self, config: str) -> ConfigSummary:
        rows = sum(n for part, n in self._rows.items() if part.config == config)
        return ConfigSummary(
            config=config,
            mode=self._configs[config],
            rows=rows,
            subjects=len(self._sets["subjects", config]),
            users=len(self._sets["users", config]),
            **{key: round(total / rows, 2) for key, total in self._sums[config].items()},
        )


def rows_of(layout: Layout) -> Iterator[tuple[Part, Row]]:
    """All rows of a release, part by part."""
    for part in parts_of(layout.root):
        for row in read_rows(layout.part(part)):
            yield part, row


def _counted(values: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
