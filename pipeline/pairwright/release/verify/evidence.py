"""Aspects that a planner inferred: does their evidence stand in the posts that they name?"""

from functools import lru_cache

from pairwright import text
from pairwright.dataset import Row, RowAspect
from pairwright.release.verify.difference import difference, shown


def check_evidence(row: Row, where: str) -> None:
    """Posts are older than the question; evidence stands in them. Raises Difference."""
    for n, post in enumerate(row.profile):
        if row.created and post.created and post.created >= row.created:
            at = f"{where} [profile.{n}]"
            raise difference(f"is of {shown(post.created)}, not before the question", at)
    if row.aspects_origin == "planner":
        for n, aspect in enumerate(row.rubric_aspects):
            _check_aspect(row, aspect, f"{where} [rubric_aspects.{n}]")


def _check_aspect(row: Row, aspect: RowAspect, where: str) -> None:
    if strangers := set(aspect.post_ids) - {post.id for post in row.profile}:
        raise difference(f"{shown(min(strangers))} is no post of the profile", where)
    named = (post.text for post in row.profile if post.id in aspect.post_ids)
    if not any(_stands(aspect.evidence, passage) for passage in named):
        raise difference(f"evidence is {shown(aspect.evidence)}, and in no post it names", where)


def _stands(evidence: str, passage: str) -> bool:
    """As the build looks for it, which reads posts as the planner does."""
    if evidence.strip() and evidence in passage:
        return True
    quote = text.normalised(evidence).strip("\"' .")
    return bool(quote) and quote in _folded(passage)


@lru_cache(maxsize=4096)
def _folded(passage: str) -> str:
    return text.normalised(passage)
