"""The sentences on what a leaderboard's tests find, and on position biases."""

from collections.abc import Iterator, Sequence

from pairwright.evaluate.board.findings import Question, ScorerFinding
from pairwright.modes import mode_pairs
from pairwright.records import Mode
from pairwright.stats import p_value
from pairwright.text import number_of

_SENTENCES: dict[tuple[Question, bool], tuple[str, str]] = {
    ("recall", True): (
        "Shown the question alone, these are right on more asked halves than one half",
        "They recall the person, or the question's own words say what its asker wants: that much of"
        " their accuracy on asked halves is not read from posts, and the other halves lose as much",
    ),
    ("recall", False): (
        "Shown the question alone, these are right on fewer asked halves than one half",
        "They take the asker's response for the worse answer: their accuracy on asked halves is too"
        " low by that, and on the other halves too high",
    ),
    ("overlap", True): (
        "These are right on more than one half where word overlap is wrong",
        "They read more than shared words",
    ),
    ("overlap", False): (
        "These are right on less than one half where word overlap is wrong",
        "They follow the words that a response shares with the posts, against the person",
    ),
    ("evidence", True): (
        "These lose accuracy without the posts that the rubric cites",
        "They read these posts",
    ),
    ("evidence", False): (
        "These do better without the posts that the rubric cites",
        "What they read is not the rubric's evidence",
    ),
}
"""What a finding above or below its null says, and what it means."""


def position_biases(findings: Sequence[ScorerFinding]) -> Iterator[str]:
    """A sentence for each judge that prefers a place in some condition."""
    by_scorer: dict[str, list[str]] = {}
    for one in findings:
        if one.question == "order" and one.found:
            by_scorer.setdefault(one.scorer, []).append(
                f"condition {one.condition}, {mode_pairs(one.mode)}, {in_words(one)},"
                f" adjusted p {p_value(one.adjusted)}"
            )
    for name, biases in by_scorer.items():
        yield (
            f"Position bias of {name}, the share of its verdicts for the response in the first"
            f" place (even is 50 %): {'; '.join(biases)}."
        )


def found_sentences(findings: Sequence[ScorerFinding], mode: Mode | None) -> Iterator[str]:
    """A sentence for each thing that is found of scorers in a mode, without position biases."""
    for (question, above), (statement, meaning) in _SENTENCES.items():
        some = [
            f"{one.scorer} {in_words(one)}"
            for one in findings
            if one.found and (one.mode, one.question, one.above) == (mode, question, above)
        ]
        if some:
            yield f"{statement}: {'; '.join(some)}. {meaning}."


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
