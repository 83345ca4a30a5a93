"""Words of the rubric, verbatim in a response."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from pairwright import text
from pairwright.audit.found import OTHERS, TEXT, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row

RUN = 5
"""Words in a row that are taken to be copied, as in the build's gate."""


class RubricLeak:
    """`rubric_leak`: five words of an aspect, its evidence or the narrative that the question does
    not hold. The build's gate refuses any, so a release has none."""

    def __init__(self) -> None:
        self._found = Found(
            "leakage", "rubric_leak", limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has aspects or a narrative",
        )  # fmt: skip
        self._sides: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Row) -> None:
        sources = [part for of in row.rubric_aspects for part in (of.aspect, of.evidence) if part]
        sources += [row.narrative] if row.narrative else []
        if not sources:
            return
        sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
        near = list(_near([source[:TEXT] for source in sources], sides.values()))
        leaks = {
            side: run
            for side, response in sides.items()
            if near and (run := text.shared_span(response, near, row.question[:TEXT], RUN))
        }
        self._sides[row.config].update(leaks.keys())
        self._found.add(row, "; ".join(f'{side}: "{run}"' for side, run in leaks.items()))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks(
            {
                config: f"in the chosen side of {of['chosen']:,}, in the rejected of "
                f"{of['rejected']:,}"
                for config, of in self._sides.items()
            }
        )


def _near(sources: Iterable[str], responses: Iterable[str]) -> Iterator[str]:
    """Those that have as many words in a row which the responses hold anywhere: few have, and that
    is quick to see."""
    known = frozenset().union(*map(text.words, responses)).__contains__
    for source in sources:
        if _IN_A_ROW in bytes(map(known, text.words(source))):
            yield source


_IN_A_ROW = b"\1" * RUN
