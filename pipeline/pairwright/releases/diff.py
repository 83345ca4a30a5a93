"""Differences between two releases, twin by twin and pair by pair."""

from array import array
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Argument

from pairwright.pairs import Row, open_release
from pairwright.progress import Progress, Step, log_notes
from pairwright.releases.contents import Contents, Stated, read_contents, release_at
from pairwright.releases.rows import left_out
from pairwright.sources.problems import Problems

GONE = "forgotten, or no longer in the source"
"""Reason without a name: a release does not say who is to be forgotten."""
_FIELDS = ("split", *Row.model_fields)


class SubjectChange(NamedTuple):
    """A twin or pair that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    """Of a changed one, the fields that differ."""
    pairs: tuple[str, ...]


class ReleaseDiff(NamedTuple):
    """The differences between two releases."""

    before: Stated
    after: Stated
    changes: tuple[SubjectChange, ...]
    """Every twin and pair that was added, removed or changed, and why."""

    @property
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Pairs by configuration, change and reason."""
        counts = Counter[tuple[str, str, str]]()
        for one in self.changes:
            counts[one.config, one.what, one.reason] += len(one.pairs)
        return dict(sorted(counts.items()))


def diff(
    before: Annotated[Path | str, Argument(help="The folder of a release.", metavar="A")],
    after: Annotated[Path | str, Argument(help="The folder of a later release.", metavar="B")],
    *,
    progress: Progress = log_notes,
) -> ReleaseDiff:
    """Compare two releases: pairs added, removed or changed, and why.

    The sides of a twin are added, removed and changed together; of changed ones the columns that
    differ are named. No release names who asked to be forgotten.

    Raises InputError if a folder is not a release, or its rows cannot be read.

        >>> diff("1.0.0", "1.1.0").counts
        {('Home-twin', 'added', 'new'): 24, ('Home-twin', 'removed', 'refused'): 2}

    Examples::

        pairwright diff releases/1.0.0 releases/1.1.0
    """
    old, new = (read_contents(release_at(Path(one))) for one in (before, after))
    progress(Step("reading rows"))
    earlier, later = _hashes(Path(before)), _hashes(Path(after))
    removed, added = _reasons(old, new)
    changes = list[SubjectChange]()
    for name, (config, pairs) in earlier.items():
        if name not in later:
            why = removed.get(name, GONE)
            changes.append(SubjectChange(name, config, "removed", why, tuple(pairs)))
        elif why := ", ".join(_differing(pairs, later[name][1])):
            changes.append(SubjectChange(name, config, "changed", why, tuple(pairs)))
    changes += (
        SubjectChange(name, config, "added", added.get(name, "new"), tuple(pairs))
        for name, (config, pairs) in later.items()
        if name not in earlier
    )
    return ReleaseDiff(old.stated, new.stated, tuple(changes))


Hashes = dict[str, tuple[str, dict[str, "array[int]"]]]
"""Configuration by twin or pair, with a hash of each field by pair, valid in this process."""


def _hashes(root: Path) -> Hashes:
    held: Hashes = {}
    for split, row, *_ in open_release(root).read(Problems()):
        values = split, *(getattr(row, name) for name in Row.model_fields)
        hashes = array("q", map(hash, values))
        held.setdefault(row.subject, (row.config, {}))[1][row.id] = hashes
    return held


def _reasons(old: Contents, new: Contents) -> tuple[dict[str, str], dict[str, str]]:
    """Reasons why the later release lacks what the earlier one may have: people's decision, or what
    the build made of the unit. Also the earlier one's decisions on what the later one may add.
    """
    removed = left_out(new)
    now_by_unit = {unit.unit: unit for unit in new.units}
    for unit in old.units:
        now = now_by_unit.get(unit.unit)
        if unit.subject and now and unit.subject not in removed:
            told = filter(None, (now.outcome, now.stage, now.reason))
            removed[unit.subject] = "built anew" if now.outcome == "kept" else ": ".join(told)
    return removed, {name: f"was {one.state}" for name, one in old.decisions.items()}


def _differing(old: dict[str, "array[int]"], new: dict[str, "array[int]"]) -> list[str]:
    """The fields that differ, in the order of a row; a pair that only one release has differs
    nowhere: its twin is another."""
    both = [(hashes, new[pair]) for pair, hashes in old.items() if pair in new]
    return [name for n, name in enumerate(_FIELDS) if any(a[n] != b[n] for a, b in both)]
