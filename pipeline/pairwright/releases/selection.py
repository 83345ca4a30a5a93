"""The kept pairs of a run, one subject in memory at a time; which of them go into a release, and
why the others do not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.modes import label_of
from pairwright.pairs import RowVotes
from pairwright.pairs.address import ForgetList
from pairwright.records import Pair, pseudonym
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.released import ReleasedStudy
from pairwright_human_eval.units import Outline, Unit, outline_of, units_of

_FIX = "Build again: pairs.jsonl is derived from the run folder's store."
FORGOTTEN, NOT_ASKED = "forgotten", "not in the study"


class ReleaseCandidate(NamedTuple):
    """What is held in memory of a subject: a twin with both halves, or a pair."""

    id: str
    offset: int
    """Where its first line begins in pairs.jsonl."""
    config: str
    users: tuple[str, ...]
    """Pseudonyms, the asker's first; of each there is a line."""
    forgotten: bool
    needs_votes: bool
    """Whether it is released only where people verified it."""


def subjects_in(path: Path) -> Iterator[tuple[int, Unit]]:
    """Every subject with the offset of its first line.

    Raises InputError for a line that is not a pair, and for half a twin.
    """
    try:
        with path.open("rb") as file:
            lines = _lines(file, path)
            for _, group in groupby(lines, key=lambda line: line[1].twin_id or line[1].id):
                (offset, first), *more = group
                (subject,) = units_of((first, *(pair for _, pair in more)), path)
                yield offset, subject
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name a run folder whose build has finished.",
        ) from None


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, Pair]]:
    """Offset and pair of each line."""
    offset = 0
    for number, line in enumerate(file, start=1):
        try:
            yield offset, Pair.model_validate_json(line)
        except ValidationError as error:
            what = "not a pair: {}: {}".format(*first_invalid(error))
            raise InputError(what, where=f"{path}:{number}", fix=_FIX) from None
        offset += len(line)


def subject_at(file: BinaryIO, entry: ReleaseCandidate, path: Path) -> Unit:
    """The subject that `subjects_in` found there."""
    file.seek(entry.offset)
    pairs = [Pair.model_validate_json(file.readline()) for _ in entry.users]
    (subject,) = units_of(pairs, path)
    return subject


def read_candidates(
    pairs: Path,
    forgotten: ForgetList,
    asked: Set[str],
    step: Callable[[int], None] = lambda _: None,
) -> tuple[tuple[ReleaseCandidate, ...], tuple[Outline, ...]]:
    """All subjects of pairs.jsonl, in the run's order, and the outlines of those that people were
    asked about; `step` gets the number of subjects read.

    Raises InputError for a line that is not a pair.
    """
    entries, outlines = list[ReleaseCandidate](), list[Outline]()
    for offset, subject in subjects_in(pairs):
        entries.append(
            ReleaseCandidate(
                id=subject.id,
                offset=offset,
                config=f"{subject.domain}-{subject.mode}",
                users=tuple(pseudonym(pair.user) for pair in subject.pairs),
                forgotten=any(map(forgotten.concerns, subject.pairs)),
                needs_votes=label_of(subject.mode) != "given",
            )
        )
        if subject.id in asked:
            outlines.append(outline_of(subject))
        if len(entries) % 100 == 0:
            step(len(entries))
    return tuple(entries), tuple(outlines)


def exclusions(
    entries: tuple[ReleaseCandidate, ...], decisions: Mapping[str, Decision] | None, *, trial: bool
) -> dict[str, str]:
    """By subject: why it is not released; empty for those that are.

    Released is what people verified and what needs no votes; in a trial where nobody was asked
    (`decisions` is None) everything.
    """
    why = {}
    for entry in entries:
        decision = (decisions or {}).get(entry.id)
        if entry.forgotten:
            why[entry.id] = FORGOTTEN
        elif decision is not None:
            why[entry.id] = why_not_verified(decision)
        else:
            free = not entry.needs_votes or (decisions is None and trial)
            why[entry.id] = "" if free else NOT_ASKED
    return why


def why_not_verified(decision: Decision) -> str:
    """Empty where it is verified. Only a refusal gives its reasons: what a subject waits for
    changes with every answer."""
    if decision.state == "refused":
        return f"refused: {'; '.join(decision.reasons)}"
    return "" if decision.state == "verified" else decision.state


def votes_on(pair: str, decision: Decision | None) -> RowVotes | None:
    """The votes on a pair as its row has them; None where nobody voted."""
    counted = decision.votes if decision else ()
    return next(
        (
            RowVotes(**votes.model_dump(exclude={"pair"}))
            for votes in counted
            if votes.pair == pair and votes.n
        ),
        None,
    )


def trial_because(
    entries: Iterable[ReleaseCandidate], public: ReleasedStudy | None
) -> tuple[str, ...]:
    """Why what is released is only for trying out, in words."""
    reasons, entries = list[str](), tuple(entries)
    if public is None and any(entry.needs_votes for entry in entries):
        reasons.append("nobody verified its pairs")
    elif public and public.simulated:
        reasons.append("simulated annotators answered in place of people")
    return tuple(reasons) or ("it was made with --trial",)
