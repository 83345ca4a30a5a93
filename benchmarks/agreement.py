"""What decisions and agreement are worth against a known truth, and what a large study costs.

1,000 pairs, for half of which the truth is the other response; three simulated votes each, right
with probability 0.95, one of two answers. Then how often the 95 % intervals of agreement hold the
truth (`coverage.py`), how far they move with the seed of a report, and 100,000 verdicts of all
kinds, decided and reported.

    .venv/bin/python benchmarks/agreement.py [PAIRS VERDICTS STUDIES]
"""

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import studies
from coverage import coverage

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement.intervals import Agreement, agreement
from pairwright_human_eval.agreement.models import Ratings, dawid_skene
from pairwright_human_eval.decisions import decide_all
from pairwright_human_eval.records import PreferenceAnswer, response_id
from pairwright_human_eval.report.findings import derive_findings
from pairwright_human_eval.subjects import outlines_of

ACCURACY = 0.95
VOTES_ONLY = HumanRules(votes=3, rule="majority", quality_votes=0, rubric_votes=0)


SEEDS = range(5)


def main(pairs: int, verdicts: int, simulated: int) -> None:
    print(f"{pairs:,} pairs, 3 votes each, accuracy {ACCURACY}")
    figures = {"decision_error": decision_error(pairs)}
    figures |= coverage(simulated)
    figures["seed_spread"] = seed_spread()
    figures["cpu_seconds_100k"] = large(verdicts)
    print(json.dumps(figures))


def decision_error(n: int) -> float:
    """The share of pairs whose decision is not the planted truth; prints each statistic beside
    its expectation."""
    study = studies.make(n, kinds=("preference",))
    chance = random.Random(1)
    wanted = {subject.id: chance.random() < 0.5 for subject in study.subjects}
    verdicts = []
    for verdict, subject in study.unanswered():
        right = chance.random() < ACCURACY
        chosen = wanted[subject.id] == right
        text = subject.asked.chosen if chosen else subject.asked.rejected
        answer = PreferenceAnswer(choice=response_id(text))
        verdicts.append(verdict.model_copy(update={"answers": answer}))
    decisions = decide_all(
        outlines_of(study.subjects, study.key), verdicts, VOTES_ONLY, frozenset()
    )
    wrong = sum(
        (decision.state == "verified") != wanted[name] for name, decision in decisions.items()
    )

    # Neutral labels: which of a pair's two responses comes first by name.
    first = {s.id: min(response_id(s.first), response_id(s.second)) for s in study.subjects}
    rows = [
        (v.subject, v.annotator, "first" if v.answers.choice == first[v.subject] else "second")
        for v in verdicts
        if isinstance(v.answers, PreferenceAnswer)
    ]
    ratings = Ratings.of(rows, ("first", "second"))
    found = agreement(ratings)
    alike = ACCURACY**2 + (1 - ACCURACY) ** 2
    corrected = 2 * alike - 1  # Both answers are as frequent, so half of all agree by chance.
    for name, truth in (
        ("percent", alike),
        ("alpha_nominal", corrected),
        ("cohen_kappa", corrected),
        ("gwet_ac1", corrected),
        ("fleiss_kappa", corrected),
    ):
        got = getattr(found, name)
        print(f"  {name:14} {got.value:.3f} ({got.low:.3f} to {got.high:.3f}), truth {truth:.3f}")
    hits = [matrix.diagonal().mean() for matrix in dawid_skene(ratings).confusion]
    print(f"  accuracy by Dawid-Skene {min(hits):.3f} to {max(hits):.3f}, truth {ACCURACY:.3f}")
    return round(wrong / n, 4)


def seed_spread() -> float:
    """The furthest that an end of an interval of agreement moves with the seed of a report."""
    study = studies.make(24, kinds=("preference", "quality", "rubric"))
    outlines, verdicts = outlines_of(study.subjects, study.key), study.answered(ACCURACY)
    policy = studies.RULES
    decisions = decide_all(outlines, verdicts, policy, frozenset())
    ends: dict[tuple[str, str, str], list[float]] = {}
    for seed in SEEDS:
        found = derive_findings(
            outlines, verdicts, studies.SCALES, policy, decisions=decisions,
            margin=policy.parity_margin, overlap=studies.OVERLAP, excluded=frozenset(), seed=seed,
        )  # fmt: skip
        for row in found.agreement:
            for name in Agreement.model_fields:
                estimate = getattr(row.agreement, name)
                for end in ("low", "high"):
                    if getattr(estimate, end) is not None:
                        of = ends.setdefault((row.question, name, end), [])
                        of.append(getattr(estimate, end))
    widest = max(max(of) - min(of) for of in ends.values())
    print(f"{len(ends)} ends of intervals, {len(SEEDS)} seeds: they move by {widest:.4f} at most")
    return round(widest, 4)


def large(n: int) -> float:
    """CPU seconds, user and system, of deciding and reporting `n` verdicts."""
    from pairwright_human_eval.report import compute_report, write_report

    study = studies.make(n // 9, kinds=("preference", "quality", "rubric"))
    verdicts = study.answered(ACCURACY)
    policy = studies.RULES
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        report = compute_report(study.subjects, study.fixed, verdicts, (), policy)
        write_report(study.folder(Path(scratch)), report)
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{len(verdicts):,} verdicts: {spent:.1f} s of CPU, {time.monotonic() - start:.1f} s")
    return round(spent, 1)


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:4]]
    main(*sizes, *(1000, 100_000, 2000)[len(sizes) :])
