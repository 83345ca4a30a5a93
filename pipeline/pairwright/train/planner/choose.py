"""Choosing a checkpoint: by how its plans match the gold aspects of validation items."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from pairwright.errors import ConfigError
from pairwright.intervals import Interval, mean_by_user
from pairwright.records import Item, Record
from pairwright.train.gold import AspectAgreement, Similarity, aspect_agreement
from pairwright.train.planner.examples import PlannerPrompt
from pairwright.train.planner.training_target import Form, aspects_of


class CheckpointScore(Record):
    """One checkpoint over the sample of validation items."""

    step: int
    sample: str
    """Hash of all that decides these numbers, beside the checkpoint."""
    items: int
    unreadable: int
    """Items whose plan could not be read."""
    precision: Interval | None
    """Over items with a plan of at least one aspect."""
    recall: Interval | None
    f1: Interval | None
    worst: float
    """Mean F1 over all items, 0 for each plan that could not be read: by this is chosen, for a
    planner that cannot be read is of no use."""


def apart(training: Iterable[Item], validation: Iterable[Item], where: str) -> None:
    """Raises ConfigError where somebody is in both: their posts would be known by heart."""
    users = {item.user for item in training}
    if both := sorted({item.user for item in validation} & users):
        raise ConfigError(
            f"{len(both):,} of its users are among those that are trained on: {both[0]}",
            where=where,
            fix="Split by user: validation users must be none of those in [source].",
        )


def sample_items(items: Sequence[Item], most: int, seed: int) -> list[Item]:
    """At most so many, drawn by their ids, in the source's order."""
    order = sorted(items, key=lambda item: _digest(str(seed), item.id))
    drawn = {item.id for item in order[:most]}
    return [item for item in items if item.id in drawn]


def sample_hash(items: Sequence[Item], *settings: str) -> str:
    """Of everything about the sample that decides what comes of it."""
    return f"b2:{_digest(*settings, *(item.model_dump_json() for item in items))}"


def score_checkpoint(
    step: int,
    sample: str,
    prompts: Sequence[PlannerPrompt],
    said: Sequence[str],
    form: Form,
    similarity: Similarity,
) -> CheckpointScore:
    """What the plans are worth that a checkpoint `said`, one for each of `prompts`."""
    read: list[tuple[Item, AspectAgreement]] = []
    for (item, shown, _), text in zip(prompts, said, strict=True):
        planned = aspects_of(form, text, item.question, shown)
        if planned is not None:
            gold = [rubric_aspect.aspect for rubric_aspect in item.rubric_aspects]
            read.append((item, aspect_agreement(planned, gold, similarity)))
    return CheckpointScore(
        step=step,
        sample=sample,
        items=len(prompts),
        unreadable=len(prompts) - len(read),
        precision=mean_by_user([(i.user, a.precision) for i, a in read if a.precision is not None]),
        recall=mean_by_user([(item.user, plan.recall) for item, plan in read]),
        f1=mean_by_user([(item.user, plan.f1) for item, plan in read]),
        worst=round(sum(plan.f1 for _, plan in read) / len(prompts), 6),
    )


def best(scores: Iterable[CheckpointScore]) -> CheckpointScore:
    """The one whose plans match best; of equal ones the earliest."""
    return max(scores, key=lambda plan: (plan.worst, -plan.step))


def _digest(*parts: str) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()
