"""The questions of a release, each with the person who asks it and what that person expects."""

from collections.abc import Iterable
from typing import NamedTuple

from pairwright.dataset import Row
from pairwright.errors import InputError
from pairwright.evaluate.release import posts_of
from pairwright.modes import is_own_choice
from pairwright.records import Post


class PersonQuestion(NamedTuple):
    """One person's question."""

    pair: str
    """Id of the first pair about it, which identifies it."""
    item: str
    question: str
    posts: tuple[Post, ...]
    """Oldest first."""
    aspects: tuple[str, ...]
    domain: str
    cluster: str
    """The person whose question it is; one person's are not independent."""


class ReleaseQuestions:
    """All questions that the rows of a release are about, in their order."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Raises InputError for a pair whose label is the user's own choice."""
        self._by_pair: dict[str, PersonQuestion] = {}
        self._by_item: dict[str, dict[PersonQuestion, None]] = {}
        by_person: dict[tuple[str, str, tuple[str, ...]], PersonQuestion] = {}
        for row in rows:
            if is_own_choice(row.mode):
                raise InputError(
                    f"{row.id} is half of a natural twin, which has no rubric to judge outputs by",
                    where=row.config,
                    fix="Name a release of mode twin or violate.",
                )
            question = _question(row)
            # Pairs of both modes are about one question of one person, with one rubric.
            first = by_person.setdefault(
                (question.item, question.cluster, question.aspects), question
            )
            self._by_pair[row.id] = first
            if row.asked:
                self._by_item.setdefault(row.item_id, {})[first] = None

    @property
    def own(self) -> list[PersonQuestion]:
        """The questions that the person asked; not the other halves of twins."""
        return [question for questions in self._by_item.values() for question in questions]

    def find(self, id: str) -> PersonQuestion | str:
        """The question of a pair, or of an item for who asked it; or a sentence why there is
        none."""
        if questions := self._by_pair.get(id):
            return questions
        items = list(self._by_item.get(id, ()))
        if len(items) == 1:
            return items[0]
        if items:
            return f"the item {id!r} has {len(items)} rubrics: name a pair instead"
        return f"the release has no item and no pair {id!r}"


def _question(row: Row) -> PersonQuestion:
    return PersonQuestion(
        pair=row.id,
        item=row.item_id,
        question=row.question,
        posts=posts_of(row),
        aspects=tuple(aspect.aspect for aspect in row.answer_key),
        domain=row.domain,
        cluster=row.user or row.cluster,
    )
