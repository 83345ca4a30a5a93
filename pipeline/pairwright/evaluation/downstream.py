"""The result of a `downstream` command: a table of estimates, as a record, a page and files. It is
made from a frame with a line per observation.

    frame = pd.DataFrame({"model": [...], "adherence": [...], "cluster": [...]})
    figures_of(frame, ["model"], ["adherence"])
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from pairwright.evaluation.scorers.scorer import COVERAGE, ScorerRef, reasons
from pairwright.pages import Page, render_page
from pairwright.pages.output import write_page
from pairwright.pages.plots import Plot
from pairwright.records import Record
from pairwright.stats import Estimate, cluster_numbers, mean, p_value


class Figure(Estimate):
    """An estimate in the table."""

    row: tuple[str, ...]
    column: str
    signed: bool = False
    """Whether it is a difference, which is printed with its sign."""
    chance: float | None = None
    """The mean of the figure by chance; None if it is not known."""
    p: float | None = None
    """The probability of a figure at least as great by chance."""

    def __str__(self) -> str:
        return self.text(sign=self.signed)


def figures_of(
    frame: pd.DataFrame, rows: list[str], columns: Iterable[str], *, signed: bool = False
) -> tuple[Figure, ...]:
    """The mean of each column over each group of lines by the values in `rows`, in the order of the
    frame. Its column `cluster` names what is independent; a line without a value does not count.
    Values are shares, or differences of shares if they are `signed`."""
    found = list[Figure]()
    for names, lines in frame.groupby(rows, sort=False) if len(frame) else ():
        for column in columns:
            known = lines[lines[column].notna()]
            if len(known):
                clusters = cluster_numbers(list(known.cluster))
                values = known[column].to_numpy(float)
                estimate = mean(values, clusters, least=-1 if signed else 0, most=1).model_dump()
                row = tuple(map(str, names))
                found.append(Figure(**estimate, row=row, column=column, signed=signed))
    return tuple(found)


def best_of(figures: Iterable[Figure], column: str) -> Figure | None:
    """The figure of a column that is greatest; of equal ones the first."""
    own = (one for one in figures if one.column == column)
    return max(own, key=lambda one: one.value or 0.0, default=None)


class Part(Record):
    """The number of requested lines that count, in all or in one row."""

    name: str
    asked: int
    counted: int
    unscored: dict[str, int]
    """The number of lines that do not count, by reason."""

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
    """The heads of the columns that name a row."""
    figures: tuple[Figure, ...]
    models: tuple[ScorerRef, ...] = ()
    """The models that were called: policy, judge, scorers."""
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def figure(self, column: str, *row: str) -> Figure:
        """The figure in a row and column. Raises KeyError if it does not exist."""
        return {(one.column, *one.row): one for one in self.figures}[column, *row]

    @property
    def table(self) -> list[list[str]]:
        """The figures as cells, the head first; chance, p, n and clusters are those of a row's
        first figure. Clusters are left out if each observation is one."""
        rows = dict[tuple[str, ...], dict[str, str]]()
        for one in self.figures:
            first = {"n": f"{one.n:,}", "clusters": f"{one.clusters:,}"}
            if one.chance is not None and one.p is not None:
                first = {"chance": f"{one.chance:.3f}", "p": p_value(one.p)} | first
            rows.setdefault(one.row, first)[one.column] = str(one)
        columns = list(dict.fromkeys(one.column for one in self.figures))
        if any("p" in cells for cells in rows.values()):
            columns += ["chance", "p"]
        columns.append("n")
        if any(cells["n"] != cells["clusters"] for cells in rows.values()):
            columns.append("clusters")
        table = ([*row, *(cells.get(name, "") for name in columns)] for row, cells in rows.items())
        return [[*self.heads, *columns], *table]

    def page(self, **plots: Plot) -> Page:
        """The whole report; a terminal does without plots."""
        return render_page("downstream", plots, result=self, plots=list(plots))

    def write(self, folder: Path, lines: Mapping[str, Sequence[Record]], **plots: Plot) -> None:
        """Write NAME.html, .md and .json, and files of lines. Raises StoreError."""
        write_page(folder, self.name, self.page(**plots), self, lines)
