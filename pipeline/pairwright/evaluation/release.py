"""The release that scorers are held to: its rows, in one order, what it says of itself, and the
models that built it.

A judge prefers what it wrote or accepted itself, so a scorer is marked wherever it is shown, and
set apart from every ranking, if it is one of these models or of the family of one. A model is known
by its name alone: it is the same where the last part of the name is the same, and of one family
where the two names share a word of an organisation or a series, such as `llama` in `Meta-Llama-3`
and `Skywork-Reward-Llama-3.1`. A name without such a word tells no family.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from pairwright.blind_preference import PreferenceFigure, preference_case, preference_figures
from pairwright.build_statement import BuildSummary
from pairwright.dataset import Layout, Row, RowPost, parts_of, read_rows
from pairwright.dataset.layout import file_digest, read_checksums, root_digest
from pairwright.dataset.parquet import count_rows
from pairwright.errors import InputError, first_invalid
from pairwright.estimate import Estimate
from pairwright.files import holds_run
from pairwright.intervals import accuracy_by_cluster
from pairwright.records import Cluster, Post, Record, judges_of
from pairwright.text import visible

BuildRole = Literal["planner", "generator", "judge"]
SMALL = 8_000_000
"""Characters of all rows of a release that stays in memory, where it takes a few times as much."""
_COMMON = frozenset(
    "awq base chat chosen class classifier code coder critic distill distilled dpo embedding"
    " english exp experimental flash generator gguf gptq grm instruct instruction int judge"
    " large latest lite local lora max mini model models multilingual nano open orm planner plus"
    " ppo preference preview prm pro rater reasoner reasoning rejected reward rewards rlhf"
    " scorer scores sentence sft simulated small test text thebloke think thinking tiny toy"
    " transformer transformers turbo ultra unsloth vision writer".split()
)
"""Words of models' names that say nothing of a family, and those who publish others' models."""
_FOLDERS = frozenset(
    "adapter adapters archive artifact artifacts best cache checkpoint checkpoints ckpt ckpts data"
    " dir downloads epoch experiment experiments final finetune finetuned folder full global home"
    " log logs merged mnt out output outputs path policies policy project projects reproduction"
    " result results root run runs save saved saves scratch seed shared snapshot snapshots step"
    " steps storage tmp train trained trainer training tune tuned user users version weight"
    " weights work workspace".split()
)
"""Words of folders that training writes: `runs/checkpoint-500` has the form of a name of the Hub,
and names no organisation."""
_WORD = re.compile(r"[a-z]{3,}|(?<![a-z])yi(?![a-z])")
"""A word that may name a family. Yi is one of two letters."""


class BuildModel(Record):
    """A model that had a part in building a release."""

    role: BuildRole
    model: str


class BuildTie(BuildModel):
    """What a scorer has to do with a model that built the release."""

    word: str
    """The word of both names, where only the family is the same; empty where the model is."""


def bare_name(model: str) -> str:
    """A model's name without its folder or organisation, in lower case.

    A release names a model that was read from a folder by its last part, and "org/Model" may be
    served as "model".
    """
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].casefold()


def build_ties(models: Iterable[str], builders: Sequence[BuildModel]) -> tuple[BuildTie, ...]:
    """What a scorer's models have to do with those that built the release, one for each role and
    model of these."""
    own = [model for model in models if model]
    ties: dict[tuple[BuildRole, str], BuildTie] = {}
    for builder in builders:
        same = any(bare_name(model) == bare_name(builder.model) for model in own)
        shared = sorted(_words(builder.model) & {word for model in own for word in _words(model)})
        if same or shared:
            tie = BuildTie(**builder.model_dump(), word="" if same else shared[0])
            ties[builder.role, builder.model] = tie
    return tuple(ties.values())


def tie_mark(ties: Sequence[BuildTie]) -> str:
    """The mark beside a scorer's name; empty where it has nothing to do with the build."""
    same = dict.fromkeys(tie.role for tie in ties if not tie.word)
    family = [role for role in dict.fromkeys(tie.role for tie in ties) if role not in same]
    parts = (("the build's", [*same]), ("family of the build's", family))
    return ", ".join(f"{what} {' and '.join(roles)}" for what, roles in parts if roles)


def tie_sentence(name: str, ties: Sequence[BuildTie]) -> str:
    """What a reader must know of a scorer that has something to do with the build."""
    reasons = ", ".join(
        f"the {tie.role} was {visible(tie.model)}"
        + (f", with “{tie.word}” in both names" if tie.word else "")
        for tie in ties
    )
    return (
        f"Self-preference: {name} is {tie_mark(ties)} ({reasons}). A model prefers what it wrote or"
        " accepted itself, so a leaderboard sets it apart."
    )


def families_by_name(models: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names that share a word which may name a family, by word; each of two names or more."""
    named: dict[str, list[str]] = {}
    for model in models:
        for word in sorted(_words(model)):
            named.setdefault(word, []).append(model)
    return {word: tuple(names) for word, names in named.items() if len(names) > 1}


def tells_family(model: str) -> bool:
    """Whether a model's name has a word that may name a family."""
    return bool(_words(model))


def _words(model: str) -> frozenset[str]:
    """The words of a name that may name a family, with those of an organisation before it."""
    path = model.strip().rstrip("/\\")
    of_hub = re.fullmatch(r"[\w-]+/[\w.-]+", path)
    name = path.casefold() if of_hub else bare_name(path)
    return frozenset(_WORD.findall(name)) - _COMMON - _FOLDERS


SOURCES = 30
"""The most sources that have figures of their own: those with the most pairs."""
_FIX = "Get the release again, and run `pairwright verify` on it."


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
    neighbours: Estimate | None = None
    """Of natural twins: how often those who choose like the user lean more to the chosen response.
    None of other releases."""
    neighbours_by_source: dict[str, Estimate] = Field(default={})
    """The same of each source, those with the most pairs."""

    preferences: tuple[PreferenceFigure, ...] = ()
    """Of judged pairs, by mode: which response a judge that knows nobody prefers."""


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
        pairs, builders, points = 0, dict.fromkeys(self._builders()), list[tuple[Cluster, float]]()
        by_source: dict[str, list[tuple[Cluster, float]]] = {}
        cases = []
        for row in self.rows():
            pairs += 1
            if row.neighbours:
                points.append((row.clusters, row.neighbours.point))
                by_source.setdefault(row.source, []).append(points[-1])
            if case := preference_case(row):
                cases.append(case)
            # A pair names its own: more than one build may have made a release's pairs.
            if row.generator:
                builders[BuildModel(role="generator", model=row.generator)] = None
            for judge in judges_of(row.judge):
                builders[BuildModel(role="judge", model=judge)] = None
        largest = sorted(by_source.items(), key=lambda item: (-len(item[1]), item[0]))[:SOURCES]
        return ReleaseRef(
            name=self._manifest.name,
            version=self._manifest.version,
            digest=root_digest(self.folder),
            trial=self._manifest.kind == "trial",
            pairs=pairs,
            builders=tuple(builders),
            neighbours=accuracy_by_cluster(points),
            neighbours_by_source={
                name: found for name, some in largest if (found := accuracy_by_cluster(some))
            },
            preferences=preference_figures(cases),
        )

    @property
    def planner(self) -> tuple[str, str]:
        """The model that inferred its aspects and the hash of its prompt; empty where the manifest
        does not say."""
        build = self._manifest.build
        endpoint = build.endpoints.get(build.roles.planner) if build.roles else None
        return endpoint.model if endpoint else "", build.prompts.get("plan", "")

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
            *(("judge", name) for name in roles.judges),
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
