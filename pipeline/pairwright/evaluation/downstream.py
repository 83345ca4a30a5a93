"""What a command of `downstream` finds: a table of estimates, made of a frame with a line for each
observation, as a record, a page and files.

    frame = pd.DataFrame({"model": [...], "adherence": [...], "cluster": [...]})
    figures_of(frame, ["model"], {"adherence": mean_share})
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from pairwright.evaluation.scorers.scorer import COVERAGE, ScorerRef, reasons
from pairwright.pages import Page, render_page
from pairwright.pages.output import write_page
from pairwright.pages.plots import Plot
from pairwright.records import Record
from pairwright.stats import Estimate, Floats, Places, cluster_numbers, mean, mean_points

Statistic = Callable[[Floats, Places], Estimate]


def mean_share(values: Floats, clusters: Places) -> Estimate:
    """The mean of values from 0 to 1 with Student's interval by cluster; if no value differs,
    Wilson's at the effective number of values."""
    estimate = mean(values, clusters, least=0, most=1)
    differ = estimate.low is None or estimate.low != estimate.high
    return estimate if differ else mean_points(values, clusters)


def difference(values: Floats, clusters: Places) -> Estimate:
    """The mean of differences of shares with Student's interval by cluster."""
    return mean(values, clusters, least=-1, most=1)


class Figure(Estimate):
    """An estimate in the table."""

    row: tuple[str, ...]
    column: str
    signed: bool = False
    """Whether it is a difference, which is printed with its sign."""

    def __str__(self) -> str:
        return self.text(sign=self.signed)


def figures_of(
    frame: pd.DataFrame, rows: list[str], columns: Mapping[str, Statistic]
) -> tuple[Figure, ...]:
    """The statistics of each group of lines by the values in `rows`, in the order of the frame,
    whose column `cluster` names what is independent."""
    found = list[Figure]()
    for names, lines in frame.groupby(rows, sort=False) if len(frame) else ():
        clusters, row = cluster_numbers(list(lines.cluster)), tuple(map(str, names))
        for column, statistic in columns.items():
            estimate = statistic(lines[column].to_numpy(float), clusters).model_dump()
            signed = statistic is difference
            found.append(Figure(**estimate, row=row, column=column, signed=signed))
    return tuple(found)


class Part(Record):
    """How much of what was asked counts, in all or of one row."""

    name: str
    asked: int
    counted: int
    unscored: dict[str, int]
    """What does not count, by reason."""

    @property
    def short(self) -> bool:
        return self.counted < COVERAGE * self.asked or not self.asked

    @property
    def said(self) -> str:
        why = ", ".join(f"{n:,} {reason}" for reason, n in self.unscored.items())
        return f"{self.name}: {self.counted:,} of {self.asked:,} count{why and f' ({why})'}"


def part_of(name: str, asked: int, unscored: Iterable[str]) -> Part:
    """The share of lines that count: those without a reason."""
    why = reasons(unscored)
    return Part(name=name, asked=asked, counted=asked - sum(why.values()), unscored=why)


class Downstream(Record):
    """The result of a command of `downstream`."""

    name: str
    """The name of its files."""
    title: str
    verdict: str
    heads: tuple[str, ...]
    """The heads of what names a row."""
    figures: tuple[Figure, ...]
    models: tuple[ScorerRef, ...] = ()
    """What was asked: policy, judge, scorers."""
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def figure(self, column: str, *row: str) -> Figure:
        """The figure in a row and column. Raises KeyError if there is none."""
        return {(one.column, *one.row): one for one in self.figures}[column, *row]

    @property
    def table(self) -> list[list[str]]:
        """The figures as cells, the head first; n and clusters are those of a row's first."""
        columns = list(dict.fromkeys(one.column for one in self.figures))
        cells = [[*self.heads, *columns, "n", "clusters"]]
        for row in dict.fromkeys(one.row for one in self.figures):
            own = {one.column: one for one in self.figures if one.row == row}
            first, values = next(iter(own.values())), [own.get(column, "") for column in columns]
            cells.append([*row, *map(str, values), f"{first.n:,}", f"{first.clusters:,}"])
        return cells

    def page(self, plots: Mapping[str, Plot] | None = None) -> Page:
        """The whole report; a terminal does without plots."""
        return render_page("downstream", plots, result=self, plots=list(plots or ()))

    def write(
        self, folder: Path, lines: Mapping[str, Sequence[Record]], plots: Mapping[str, Plot]
    ) -> None:
        """Write NAME.html, .md and .json, and files of lines. Raises StoreError."""
        write_page(folder, self.name, self.page(plots), self, lines)
