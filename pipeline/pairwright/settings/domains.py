"""Domains and quality scales: the TOML files of rubrics/, loaded and checked.

A new domain is one file. Its name without `.toml` is the domain's key in records and releases.
"""

from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import Field, field_validator

from pairwright.assets import DOCS
from pairwright.errors import InputError
from pairwright.records import Item, Record
from pairwright.settings import read_toml, validated
from pairwright.text import LANGUAGES, language_of

T = TypeVar("T", bound=Record)


class Guidance(NamedTuple):
    """The planner's guidance for a domain. The fields are variables of its prompt."""

    kinds: tuple[str, ...] = ()
    """Kinds of aspects."""
    good: tuple[str, ...] = ()
    """Aspects as they should be, each with the kind of post behind it."""
    bad: tuple[str, ...] = ()
    """Things that look like an aspect and are not, each with the reason."""
    not_inferred: tuple[str, ...] = ()
    """Conclusions about a person that must not be drawn."""


class Domain(Record):
    """One domain: which categories belong to it, and what personal fit is about in it."""

    # Folders of a release are named after it.
    key: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$")
    name: str
    language: str | None = None
    """The ISO 639-1 code of the language of its users; None: their texts tell it."""
    subcategories: tuple[str, ...] = Field(min_length=1)
    also: tuple[str, ...] = ()
    # See `Guidance` for these four.
    kinds: tuple[str, ...] = Field(min_length=1)
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    not_inferred: tuple[str, ...] = ()

    @field_validator("language")
    @classmethod
    def _known(cls, code: str | None) -> str | None:
        if code is not None and code not in LANGUAGES:
            raise ValueError(f"{code!r} is not one of the codes {', '.join(LANGUAGES)}")
        return code


GENERAL = Domain(
    key="Other",
    name="Other",
    subcategories=("other",),
    kinds=(
        "constraints of body, household, place, equipment, time or money that the person states",
        "skill and experience: what may be taken as known, and what needs explaining",
        "goals, values and tastes that the posts show",
        "other people whom the answer concerns",
    ),
)
"""The domain of categories that no file has, with general rules; `Other.toml` replaces it."""


class Anchor(Record):
    score: int
    text: str


class Scale(Record):
    """One quality scale, worded once for judges and humans."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    question: str
    anchors: tuple[Anchor, ...] = Field(min_length=2)
    # Not in the repr, which a run is known by: no judge reads it.
    cannot_judge: bool = Field(False, repr=False)
    """Whether people may answer "cannot judge". Judges always give a score."""

    @property
    def low(self) -> int:
        return min(a.score for a in self.anchors)

    @property
    def high(self) -> int:
        return max(a.score for a in self.anchors)


class _QualityFile(Record):
    scale: tuple[Scale, ...] = Field(min_length=1)

    @field_validator("scale")
    @classmethod
    def _one_each(cls, scales: tuple[Scale, ...]) -> tuple[Scale, ...]:
        if len({scale.name for scale in scales}) < len(scales):
            raise ValueError("two scales have one name")
        return scales


class Domains:
    """All domains of a run, looked up by category."""

    def __init__(self, domains: list[Domain], folder: Path) -> None:
        self.by_key = {d.key: d for d in domains}
        self.general = self.by_key.get(GENERAL.key, GENERAL)
        self._by_category: dict[str, Domain] = {}
        for domain in domains:
            for category in (*domain.subcategories, *domain.also):
                other = self._by_category.setdefault(category.lower(), domain)
                if other is not domain:
                    raise InputError(
                        f"category {category!r} is also in {other.key}.toml",
                        where=folder / f"{domain.key}.toml",
                        fix="Keep each category in one domain.",
                    )

    @classmethod
    def load(cls, folder: Path) -> "Domains":
        """Every `*.toml` of the folder but quality.toml; raises InputError."""
        paths = sorted(p for p in folder.glob("*.toml") if p.name != "quality.toml")
        if not paths:
            fix = f"Add one <domain>.toml; see {DOCS / 'generate.md'}."
            raise InputError("no domain file", where=folder, fix=fix)
        return cls([_load(path, Domain, key=path.stem) for path in paths], folder)

    def of(self, category: str) -> Domain | None:
        """The domain a category belongs to; None if no file has it, and its domain is `general`."""
        other = self.general if category.lower() == "other" else None
        return self._by_category.get(category.lower(), other)

    def guidance(self, key: str) -> Guidance:
        """The planner's guidance for the domain `key`; empty for an unknown domain."""
        found = {GENERAL.key: GENERAL, **self.by_key}.get(key)
        return Guidance(*(getattr(found, name, ()) for name in Guidance._fields))

    def item_language(self, item: Item, *texts: str) -> str | None:
        """The language of an item: its domain's, or what the question, posts and further `texts`
        tell; None if neither does."""
        domain, posts = self.by_key.get(item.domain), (post.text for post in item.profile)
        return (domain and domain.language) or language_of(item.question, *posts, *texts)


def load_scales(folder: Path) -> tuple[Scale, ...]:
    """The quality scales of `quality.toml`; raises InputError."""
    return _load(folder / "quality.toml", _QualityFile).scale


def _load(path: Path, kind: type[T], **more: str) -> T:
    data = read_toml(path, "`pairwright init` writes one to start from.", InputError)
    return validated(kind, {**data, **more}, path, docs=DOCS / "generate.md", error=InputError)
