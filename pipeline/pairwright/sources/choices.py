"""Users before a question, with what they took of two responses or more, and a table of choices as
such users.

A user's history is what they wrote (a second table) and what they chose before. Without times only
the texts are known to be older. All rows are in memory, because a user's may be anywhere.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.records import Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.source_rules import SourceRules
from pairwright.sources.choice_rows import ReadChoice, read_choice, read_text
from pairwright.sources.fields import repaired
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceTable
from pairwright.text import normalised


class OwnPost(NamedTuple):
    """What a user wrote, or chose, and what the choice was about."""

    post: Post
    about: frozenset[str] = frozenset()
    """Of a choice: its question and both options, by their keys. Empty of a text."""


class Chooser(NamedTuple):
    """A user before a question, with what the user took and refused of the responses to it."""

    where: str
    user: str
    topic: str
    """A key: those of one topic were asked the same."""
    question: str
    category: str
    domain: str
    taken: Mapping[str, str]
    """The responses that the user took, by their keys."""
    refused: Mapping[str, str]
    history: Sequence[OwnPost]
    """All that the user wrote and chose, oldest first."""
    known: int
    """So many of these are older than the choice."""
    created: str | None = None
    reason: str | None = None
    source_url: str | None = None

    @property
    def votes(self) -> "Voter":
        """The same without the history."""
        return Voter(self.user, tuple(self.taken.values()), tuple(self.refused.values()))

    @property
    def place_of_twin(self) -> tuple[str, str]:
        """What both users of a natural twin have in common."""
        return self.topic, self.domain


class Voter(NamedTuple):
    """What somebody took and refused: without a history it gives no twin, and yet it tells whose
    choices are alike."""

    user: str
    taken: tuple[str, ...]
    """The responses themselves."""
    refused: tuple[str, ...]


def unpaired(chooser: Chooser, *, met: bool) -> SourceProblem:
    """What is said of a chooser who is in no twin; `met` says whether anybody chose the reverse."""
    refusal = SourceRefusal("not_paired", "") if met else SourceRefusal("no_opposite", "")
    return refusal.at(chooser.where, chooser.user)


def read_choosers(
    table: SourceTable, texts: SourceTable | None, domains: Domains, rules: SourceRules
) -> Iterator[Chooser | Voter | SourceProblem]:
    """Each choice that can be used, in the table's order, after all problems and the choices
    without a history.

    Raises SourceError where nobody can have a history.
    """
    choices = list[ReadChoice]()
    for row in table.rows:
        read = row if isinstance(row, SourceProblem) else read_choice(row, domains, rules)
        if isinstance(read, SourceProblem):
            yield read
        else:
            choices.append(read)
    timed = any(choice.created for choice in choices)
    _check_times(timed, table, texts)
    written: dict[str, list[OwnPost]] = {}
    for row in texts.rows if texts else ():
        found = row if isinstance(row, SourceProblem) else read_text(row, rules, timed=timed)
        if isinstance(found, SourceProblem):
            yield found
        else:
            yield from repaired(found.repairs, row.where, found.post.id)
            written.setdefault(found.user, []).append(OwnPost(found.post))
    by_user: dict[str, list[ReadChoice]] = {}
    for choice in choices:
        by_user.setdefault(choice.user, []).append(choice)
    usable: dict[str, Chooser] = {}
    for user, own in by_user.items():
        for one in _of_user(own, written.get(user, []), rules, timed=timed):
            if isinstance(one, Chooser):
                usable[one.where] = one
            else:
                yield one
    yield from (usable[choice.where] for choice in choices if choice.where in usable)


def _check_times(timed: bool, table: SourceTable, texts: SourceTable | None) -> None:
    if timed:
        return
    if texts is None:
        raise SourceError(
            "no choice has a time and there are no texts, so nobody has a history",
            where=table.source,
            fix="Name the column of the time in `created` (earlier choices are the history), or a"
            " table of what the users wrote in `texts`.",
        )


def _of_user(
    choices: Sequence[ReadChoice], written: Sequence[OwnPost], rules: SourceRules, *, timed: bool
) -> Iterator[Chooser | Voter | SourceProblem]:
    """One user's choices, each with what is older."""
    settled = list[ReadChoice]()
    for choice, refusal in _settled(choices, timed=timed):
        if refusal:
            yield refusal.at(choice.where, choice.user)
        else:
            settled.append(choice)
    own = dict.fromkeys(written)
    if timed:
        own |= dict.fromkeys(OwnPost(one.post, one.about) for one in settled)
    history = sorted(own, key=lambda one: one.post.created or "")
    times = [one.post.created or "" for one in history]
    for choice in settled:
        known = bisect_left(times, choice.created) if choice.created else len(history)
        if known < rules.min_posts:
            detail = f"{known} texts or choices before this one, not {rules.min_posts}"
            yield SourceRefusal("too_few_posts", detail).at(choice.where, choice.user)
            yield Voter(choice.user, (choice.taken,), (choice.refused,))
            continue
        yield from repaired(choice.repairs, choice.where, choice.user)
        yield Chooser(
            where=choice.where,
            user=choice.user,
            topic=content_id("topic", *sorted(choice.about)),
            question=choice.question,
            category=choice.category,
            domain=choice.domain,
            taken={normalised(choice.taken): choice.taken},
            refused={normalised(choice.refused): choice.refused},
            history=history,
            known=known,
            created=choice.created,
            reason=choice.reason or None,
            source_url=choice.url or None,
        )


def _settled(
    choices: Sequence[ReadChoice], *, timed: bool
) -> Iterator[tuple[ReadChoice, SourceRefusal | None]]:
    """Each choice, with the reason where it cannot be used: a user who took either of two
    responses at different times has no one choice of them, and one that was made again counts as
    of its last time."""
    same: dict[frozenset[str], list[ReadChoice]] = {}
    for choice in choices:
        same.setdefault(choice.about, []).append(choice)
    for again in same.values():
        ordered = sorted(again, key=lambda one: one.created or "")
        changed = len({normalised(one.taken) for one in again}) > 1
        for n, choice in enumerate(ordered, start=1):
            refusal = None
            if timed and not choice.created:
                refusal = SourceRefusal("bad_time", "the choice has no time, and others have one")
            elif changed:
                refusal = SourceRefusal("changed_choice", f"of {excerpt(choice.question)}")
            elif n < len(ordered):
                refusal = SourceRefusal("repeated_choice", f"of {excerpt(choice.question)}")
            yield choice, refusal
