"""Agreement and decisions: whether intervals hold the truth, whether decisions do, and their cost.

    .venv/bin/python benchmarks/agreement.py [STUDIES]

`coverage_*`: how often the 95 % intervals hold the truth in studies of `simulated_ratings.py`.
`decision_error`: the share of twins that the default rule decides wrongly, with its second round:
half of them are clear, and their annotators err in 3 % of answers; the posts of the others say
nothing, and people toss a coin. `max_abs_diff`: alpha on 200 random tables, against a second
implementation by its definition. `cpu_seconds_100k`: CPU of a decision on 100,000 answers, and of
all coefficients of as many.
"""

import json
import random
import sys
import time
from collections.abc import Mapping

import numpy as np
import pandas as pd
from simulated_ratings import PROCESSES

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement import Agreement, agreement, checks
from pairwright_human_eval.decisions import decide
from pairwright_human_eval.records import Answer
from pairwright_human_eval.units import Outline, OutlinePair

NAMES = ("percent", "alpha_nominal", "alpha_ordinal", "gwet_ac1")
SUBJECTS, RATERS = (12, 24, 60, 200), (4, 9)
SPREADS = ("alike", "unlike", "very_unlike")


def coverage(studies: int) -> dict[str, float]:
    """The least and greatest share of intervals that hold the truth, by how much raters differ;
    prints all of them. A study without an interval is one that does not hold it."""
    rng = np.random.default_rng(20)
    print(f"{studies:,} studies each; an error of {(0.95 * 0.05 / studies) ** 0.5:.4f}")
    shares: dict[str, list[float]] = {spread: [] for spread in SPREADS}
    for process in PROCESSES:
        print(f"{process.name}\nspread raters subjects " + " ".join(f"{n:>13}" for n in NAMES))
        for label, spread in zip(SPREADS, process.spreads, strict=True):
            truth = process.truth(spread)
            for raters in RATERS:
                for subjects in SUBJECTS:
                    held = np.zeros(len(NAMES))
                    for _ in range(studies):
                        ratings = process.draw(rng, subjects, raters, spread)
                        found = agreement(ratings, range(process.levels), "ordinal")
                        held += _held(found, truth)
                    line = " ".join(f"{share:13.3f}" for share in held / studies)
                    print(f"{spread:6.2f} {raters:6} {subjects:8} {line}", flush=True)
                    shares[label].extend(held / studies)
    return {
        f"coverage_{end}_{label}": round(float(which(of)), 3)
        for label, of in shares.items()
        for end, which in (("low", min), ("high", max))
    }


def _held(found: Agreement, truth: Mapping[str, float]) -> list[bool]:
    estimates = [(getattr(found, name), truth[name]) for name in NAMES]
    return [of.low is not None and of.low <= true <= of.high for of, true in estimates]


RULES = HumanRules(quality_votes=0, rubric_votes=0)
CLEAR = 0.97
"""How often somebody who reads clear posts is right."""


def twins(n: int) -> list[Outline]:
    """The even ones are clear."""
    return [
        Outline(
            id=f"twin-{k}", mode="twin", dyad=f"dyad-{k}", label="chosen", quality={},
            pairs=tuple(
                OutlinePair(id=f"{k}-{half}", asked=not half, aspects=0, adherence={})
                for half in range(2)
            ),
        )
        for k in range(n)
    ]  # fmt: skip


def votes(units: list[Outline], each: int, rng: np.random.Generator, round: int) -> pd.DataFrame:
    """Everybody votes on one half of a twin."""
    rows = []
    for k, unit in enumerate(units):
        right = 0.5 if k % 2 else CLEAR
        for half, pair in enumerate(unit.pairs):
            for n, hit in enumerate(rng.random(each) < right):
                label, who = "chosen" if hit else "rejected", f"{round}-{half}-{(k + n) % 40}"
                task = f"{round}-{pair.id}-{n}"
                rows.append(
                    (task, who, round, unit.id, pair.id, "preference", "", label, 9.0, "", "1-0")
                )
    return pd.DataFrame(rows, columns=list(Answer.model_fields))


def decision_error(n: int = 4000) -> float:
    """The share of twins decided otherwise than they are."""
    units, rng = twins(n), np.random.default_rng(1)
    first = votes(units, RULES.votes, rng, 1)
    decided = decide(units, first, RULES)
    disputed = [unit if decided[unit.id].state == "disputed" else None for unit in units]
    second = votes(units, RULES.closing_votes, rng, 2)
    second = second[second["unit"].isin({unit.id for unit in disputed if unit})]
    closed = decide(units, pd.concat([first, second]), RULES)
    wrong = [(closed[unit.id].state == "verified") == bool(k % 2) for k, unit in enumerate(units)]
    return round(float(np.mean(wrong)), 4)


def max_abs_diff(tables: int = 200) -> float:
    """Nominal and ordinal alpha, against their definition pair by pair."""
    chance, most = random.Random(3), 0.0
    for _ in range(tables):
        levels = range(chance.randint(2, 6))
        rows = [(item, 0, chance.choice(levels)) for item in range(chance.randint(3, 20))]
        rows += [(item, n, chance.choice(levels)) for item, _, _ in rows for n in (1, 2)]
        kept = [rows[0], (0, 9, (rows[0][2] + 1) % len(levels)), *chance.sample(rows[1:], 5)]
        table = pd.DataFrame(kept, columns=["item", "annotator", "label"])
        found = agreement(table, levels, "ordinal")
        for alpha, ordinal in ((found.alpha_nominal, False), (found.alpha_ordinal, True)):
            most = max(most, abs((alpha.value or 0.0) - by_definition(table, ordinal)))
    return most


def by_definition(table: pd.DataFrame, ordinal: bool) -> float:
    """Krippendorff's alpha from every ordered pair of ratings."""
    units = [own.tolist() for _, own in table.groupby("item")["label"] if len(own) > 1]
    pooled = [rating for unit in units for rating in unit]

    def apart(a: int, b: int) -> float:
        if not ordinal:
            return float(a != b)
        between = sum(min(a, b) <= rating <= max(a, b) for rating in pooled)
        return float((between - (pooled.count(a) + pooled.count(b)) / 2) ** 2)

    seen = sum(
        apart(unit[i], unit[j]) / (len(unit) - 1)
        for unit in units
        for i in range(len(unit))
        for j in range(len(unit))
        if i != j
    )
    expected = sum(apart(a, b) for a in pooled for b in pooled) / (len(pooled) - 1)
    return float(1 - seen / expected)


def cpu_seconds() -> float:
    """Checks, decisions and all coefficients of 100,000 answers."""
    units = twins(12_500)
    answers = votes(units, RULES.votes, np.random.default_rng(0), 1)
    ratings = PROCESSES[0].draw(np.random.default_rng(0), 33_334, 9, 0.05)
    start = time.process_time()
    checks(answers, units)
    decide(units, answers, RULES)
    agreement(ratings, range(3), "ordinal")
    return round(time.process_time() - start, 2)


if __name__ == "__main__":
    figures = coverage(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    figures |= {
        "decision_error": decision_error(),
        "max_abs_diff": max_abs_diff(),
        "cpu_seconds_100k": cpu_seconds(),
    }
    print(json.dumps(figures))
