"""What an evaluation leaves in its folder: SCORER.CONDITION.jsonl, one line a pair in the release's
order, and SCORER.CONDITION.json, which says what they are of and is written last. And the same as
lines for a terminal: its accuracy by mode, and what it leaves open.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.figures import ScorerFigure, figures_of
from pairwright.evaluation.release import ReleaseRef, build_mark
from pairwright.evaluation.scorers.scorer import BLIND, NOTHING_TO_SHOW
from pairwright.lines import read_lines, read_one, write_lines, write_one
from pairwright.models import ModelRef
from pairwright.records import Record
from pairwright.text import number_of

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What a scorer may be called: it becomes part of a file's name."""
TRIAL = "The release is a trial, and says itself that it is not a benchmark."
BRIEF = {
    "accuracy": "right",
    "both_right": "both halves right",
    "placebo_flips": "flips",
    "net_right_flips": "net right flips, points,",
}
"""What a line about one result calls the figures that are in it."""
_AGAIN = "Run `pairwright evaluate` again: nothing is scored twice."


class ScorerRef(ModelRef):
    """The scorer, identified exactly."""

    kind: str
    beside: str = ""
    """Another model that has a part in its scores."""

    @property
    def of_file(self) -> bool:
        """Whether its scores were computed elsewhere: nothing says which posts they are based
        on."""
        return self.kind == "scores"


class ResultSummary(Record):
    """One scorer in one condition on one release."""

    release: ReleaseRef
    scorer: ScorerRef
    condition: ConditionName
    limit: int | None = None
    """Only the first so many subjects were to be scored."""
    split: str | None = None
    """None for all."""
    history: str = ""
    """Hash of the rules by which posts were shown; empty for all that fit and for none."""
    seed: int | None = None
    """In condition wrong-profile, what the other users were drawn with."""
    planner: ScorerRef | None = None
    """In condition planner, the one under test."""
    pairs: int
    scored: int
    ties: int
    unstable: int
    """Ties that are verdicts which changed with the order."""
    unscored: dict[str, int]
    """Pairs without a score, by reason."""
    units: int
    """Whole twins, and pairs of other modes, of whose user the release has something to show: what
    coverage is of."""
    units_scored: int
    """The units with a score for every pair."""
    shortened: int
    """Pairs whose history did not fit whole."""
    prompt_tokens: int
    """Tokens that were read, each call once."""
    completion_tokens: int
    """Tokens that were written."""
    cost: float | None = None
    """The cost of these tokens, by the endpoints' prices; None where a model that was asked has
    none."""

    @property
    def stem(self) -> str:
        """The name of its files: `SCORER.CONDITION`."""
        return f"{self.scorer.name}.{self.condition}"

    @property
    def blind(self) -> bool:
        """Whether its scorer could not see the user."""
        record = CONDITIONS[self.condition]
        return self.scorer.name in BLIND or not (record.shows_posts or record.about_user)

    @property
    def mark(self) -> str:
        """What its models have to do with those that built the release."""
        planner = self.planner.model if self.planner else ""
        return build_mark((self.scorer.model, self.scorer.beside, planner), self.release.builders)


class Result:
    """One of the results in a folder."""

    def __init__(self, path: Path) -> None:
        """`path` is the .json file. Raises InputError where it is not one of ours."""
        self.path = path
        self.about = read_one(path, ResultSummary, fix=_AGAIN)

    def decisions(self) -> Iterator[PairDecision]:
        """The decisions in the release's order. Raises InputError for a line that is not a
        decision, a pair that is there twice, and a file that is not as long as its summary says."""
        lines, ids = self.path.with_suffix(".jsonl"), set[str]()
        if not lines.is_file():
            raise broken_result(lines, f"is not there, and {self.path.name} was written for it")
        for decision in read_lines(lines, PairDecision):
            if decision.id in ids:
                raise broken_result(lines, f"the pair {decision.id} is there twice")
            ids.add(decision.id)
            yield decision
        if len(ids) != self.about.pairs:
            raise broken_result(
                lines, f"{len(ids)} pairs, and {self.path.name} says {self.about.pairs}"
            )


def write_result(folder: Path, about: ResultSummary, decisions: list[PairDecision]) -> Path:
    """Write both files, whole. Raises StoreError."""
    path = folder / f"{about.stem}.json"
    # A summary is never beside lines that it is not of.
    path.unlink(missing_ok=True)
    write_lines(path.with_suffix(".jsonl"), decisions)
    write_one(path, about)
    return path


def read_results(one: Path) -> list[Result]:
    """The results of a folder, by name, or the one of a .json file. Raises InputError."""
    if one.is_file():
        if one.suffix != ".json":
            raise InputError(
                "is not a SCORER.CONDITION.json",
                where=one,
                fix="Name the .json beside it, or their folder.",
            )
        return [Result(one)]
    if not one.exists():
        raise InputError("no such file or folder", where=one, fix="Correct the path.")
    results = [Result(path) for path in sorted(one.glob("*.*.json"))]
    if not results:
        raise InputError(
            "holds no results",
            where=one,
            fix="Name a folder that `pairwright evaluate` made, or one SCORER.CONDITION.json.",
        )
    return results


def broken_result(where: Path, what: str) -> InputError:
    return InputError(what, where=where, fix=_AGAIN)


def summary_lines(about: ResultSummary, decisions: Sequence[PairDecision]) -> list[str]:
    """A line with the result's accuracies, and one for each thing that it leaves open."""
    shares = [
        f"{one.group} {BRIEF[one.name]} {_text(one)}, n = {one.n:,}"
        for one in figures_of(decisions, blind=about.blind)
        if one.name in BRIEF and one.group == (one.mode or "pairs")
    ]
    heading = f"{about.scorer.name}, {about.condition}: {'; '.join(shares) or 'no pairs'}"
    return [heading, *(f"  {line}" for line in _open_ends(about))]


def _text(figure: ScorerFigure) -> str:
    return figure.percent(1, sign=figure.name == "net_right_flips")


def _open_ends(about: ResultSummary) -> Iterator[str]:
    n = about.pairs
    if about.ties:
        changed = f", {about.unstable:,} of them changed with the order" if about.unstable else ""
        yield f"ties, counted one half: {about.ties:,} of {n:,}{changed}"
    counts = {reason: f"{count:,} {reason}" for reason, count in about.unscored.items()}
    if wrong := [count for reason, count in counts.items() if reason not in NOTHING_TO_SHOW]:
        yield f"without a score, counted as wrong: {', '.join(wrong)}"
    if left := [count for reason, count in counts.items() if reason in NOTHING_TO_SHOW]:
        yield f"not counted, the release has nothing to show of the user: {', '.join(left)}"
    if about.shortened:
        yield f"{number_of(about.shortened, 'history', 'histories')} did not fit whole"
    if n and (about.prompt_tokens or about.completion_tokens):
        read, written = about.prompt_tokens / n, about.completion_tokens / n
        cost = "" if about.cost is None else f", {1000 * about.cost / n:,.2f} for 1,000 pairs"
        yield f"{read:,.0f} tokens in and {written:,.0f} out a pair{cost}"
    if about.mark:
        yield f"its model is {about.mark}: a model prefers what it wrote or accepted itself"
