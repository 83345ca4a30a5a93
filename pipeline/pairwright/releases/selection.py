"""The kept pairs of a run, one subject in memory at a time; which of them go into a release, and
why the others do not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from pairwright.dataset import RowVotes
from pairwright.dataset.address import ForgetList
from pairwright.dataset.layout import DOMAIN
from pairwright.errors import InputError, first_invalid
from pairwright.modes import is_own_choice
from pairwright.records import Pair, pseudonym
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline, Subject, outline_of, subjects_of

_FIX = "Build again: pairs.jsonl is derived from the run folder's store."


class LineSpan(NamedTuple):
    """The lines of a subject in pairs.jsonl."""

    offset: int
    lines: int
    number: int
    """The number of its first line, from 1."""


def subjects_in(path: Path) -> Iterator[tuple[LineSpan, Subject]]:
    """Every subject with its place.

    Raises InputError for a line that is not a pair, for half a twin, and for a subject that occurs
    twice.
    """
    names = set[str]()
    try:
        with path.open("rb") as file:
            for name, group in groupby(_lines(file, path), key=lambda line: line[2]):
                lines = list(group)
                number, offset = lines[0][:2]
                if name in names:
                    raise InputError(f"{name} is there twice", where=f"{path}:{number}", fix=_FIX)
                names.add(name)
                (subject,) = subjects_of((pair for *_, pair in lines), path)
                yield LineSpan(offset, len(lines), number), subject
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name a run folder whose build has finished.",
        ) from None


def subject_at(file: BinaryIO, place: LineSpan, path: Path) -> Subject:
    """The subject at a place that `subjects_in` found."""
    file.seek(place.offset)
    lines = enumerate((file.readline() for _ in range(place.lines)), start=place.number)
    (subject,) = subjects_of((_pair(line, path, number) for number, line in lines), path)
    return subject


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, str, Pair]]:
    """Number and offset of each line, the name of its subject, and the pair."""
    offset = 0
    for number, line in enumerate(file, start=1):
        pair = _pair(line, path, number)
        yield number, offset, pair.twin_id or pair.id, pair
        offset += len(line)


def _pair(line: bytes, path: Path, number: int) -> Pair:
    try:
        return Pair.model_validate_json(line)
    except ValidationError as error:
        what = "not a pair: {}: {}".format(*first_invalid(error))
        raise InputError(what, where=f"{path}:{number}", fix=_FIX) from None


_LONGEST = 100
"""Characters of a domain's name, which is a folder's."""
FORGOTTEN, NOT_ASKED = "forgotten", "not in the study"


class ReleaseCandidate(NamedTuple):
    """What is held in memory of a subject: a twin with both halves, or a pair."""

    id: str
    place: LineSpan
    config: str
    users: tuple[str, ...]
    """Pseudonyms, the asker's first."""
    forgotten: bool
    needs_votes: bool
    """Whether it is released only where people verified it."""


def read_candidates(
    pairs: Path,
    forgotten: ForgetList,
    study: FixedStudy | None,
    step: Callable[[int], None] = lambda _: None,
) -> tuple[tuple[ReleaseCandidate, ...], tuple[Outline, ...]]:
    """All subjects of pairs.jsonl, in the run's order, and the outlines of those of the study;
    `step` gets the number of subjects read.

    Raises InputError for a line that is not a pair, and for a domain that cannot name a folder.
    """
    subjects = study.subjects if study else set()
    entries, outlines, domains = list[ReleaseCandidate](), list[Outline](), dict[str, str]()
    for place, subject in subjects_in(pairs):
        _check_domain(subject.domain, domains, f"{pairs}:{place.number}")
        entries.append(
            ReleaseCandidate(
                id=subject.id,
                place=place,
                config=f"{subject.domain}-{subject.mode}",
                users=tuple(pseudonym(pair.user) for pair in subject.pairs),
                forgotten=any(map(forgotten.concerns, subject.pairs)),
                needs_votes=not is_own_choice(subject.mode),
            )
        )
        if subject.id in subjects:
            outlines.append(outline_of(subject))
        step(len(entries))
    return tuple(entries), tuple(outlines)


def exclusions(
    entries: tuple[ReleaseCandidate, ...], decisions: Mapping[str, Decision] | None, *, trial: bool
) -> dict[str, str]:
    """By subject: why it is not released; empty for those that are.

    Ordinary: what people verified. A trial: what its study
    verified, or, where nobody was asked (`decisions` is None), everything. Either has what needs no
    votes.
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


def _check_domain(domain: str, known: dict[str, str], where: str) -> None:
    """Raise InputError unless the domain can be a folder's name on any machine."""
    fix = (
        "Rename its file in rubrics/ (letters, digits, dots, dashes, underscores), and build again."
    )
    if not DOMAIN.fullmatch(domain) or len(domain) > _LONGEST:
        raise InputError(f"the domain {domain!r} cannot be part of a path", where=where, fix=fix)
    other = known.setdefault(domain.lower(), domain)
    if other != domain:
        raise InputError(
            f"the domains {domain!r} and {other!r} would share a folder where case does not count",
            where=where,
            fix=fix,
        )
