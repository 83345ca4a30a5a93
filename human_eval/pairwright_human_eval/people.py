"""Which account of a server is which annotator (`human/private/people.json`). Never an e-mail."""

from collections import defaultdict
from collections.abc import Mapping, Set
from typing import NamedTuple

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.records import Record
from pairwright_human_eval.folder import HumanFolder


class Account(NamedTuple):
    """A user of one server. Another server's user of the same number is somebody else."""

    source: str
    id: int

    def __str__(self) -> str:
        return f"{self.source}:{self.id}"


class Slot(NamedTuple):
    """A place in the study. Who annotates may adjudicate as well: the rounds are apart."""

    round: int
    annotator: str


class People(Record):
    """Annotators by account, written `SOURCE:ID`; an account may have one in each round."""

    given: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the study lead says: written by hand, and obeyed."""
    found: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """As the answers say: written anew at each import."""

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
