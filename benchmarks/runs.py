"""Run folders of the synthetic pairs, as a build and a study leave them.

    .venv/bin/python benchmarks/runs.py FOLDER PAIRS [judged]

`judged`: nine annotators have answered everything that the default rule asks for.
"""

import sys
from functools import lru_cache
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from pairs import rows
from pairwright.pairs import Row, RowPost
from pairwright.records import (
    Adherence,
    Aspect,
    AspectScore,
    Comparison,
    Draft,
    DraftSide,
    Pair,
    Post,
    Quality,
    Rubric,
)
from released import run_of
from small_studies import SCALES


def pair_of(row: Row, user: str) -> Pair:
    """The pair that a row was made of, by models that the run states (`released`); `user` is the
    name behind its pseudonym."""
    first, second = (row.chosen, row.rejected) if row.asked else (row.rejected, row.chosen)
    return Pair(
        id=row.id,
        mode=row.mode or "violate",
        item_id=row.item_id,
        user=user,
        question=row.question,
        category=row.category,
        domain=row.domain,
        profile=_profile(row.profile),
        rubric=Rubric(
            question_id=row.item_id,
            user=user,
            origin="planner",
            aspects=tuple(
                Aspect(
                    aspect=of.aspect, reason=of.reason, evidence=of.evidence,
                    post_ids=of.post_ids,
                )
                for of in row.rubric_aspects
            ),
        ),
        chosen=row.chosen,
        rejected=row.rejected,
        draft=Draft(
            draw=0,
            strategy=row.strategy,
            generator="writer-7b",
            first=first,
            second=second,
            adherence=_judged(row),
            quality=dict.fromkeys(("first", "second"), _QUALITY),
            comparison=Comparison.TIE,
        ),
        judge="judge-70b",
        twin_id=row.twin_id,
        asked=row.asked,
        created=row.created,
        source_url=row.source_url,
    )  # fmt: skip


_QUALITY = Quality(reason="It answers.", scores={scale.name: 4 for scale in SCALES})


def _judged(row: Row) -> tuple[dict[DraftSide, Adherence], ...]:
    high, low = (
        Adherence(scores=tuple(AspectScore(reason="It says so.", score=n) for n in scores))
        for scores in ((2, 2, 2), (0, 1, 0))
    )
    asker: dict[DraftSide, Adherence] = {"first": high, "second": low}
    partner: dict[DraftSide, Adherence] = {"first": low, "second": high}
    return (asker, partner) if row.twin_id else (asker,)


@lru_cache(maxsize=50_000)
def _profile(posts: tuple[RowPost, ...]) -> tuple[Post, ...]:
    return tuple(Post(**post.model_dump(exclude={"licence"})) for post in posts)


if __name__ == "__main__":
    made = (pair_of(row, user) for row, user in rows(int(sys.argv[2])))
    run_of(Path(sys.argv[1]), made, study="judged" in sys.argv[3:])
