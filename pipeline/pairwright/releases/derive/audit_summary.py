"""The audit of a release in brief, and what simple ways of choosing score by it.

Release and audit know each other by files alone.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pydantic import Field, ValidationError

from pairwright.dataset import AuditSource, Layout
from pairwright.errors import InputError, first_invalid
from pairwright.estimate import Estimate, share
from pairwright.overlap_words import is_of_mode, overlap_clauses
from pairwright.records import Record
from pairwright.releases.primary import PrimaryFiles
from pairwright.settings.rules import ReleaseInfo

BLIND = {
    "length": "longer", "lists": "more lists", "headings": "more headings", "bold": "more bold",
    "question_overlap": "more words of the question", "lexical_diversity": "more different words",
    "persona_words": "talks of a person", "refusal_words": "refuses less",
    "bag_of_words": "bag of words", "style": "style",
    "bag_of_words_with_question": "bag of words, question seen",
    "style_with_question": "style, question seen",
}  # fmt: skip
"""Checks of the audit that choose without the user, and how a table names them."""
INFORMED = {
    "profile_overlap": "words of the posts", "profile_tfidf": "words of the posts, tf-idf",
    "aspects_overlap": "words of the aspects",
    "length_taken": "length taken so far", "markup_taken": "markup taken so far",
}  # fmt: skip
"""Checks that choose by what is known of the user."""
AuditResultWord = Literal["passed", "undecided", "failed"]


class BaselineScore(Record):
    """How often one way of choosing picks the chosen response in one configuration."""

    config: str
    name: str
    """The check's."""
    blind: bool
    """Whether it sees nothing of the user."""
    status: str
    """The check's, where it is held to a bound; else `note`."""
    value: float | None
    low: float | None
    high: float | None
    """The audit's interval: of a `note` at 95 %, of what is held to a bound at its level among all
    estimates of the audit, which is wider. None where there is none, as of twins, which give one
    half by identity."""
    pairs: int
    clusters: int

    @property
    def found(self) -> Estimate:
        return Estimate(
            value=self.value, low=self.low, high=self.high, n=self.pairs, clusters=self.clusters
        )


class AuditCheck(Record):
    """A check of the audit; the manifest names those that failed."""

    family: str
    name: str
    config: str = ""
    """Empty: all rows together."""
    status: str = Field(exclude=True)
    found: Estimate | None = Field(None, exclude=True)

    def score(self) -> BaselineScore:
        found = self.found or share(0, 0)
        return BaselineScore(
            config=self.config,
            name=self.name,
            blind=self.name in BLIND,
            status=self.status,
            value=found.value,
            low=found.low,
            high=found.high,
            pairs=found.n,
            clusters=found.clusters,
        )


class AuditSummary(Record):
    """audit/audit.json in brief."""

    verdict: AuditResultWord
    """Failed if one check did; else undecided if one had too few pairs."""
    checks: dict[str, int]
    """The number of checks by status."""
    failed: tuple[AuditCheck, ...]
    """The checks that failed, in the order of the audit."""
    baselines: tuple[BaselineScore, ...]
    """What ways of choosing score on these pairs, in the order of the audit."""
    rows: int
    digest: str
    """The digest of the rows that the audit saw: `content_digest` of all rows of the release."""

    @property
    def overlap(self) -> tuple[str, ...]:
        """What word overlap solves of each mode, in words; nothing in older releases."""
        return overlap_clauses((score.name, score.config, score.found) for score in self.baselines)

    @property
    def by_identity(self) -> bool:
        """Whether a blind figure has no interval, as of twins, which give one half by identity."""
        return any(
            score.blind and score.value is not None and score.low is None
            for score in self.baselines
        )

    def blind_scores(self, configs: set[str]) -> list[BaselineScore]:
        """What blind ways of choosing score in these configurations."""
        return [score for score in self.baselines if score.blind and score.config in configs]


class AuditFile(Record):
    """The fields of audit.json that a release is held to or shows."""

    pairwright: str
    source: AuditSource
    checks: tuple[AuditCheck, ...]


def read_audit(primary: PrimaryFiles, layout: Layout) -> AuditFile:
    """Of an audit of any version. Raises InputError where audit.json is not of an audit."""
    try:
        return AuditFile.model_validate(primary.audit, extra="ignore")
    except ValidationError as error:
        field, fault = first_invalid(error)
        raise InputError(
            fault,
            where=f"{layout.audit} [{field}]",
            fix="Take this file again from where it came from.",
        ) from None


def summarise_audit(primary: PrimaryFiles, layout: Layout) -> AuditSummary | None:
    """The audit in brief; None where there is none. Raises InputError where it is not an audit."""
    if primary.audit is None:
        return None
    audit = read_audit(primary, layout)
    statuses = Counter(check.status for check in audit.checks)
    failed = tuple(check for check in audit.checks if check.status == "fail")
    known = BLIND.keys() | INFORMED.keys()
    return AuditSummary(
        verdict="failed" if failed else "undecided" if statuses["too_few"] else "passed",
        checks=dict(sorted(statuses.items())),
        failed=failed,
        baselines=tuple(
            check.score()
            for check in audit.checks
            if check.name in known and check.family in ("shortcuts", "baselines")
        ),
        rows=audit.source.rows,
        digest=audit.source.digest,
    )


_ALWAYS = ("profile_overlap", "length", "bag_of_words", "profile_tfidf", "aspects_overlap")
"""The columns that are always there, the one that a card shows unfolded first."""


def baseline_rows(audit: AuditSummary) -> list[tuple[str, ...]]:
    """The head, and a row a configuration with intervals where the audit has them; nothing without
    a configuration."""
    by_config: dict[str, dict[str, BaselineScore]] = {}
    for score in audit.baselines:
        if not is_of_mode(score.config):
            by_config.setdefault(score.config, {})[score.name] = score
    there = {name for by_name in by_config.values() for name in by_name}
    shown = [*_ALWAYS, *(name for name in INFORMED if name in there and name not in _ALWAYS)]
    head = (
        "configuration", "pairs", "independent groups", "highest of the blind",
        *(BLIND.get(name) or INFORMED[name] for name in shown),
    )  # fmt: skip
    rows = []
    for config, by_name in by_config.items():
        widest = max(by_name.values(), key=lambda score: score.pairs)
        cells = (_cell(by_name.get(name)) for name in shown)
        about = (config, f"{widest.pairs:,}", f"{widest.clusters:,}")
        rows.append((*about, _highest(by_name.values()), *cells))
    return [head, *rows] if rows else []


def _highest(scores: Iterable[BaselineScore]) -> str:
    """Over all that are blind, so that it is high by chance, too. By identity it is one half."""
    blind = [score for score in scores if score.blind and score.value is not None]
    if not blind:
        return "not estimated"
    if all(score.low is None for score in blind):
        return _cell(blind[0])
    best = max(blind, key=lambda score: score.value or 0)
    return f"{_cell(best)}, {BLIND[best.name]}, of {len(blind)}"


def _cell(score: BaselineScore | None) -> str:
    if score is None or score.value is None:
        return "not estimated"
    value = f"{100 * score.value:.0f} %"
    if score.low is None or score.high is None:
        return value
    return f"{value} ({100 * score.low:.0f} to {100 * score.high:.0f})"


def endings(scores: Iterable[BaselineScore]) -> tuple[int, str]:
    """How many checks of these scores are held to a bound, and by how they ended, in words."""
    statuses = Counter(score.status for score in scores)
    words = {"fail": "failed", "too_few": "had too few pairs to decide", "pass": "passed"}
    counts = ", ".join(f"{statuses[status]:,} {ending}" for status, ending in words.items())
    return sum(statuses[status] for status in words), counts


def study_bounds(
    audit: AuditSummary, info: ReleaseInfo
) -> list[tuple[str, float, list[BaselineScore]]]:
    """The bounds that the study set on word overlap: of what, the limit, and the scores that the
    audit held to it."""
    bounds = {"profile_overlap": info.max_overlap, "aspects_overlap": info.max_aspects_overlap}
    return [
        (INFORMED[name], limit, [score for score in audit.baselines if score.name == name])
        for name, limit in bounds.items()
        if limit is not None
    ]
