"""A source as tests read it: its items and its problems."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.records import Item
from pairwright.settings.domains import Domain, Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import Problems, SourceProblem, read

HOME = Domain(
    key="Home", name="Home", subcategories=("cooking", "movies", "coffee"), kinds=("tools",)
)
DOMAINS = Domains([HOME], Path("rubrics"))


class Result(NamedTuple):
    items: list[Item]
    problems: list[SourceProblem]

    @property
    def item(self) -> Item:
        (item,) = self.items
        return item

    @property
    def problem(self) -> SourceProblem:
        (problem,) = self.problems
        return problem

    def refused(self) -> list[tuple[str, str, str | None]]:
        return [(p.reason, p.where, p.id) for p in self.problems if p.action == "refused"]

    def reasons(self, action: str) -> Counter[str]:
        return Counter(p.reason for p in self.problems if p.action == action)


def result(folder: Path, name: str, **rules: Any) -> Result:
    said = list[SourceProblem]()
    items = list(read(SourceRules(path=name, **rules), DOMAINS, folder, Problems(said.append)))
    return Result(items, said)
