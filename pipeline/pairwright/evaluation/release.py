"""The release that scorers are held to: its rows, in one order, what it says of itself, and the
models that built it.

A judge prefers what it wrote or accepted itself, so a scorer has a mark wherever it is shown if it
is one of these models or of the family of one. A model is known by its name alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pairwright.build_statement import BuildSummary
from pairwright.errors import InputError, first_invalid
from pairwright.files import holds_run
from pairwright.pairs import Layout, Row, RowPost, parts_of, read_rows
from pairwright.pairs.layout import file_digest, read_checksums, root_digest
from pairwright.pairs.parquet import count_rows
from pairwright.records import Post, Record, judges_of

BuildRole = Literal["planner", "generator", "judge"]
SMALL = 8_000_000
"""Characters of all rows of a release that stays in memory, where it takes a few times as much."""
_FIX = "Get the release again, and run `pairwright verify` on it."


class BuildModel(Record):
    """A model that had a part in building a release."""

    role: BuildRole
    model: str


def bare_name(model: str) -> str:
    """A model's name without its folder or organisation, in lower case.

    A release names a model that was read from a folder by its last part, and "org/Model" may be
    served as "model".
    """
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].casefold()


def build_mark(models: Iterable[str], builders: Sequence[BuildModel]) -> str:
    """The mark beside a scorer whose model built the release, or whose name has the word with which
    the name of such a model begins; empty where it has nothing to do with the build."""
    names = [bare_name(model) for model in models if model]
    words = {word for name in names for word in re.findall(r"[a-z]{3,}", name)}
    same = {one.role for one in builders if bare_name(one.model) in names}
    kin = {one.role for one in builders if set(_series(one.model)) & words} - same
    parts = (("the build's", sorted(same)), ("family of the build's", sorted(kin)))
    return ", ".join(f"{what} {' and '.join(roles)}" for what, roles in parts if roles)


def _series(model: str) -> list[str]:
    """The word with which a model's name begins, such as `qwen`; a maker's before it counts not."""
    return re.findall(r"[a-z]{3,}", re.sub(r"^meta-", "", bare_name(model)))[:1]


class ReleaseRef(Record):
    """The release that was evaluated."""

    name: str
    version: str
    digest: str
    """Its root digest."""
    trial: bool = False
    """Whether it says itself that it is not a benchmark."""
    pairs: int
    builders: tuple[BuildModel, ...] = ()
    """The models that built it."""


class _Manifest(Record, extra="ignore"):
    name: str
    version: str
    kind: str
    build: BuildSummary = BuildSummary()


class Release:
    """A release folder."""

    def __init__(self, folder: Path, split: str | None = None) -> None:
        """`split` leaves out the rows of others.

        Raises InputError where it is not a release, or its manifest or a file of rows is not the
        one that its checksums name.
        """
        self.folder, self.split = folder, split
        layout = Layout(folder)
        problem, fix = "", "Name a folder that `pairwright release` wrote."
        if not folder.is_dir():
            problem = "is a file, not a folder" if folder.exists() else "no such folder"
        elif holds_run(folder):
            problem = "is a run folder, not a release"
            fix = "Make a release of it with `pairwright release`, and name that."
        elif not layout.manifest.is_file():
            problem = "is not a release: it has no manifest.json"
        if problem:
            raise InputError(problem, where=folder, fix=fix)
        self._manifest = _manifest(layout.manifest)
        self._listed = read_checksums(folder)
        self._check_file(layout.manifest)
        self._parts = [part for part in parts_of(folder) if split in (None, part.split)]
        if not parts_of(folder):
            raise InputError("no rows", where=folder, fix=_FIX)
        if not self._parts:
            raise InputError(
                f"no pairs in the split {split!r}; it has {pairs_by_split(folder)}",
                where=folder,
                fix="Name one of these. Where --split can be left out, all pairs are taken then.",
            )
        for part in self._parts:
            self._check_file(layout.part(part))
        self.ref = self._read()

    def _read(self) -> ReleaseRef:
        pairs, builders = 0, dict.fromkeys(self._builders())
        for row in self.rows():
            pairs += 1
            # A pair names its own: more than one build may have made a release's pairs.
            if row.generator:
                builders[BuildModel(role="generator", model=row.generator)] = None
            for judge in judges_of(row.judge):
                builders[BuildModel(role="judge", model=judge)] = None
        return ReleaseRef(
            name=self._manifest.name,
            version=self._manifest.version,
            digest=root_digest(self.folder),
            trial=self._manifest.kind == "trial",
            pairs=pairs,
            builders=tuple(builders),
        )

    @property
    def study_posts(self) -> int | None:
        """How many posts of a history people saw in the study, the best ranked by BM25: as many as
        the build's planner at most. None where nobody was asked, or the release does not say."""
        has_study = Layout(self.folder).study.is_file()
        return self._manifest.build.planner_posts if has_study else None

    def rows(self, limit: int | None = None) -> Iterator[Row]:
        """Every row, by configuration and split, in the order of their files; of the first `limit`
        subjects, a twin whole or not at all."""
        within: set[str] | None = None
        if limit is not None:
            subjects = dict.fromkeys(row.subject for row in self.rows())
            within = set(islice(subjects, limit))
        for row in self._at_hand or self._from_files():
            if within is None or row.subject in within:
                yield row

    @cached_property
    def _at_hand(self) -> tuple[Row, ...]:
        """The rows of a small release, which an evaluation goes through for each of its results;
        none of another."""
        kept, size = list[Row](), 0
        for row in self._from_files():
            kept.append(row)
            size += len(row.model_dump_json())
            if size > SMALL:
                return ()
        return tuple(kept)

    def _from_files(self) -> Iterator[Row]:
        for part in self._parts:
            yield from read_rows(Layout(self.folder).part(part))

    def _builders(self) -> Iterator[BuildModel]:
        """The models of the build's roles, as the manifest names them."""
        build, roles = self._manifest.build, self._manifest.build.roles
        if roles is None:
            return
        named: tuple[tuple[BuildRole, str], ...] = (
            ("planner", roles.planner),
            *(("generator", name) for name in roles.generator),
            *(("judge", name) for name in roles.judge),
        )
        for role, name in named:
            if name in build.endpoints and build.endpoints[name].model:
                yield BuildModel(role=role, model=build.endpoints[name].model)

    def _check_file(self, path: Path) -> None:
        if self._listed.get(path.relative_to(self.folder).as_posix()) != file_digest(path):
            raise InputError("is not the file that checksums.sha256 names", where=path, fix=_FIX)


def posts_of(row: Row) -> tuple[Post, ...]:
    """The profile as retrieval takes it, oldest first."""
    return tuple(map(_post, row.profile))


# A user's posts come back with every pair of theirs.
@lru_cache(maxsize=4096)
def _post(post: RowPost) -> Post:
    return Post(**post.model_dump(exclude={"licence"}))


def _manifest(path: Path) -> _Manifest:
    try:
        return _Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        at, fault = first_invalid(error)
        raise InputError(
            f"not a release's manifest: {fault}",
            where=f"{path} [{at}]" if at else path,
            fix="Name a folder that `pairwright release` wrote, not a run's or another's.",
        ) from None


def pairs_by_split(folder: Path) -> str:
    """The splits of a release with how many pairs each has: `120 in test, 30 in validation`."""
    pairs: Counter[str] = Counter()
    for part in parts_of(folder):
        pairs[part.split] += count_rows(Layout(folder).part(part))
    return ", ".join(f"{n:,} in {split}" for split, n in sorted(pairs.items()))
