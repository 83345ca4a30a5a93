"""A task for Inspect over a release: does a model's choice follow what the user wrote?

    pip install inspect-ai openai pandas pyarrow
    inspect eval examples/inspect_task.py -T release=demo/release --model openai/MODEL

A unit is a twin or a placebo: one question and two responses, shown in the same order with the
posts of either user. In a twin each user prefers another response, so a model that ignores the
posts is right on exactly one side. In a placebo no post bears on the question, so a model that
reads them gives the same answer twice.

    accuracy         share of sides of twins that are right; 0.5 without the user, by construction
    twin_accuracy    share of twins that are right on both sides
    placebo_flips    share of placebos whose two answers differ; 0 is right

A reply without a choice is counted in `unanswered`, and its unit in neither share.
"""

from collections import defaultdict
from pathlib import Path
from zlib import crc32

import pandas as pd
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, multiple_choice

ASKED = """A user wrote earlier:

{posts}

The user asks:

{question}

Which answer suits this user?"""
UNANSWERED = -1


def samples(release: str) -> list[Sample]:
    """One sample per side of a twin or placebo, its responses in the unit's own order."""
    files = sorted(Path(release).glob("data/*/*.parquet"))
    rows = pd.concat(pd.read_parquet(file) for file in files)
    found = []
    for row in rows[rows["twin_id"].notna()].to_dict("records"):
        both = sorted((row["chosen"], row["rejected"]), key=lambda text: crc32(text.encode()))
        posts = "\n\n".join(post["text"] for post in row["profile"])
        found.append(
            Sample(
                id=row["id"],
                input=ASKED.format(posts=posts, question=row["question"]),
                choices=both,
                target="AB"[both.index(row["chosen"])],
                metadata={"unit": row["twin_id"], "mode": row["mode"]},
            )
        )
    return found


def by_unit(scores: list[SampleScore], placebo: bool) -> list[list[bool]]:
    """For each unit whose sides are all answered: whether each answer meets the label."""
    units = defaultdict[str, list[object]](list)
    for one in scores:
        about = one.sample_metadata or {}
        if (about["mode"] == "placebo") == placebo:
            units[about["unit"]].append(one.score.value)
    return [[one == 1 for one in halves] for halves in units.values() if UNANSWERED not in halves]


@metric
def accuracy() -> Metric:
    """Share of sides of twins that are right."""

    def of(scores: list[SampleScore]) -> float:
        return _mean([right for halves in by_unit(scores, False) for right in halves])

    return of


@metric
def twin_accuracy() -> Metric:
    """Share of twins that are right on both sides."""

    def of(scores: list[SampleScore]) -> float:
        return _mean([all(halves) for halves in by_unit(scores, False)])

    return of


@metric
def placebo_flips() -> Metric:
    """Share of placebos whose two answers differ: labels swap, so both meet theirs or neither."""

    def of(scores: list[SampleScore]) -> float:
        return _mean([len(set(halves)) == 1 for halves in by_unit(scores, True)])

    return of


@metric
def unanswered() -> Metric:
    """Share of replies without a choice."""

    def of(scores: list[SampleScore]) -> float:
        return _mean([one.score.value == UNANSWERED for one in scores])

    return of


def _mean(values: list[bool]) -> float:
    return sum(values) / len(values) if values else float("nan")


@scorer(metrics=[accuracy(), twin_accuracy(), placebo_flips(), unanswered()])
def follows_the_user() -> Scorer:
    """1 if the response chosen for the user is picked, 0 if the other is, -1 without one choice."""

    async def score(state: TaskState, target: Target) -> Score:
        picked = [letter for letter, one in zip("AB", state.choices, strict=True) if one.correct]
        value = int(picked == [target.text]) if len(picked) == 1 else UNANSWERED
        return Score(value=value, answer=" ".join(picked), explanation=state.output.completion)

    return score


@task
def personal_fit(release: str) -> Task:
    """Choose between two responses for a user, given the user's posts."""
    return Task(
        dataset=MemoryDataset(samples(release)), solver=multiple_choice(), scorer=follows_the_user()
    )
