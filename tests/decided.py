"""Scores made by hand beside what figures need of their pairs, for tests of the leaderboard.

lines = [violate(1, 2.0, 1.0), *twin(2, (2.0, 1.0), (1.0, 2.0))]
frame_of(lines)
board = board_with(tmp_path, good=right_on(30), poor=right_on(12))
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import pandas as pd

from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.leaderboard import Leaderboard, rank_tables
from pairwright.evaluation.scorers.scorer import BASELINES, Choice, ScorerRef
from pairwright.evaluation.scores import (
    Score,
    ScoresOf,
    ScoreTable,
    joined,
    read_scores,
    write_scores,
)
from pairwright.modes import halves_of, label_of

RELEASE = BenchmarkRef(name="small-pairs", version="1.0.0", digest="b2:00")
NOBODY: Mapping[str, tuple[str, ...]] = {}
Half = tuple[float | None, float]
"""The scores of a half's own chosen and rejected response."""
AHEAD, BEHIND, TIED = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)


class Line(NamedTuple):
    """What figures need of a pair, and its score."""

    pair: str
    mode: str
    label: str
    halves: int
    unit: str
    cluster: str
    domain: str
    follows: str
    chance: float
    score: Score


class Pairs:
    """Stands in for the pairs that were scored."""

    said = ("columns: prompt",)

    def __init__(
        self,
        keys: Iterable[Sequence[Any]],
        ref: BenchmarkRef = RELEASE,
        builders: Mapping[str, tuple[str, ...]] = NOBODY,
    ) -> None:
        self.ref, self.builders = ref, builders
        self.keys = pd.DataFrame(
            list(dict.fromkeys(map(tuple, keys))), columns=Line._fields[:-1], dtype=object
        )


def pairs_of(
    lines: Iterable[Line],
    ref: BenchmarkRef = RELEASE,
    builders: Mapping[str, tuple[str, ...]] = NOBODY,
) -> Benchmark:
    return cast("Benchmark", Pairs((line[:-1] for line in lines), ref, builders))


def frame_of(lines: Sequence[Line]) -> pd.DataFrame:
    """The table that figures are functions of."""
    about = ScoresOf(
        benchmark=RELEASE, path="", scorer=ScorerRef(name="a", kind="served"), condition="profile"
    )
    scores = tuple(line.score for line in lines)
    return joined(ScoreTable(Path("a.profile.json"), about, scores), pairs_of(lines))


def violate(n: int, chosen: float | None, rejected: float | None = 0.0, **changes: Any) -> Line:
    """A pair of mode violate by a user of its own."""
    return line_of(f"pair-{n}", chosen, rejected, **({"cluster": f"user-{n}"} | changes))


def right_on(wins: int, n: int = 40, **changes: Any) -> list[Line]:
    """So many pairs of mode violate, the first `wins` right."""
    return [violate(k, 1.0 if k < wins else -1.0, **changes) for k in range(n)]


def twin(n: int, asked: Half, other: Half, **changes: Any) -> tuple[Line, Line]:
    """Both halves, each with the scores of its own chosen and rejected response."""
    shared = {"mode": "twin", "unit": f"twin-{n}", "cluster": f"dyad-{n}"} | changes
    return line_of(f"asked-{n}", *asked, **shared), line_of(f"other-{n}", *other, **shared)


def twins(outcomes: Iterable[tuple[Half, Half]], **changes: Any) -> list[Line]:
    """The halves of twins 0, 1, ..., by the scores of both halves of each."""
    return [half for n, both in enumerate(outcomes) for half in twin(n, *both, **changes)]


def without_score(line: Line, why: str = "context_length") -> Line:
    return line._replace(score=Score(pair=line.pair, condition="profile", unscored=why))


def placebo(n: int, first: Half, second: Half, **changes: Any) -> tuple[Line, Line]:
    """Both halves of a placebo, each with the scores of the response that it calls chosen and of
    the other one."""
    shared = {"mode": "placebo", "unit": f"placebo-{n}", "cluster": f"dyad-{n}"} | changes
    return line_of(f"first-{n}", *first, **shared), line_of(f"second-{n}", *second, **shared)


def judged(n: int, forward: Choice | None, backward: Choice | None, **changes: Any) -> Line:
    """A pair of mode violate with a comparing judge's two verdicts, or None."""
    return violate(n, None, None, forward=forward, backward=backward, **changes)


def line_of(pair: str, chosen: float | None, rejected: float | None, **changes: Any) -> Line:
    """`mode` "pairs" is of somebody else's pairs."""
    mode = changes.pop("mode", "violate")
    known = None if mode == "pairs" else mode
    unit, domain = changes.pop("unit", pair), changes.pop("domain", "Home")
    cluster, follows = changes.pop("cluster"), changes.pop("follows", "")
    scores: dict[str, Any] = {"chosen": chosen, "rejected": rejected}
    if chosen is None:
        unscored = "" if "forward" in changes else "context_length"
        scores = {"chosen": None, "rejected": None, "unscored": unscored}
    score = Score(**{"pair": pair, "condition": "profile", **scores, **changes})
    label, halves = label_of(known), halves_of(known)
    return Line(pair, mode, label, halves, unit, cluster, domain, follows, 0.5, score)


def result(
    folder: Path,
    name: str,
    lines: Sequence[Line],
    condition: ConditionName = "profile",
    **changes: Any,
) -> Path:
    """A table as `pairwright evaluate` writes it, and beside it what the pairs would say."""
    kind = "baseline" if name in BASELINES else "classifier"
    about: dict[str, Any] = {
        "benchmark": RELEASE, "path": ".", "scorer": ScorerRef(name=name, kind=kind),
        "condition": condition,
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    scores = [Score(**one.score.model_dump() | {"condition": condition}) for one in lines]
    table = write_scores(folder, ScoresOf(**(about | changes)), scores)
    table.path.with_suffix(".keys").write_text(json.dumps([one[:-1] for one in lines]))
    return table.path


def board_of(
    *given: Path, ref: BenchmarkRef = RELEASE, builders: Mapping[str, tuple[str, ...]] = NOBODY
) -> Leaderboard:
    tables = read_scores(given)
    keys = [key for one in tables for key in json.loads(one.path.with_suffix(".keys").read_bytes())]
    return rank_tables(tables, cast("Benchmark", Pairs(keys, ref, builders)))


def board_with(folder: Path, **lines: Sequence[Line]) -> Leaderboard:
    """The leaderboard of a folder with tables of these scorers, too, in condition profile."""
    for name, given in lines.items():
        result(folder, name, given)
    return board_of(folder)


def ends(found: Any) -> tuple[float, float]:
    """The bounds of an estimate or figure that must have them."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high
