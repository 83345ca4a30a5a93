"""What the user who asked accepted, beside the other answers to the same question.

An accepted answer is a person's own choice. It also tends to have more votes, to be longer and to
be earlier, and none of that is personal. So it is held against a match: an answer with as many
votes or more, and of about the same length.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.records import AnswerChoice, GivenAnswer, Item, PublishedAnswer, Record
from pairwright.settings.rules import SourceRules
from pairwright.sources import problems
from pairwright.sources.fields import clean_text
from pairwright.sources.markup import post_text
from pairwright.sources.problems import SourceProblem, SourceRefusal
from pairwright.sources.stackexchange.files import locate_dump
from pairwright.sources.stackexchange.store import DumpStore
from pairwright.text import near_duplicate, word_count

LENGTH_RATIO = 1.5
"""The longer text of a match has at most so many times the words of the shorter one."""
NONE_ACCEPTED = "none_accepted"
OWN_ANSWER = "own_answer"
NO_OTHER = "no_other_answer"
NO_TEXT = "no_text"
NO_MATCH = "no_match"
REASONS = {
    reason: problems.REASONS[reason]
    for reason in (NONE_ACCEPTED, OWN_ANSWER, NO_OTHER, NO_TEXT, NO_MATCH)
}
"""Why an item has no accepted answer to compare."""


class AcceptedAnswer(Record):
    """An item's accepted answer, and the others to the same question."""

    item: Item
    accepted: PublishedAnswer
    others: tuple[PublishedAnswer, ...]
    """At least one, oldest first. None is by the user who asked."""

    @property
    def best(self) -> PublishedAnswer:
        """The other answer with most votes; the oldest of several."""
        return max(self.others, key=lambda answer: answer.score)

    @property
    def match(self) -> PublishedAnswer | None:
        """The other answer that votes and length do not tell apart: of those with as many votes or
        more, the one nearest in length; None where no length is within `LENGTH_RATIO`."""
        own = word_count(self.accepted.text)
        near = [
            (abs(words - own), place, answer)
            for place, answer in enumerate(self.others)
            if (words := word_count(answer.text))
            and answer.score >= self.accepted.score
            and max(own, words) <= LENGTH_RATIO * min(own, words)
            and not near_duplicate(self.accepted.text, answer.text)
        ]
        return min(near)[2] if near else None


class NoAcceptedAnswer(Record):
    """An item that has no accepted answer to compare, and why."""

    item: Item
    reason: str
    """A key of `REASONS`."""


def read_accepted(
    rules: SourceRules, folder: Path, items: Iterable[Item]
) -> Iterator[AcceptedAnswer | NoAcceptedAnswer]:
    """The accepted answers of items that were read from the dump that the rules name.

    A relative path of the rules starts in `folder`. Raises SourceError where the dump cannot be
    read.
    """
    with DumpStore(locate_dump(rules, folder)) as store:
        for item in items:
            yield _accepted(item, store, rules.max_post_chars)


def accepted_items(
    rules: SourceRules, folder: Path, rows: Iterable[Item | SourceProblem]
) -> Iterator[Item | SourceProblem]:
    """The same rows, each item with its accepted answer and the match.

    An item that has none is a problem: its reason is a key of `REASONS`. Raises SourceError where
    the dump cannot be read.
    """
    with DumpStore(locate_dump(rules, folder)) as store:
        for row in rows:
            if isinstance(row, SourceProblem):
                yield row
                continue
            found = _accepted(row, store, rules.max_post_chars)
            if isinstance(found, AcceptedAnswer) and found.match:
                choice = AnswerChoice(accepted=found.accepted, match=found.match)
                yield row.model_copy(update={"accepted": choice})
            else:
                reason = NO_MATCH if isinstance(found, AcceptedAnswer) else found.reason
                yield SourceRefusal(reason, REASONS[reason]).at(row.source_url or row.id, row.id)


def _accepted(item: Item, store: DumpStore, longest: int) -> AcceptedAnswer | NoAcceptedAnswer:
    chosen = next((answer for answer in item.answers if answer.accepted), None)
    if chosen is None:
        return NoAcceptedAnswer(item=item, reason=NONE_ACCEPTED)
    if chosen.user == item.user:
        return NoAcceptedAnswer(item=item, reason=OWN_ANSWER)
    accepted = _with_text(chosen, store, longest)
    if not accepted.text:
        return NoAcceptedAnswer(item=item, reason=NO_TEXT)
    others = (
        _with_text(answer, store, longest)
        for answer in item.answers
        if not answer.accepted and answer.user != item.user
    )
    readable = tuple(answer for answer in others if answer.text)
    if not readable:
        return NoAcceptedAnswer(item=item, reason=NO_OTHER)
    return AcceptedAnswer(item=item, accepted=accepted, others=readable)


def _with_text(answer: GivenAnswer, store: DumpStore, longest: int) -> PublishedAnswer:
    text = post_text(store.answer_body(answer)).text
    return PublishedAnswer(
        source_url=answer.source_url,
        user=answer.user,
        created=answer.created,
        score=answer.score,
        text=clean_text(text, "body", {}, longest),
    )
