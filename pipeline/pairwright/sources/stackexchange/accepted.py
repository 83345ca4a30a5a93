"""What the user who asked accepted, beside the other answers to the same question.

An accepted answer is a person's own choice. It also tends to have more votes, to be longer and to
be earlier, and none of that is personal. So it is held against a match: an answer with as many
votes or more, and of about the same length.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pairwright.records import AnswerChoice, GivenAnswer, Item, PublishedAnswer
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import clean_text
from pairwright.sources.markup import post_text
from pairwright.sources.problems import REASONS, SourceProblem, SourceRefusal
from pairwright.sources.stackexchange.files import locate_dump
from pairwright.sources.stackexchange.store import DumpStore
from pairwright.text import near_duplicate, word_count

LENGTH_RATIO = 1.5
"""The longer text of a match has at most so many times the words of the shorter one."""


def accepted_items(
    rules: SourceRules, folder: Path, rows: Iterable[Item | SourceProblem]
) -> Iterator[Item | SourceProblem]:
    """The same rows, each item with its accepted answer and the match; an item that has none is a
    problem. Raises SourceError where the dump cannot be read."""
    with DumpStore(locate_dump(rules, folder)) as store:
        for row in rows:
            if isinstance(row, SourceProblem):
                yield row
                continue
            try:
                choice = _choice(row, store, rules.max_post_chars)
            except SourceRefusal as refusal:
                yield refusal.at(row.source_url or row.id, row.id)
            else:
                yield row.model_copy(update={"accepted": choice})


def _choice(item: Item, store: DumpStore, longest: int) -> AnswerChoice:
    """Raises SourceRefusal for an item that has no accepted answer to compare."""
    chosen = next((answer for answer in item.answers if answer.accepted), None)
    if chosen is None:
        raise _refusal("none_accepted")
    if chosen.user == item.user:
        raise _refusal("own_answer")
    accepted = _with_text(chosen, store, longest)
    if not accepted.text:
        raise _refusal("no_text")
    others = [
        _with_text(answer, store, longest)
        for answer in item.answers
        if not answer.accepted and answer.user != item.user
    ]
    readable = [answer for answer in others if answer.text]
    if not readable:
        raise _refusal("no_other_answer")
    match = _match(accepted, readable)
    if match is None:
        raise _refusal("no_match")
    return AnswerChoice(accepted=accepted, match=match)


def _refusal(reason: str) -> SourceRefusal:
    return SourceRefusal(reason, REASONS[reason])


def _match(accepted: PublishedAnswer, others: Sequence[PublishedAnswer]) -> PublishedAnswer | None:
    """The other answer that votes and length do not tell apart: of those with as many votes or
    more, the one nearest in length, the oldest of several; None where no length is within
    `LENGTH_RATIO`. `others` is oldest first."""
    own = word_count(accepted.text)
    near = [
        (abs(words - own), place, answer)
        for place, answer in enumerate(others)
        if (words := word_count(answer.text))
        and answer.score >= accepted.score
        and max(own, words) <= LENGTH_RATIO * min(own, words)
        and not near_duplicate(accepted.text, answer.text)
    ]
    return min(near)[2] if near else None


def _with_text(answer: GivenAnswer, store: DumpStore, longest: int) -> PublishedAnswer:
    text, _, _ = post_text(store.answer_body(answer))
    return PublishedAnswer(
        source_url=answer.source_url,
        user=answer.user,
        created=answer.created,
        score=answer.score,
        text=clean_text(text, "body", {}, longest),
    )
