"""Contents of a release: its primary files, read and written, and its rows counted.

Primary are data/*.parquet, stated.json, build/units.jsonl and human/. Every other file is a
function of these.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd
from pydantic import JsonValue

from pairwright.audits.records import Audit
from pairwright.errors import InputError
from pairwright.files import holds_run
from pairwright.lines import read_lines, read_one, write_lines, write_one
from pairwright.pairs import Layout, Part, Row
from pairwright.pairs.address import host_of
from pairwright.records import Record
from pairwright.settings.rules import ReleaseInfo
from pairwright.text import word_count
from pairwright_human_eval.decisions import AspectCounts, Decision, ReleasedStudy, read_public

TRIAL = "-trial"
BASELINES = {
    "length": "longer", "bag_of_words": "bag of words", "profile_overlap": "overlap with the posts",
    "profile_tfidf": "tf-idf similarity to the posts",
}  # fmt: skip
"""Checks of the audit that pick a response by counting, and how a table names them. The first two
see nothing of the user."""
Json = dict[str, Any]


class Stated(Record):
    """stated.json: what the run says of itself, which the release cannot show."""

    pairwright: str
    """Version that wrote the release."""
    version: str
    """X.Y.Z, with `-trial` in a trial."""
    kind: Literal["release", "trial"]
    """A trial may hold pairs that were not verified. It is no benchmark, and its pages say so."""
    trial_because: tuple[str, ...]
    """Reasons for a trial; empty in an ordinary release."""
    previous: str | None
    """The version before; None in the first."""
    previous_digest: str | None
    """Root digest of that version."""
    info: ReleaseInfo
    """[release] of the run's configuration."""
    build: dict[str, JsonValue]
    """The run's manifest without counts of units and folders of the maker's machine."""
    validation_share: float

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
    """The released study; None if no annotator was asked."""

    @property
    def decisions(self) -> dict[str, Decision]:
        """Decisions by twin or pair, in the order of the study; empty if no annotator was asked."""
        return self.public.decisions if self.public else {}

    @property
    def aspects(self) -> dict[str, tuple[AspectCounts, ...]]:
        """Counted answers on each aspect, by pair; empty if no annotator was asked."""
        return self.public.aspect_counts if self.public else {}


def read_contents(layout: Layout) -> Contents:
    """Read the primary files without the rows. Raises InputError naming the file and line."""
    return Contents(
        stated=read_one(layout.provenance, Stated),
        units=tuple(read_lines(layout.units, UnitOutcome)),
        public=read_public(layout),
    )


def release_at(root: Path) -> Layout:
    """The layout of a release. Raises InputError if the folder is not one."""
    layout = Layout(root)
    if holds_run(root) or not (layout.manifest.is_file() or layout.checksums.is_file()):
        what = "is not a release" if root.exists() else "no such folder"
        fix = "Name the folder of a release: it has a manifest.json and checksums.sha256."
        raise InputError(what, where=root, fix=fix)
    return layout


def write_contents(layout: Layout, contents: Contents) -> None:
    """Write the primary files without the rows. Raises StoreError if the disk refuses."""
    write_one(layout.provenance, contents.stated)
    write_lines(layout.units, contents.units)
    if public := contents.public:
        write_one(layout.study, public.study)
        write_lines(layout.asked, public.outlines)
        write_lines(layout.answers, public.answers)
        write_lines(layout.decisions, contents.decisions.values())


class RowCounts:
    """The rows of a release counted in one pass: a frame without texts, and counts of posts."""

    COLUMNS = (
        "config", "split", "mode", "subject", "user", "dyad", "question", "words_chosen",
        "words_rejected", "posts", "origin", "verified", "untimed",
    )  # fmt: skip

    def __init__(self) -> None:
        self._rows = list[tuple[object, ...]]()
        self._hashes: dict[Part, hashlib._Hash] = {}
        self._posts = set[int]()
        self._licences, self._hosts, self._days = Counter[str](), Counter[str](), Counter[str]()

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, split: str, row: Row) -> None:
        """Count one row; rows of a part in their order."""
        self._hashes.setdefault(Part(row.config, split), hashlib.sha256()).update(row.line)
        self._rows.append((
            row.config, split, row.mode, row.subject, row.user, row.cluster,
            hash(row.question), word_count(row.chosen), word_count(row.rejected), len(row.profile),
            row.aspects_origin or "none", row.verified, row.created is None,
        ))  # fmt: skip
        for post in row.profile:
            name = hash((post.id, post.text))
            if name not in self._posts:
                self._posts.add(name)
                self._licences[post.licence or "unknown"] += 1
                self._hosts[(post.source_url and host_of(post.source_url)) or "none"] += 1
                self._days[(post.created or "")[:10]] += 1

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One line per row: who and what it is about, and how long its texts are."""
        return pd.DataFrame(self._rows, columns=list(self.COLUMNS))

    def counts(self) -> Json:
        """The rows counted, as manifest.json has it: parts, configurations, all together. A part's
        digest is over its rows as JSON lines: the same whichever library wrote the file."""
        rows, means = self.rows, ["words_chosen", "words_rejected", "posts"]
        sizes = rows.groupby(["config", "split"]).size()
        parts = [
            {
                "config": part.config, "split": part.split, "path": part.path,
                "rows": int(sizes[part]), "digest": f"sha256:{digest.hexdigest()}",
            }
            for part, digest in sorted(self._hashes.items())
        ]  # fmt: skip
        configs = rows.groupby("config").agg(
            mode=("mode", "first"),
            rows=("subject", "size"),
            subjects=("subject", "nunique"),
            users=("user", "nunique"),
            **{name: (name, "mean") for name in means},
        )
        days = sorted(filter(None, self._days))
        return {
            "parts": parts,
            "configs": configs.round(dict.fromkeys(means, 2)).reset_index().to_dict("records"),
            "rows": len(rows),
            **{f"{name}s": int(rows[name].nunique())
               for name in ("subject", "user", "dyad", "question")},
            "posts": len(self._posts),
            "days": [days[0], days[-1]] if days else None,
            "licences": dict(sorted(self._licences.items())),
            "hosts": dict(sorted(self._hosts.items())),
            "origins": counted(rows["origin"]),
            "verified": int(rows["verified"].sum()),
            "untimed": int(rows["untimed"].sum()),
        }  # fmt: skip


def counted(values: Iterable[Any]) -> dict[Any, int]:
    """Count of each value, sorted by value."""
    return dict(sorted(Counter(values).items()))


# The manifest


def manifest_of(layout: Layout, contents: Contents, counts: RowCounts) -> Json:
    """manifest.json: what a release holds, counted; the pages show it. Raises InputError if the
    audit is not one."""
    stated = contents.stated
    return {
        "name": stated.name,
        "version": stated.version,
        "kind": stated.kind,
        "trial_because": list(stated.trial_because),
        "pairwright": stated.pairwright,
        "canary": canary(stated),
        "rows": counts.counts(),
        "human": _human(contents.public) if contents.public else None,
        "audit": _audit(read_one(layout.audit, Audit)),
        "build": stated.build,
    }


def canary(stated: Stated) -> str:
    """A string that is nowhere else: a hash of all that the release states of itself."""
    digest = hashlib.sha256(stated.model_dump_json().encode()).hexdigest()
    return f"pairwright-canary-{digest[:32]}"


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
