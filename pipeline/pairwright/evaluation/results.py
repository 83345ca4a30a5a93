"""What an evaluation leaves in its folder: SCORER.CONDITION.jsonl, one line a pair in the release's
order, and SCORER.CONDITION.json, which says what they are of and is written last. And the same as
lines for a terminal: its accuracy by mode, and what it leaves open.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pairwright.dataset import read_lines, read_one, write_lines, write_one
from pairwright.dataset.layout import file_digest
from pairwright.errors import InputError
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import (
    figures_of,
    is_position_bias,
    position_bias_text,
    without_error,
)
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, mode_group
from pairwright.evaluation.release import ReleaseRef, build_ties, tie_sentence
from pairwright.evaluation.scorers.scorer import NOTHING_TO_SHOW
from pairwright.models import ModelRef
from pairwright.records import Record
from pairwright.text import number_of

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What a scorer may be called: it becomes part of a file's name."""


TRIAL = "The release is a trial, and says itself that it is not a benchmark."
_AGAIN = "Run `pairwright evaluate` again: nothing is scored twice."
_DECIDING = ("release", "scorer", "limit", "split", "history", "seed", "planner")
"""What a result depends on."""


class ScorerRef(ModelRef):
    """The scorer, identified exactly."""

    kind: str
    beside: str = ""
    """Another model that has a part in its scores."""
    cutoff: str | None = None
    """The year, month or day of the latest texts that its model was trained on; None where the file
    of scorers does not say."""
    tie_margin: float = 0.0
    """Scores that are at most so far apart are a tie."""

    @property
    def of_file(self) -> bool:
        """Whether its scores were computed elsewhere: nothing says which posts they are based
        on."""
        return self.kind == "scores"

    @property
    def deciding(self) -> "ScorerRef":
        """What decides its scores, without what is only known of it."""
        return self.model_copy(update={"beside": "", "cutoff": None})


class PlannerVersion(Record):
    """The planner that inferred the aspects, identified exactly."""

    model: str
    revision: str | None
    prompt: str
    """Hash of its prompt."""
    settings: str = ""
    """Hash of what else decides its aspects: how it samples, which posts it is shown, and so on."""


class Timing(Record):
    """What the calls of one run took."""

    calls: int
    latency_s: float
    """Mean time from sending a call to its reply."""
    calls_per_s: float
    """Calls a second by the clock, with as many in flight as the endpoint's `concurrency` lets."""


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
    as_people: bool = False
    """Whether the posts are selected as people saw them in the release's study."""
    seed: int | None = None
    """In condition wrong-profile, what the other users were drawn with."""
    planner: PlannerVersion | None = None
    """In condition planner, the one under test."""
    self_agreement: bool = False
    """Whether the planner under test shares its model or its prompt with the one that built the
    release: then it is not ranked."""
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
    tokens: int
    """Read and written by all models that were asked."""
    prompt_tokens: int
    """Tokens that were read, each call once."""
    completion_tokens: int
    """Tokens that were written."""
    cost: float | None = None
    """The cost of these tokens, by the endpoints' prices; None where a model that was asked has
    none."""
    lines: str = ""
    """sha256 of the .jsonl file that it is of."""
    timing: Timing | None = None
    """The timing of the last run that sent calls; None where there was none, as of baselines."""

    @property
    def stem(self) -> str:
        """The name of its files: `SCORER.CONDITION`."""
        return f"{self.scorer.name}.{self.condition}"


class Result:
    """One of the results in a folder."""

    def __init__(self, path: Path) -> None:
        """`path` is the .json file. Raises InputError where it is not one of ours."""
        self.path = path
        self.about = read_one(path, ResultSummary, fix=_AGAIN)

    def decisions(self) -> Iterator[PairDecision]:
        """The decisions in the release's order. Raises InputError for a line that is not a
        decision, a pair that is there twice, and a file that is not as long as its summary says."""
        lines, ids = self._lines(), set[str]()
        for decision in read_lines(lines, PairDecision):
            if decision.id in ids:
                raise broken_result(lines, f"the pair {decision.id} is there twice")
            ids.add(decision.id)
            yield decision
        if len(ids) != self.about.pairs:
            raise broken_result(
                lines, f"{len(ids)} pairs, and {self.path.name} says {self.about.pairs}"
            )

    def check_lines(self) -> None:
        """Check the lines. Raises InputError where they are not those of this summary."""
        lines = self._lines()
        if file_digest(lines) != self.about.lines:
            raise broken_result(lines, f"is not the file that {self.path.name} was written for")

    def _lines(self) -> Path:
        lines = self.path.with_suffix(".jsonl")
        if not lines.is_file():
            raise broken_result(lines, f"is not there, and {self.path.name} was written for it")
        return lines


def write_result(folder: Path, about: ResultSummary, decisions: list[PairDecision]) -> Path:
    """Write both files, whole. Raises StoreError."""
    path, lines = folder / f"{about.stem}.json", folder / f"{about.stem}.jsonl"
    # A summary is never beside lines that it is not of.
    path.unlink(missing_ok=True)
    write_lines(lines, decisions)
    write_one(path, about.model_copy(update={"lines": file_digest(lines)}))
    return path


def previous_timing(folder: Path, about: ResultSummary) -> Timing | None:
    """What the calls behind the same result took when they were sent."""
    try:
        before = read_one(folder / f"{about.stem}.json", ResultSummary)
    except InputError:
        return None  # There is none, or it cannot be read: it is written again.
    same = all(getattr(before, key) == getattr(about, key) for key in _DECIDING)
    return before.timing if same else None


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


def summary_lines(about: ResultSummary, decisions: list[PairDecision]) -> list[str]:
    """A line with the result's accuracies, and one for each thing that it leaves open."""
    figures = tuple(
        without_error(about.condition, about.scorer.name, decisions, figures_of(decisions))
    )
    whole = about.units == about.units_scored
    shares = [
        f"{figure.group} {kind.brief} {figure.percent(1, sign=kind.difference)}, n = {figure.n:,}"
        for figure in figures
        if (kind := FIGURES[figure.name]).brief and figure.group == mode_group(figure.mode).name
        if not (whole and figure.name.endswith("_of_scored"))
    ]
    heading = f"{about.scorer.name}, {about.condition}: {'; '.join(shares) or 'no pairs'}"
    return [heading, *(f"  {line}" for line in _open_ends(about, figures))]


def _open_ends(about: ResultSummary, figures: Sequence[ScorerFigure]) -> list[str]:
    lines, n = [], about.pairs
    if about.ties:
        lines.append(f"{about.ties:,} of {n:,} {'is a tie' if about.ties == 1 else 'are ties'},")
        lines[-1] += " counted one half"
        if about.unstable:
            changed = number_of(about.unstable, "of them changes", "of them change")
            lines[-1] += f", {changed} with the order"
    counts = {reason: f"{count:,} {reason}" for reason, count in about.unscored.items()}
    if wrong := [count for reason, count in counts.items() if reason not in NOTHING_TO_SHOW]:
        lines.append(f"without a score, counted as wrong: {', '.join(wrong)}")
    if left := [count for reason, count in counts.items() if reason in NOTHING_TO_SHOW]:
        lines.append(f"not counted, the release has nothing to show of the user: {', '.join(left)}")
    if (about.ties or wrong) and any(one.name == "placebo_flips" for one in figures):
        lines.append("on placebos a tie is no flip, and what has no score is not counted")
    if about.shortened:
        lines.append(f"{number_of(about.shortened, 'history', 'histories')} did not fit whole")
    if timing := about.timing:
        calls = number_of(timing.calls, "call")
        lines.append(f"{calls}, {timing.latency_s:.2f} s each, {timing.calls_per_s:,.0f} a second")
        if n:
            read, written = about.prompt_tokens, about.completion_tokens
            lines[-1] += f", {read / n:,.0f} tokens in and {written / n:,.0f} out a pair"
            if about.cost is not None:
                lines[-1] += f", {1000 * about.cost / n:,.2f} for 1,000 pairs"
    lines += [
        f"position bias, verdicts for the first place (even is 50 %): {position_bias_text(figure)}"
        for figure in figures
        if is_position_bias(figure)
    ]
    if builders := build_ties((about.scorer.model, about.scorer.beside), about.release.builders):
        lines.append(tie_sentence(about.scorer.name, builders))
    if about.self_agreement:
        lines.append("self-agreement: this planner shares model or prompt with the release's")
    return lines
