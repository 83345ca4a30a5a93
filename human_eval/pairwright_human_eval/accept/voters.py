"""Who has voted on what in the first round: they must not decide it in the second."""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from pairwright_human_eval.accept.seen import Seen
from pairwright_human_eval.exports.shape import BY_HAND
from pairwright_human_eval.people import Account, People


class Voters:
    """The subjects that each person has answered tasks of in the first round.

    A person is every account that shares an annotator's name with another, and, because a file
    does not say which server it comes from, an account of a file and the account of that number on
    a server, unless the study lead has named either.
    """

    def __init__(self, seen: Sequence[Seen], people: People) -> None:
        """`people` are bound by the first round's work, or as the study lead says."""
        accounts = sorted({one.account for one in seen if one.account})
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
        for one in seen:
            if one.account and one.keyed and one.keyed.round == 1 and not one.skipped:
                self._subjects[self._find(str(one.account))].add(one.keyed.subject)

    def bars(self, one: Seen) -> bool:
        """Whether an annotation of the second round is by somebody who voted on its subject."""
        if one.account is None or one.keyed is None or one.keyed.round == 1:
            return False
        return one.keyed.subject in self._subjects[self._find(str(one.account))]

    def by_name(
        self, people: People, names: Set[str], barred: Iterable[Seen]
    ) -> dict[str, frozenset[str]]:
        """By pseudonym: what the person behind it has voted on, and what was `barred` under it.
        `people` are bound by the work of both rounds."""
        accounts = {**people.found, **people.given}
        found: dict[str, frozenset[str]] = {}
        for name in sorted(names):
            persons = {self._find(of) for of, theirs in accounts.items() if name in theirs}
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
