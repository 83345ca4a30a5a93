"""Rows and audits made by hand, for tests of the audit's page.

rows = [row(1), *halves(2)]
audit = audit_of(rows, check("rubric_leak", "fail", rows=[rows[0].id]))
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairwright.audits.accuracies import decide
from pairwright.audits.examination import Examination
from pairwright.audits.records import Audit, AuditSource, Check, Family, Flag, Status
from pairwright.errors import InputError
from pairwright.pairs import (
    MAX_SHORTCUT,
    PairSource,
    ReadRow,
    Row,
    RowAspect,
    RowPost,
    RowQuality,
    RowVotes,
    column_map,
    label_map,
    read_pairs,
)
from pairwright.pairs.read import NO_INFO
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources import Problems, SourceProblem
from pairwright.stats import Estimate

DIGEST = f"sha256:{'0' * 64}"


def line(given: Row, split: str = "") -> ReadRow:
    """A row as an audit reads it from a source."""
    return ReadRow(split, given, "")


def checks_of(
    rows: Iterable[Row | ReadRow],
    *families: Family,
    name: str = "",
    bounds: tuple[float, float | None] = (MAX_SHORTCUT, None),
    info: ReleaseInfo = NO_INFO,
) -> list[Check]:
    """What checks of some families find in rows; with a name what that check finds."""
    examination = Examination(*bounds, info, families)
    for given in rows:
        examination.add(line(given) if isinstance(given, Row) else given)
    return [check for check in decide(examination.checks()) if not name or check.name == name]


def estimate(check: Check) -> Estimate:
    """The estimate of a check that has one."""
    assert check.found is not None
    return check.found


def opened(given: object, *maps: str, command: str = "audit") -> PairSource:
    """Pairs with maps of columns, such as `chosen=better`, and of labels: `--label first=1`."""
    labels = [one.removeprefix("--label ") for one in maps if one.startswith("--label ")]
    columns = column_map(one for one in maps if not one.startswith("--label "))
    return read_pairs(str(given), columns, label_map(labels), command=command)


def read(given: object, *maps: str) -> tuple[list[ReadRow], list[SourceProblem]]:
    """The pairs, and the rows that are none."""
    lost = list[SourceProblem]()
    return list(opened(given, *maps).read(Problems(lost.append))), lost


def lines(given: object, *maps: str) -> list[ReadRow]:
    """What is read where every row can be."""
    found, lost = read(given, *maps)
    assert not lost, lost
    return found


def refused(given: object, *maps: str, command: str = "audit") -> str:
    """What is said of a file that is refused."""
    with pytest.raises(InputError) as caught:
        list(opened(given, *maps, command=command))
    assert caught.value.exit_code == 2
    assert caught.value.fix
    return str(caught.value)


def jsonl(path: Path, *rows: object) -> Path:
    """A file of these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def post(n: int, k: int, text: str = "") -> RowPost:
    told = text or f"Post {k} of user {n}: I work nights, and rain comes in."
    return RowPost(id=f"post-{n}-{k}", text=told, category="home", created="2023-01-01T12:00:00")


def row(n: int, **changes: Any) -> Row:
    """A pair of mode violate with everything that a row can hold; found again by its number."""
    posts = tuple(post(n, k) for k in range(3))
    fields: dict[str, Any] = {
        "id": f"pair-{n:04}", "question": f"Question {n}, how is a roof kept dry?",
        "profile": posts,
        "rubric_aspects": (
            RowAspect(
                aspect=f"Quiet work, number {n}", reason="Works nights.",
                evidence="I work  NIGHTS", post_ids=(posts[1].id,), chosen_score=2,
                rejected_score=0,
            ),
            RowAspect(aspect="Rain", evidence="it snows", post_ids=(posts[0].id,)),
        ),
        "narrative": f"The long story of {n}.", "category": "home",
        "chosen": f"Patch roof {n} by day, with felt and tar, before the next rain.",
        "rejected": f"Patch roof {n} by night, with felt and tar, before the next rain.",
        "item_id": f"item-{n}", "domain": "Home", "mode": "violate", "user": f"user-{n}",
        "dyad": f"dyad-{n}", "aspects_origin": "planner", "strategy": "plain",
        "generator": "model-7b", "judge": "judge-70b",
        "quality": (RowQuality(scale="correctness", chosen=4, rejected=3),), "comparison": "tie",
        "votes": RowVotes(chosen=2, rejected=1, equal=0, cannot_tell=0), "verified": True,
        "created": "2024-01-01T12:00:00", "source_url": "https://example.test/q",
        "licence": "CC-BY-SA-4.0",
    }  # fmt: skip
    return Row.model_validate({**fields, **changes})


def halves(n: int) -> tuple[Row, Row]:
    """Both halves of a twin, the asked one first."""
    first = row(n, mode="twin", twin_id=f"twin-{n}")
    other = row(
        n, id=f"pair-{n:04}b", mode="twin", twin_id=f"twin-{n}", asked=False,
        chosen=first.rejected, rejected=first.chosen, votes=None, verified=False,
    )  # fmt: skip
    return first, other


def check(name: str, status: Status, *, rows: Iterable[str] = (), **changes: Any) -> Check:
    flags = tuple(Flag(row=of, detail=f"detail of {of}") for of in rows)
    fields: dict[str, Any] = {
        "family": "leakage", "name": name, "status": status, "flags": flags, "count": len(flags),
        "of": 100, "limit": 0,
    }  # fmt: skip
    return Check.model_validate({**fields, **changes})


def accuracy(name: str, value: float, status: Status, config: str = "Home-violate") -> Check:
    found = Estimate(value=value, low=value - 0.05, high=value + 0.05, n=400, clusters=390)
    return Check(
        family="shortcuts", name=name, config=config, status=status, found=found, of=400,
        limit=0.58,
    )  # fmt: skip


def audit_of(rows: Sequence[Row], *checks: Check, **changes: Any) -> Audit:
    """`changes` are of its source."""
    configs = dict(sorted(Counter(of.config for of in rows).items()))
    fields: dict[str, Any] = {
        "name": "a-release", "kind": "release", "version": "1.0.0", "digest": DIGEST,
        "rows": len(rows), "configs": configs, "simulated": False, "problems": {},
    }  # fmt: skip
    return Audit(
        pairwright="0",
        source=AuditSource.model_validate({**fields, **changes}),
        max_shortcut=0.58,
        checks=checks,
    )


def source_of(rows: Iterable[Row]) -> PairSource:
    """A source of these rows."""
    return PairSource("pairs", "plain", lambda _: (ReadRow("", one, "") for one in rows))
