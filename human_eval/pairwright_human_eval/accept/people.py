"""Which account is which annotator (`human/private/people.json`), and what each has voted on.

An account is a number, never an e-mail.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.records import Record
from pairwright_human_eval.accept.task_annotations import TaskAnnotation
from pairwright_human_eval.annotation import BY_HAND, Account
from pairwright_human_eval.folder import HumanFolder

_ACCOUNT = re.compile("[^\n]+:[0-9]+")


class Slot(NamedTuple):
    """A place in the study. Who annotates may adjudicate as well: the rounds are apart."""

    round: int
    annotator: str


class People(Record):
    """Annotators by account, written `SOURCE:ID`; an account may have one in each round."""

    given: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the study lead says: written by hand, and followed."""
    found: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the answers say: written again at each import."""

    def of(self, account: Account) -> tuple[str, ...]:
        """None, for an account that nobody has."""
        return self.given.get(str(account)) or self.found.get(str(account), ())


def bind(work: Mapping[tuple[Account, Slot], int], given: Mapping[str, tuple[str, ...]]) -> People:
    """Find who is who from `work`: how many tasks of each slot an account has answered.

    An account is the annotator in whose tasks it has most answers (of two, the first by name).
    If several claim one slot, it goes to the one with most there, then to the lowest number; the
    others stay unbound, so that somebody who strays into a colleague's tasks is not taken for the
    colleague. Accounts in `given` are as they are there, and nobody else gets their slots. Every
    source has its own accounts, so one person may be bound once in each.
    """
    claims: dict[tuple[Account, int], list[tuple[int, str]]] = defaultdict(list)
    for (account, slot), answers in work.items():
        if str(account) not in given:
            claims[account, slot.round].append((-answers, slot.annotator))
    best = {claimant: min(claimed) for claimant, claimed in claims.items()}
    reserved = {
        (account.rpartition(":")[0], name) for account, names in given.items() for name in names
    }
    taken = {
        (account.source, slot)
        for account, slot in work
        if (account.source, slot.annotator) in reserved
    }
    found: dict[str, tuple[str, ...]] = {}
    for (account, round), (_, annotator) in sorted(
        best.items(), key=lambda claim: (claim[1][0], claim[0])
    ):
        place = (account.source, Slot(round, annotator))
        if place not in taken:
            taken.add(place)
            found[str(account)] = (*found.get(str(account), ()), annotator)
    return People(given=dict(given), found=dict(sorted(found.items())))


def read_given(folder: HumanFolder, annotators: Set[str]) -> dict[str, tuple[str, ...]]:
    """What the study lead says; raises InputError where it cannot be meant."""
    if not folder.people.exists():
        return {}
    try:
        given = People.model_validate_json(folder.people.read_bytes()).given
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}",
            where=folder.people,
            fix='Write {"given": {"SOURCE:ID": ["annotator-01"]}}, or remove the file.',
        ) from None
    for account, names in given.items():
        if not _ACCOUNT.fullmatch(account):
            raise InputError(
                f"{account!r} is not an account",
                where=folder.people,
                fix="Write SOURCE:ID, with the number that the annotation tool gives the account.",
            )
        for name in names:
            if name not in annotators:
                raise InputError(
                    f"{account} is given {name!r}, who is not in the study",
                    where=folder.people,
                    fix=f"Name one of {', '.join(sorted(annotators))}.",
                )
    return given


def write_people(folder: HumanFolder, people: People) -> None:
    write_whole(folder.people, people.model_dump_json(indent=1) + "\n")


class Voters:
    """The subjects that each person has answered tasks of in the first round.

    A person is every account that shares an annotator's name with another, and, because a file
    does not say which server it comes from, an account of a file and the account of that number on
    a server, unless the study lead has named either.
    """

    def __init__(self, annotations: Sequence[TaskAnnotation], people: People) -> None:
        """`people` are bound by the first round's work, or as the study lead says."""
        accounts = sorted({one.account for one in annotations if one.account})
        self._person: dict[str, str] = {}
        for account in accounts:
            for name in people.of(account):
                self._join(str(account), name)
        for named, names in people.given.items():
            for name in names:
                self._join(named, name)
        for account in accounts:
            by_hand = Account(BY_HAND, account.id)
            if by_hand in accounts and not people.given.keys() & {str(account), str(by_hand)}:
                self._join(str(account), str(by_hand))
        self._subjects: defaultdict[str, set[str]] = defaultdict(set)
        for one in annotations:
            if one.account and one.keyed and one.keyed.round == 1 and not one.annotation.skipped:
                self._subjects[self._find(str(one.account))].add(one.keyed.subject)

    def bars(self, one: TaskAnnotation) -> bool:
        """Whether an annotation of the second round is by somebody who voted on its subject."""
        if one.account is None or one.keyed is None or one.keyed.round == 1:
            return False
        return one.keyed.subject in self._subjects[self._find(str(one.account))]

    def by_name(
        self, people: People, names: Set[str], barred: Iterable[TaskAnnotation]
    ) -> dict[str, frozenset[str]]:
        """By pseudonym: what the person behind it has voted on, and what was `barred` under it.
        `people` are bound by the work of both rounds."""
        accounts = {**people.found, **people.given}
        found: dict[str, frozenset[str]] = {}
        for name in sorted(names):
            persons = {self._find(account) for account, named in accounts.items() if name in named}
            subjects = (self._subjects[person] for person in (*persons, self._find(name)))
            found[name] = frozenset[str]().union(*subjects)
        for one in barred:
            if one.keyed:
                found[one.keyed.annotator] |= {one.keyed.subject}
        return found

    def _find(self, member: str) -> str:
        while (person := self._person.get(member, member)) != member:
            member = person
        return member

    def _join(self, one: str, other: str) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        if first != second:
            self._person[second] = first
