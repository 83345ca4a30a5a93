"""What the audit of a release says, in brief. Release and audit know each other by files alone."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.primary import Primary

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
}  # fmt: skip
"""Checks that choose by what is known of the user."""
Verdict = Literal["passed", "undecided", "failed"]


class Failed(Record):
    """A check that failed."""

    family: str
    name: str
    config: str
    """Empty: all rows together."""


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


class Audited(Record):
    """audit/audit.json in brief."""

    verdict: Verdict
    """Failed if one check did; else undecided if one had too few pairs."""
    checks: dict[str, int]
    """By status."""
    failed: tuple[Failed, ...]
    """In the order of the audit."""
    baselines: tuple[BaselineScore, ...]
    """What ways of choosing score on these pairs, in the order of the audit."""
    rows: int
    digest: str
    """Of the rows that the audit saw: `content_digest` of all rows of the release."""


class _Part(Record):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Interval(_Part):
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


class _Check(_Part):
    family: str
    name: str
    config: str = ""
    status: str
    found: _Interval | None = None


class _Source(_Part):
    digest: str
    rows: int


class _Audit(_Part):
    source: _Source
    checks: tuple[_Check, ...]


def audited(primary: Primary, layout: Layout) -> Audited | None:
    """The audit in brief; None where there is none. Raises InputError where it is no audit."""
    if primary.audit is None:
        return None
    try:
        audit = _Audit.model_validate(primary.audit)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            first["msg"],
            where=f"{layout.audit} [{at}]",
            fix="Take this file anew from where it came from.",
        ) from None
    statuses = Counter(of.status for of in audit.checks)
    failed = tuple(
        Failed(family=of.family, name=of.name, config=of.config)
        for of in audit.checks
        if of.status == "fail"
    )
    return Audited(
        verdict="failed" if failed else "undecided" if statuses["too_few"] else "passed",
        checks=dict(sorted(statuses.items())),
        failed=failed,
        baselines=tuple(_baselines(audit.checks)),
        rows=audit.source.rows,
        digest=audit.source.digest,
    )


def _baselines(checks: Iterable[_Check]) -> Iterator[BaselineScore]:
    for of in checks:
        if of.name in BLIND.keys() | INFORMED.keys() and of.family in ("shortcuts", "baselines"):
            found = of.found or _Interval(value=None, low=None, high=None, n=0, clusters=0)
            yield BaselineScore(
                config=of.config,
                name=of.name,
                blind=of.name in BLIND,
                status=of.status,
                value=found.value,
                low=found.low,
                high=found.high,
                pairs=found.n,
                clusters=found.clusters,
            )
