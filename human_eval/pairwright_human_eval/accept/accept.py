"""All annotations of a study together: who gave each, and which one of several counts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from pairwright_human_eval.accept.answers import FormAnswers
from pairwright_human_eval.accept.reasons import Objection
from pairwright_human_eval.accept.seen import Reader, Seen
from pairwright_human_eval.accept.voters import Voters
from pairwright_human_eval.exports import Export
from pairwright_human_eval.people import Account, People, Slot, bind
from pairwright_human_eval.records import KeyedTask, SetAside, Study, Verdict, digest

_OURS = re.compile("task-[0-9a-f]{16}")


class Acceptance(NamedTuple):
    """What came of all annotations: each is a verdict, set aside, or a copy of another."""

    verdicts: tuple[Verdict, ...]
    """By task."""
    set_aside: tuple[SetAside, ...]
    people: People
    copies: int
    """Annotations that are in one file or several more than once: those beyond the first."""
    voted: Mapping[str, frozenset[str]]
    """By pseudonym, an adjudicator's too: the subjects that somebody who worked under it has
    answered in the first round, as far as accounts tell."""


def accept(
    exports: Iterable[Export],
    key: Mapping[str, KeyedTask],
    study: Study,
    given: Mapping[str, tuple[str, ...]],
) -> Acceptance:
    """Judge every annotation. `given` are the accounts that the study lead named.

    One person's answers on one task count once: the last one given (by `updated_at`, then by the
    annotation's number), be it on the task or on a copy of it on the server. A later skip takes
    an answer back. Anything that cannot be a verdict anyway takes nothing back. What somebody says
    in the second round about a subject that they answered in the first is set aside.
    """
    reader = Reader(key, study)
    read: list[Seen] = []
    drafts: dict[str, SetAside] = {}
    for export in exports:
        read += reader.annotations(export)
        drafts.update(_drafts(export))
    seen = _once(read)
    first = (one for one in seen if one.keyed and one.keyed.round == 1)
    voters = Voters(seen, bind(_work(first), given))
    barred = [one for one in seen if voters.bars(one)]
    people = bind(_work(one for one in seen if not voters.bars(one)), given)
    verdicts: list[Verdict] = []
    set_aside: list[SetAside] = []
    last: dict[tuple[str, str], list[Seen]] = defaultdict(list)
    for one in seen:
        if refusal := _refusal(one, people, voters):
            set_aside.append(_aside(one, refusal, people))
        elif one.keyed:
            last[one.keyed.task, one.keyed.annotator].append(one)
    for several in last.values():
        *before, latest = sorted(several, key=lambda one: (one.at, one.number or 0, one.raw))
        set_aside += (_aside(one, _overtaken(one, latest), people) for one in before)
        if latest.keyed and isinstance(latest.said, FormAnswers):
            verdicts.append(_verdict(latest, latest.keyed, latest.said))
        else:
            set_aside.append(_aside(latest, Objection("skipped", latest.remark), people))
    answered = {one.task for one in seen}
    set_aside += (line for line in drafts.values() if line.task not in answered)
    return Acceptance(
        tuple(sorted(verdicts, key=lambda v: (v.task, v.annotator))),
        tuple(sorted(set_aside, key=lambda s: (s.file, s.task or "", s.annotation or 0, s.raw))),
        people,
        len(read) - len(seen),
        voters.by_name(people, {keyed.annotator for keyed in key.values()}, barred),
    )


def _once(read: list[Seen]) -> list[Seen]:
    """Every annotation once, as last updated.

    Where files tell one state differently, the one counts that still knows the annotator, and
    then the one in which something is wrong: only a pull knows of a changed configuration.
    """
    together: dict[tuple[str | None, str], list[Seen]] = defaultdict(list)
    for one in read:
        together[one.task, one.identity].append(one)
    return [one for copies in together.values() for one in _latest(copies)]


def _latest(copies: list[Seen]) -> Iterator[Seen]:
    """One of the copies, or one an account: an id that two people use is forged or mistaken, and
    takes nobody's answer away."""
    accounts = {one.account.id for one in copies if one.account}
    if len(accounts) <= 1:
        yield max(copies, key=_state)
        return
    for account in sorted(accounts):
        own = [one for one in copies if one.account and one.account.id == account]
        yield max(own, key=_state)


def _state(one: Seen) -> tuple[bool, datetime, bool, bool, str]:
    deleted = one.problem is not None and one.problem.reason == "deleted"
    return deleted, one.at, one.account is not None, one.problem is not None, one.file


def _work(seen: Iterable[Seen]) -> Counter[tuple[Account, Slot]]:
    """Tasks of each slot by account. What another account wrote is nobody's work."""
    done = {
        (one.account, Slot(one.keyed.round, one.keyed.annotator), one.keyed.task)
        for one in seen
        if one.account and one.keyed and not one.edited
    }
    return Counter((account, slot) for account, slot, _ in done)


def _refusal(one: Seen, people: People, voters: Voters) -> Objection | None:
    """Why it is out of the question, whatever else this person gave."""
    if one.problem:
        return one.problem
    if one.account is None:
        return Objection("unknown_annotator", "its account was deleted")
    if voters.bars(one):
        return Objection("voted_before", "this person answered on it in the first round")
    annotators = people.of(one.account)
    if not annotators:
        return Objection("unknown_annotator", f"account {one.account.id} is bound to nobody")
    if one.edited:
        return one.edited
    if one.keyed and one.keyed.annotator not in annotators:
        return Objection("other_annotators_task", f"given to {one.keyed.annotator}")
    return one.said if isinstance(one.said, Objection) else None


def _overtaken(one: Seen, latest: Seen) -> Objection:
    by = f"by annotation {latest.number}" + (", a skip" if latest.skipped else "")
    if one.place[0] == latest.place[0] and one.place != latest.place:
        return Objection("task_copied", f"overtaken {by} on a copy of the task")
    return Objection("superseded", by)


def _aside(one: Seen, refusal: Objection, people: People) -> SetAside:
    annotators = people.of(one.account) if one.account else ()
    own = one.keyed.annotator if one.keyed and one.keyed.annotator in annotators else None
    return SetAside(
        reason=refusal.reason,
        detail=refusal.detail,
        file=one.file,
        task=one.task if one.task and _OURS.fullmatch(one.task) else None,
        annotator=own or next(iter(annotators), None),
        annotation=one.number,
        raw=one.raw,
    )


def _verdict(one: Seen, keyed: KeyedTask, said: FormAnswers) -> Verdict:
    return Verdict(
        task=keyed.task,
        kind=keyed.kind,
        purpose=keyed.purpose,
        round=keyed.round,
        annotator=keyed.annotator,
        subject=keyed.subject,
        pair=keyed.pair,
        domain=keyed.domain,
        a=keyed.a,
        b=keyed.b,
        answers=said.answers,
        comment=said.comment,
        created=one.created,
        updated=one.updated,
        seconds=one.seconds,
        raw=one.raw,
        simulated=one.simulated,
    )


def _drafts(export: Export) -> Iterator[tuple[str, SetAside]]:
    """Tasks that somebody began and did not submit. Of what, nothing is told."""
    for task in export.tasks:
        if task.drafts and not task.annotations:
            found: JsonValue = {"task": task.task, "drafts": task.drafts}
            yield (
                task.task or "",
                SetAside(
                    reason="draft",
                    detail="begun and not submitted",
                    file=export.file,
                    task=task.task,
                    annotator=None,
                    annotation=None,
                    raw=digest(found),
                ),
            )
