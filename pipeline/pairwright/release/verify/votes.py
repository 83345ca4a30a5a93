"""What people decided, held against what each row says of it."""

from collections.abc import Iterable, Mapping

from pairwright.dataset import Row, RowQuality, RowVotes
from pairwright.records import Side
from pairwright.release.records import Kind
from pairwright.release.verify.difference import difference, same
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import aspect_id, response_id
from pairwright_human_eval.subjects import Outline, OutlinePair


class Decided:
    """Rows as their decisions, derived again from the raw verdicts, must have them.

    With a study a release holds what was verified; without one it is a trial, and holds whatever
    the build kept.
    """

    def __init__(
        self, outlines: Mapping[str, Outline], decisions: Mapping[str, Decision] | None, kind: Kind
    ) -> None:
        """`decisions` is None where nobody was asked."""
        self._outlines = outlines
        self._decisions = decisions
        self._ordinary = kind == "release"
        self._seen: set[str] = set()

    def add(self, row: Row, where: str) -> None:
        """One row. Raises Difference."""
        self._seen.add(row.subject)
        if self._ordinary:
            same("simulated in an ordinary release", row.simulated, False, where)
        if self._decisions is None:
            same("votes, where nobody was asked,", row.votes, None, where)
            same("verified, where nobody was asked,", row.verified, False, where)
            return
        outline = self._outlines.get(row.subject)
        pairs = outline.pairs if outline else ()
        pair = next((of for of in pairs if of.id == row.id), None)
        if outline is None or pair is None:
            raise difference(f"{row.id} is no pair that people were asked about", where)
        _check_outline(row, outline, pair, where)
        decision = self._decisions[row.subject]
        same("the decision on its subject", decision.state, "verified", where)
        same("votes", row.votes, _votes(decision, row.id), where)
        # What simulated annotators say verifies nothing.
        same("verified", row.verified, not decision.simulated, where)
        if decision.simulated:
            same("simulated", row.simulated, True, where)

    def end(self, kept: Iterable[str], file: str) -> None:
        """After the last row: nothing that belongs in is left out. `kept` are the build's kept
        subjects."""
        wanted = kept
        if self._decisions is not None:
            decided = self._decisions.values()
            wanted = (of.subject for of in decided if of.state == "verified")
        if lost := next((subject for subject in wanted if subject not in self._seen), None):
            raise difference(f"{lost} belongs into this release, and no row is of it", file)


def _votes(decision: Decision, pair: str) -> RowVotes | None:
    votes = next(votes for votes in decision.votes if votes.pair == pair)
    return RowVotes.model_validate(votes.model_dump(exclude={"pair"})) if votes.n else None


def _check_outline(row: Row, outline: Outline, pair: OutlinePair, where: str) -> None:
    for name in ("mode", "domain", "dyad"):
        same(name, getattr(row, name), getattr(outline, name), where)
    same("asked", row.asked, pair.asked, where)
    same("the hash of chosen", response_id(row.chosen), pair.chosen, where)
    same("the hash of rejected", response_id(row.rejected), pair.rejected, where)
    aspects = tuple(aspect_id(aspect.aspect) for aspect in row.rubric_aspects)
    same("the hashes of the aspects", aspects, pair.aspects, where)
    for side in ("chosen", "rejected"):
        _check_scores(row, pair, side, where)
    same("quality", row.quality, _quality(outline, pair), where)


def _check_scores(row: Row, pair: OutlinePair, side: Side, where: str) -> None:
    found = tuple(getattr(aspect, f"{side}_score") for aspect in row.rubric_aspects)
    judged = pair.adherence.get(side)
    same(f"{side}_score of the aspects", found, judged or (None,) * len(found), where)


def _quality(outline: Outline, pair: OutlinePair) -> tuple[RowQuality, ...]:
    if not {pair.chosen, pair.rejected} <= outline.quality.keys():
        return ()
    chosen, rejected = outline.quality[pair.chosen], outline.quality[pair.rejected]
    return tuple(
        RowQuality(scale=scale, chosen=score, rejected=rejected[scale])
        for scale, score in chosen.items()
        if scale in rejected
    )
