"""The pairs that scorers are evaluated on, of a release, a run or anybody: their rows in one order,
what they say of themselves, and the table that scores are joined with.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from pairwright.errors import InputError
from pairwright.lines import read_one
from pairwright.modes import halves_of, label_of
from pairwright.pairs import TIE, Layout, ReadRow, Row, RowPost, parts_of, read_pairs
from pairwright.pairs.layout import file_digest, read_checksums, root_digest
from pairwright.pairs.read import is_release, is_run
from pairwright.pairs.row import Clusters
from pairwright.records import Follows, Post, Record, judges_of
from pairwright.sources.problems import Problems

FEW = 2_000
"""The greatest number of rows that stay in memory."""
OTHERS = PAIRS, QUESTIONS = "pairs", "questions"
"""The modes of pairs from elsewhere, and of their questions with three options or more."""
_FIX = "Get the release again, and run `pairwright check` on it."


class BenchmarkRef(Record):
    """The pairs that were scored."""

    name: str
    version: str = ""
    kind: Literal["release", "trial", "run", "file"] = "release"
    digest: str
    """The root digest of a release; of others, the hash of their texts."""

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}".strip()

    @property
    def warning(self) -> str:
        """The reason that these pairs are no benchmark; empty if they are one."""
        return {
            "trial": "A trial release, not a benchmark: do not report these figures.",
            "run": "These pairs are of a build and not of a release: unverified.",
        }.get(self.kind, "")


class PairPlace(Record):
    """A line of ids.jsonl: the id of a pair, and its place, such as `file:line`."""

    pair: str
    where: str


class _Manifest(Record, extra="ignore"):
    name: str
    version: str
    kind: Literal["release", "trial"]


class Benchmark:
    """Pairs that can be read again and again."""

    def __init__(
        self,
        path: Path | str,
        split: str | None = None,
        columns: Mapping[str, str] = {},
        labels: Mapping[str, tuple[str, ...]] = {},
    ) -> None:
        """`split` leaves out the rows of others; `columns` and `labels` say how a file is read.

        Raises InputError for what holds no pairs, and for a release whose manifest or rows are not
        those that its checksums name.
        """
        self.path, self.split, self.columns, self.labels = path, split, columns, labels
        folder = Path(path)
        released = _released(folder)
        self._source = read_pairs(path, columns, labels, command="evaluate --out DIR")
        splits, digest, problems = Counter[str](), sha256(), Problems()
        for one in self._source.read(problems):
            splits[one.split] += 1
            for text in (one.row.id, one.row.question, one.row.chosen, one.row.rejected):
                digest.update(f"{len(text)} {text}".encode("utf-8", "replace"))
        lines = [line for line in problems.lines() if not line.startswith("note: ")]
        if ties := problems.counts("noted").get(TIE):
            lines.append(f"ties: {ties:,}, which are no pairs")
        self.said = (*self._source.said, *lines)
        """Notes on how a file was read, and which of its rows are no pairs."""
        if split is not None and split not in splits:
            there = ", ".join(f"{n:,} in {name or 'none'}" for name, n in sorted(splits.items()))
            what = f"no pairs in the split {split!r}; it has {there}"
            fix = "Name one of these, or leave --split out for all pairs."
            raise InputError(what, where=path, fix=fix)
        self.ref = released or BenchmarkRef(
            name=self._source.name,
            kind="run" if self._source.kind == "run" else "file",
            digest=f"sha256:{digest.hexdigest()}",
        )

    @classmethod
    def built(cls, path: Path | str, split: str | None = None) -> "Benchmark":
        """Open a release or a run. Raises InputError for other pairs, too."""
        folder = Path(path)
        if not folder.is_dir() or not (is_release(folder) or is_run(folder)):
            what = "is not a release" if folder.exists() else "no such folder"
            fix = "Name a folder that `pairwright release` or `pairwright build` wrote."
            raise InputError(what, where=folder, fix=fix)
        return cls(folder, split)

    def place_from(self, folder: Path) -> str:
        """Write its path as it is found from a folder."""
        return os.path.relpath(Path(self.path).resolve(), folder.resolve())

    def rows(self, limit: int | None = None) -> Iterator[Row]:
        """Every row in the order of its file, of the split; of the first `limit` subjects, a twin
        or question whole or not at all."""
        within: set[str] | None = None
        if limit is not None:
            within = set(islice(dict.fromkeys(map(unit_of, self._lines())), limit))
        for one in self._lines():
            if within is None or unit_of(one) in within:
                yield one.row

    def _lines(self) -> Iterable[ReadRow]:
        return self._at_hand or self._read()

    @cached_property
    def _at_hand(self) -> tuple[ReadRow, ...]:
        """The rows in memory, if they are few: an evaluation reads them for each of its tables."""
        rows = tuple(islice(self._read(), FEW + 1))
        return rows if len(rows) <= FEW else ()

    def _read(self, *, whole: bool = False) -> Iterator[ReadRow]:
        """The rows of the split, or of all. A repeated id gets a number."""
        seen = Counter[str]()
        for one in self._source.read(Problems()):
            row = one.row
            while row.id in seen:  # `a#2` may be another row's own id.
                seen[one.row.id] += 1
                row = Row(**dict(row) | {"id": f"{one.row.id}#{seen[one.row.id]}"})
            seen[row.id] = 1
            if whole or self.split in (None, one.split):
                yield ReadRow(one.split, row, one.where, one.choice)

    def places(self) -> Iterator[PairPlace]:
        """The ids of all pairs with their places, of other splits as well, for files of scores."""
        return (PairPlace(pair=one.row.id, where=one.where) for one in self._read(whole=True))

    @cached_property
    def builders(self) -> dict[str, tuple[str, ...]]:
        """The models that wrote and judged the pairs, as these name them, by role."""
        found: dict[str, dict[str, None]] = {"generator": {}, "judge": {}}
        for row in self.rows():
            found["generator"] |= {row.generator: None} if row.generator else {}
            found["judge"] |= dict.fromkeys(judges_of(row.judge))
        return {role: tuple(names) for role, names in found.items() if names}

    @cached_property
    def keys(self) -> pd.DataFrame:
        """The table of `keys_of`, a line per pair."""
        return keys_of(self._lines())


def _released(folder: Path) -> BenchmarkRef | None:
    """Read a release's manifest; None for a folder or file that is not a release. Raises InputError
    if the manifest or rows differ from their checksums."""
    layout = Layout(folder)
    if not layout.manifest.is_file() or not (parts := parts_of(folder)):
        return None
    listed = read_checksums(folder)
    for path in (layout.manifest, *map(layout.part, parts)):
        if listed.get(layout.inside(path)) != file_digest(path):
            raise InputError("is not the file that checksums.sha256 names", where=path, fix=_FIX)
    stated = read_one(layout.manifest, _Manifest, fix=_FIX)
    return BenchmarkRef(**dict(stated), digest=root_digest(folder))


def unit_of(line: ReadRow) -> str:
    """The unit of a pair: its question with three options or more, its twin, or the pair itself."""
    asked = line.choice
    return asked.question if asked and asked.options > 2 else line.row.subject


def keys_of(lines: Iterable[ReadRow]) -> pd.DataFrame:
    """Columns for figures, a line per pair: `pair, mode, label, halves, unit, cluster, domain,
    follows, chance`. `unit_of` gives the unit, with `halves` pairs; `follows` is the result of
    `hardest` for the unit's aspects."""
    found, clusters = [], Clusters()
    for line in lines:
        row, choice, unit = line.row, line.choice, unit_of(line)
        clusters.add(row)
        mode, halves, chance = row.mode or PAIRS, halves_of(row.mode), 0.5
        if choice and choice.question == unit:
            mode, chance = QUESTIONS, choice.chance
            halves = choice.rights * (choice.options - choice.rights)
        kinds = tuple(aspect.follows or "" for aspect in row.answer_key) or ("",)
        key = row.id, mode, label_of(row.mode), halves, unit, row.cluster, row.domain, kinds, chance
        found.append(key)
    columns = "pair mode label halves unit cluster domain follows chance".split()
    frame = pd.DataFrame(found, columns=columns)
    frame["cluster"] = frame.cluster.map(clusters.name)
    follows = frame.groupby("unit", sort=False).follows.sum().map(hardest)
    frame["follows"] = frame.unit.map(follows)
    return frame


def hardest(kinds: Sequence[str]) -> str:
    """The kind that is hardest to find; empty without kinds, or if one of them is unknown."""
    if "" in kinds:
        return ""
    return next((kind for kind in reversed(get_args(Follows)) if kind in kinds), "")


def build_mark(model: str, builders: Mapping[str, Iterable[str]]) -> str:
    """The mark of a scorer whose model wrote or judged the pairs: a model prefers what it wrote or
    accepted itself. Empty for any other. A model is known by its name alone, without its folder or
    organisation: "org/Model" may be served as "model"."""

    def bare(name: str) -> str:
        return re.split(r"[/\\]", name.rstrip("/\\"))[-1].casefold()

    same = [role for role, models in builders.items() if bare(model) in map(bare, models)]
    return f"the build's {' and '.join(sorted(same))}" if same and model else ""


def posts_of(row: Row) -> tuple[Post, ...]:
    """The profile as retrieval takes it, oldest first."""
    return tuple(map(_post, row.profile))


# A user's posts come back with every pair of theirs.
@lru_cache(maxsize=4096)
def _post(post: RowPost) -> Post:
    return Post(**post.model_dump(exclude={"licence"}))
