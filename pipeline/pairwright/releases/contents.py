"""What a release holds: its primary files, read and written, and the frames of its rows.

Primary are data/*.parquet, stated.json, build/units.jsonl and human/. Every other file is a
function of these.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd
from pydantic import JsonValue

from pairwright.audits.records import Audit
from pairwright.errors import InputError
from pairwright.files import holds_run, write_whole
from pairwright.lines import read_document, read_lines, read_one
from pairwright.pairs import Layout, Part, Row, check_files, parts_of, read_rows
from pairwright.pairs.address import host_of
from pairwright.records import Record
from pairwright.settings.rules import ReleaseInfo
from pairwright.text import word_count
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.released import ReleasedStudy, read_public

TRIAL = "-trial"
BASELINES = {
    "length": "longer", "bag_of_words": "bag of words", "profile_overlap": "overlap with the posts",
    "profile_tfidf": "tf-idf similarity to the posts",
}  # fmt: skip
"""Checks of the audit that pick a response by counting, and how a table names them. The first two
see nothing of the user."""
Json = dict[str, Any]
ReleaseKind = Literal["release", "trial"]
"""A trial may hold pairs that nobody verified. It is no benchmark, and its pages say so."""


class Stated(Record):
    """stated.json: what the run says of itself, which the release cannot show."""

    pairwright: str
    """Version that wrote the release."""
    version: str
    """X.Y.Z, with `-trial` in a trial."""
    kind: ReleaseKind
    trial_because: tuple[str, ...]
    """Empty in an ordinary release."""
    previous: str | None
    """The version before; None in the first."""
    previous_digest: str | None
    """Its root digest."""
    info: ReleaseInfo
    """What the run's configuration says of the dataset: name, contact, how people were paid."""
    build: dict[str, JsonValue]
    """The run's manifest without counts of units: source, roles, endpoints, calls, prompts,
    checks, configuration."""
    validation_share: float
    """Of users, whose rows are in the split `validation`."""

    @property
    def name(self) -> str:
        """The dataset's name; that of a trial says so."""
        return f"{self.info.name}{TRIAL}" if self.kind == "trial" else self.info.name


class UnitOutcome(Record):
    """A line of build/units.jsonl: the outcome of one item in one mode."""

    unit: str
    """`content_id("unit", ...)` of the unit's name in the run."""
    mode: str
    outcome: Literal["kept", "dropped", "failed"]
    stage: str = ""
    reason: str = ""
    subject: str | None = None
    """The twin's or pair's id, if it was kept."""


class Contents(NamedTuple):
    """The primary files without the rows."""

    stated: Stated
    units: tuple[UnitOutcome, ...]
    public: ReleasedStudy | None
    """None if nobody was asked."""

    @property
    def decisions(self) -> dict[str, Decision]:
        """The decisions by twin or pair, in the order of the study; empty if nobody was asked."""
        return self.public.decisions if self.public else {}


def read_contents(layout: Layout) -> Contents:
    """Read the primary files without the rows. Raises InputError naming the file and line."""
    return Contents(
        stated=read_one(layout.provenance, Stated),
        units=tuple(read_lines(layout.units, UnitOutcome)),
        public=read_public(layout),
    )


def read_release(root: Path) -> tuple[Layout, Contents]:
    """Read a release's folder without its rows.

    Raises InputError if the folder is not a release, or naming file and line of a fault.
    """
    layout = release_at(root)
    check_files(root)
    read_document(layout.manifest)  # Raises if it is not there.
    return layout, read_contents(layout)


def release_at(root: Path) -> Layout:
    """The layout of a release. Raises InputError if the folder is not one."""
    layout = Layout(root)
    if holds_run(root) or not (layout.manifest.is_file() or layout.checksums.is_file()):
        raise InputError(
            "is not a release" if root.exists() else "no such folder",
            where=root,
            fix="Name the folder of a release: it has a manifest.json and checksums.sha256.",
        )
    return layout


def write_contents(layout: Layout, contents: Contents) -> None:
    """Write the primary files without the rows. Raises StoreError if the disk refuses."""
    write_whole(layout.provenance, contents.stated.model_dump_json(indent=2) + "\n")
    write_whole(layout.units, _lines(contents.units))
    if public := contents.public:
        write_whole(layout.study, public.study.model_dump_json(indent=2) + "\n")
        write_whole(layout.asked, _lines(public.outlines))
        write_whole(layout.answers, _lines(public.answers))
        write_whole(layout.decisions, _lines(contents.decisions.values()))


def _lines(records: Iterable[Record]) -> Iterator[str]:
    return (record.model_dump_json() + "\n" for record in records)


def rows_of(layout: Layout) -> Iterator[tuple[Part, Row]]:
    """All rows of a release, part by part. Raises InputError for a file that does not hold rows."""
    for part in parts_of(layout.root):
        for row in read_rows(layout.part(part)):
            yield part, row


class RowFrames:
    """The rows of a release as frames without texts, filled by one pass over them."""

    COLUMNS = (
        "config", "split", "mode", "subject", "user", "dyad", "question", "words_chosen",
        "words_rejected", "posts", "origin", "verified", "untimed",
    )  # fmt: skip

    def __init__(self) -> None:
        self._rows = list[tuple[object, ...]]()
        self._posts: dict[str, tuple[str, str, str]] = {}
        self._hashes: dict[Part, hashlib._Hash] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, part: Part, row: Row) -> None:
        """Add one row; rows of a part in their order."""
        line = row.model_dump_json().encode() + b"\n"
        self._hashes.setdefault(part, hashlib.sha256()).update(line)
        words = word_count(row.chosen), word_count(row.rejected)
        self._rows.append((
            part.config, part.split, row.mode, row.subject, row.user, row.cluster,
            _short(row.question), *words, len(row.profile),
            row.aspects_origin or "none", row.verified, row.created is None,
        ))  # fmt: skip
        for post in row.profile:
            name = _short(f"{post.id}\0{post.text}")
            if name not in self._posts:
                host = host_of(post.source_url) if post.source_url else None
                day = (post.created or "")[:10]
                self._posts[name] = post.licence or "unknown", host or "none", day

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One line per row: who and what it is about, and how long its texts are."""
        return pd.DataFrame(self._rows, columns=list(self.COLUMNS))

    @cached_property
    def posts(self) -> pd.DataFrame:
        """One line per different post: its licence, its address's host, its day or nothing."""
        return pd.DataFrame([*self._posts.values()], columns=["licence", "host", "day"])

    @cached_property
    def parts(self) -> list[Json]:
        """One entry per Parquet file. The digest is over rows as JSON lines: it is the same
        whichever library wrote the file."""
        sizes = self.rows.groupby(["config", "split"]).size()
        return [
            {
                "config": part.config, "split": part.split, "path": part.path,
                "rows": int(sizes[part]), "digest": f"sha256:{hash.hexdigest()}",
            }
            for part, hash in sorted(self._hashes.items())
        ]  # fmt: skip

    def counts(self) -> Json:
        """The rows counted, as manifest.json has it: parts, configurations, all together."""
        rows, posts = self.rows, self.posts
        means = ["words_chosen", "words_rejected", "posts"]
        configs = rows.groupby("config").agg(
            mode=("mode", "first"),
            rows=("subject", "size"),
            subjects=("subject", "nunique"),
            users=("user", "nunique"),
            **{name: (name, "mean") for name in means},
        )
        days = sorted(filter(None, posts["day"]))
        return {
            "parts": self.parts,
            "configs": configs.round(dict.fromkeys(means, 2)).reset_index().to_dict("records"),
            "rows": len(rows),
            **{f"{name}s": int(rows[name].nunique())
               for name in ("subject", "user", "dyad", "question")},
            "posts": len(posts),
            "days": [days[0], days[-1]] if days else None,
            "licences": counted(posts["licence"]),
            "hosts": counted(posts["host"]),
            "origins": counted(rows["origin"]),
            "verified": int(rows["verified"].sum()),
            "untimed": int(rows["untimed"].sum()),
        }  # fmt: skip


def counted(values: Iterable[Any]) -> dict[Any, int]:
    """How often each value is there, sorted by value."""
    return dict(sorted(Counter(values).items()))


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


# The manifest


def manifest_of(layout: Layout, contents: Contents, frames: RowFrames) -> Json:
    """manifest.json: what a release holds, counted; the pages show it. Raises InputError if the
    audit is not one."""
    stated = contents.stated
    return {
        "name": stated.name,
        "version": stated.version,
        "kind": stated.kind,
        "trial_because": list(stated.trial_because),
        "pairwright": stated.pairwright,
        "canary": canary(stated, frames.parts),
        "rows": frames.counts(),
        "units": _units(contents.units),
        "human": _human(contents.public) if contents.public else None,
        "audit": _audit(read_one(layout.audit, Audit)),
        "build": stated.build,
    }


def canary(stated: Stated, parts: Iterable[Json]) -> str:
    """A string that is nowhere else: a hash of the release's name, version and rows."""
    hashed = json.dumps([stated.name, stated.version, *(part["digest"] for part in parts)])
    return f"pairwright-canary-{hashlib.sha256(hashed.encode()).hexdigest()[:32]}"


def _units(units: Iterable[UnitOutcome]) -> dict[str, int]:
    """The units of the build by mode, outcome, stage and reason; the most frequent reason first."""
    counts = Counter((one.mode, one.outcome, one.stage, one.reason) for one in units)
    order = sorted(counts, key=lambda key: (*key[:2], -counts[key], *key[2:]))
    return {": ".join(filter(None, key)): counts[key] for key in order}


def _human(public: ReleasedStudy) -> Json:
    """The human verification in brief."""
    study = public.study
    return {
        "subjects": len(public.outlines),
        "of": study.of,
        "states": counted(one.state for one in public.decisions.values()),
        "answers": public.tasks,
        "annotators": len(study.annotators),
        "simulated_annotators": sum(one.simulated for one in study.annotators),
        "excluded": sorted(public.excluded),
        "rule": study.policy.model_dump(mode="json"),
    }


def _audit(audit: Audit) -> Json:
    """The audit in brief: failed if a check did, else undecided if one had too few pairs."""
    statuses = counted(check.status for check in audit.checks)
    undecided = "undecided" if "too_few" in statuses else "passed"
    baselines: dict[str, Json] = {}
    for check in audit.checks:
        if check.name in BASELINES and check.found and not check.config.startswith("mode "):
            baselines.setdefault(check.config, {})[check.name] = check.found.model_dump(mode="json")
    return {
        "verdict": "failed" if "fail" in statuses else undecided,
        "checks": statuses,
        "failed": [[one.name, one.config] for one in audit.failed],
        "baselines": baselines,
    }
