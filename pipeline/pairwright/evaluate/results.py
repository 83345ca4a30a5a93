"""What an evaluation leaves in its folder: SCORER.CONDITION.jsonl, one line a pair in the release's
order, and SCORER.CONDITION.json, which says what they are of and is written last."""

import re
from collections.abc import Iterator
from pathlib import Path

from pairwright.dataset import read_lines, read_one, write_lines, write_one
from pairwright.dataset.checksums import file_digest
from pairwright.errors import InputError
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.release import ReleaseRef
from pairwright.records import Record

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What a scorer may be called: it becomes part of a file's name."""


TRIAL = "The release is a trial, and says itself that it is not a benchmark."
_DECIDING = ("release", "scorer", "limit", "split", "history", "seed", "planner")
"""What a result depends on."""


class ScorerRef(Record):
    """The scorer, identified exactly."""

    name: str
    kind: str
    model: str = ""
    revision: str | None = None
    settings: str = ""
    """Hash of all that decides its scores beside model and revision."""
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
        """What decides its scores, without what is only known of it: results of older versions have
        not got that."""
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
    simulated: bool = False
    """Whether a simulated model had a part in a score: then it is not a result."""
    pairs: int
    scored: int
    ties: int
    unstable: int
    """Ties that are verdicts which changed with the order."""
    unscored: dict[str, int]
    """Pairs without a score, by reason."""
    units: int | None = None
    """Whole twins, and pairs of other modes, of whose user the release has something to show: what
    coverage is of. None in files of before these were counted."""
    units_scored: int | None = None
    """The units with a score for every pair."""
    shortened: int
    """Pairs whose history did not fit whole."""
    tokens: int
    """Read and written by all models that were asked."""
    prompt_tokens: int | None = None
    """Tokens that were read, each call once; None in files of before they were counted apart."""
    completion_tokens: int | None = None
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
        self.about = read_one(path, ResultSummary)

    def decisions(self) -> Iterator[PairDecision]:
        """The decisions in the release's order. Raises InputError for a line that is not a
        decision, a pair that is there twice, and a file that is not as long as its summary says."""
        lines, ids = self._lines(), set[str]()
        for decision in read_lines(lines, PairDecision):
            if decision.id in ids:
                raise _broken(lines, f"the pair {decision.id} is there twice")
            ids.add(decision.id)
            yield decision
        if len(ids) != self.about.pairs:
            raise _broken(lines, f"{len(ids)} pairs, and {self.path.name} says {self.about.pairs}")

    def check_lines(self) -> None:
        """Check the lines. Raises InputError where they are not those of this summary."""
        lines = self._lines()
        if file_digest(lines) != self.about.lines:
            raise _broken(lines, f"is not the file that {self.path.name} was written for")

    def _lines(self) -> Path:
        lines = self.path.with_suffix(".jsonl")
        if not lines.is_file():
            raise _broken(lines, f"is not there, and {self.path.name} was written for it")
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


def _broken(where: Path, what: str) -> InputError:
    return InputError(
        what, where=where, fix="Run `pairwright evaluate` again: nothing is scored twice."
    )
