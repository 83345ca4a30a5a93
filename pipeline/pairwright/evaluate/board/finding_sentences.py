"""The sentences on what a leaderboard's tests find, and on position biases.

A test says that a value is above or below one half, or that an accuracy changes. What this means
may depend on another figure: a scorer that does the opposite of word overlap is right where word
overlap is wrong, one that is wrong everywhere is wrong there, too, and one that only follows words
loses them with the cited posts.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from pairwright.estimate import Estimate, p_text
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.cells import percent
from pairwright.evaluate.board.findings import ScorerFinding
from pairwright.evaluate.board.ranking import gain_over
from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.measure.accuracy import FLOOR
from pairwright.evaluate.measure.figure import ScorerFigure
from pairwright.modes import mode_pairs
from pairwright.records import Mode
from pairwright.text import number_of

Meaning = Literal[
    "recalls", "against asker", "reads more", "against words", "right there", "follows words",
    "wrong there", "reads evidence", "uses evidence", "better without",
]  # fmt: skip
_SENTENCES: dict[Meaning, tuple[str, str]] = {
    "recalls": (
        "Shown the question alone, these are right on more asked halves than one half",
        "They recall the person, or the question's own words say what its asker wants, or asked"
        " responses differ from the others in length or manner: that much of their accuracy on"
        " asked halves is not read from posts, and the other halves lose as much",
    ),
    "against asker": (
        "Shown the question alone, these are right on fewer asked halves than one half",
        "They take the asker's response for the worse answer: their accuracy on asked halves is too"
        " low by that, and on the other halves too high",
    ),
    "reads more": (
        "These are right on more than one half where word overlap is wrong, and on more than one"
        " half of all",
        "They read more than shared words",
    ),
    "against words": (
        "These are right on more than one half where word overlap is wrong, and on less than one"
        " half where it is right",
        "They go against the words that a response shares with the posts",
    ),
    "right there": (
        "These are right on more than one half where word overlap is wrong, and not above one half"
        " of all",
        "Whether they read more than shared words, or go against them, is open",
    ),
    "follows words": (
        "These are right on less than one half where word overlap is wrong, and on more than one"
        " half where it is right",
        "They follow the words that a response shares with the posts, against the person",
    ),
    "wrong there": (
        "These are right on less than one half where word overlap is wrong, and not above one half"
        " where it is right",
        "They may be wrong everywhere: see whether the sign of the score is right",
    ),
    "reads evidence": (
        "These lose accuracy without the posts that the rubric cites, and read more than shared"
        " words",
        "They read these posts",
    ),
    "uses evidence": (
        "These lose accuracy without the posts that the rubric cites",
        "What they go by is in these posts, and may be no more than shared words",
    ),
    "better without": (
        "These do better without the posts that the rubric cites",
        "What they read is not the rubric's evidence",
    ),
}
"""What is found, and what it means, in the order of the page."""


def position_biases(findings: Sequence[ScorerFinding]) -> Iterator[str]:
    """A sentence for each judge that prefers a place in some condition."""
    by_scorer: dict[str, list[str]] = {}
    for one in findings:
        if one.question == "order" and one.found:
            by_scorer.setdefault(one.scorer, []).append(
                f"condition {one.condition}, {mode_pairs(one.mode)}, {in_words(one)},"
                f" adjusted {p_text(one.adjusted)}"
            )
    for name, biases in by_scorer.items():
        yield (
            f"Position bias of {name}, the share of its verdicts for the response in the first"
            f" place (even is 50 %): {'; '.join(biases)}."
        )


def found_sentences(board: Leaderboard, mode: Mode | None) -> Iterator[str]:
    """A sentence for each thing that is found of scorers in a mode, without position biases."""
    found: dict[Meaning, list[ScorerFinding]] = {}
    for one in board.findings:
        if one.found and one.mode == mode and one.question != "order":
            found.setdefault(_meaning(board, one), []).append(one)
    for meaning, (statement, conclusion) in _SENTENCES.items():
        if some := found.get(meaning):
            scorers = "; ".join(_with_accuracy(one, meaning) for one in some)
            beside = _beside(board, mode, meaning, some[0])
            yield f"{statement}: {scorers}. {conclusion}.{beside}"


def _meaning(board: Leaderboard, one: ScorerFinding) -> Meaning:
    if one.question == "recall":
        return "recalls" if one.above else "against asker"
    if one.question == "overlap":
        return _of_words(one)
    if not one.above:
        return "better without"
    more = any(
        other.found and _meaning(board, other) == "reads more"
        for other in board.findings
        if other.question == "overlap"
        and (other.scorer, other.mode, other.condition) == (one.scorer, one.mode, one.condition)
    )
    return "reads evidence" if more else "uses evidence"


def _of_words(one: ScorerFinding) -> Meaning:
    """What a test of word overlap means, by the intervals of the scorer's other accuracies."""
    if one.above and _side(one.of_all) == "above":
        return "reads more"
    where_right = _side(one.where_right)
    if one.above:
        return "against words" if where_right == "below" else "right there"
    return "follows words" if where_right == "above" else "wrong there"


def _side(accuracy: Estimate | None) -> Literal["above", "below", "open"]:
    """Where an interval lies to one half."""
    if accuracy is None or accuracy.low is None or accuracy.high is None:
        return "open"
    return "above" if accuracy.low > 0.5 else "below" if accuracy.high < 0.5 else "open"


def _with_accuracy(one: ScorerFinding, meaning: Meaning) -> str:
    text = f"{one.scorer} {in_words(one)}"
    if meaning in ("reads more", "right there"):
        return f"{text}, of all with a score {_share(one.of_all)}"
    if one.question == "overlap" and one.where_right:
        return f"{text}, where it is right {_share(one.where_right)}"
    return text


def _share(figure: ScorerFigure | Estimate | None, unit: str = "%") -> str:
    """A figure as findings are written: `70.0 % (61.3 to 77.5, n = 120, 60 clusters)`."""
    value, _, interval = percent(figure).partition(" ")
    assert figure, "it was looked for"
    n = f"n = {figure.n:,}, {number_of(figure.clusters, 'cluster')})"
    return f"{value} {unit} {interval.removesuffix(')')}, {n}"


def _beside(board: Leaderboard, mode: Mode | None, meaning: Meaning, one: ScorerFinding) -> str:
    """What a baseline has that reads nothing, where it can be mistaken for reading."""
    if meaning in ("reads evidence", "uses evidence"):
        entry = board.entries.get(f"{FLOOR}.{one.condition}")
        controls = CONDITIONS[one.condition].compared_with
        control = next(name for name in controls if CONDITIONS[name].finding == "evidence")
        loss = entry.figure(gain_over(control), mode) if entry else None
        if loss is None or loss.value is None:
            return " Word overlap was not evaluated in both conditions."
        return f" Word overlap itself loses {_share(loss, 'points')}."
    if meaning == "recalls":
        entry = board.entries.get("longer.none")
        asked = [
            figure
            for figure in (entry.figures if entry else ())
            if (figure.name, figure.mode, figure.group) == ("accuracy", mode, f"{mode}, asked")
        ]
        if not asked:
            return " The baseline longer was not evaluated in this condition."
        return f" The longer response is right on {_share(asked[0])} of asked halves."
    return ""


def in_words(finding: ScorerFinding) -> str:
    """Its value with interval, n and clusters."""
    value = finding.value
    ends = f", n = {value.n:,}, {number_of(value.clusters, 'cluster')})"
    return f"{value_text(finding).removesuffix(')')}{ends}"


def value_text(finding: ScorerFinding) -> str:
    """Its value with interval: `59.3 % (51.3 to 66.9)`."""
    value, unit = finding.value, "points" if finding.question == "evidence" else "%"
    assert value.value is not None
    assert value.low is not None
    assert value.high is not None
    return f"{100 * value.value:.1f} {unit} ({100 * value.low:.1f} to {100 * value.high:.1f})"
