"""Responses that people published: whether votes or time reveal the accepted one."""

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

from pairwright.answer_traits import AnswerTraits, Trait, row_traits, trait_figures
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.dataset import Row

MORE_VOTES = CheckDefinition(
    family="shortcuts",
    name="more_votes",
    title="Picks the answer with more votes",
    why="Votes are what other people think of an answer. In mode accepted the rejected answer has"
    " at least as many votes, so this is at most one half. It is far below one half where nearly"
    " every match has more votes, and then a scorer that dislikes popular answers looks personal.",
    todo="Compare each scorer with itself without the history: votes are the same in both.",
)
EARLIER = CheckDefinition(
    family="shortcuts",
    name="earlier",
    title="Picks the earlier answer",
    why="The time of an answer says nothing about a person, and texts can show it: a later answer"
    " may refer to an earlier one. Far from one half on either side, time explains the choice.",
    todo="Compare each scorer with itself without the history: times are the same in both.",
)
_BY_TRAIT: dict[Trait, CheckDefinition] = {"votes": MORE_VOTES, "time": EARLIER}
"""Length has a limit in all pairs, by the check `length`."""


class PublishedAnswers:
    """The figures of both traits, in each configuration whose rows name the source of responses."""

    definitions: ClassVar[Definitions] = tuple(_BY_TRAIT.values())

    def __init__(self) -> None:
        self._cases: dict[str, list[tuple[str, AnswerTraits, AnswerTraits]]] = defaultdict(list)

    def add(self, row: Row) -> None:
        if traits := row_traits(row):
            self._cases[row.config].append((row.user or row.cluster, *traits))

    def checks(self) -> Iterator[Check]:
        """Notes: no limit holds for people's own choices."""
        for config, cases in sorted(self._cases.items()):
            for figure in trait_figures(cases):
                if definition := _BY_TRAIT.get(figure.trait):
                    yield Check(
                        family=definition.family,
                        name=definition.name,
                        config=config,
                        status="note",
                        found=figure.share,
                        of=figure.share.n,
                        detail="A tie counts one half.",
                    )
