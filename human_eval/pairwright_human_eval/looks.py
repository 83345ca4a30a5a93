"""Looks at a study before its end: a rule that is fixed at export, and what each look saw.

One claim is followed: the share of preference votes for the chosen response, of all first-round
votes with a pair's own posts. Its interval at a look is a repeated confidence interval by dyad
(`pairwright.sequential`): looking early, and stopping because of it, makes a false finding no
likelier than 5 % over all looks. Every report of votes that no report had before is a look, and is
kept.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ValidationError, model_validator

from pairwright.dataset import write_lines
from pairwright.errors import InputError
from pairwright.intervals import LEVEL, accuracy
from pairwright.records import Record, content_id
from pairwright.sequential import look_bounds
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, StoppingRule, Verdict
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline

Outcome = Literal["above", "below", "open"]


class Look(Record):
    """What one look saw: a line of looks.jsonl."""

    votes: int
    """Votes that were in, those of excluded annotators too."""
    information: float
    """They as a share of all that the study asks for."""
    share: float
    """For the chosen response, of the votes that count."""
    n: int
    """Votes that count."""
    dyads: int
    bound: float
    """Standard errors to each side: those of the repeated confidence interval at 95 % over all
    looks, which is not kept, so that a share has one interval everywhere."""
    votes_hash: str = ""
    """Which votes were in, and whose do not count; empty in lines of older versions."""
    outcome: Outcome
    """Where that interval lies to the floor of the rule: `open` where it holds the floor."""

    @model_validator(mode="before")
    @classmethod
    def _without_interval(cls, fields: object) -> object:
        """Drop the interval that lines of older versions have."""
        if isinstance(fields, dict):
            return {name: value for name, value in fields.items() if name not in ("low", "high")}
        return fields


class Looks(Record):
    """All looks at a study, and the rule."""

    rule: StoppingRule | None
    """None for a study of an older version, which fixed none."""
    looks: tuple[Look, ...]

    @property
    def too_many(self) -> bool:
        """Whether there were more looks than were fixed."""
        return self.rule is not None and len(self.looks) > self.rule.looks


def take_look(
    folder: HumanFolder,
    fixed: FixedStudy,
    outlines: Sequence[Outline],
    verdicts: Sequence[Verdict],
    excluded: frozenset[str],
) -> Looks:
    """Look at the votes that are in, and keep what was seen. The same votes are the same look; as
    many other votes are another one, with the bound of the look before it. Where answers were taken
    back, the last look stays as it was.

    Raises InputError where looks.jsonl was damaged.
    """
    rule, before = fixed.study.stopping, read_looks(folder.looks)
    due = sum(_is_vote(task) for task in fixed.key.values())
    votes = [v for v in verdicts if v.task in fixed.key and _is_vote(fixed.key[v.task])]
    if before and before[-1].votes > len(votes):
        return Looks(rule=rule, looks=before)
    votes_hash = _hash(votes, excluded)
    same = before and before[-1].votes == len(votes) and before[-1].votes_hash in ("", votes_hash)
    earlier = before[:-1] if same else before
    counted = [vote for vote in votes if vote.annotator not in excluded]
    if not counted:
        return Looks(rule=rule, looks=before)
    # A newcomer in place of somebody who was excluded adds tasks, so more is due than before.
    shares = sorted({*(look.votes / due for look in earlier), len(votes) / due})
    look = _look(counted, outlines, look_bounds(shares, LEVEL)[-1], rule)
    information = round(shares[-1], 6)
    now = look.model_copy(
        update={"votes": len(votes), "information": information, "votes_hash": votes_hash}
    )
    looks = (*earlier, now)
    if looks != before:
        write_lines(folder.looks, looks)
    return Looks(rule=rule, looks=looks)


def _look(
    votes: Sequence[Verdict], outlines: Sequence[Outline], bound: float, rule: StoppingRule | None
) -> Look:
    chosen = {pair.id: pair.chosen for outline in outlines for pair in outline.pairs}
    dyads = {pair.id: outline.dyad for outline in outlines for pair in outline.pairs}
    names = {name: place for place, name in enumerate(sorted(set(dyads.values())))}
    points = [float(_choice(vote) == chosen[vote.pair or ""]) for vote in votes]
    clusters = [names[dyads[vote.pair or ""]] for vote in votes]
    found = accuracy(np.array(points), np.array(clusters, np.intp))
    assert found
    low, high = found.interval(bound)
    floor = 0.5 if rule is None else rule.floor
    outcome: Outcome = "above" if low > floor else "below" if high < floor else "open"
    return Look(
        votes=len(votes), information=1, share=round(found.value, 6), n=found.n,
        dyads=found.clusters, bound=round(bound, 6), outcome=outcome,
    )  # fmt: skip


def _hash(votes: Sequence[Verdict], excluded: frozenset[str]) -> str:
    lines = sorted(f"{vote.task} {_choice(vote)} {vote.annotator in excluded}" for vote in votes)
    return content_id("votes", *lines)


def _choice(vote: Verdict) -> str | None:
    return vote.answers.choice if isinstance(vote.answers, PreferenceAnswer) else None


def _is_vote(task: KeyedTask) -> bool:
    return (task.kind, task.purpose, task.round) == ("preference", "vote", 1)


def read_looks(path: Path) -> tuple[Look, ...]:
    """The looks that were kept. Raises InputError where the file was damaged."""
    if not path.exists():
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return tuple(Look.model_validate_json(line) for line in lines)
    except (ValidationError, UnicodeDecodeError):
        raise InputError(
            "holds a line that is not a look", where=path, fix="Restore the file from a copy."
        ) from None
