"""The columns of a file that is not ours, by what they hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairwright.errors import InputError
from pairwright.sources.problems import SourceRefusal

KNOWN = {
    "prompt": ("prompt", "question", "conversations"),
    "chosen": ("chosen",),
    "rejected": ("rejected",),
    "first": (),
    "second": (),
    "label": (),
    "options": ("options", "choices", "all_options"),
    "key": ("key", "answer", "correct_answer"),
    "key_from_0": (),
    "key_from_1": (),
    "id": ("id",),
    "domain": ("domain", "config", "subset"),
    "category": ("category",),
    "user": ("user",),
    "narrative": ("narrative",),
    "profile": ("profile",),
    "rubric_aspects": ("rubric_aspects",),
    "generator": ("generator",),
    "created": ("created",),
    "source_url": ("source_url",),
    "licence": ("licence",),
    "split": ("split",),
}
"""What a row is made of, and the columns that hold it where no option says otherwise: the first
that is there. `first`, `second` and `label` (1 or 2: which of them is better, or tie) stand for
`chosen` and `rejected` together, and so do `options` and `key` (a letter, the option's text, or
with `key_from_0` and `key_from_1` a number)."""
PAIR = frozenset({"chosen", "rejected", "first", "second", "label"})
KEYS = frozenset({"key", "key_from_0", "key_from_1"})


@dataclass(frozen=True)
class Columns:
    """The auditor's options over what is known."""

    given: Mapping[str, str]
    """By what it holds; empty for a column that is to be left alone."""

    @classmethod
    def parse(cls, options: Iterable[str]) -> "Columns":
        """From options such as `chosen=better_text`; raises InputError."""
        by_content: dict[str, str] = {}
        for option in options:
            name, equals, column = option.partition("=")
            where = f"--column {option}"
            if not equals or name not in KNOWN:
                raise InputError(
                    "is not WHAT=COLUMN", where=where, fix=f"WHAT is one of {', '.join(KNOWN)}."
                )
            if name in by_content:
                raise InputError(f"{name} is given twice", where=where, fix="Leave one out.")
            by_content[name] = column
        ordered = {"first", "second", "label"} & by_content.keys()
        if ordered and len(ordered) < 3:
            raise InputError(
                f"{', '.join(sorted(ordered))} alone says nothing",
                where="--column",
                fix="Give first, second and label together, or chosen and rejected.",
            )
        if ordered and {"chosen", "rejected"} & by_content.keys():
            raise InputError(
                "chosen or rejected beside first, second and label",
                where="--column",
                fix="Give the one or the other.",
            )
        if len(KEYS & by_content.keys()) > 1:
            raise InputError(
                "several keys", where="--column", fix=f"Give one of {', '.join(sorted(KEYS))}."
            )
        if (KEYS | {"options"}) & by_content.keys() and PAIR & by_content.keys():
            raise InputError(
                "options and key beside the two responses of a pair",
                where="--column",
                fix="Give the one or the other.",
            )
        return cls(by_content)

    def refuse(self, where: str | Path) -> None:
        """Raises InputError where there are options, for a source whose columns are fixed."""
        if self.given:
            raise InputError(
                "a column map is for files of others, and this is a release or a run",
                where=where,
                fix="Leave out --column, or name one file.",
            )

    @property
    def labelled(self) -> bool:
        """Whether a label says which of two responses is better."""
        return "label" in self.given

    def has_options(self, fields: Mapping[str, Any]) -> bool:
        """Whether a row is a question with options: an option says so, or it has such a column and
        no pair."""
        if (KEYS | {"options"}) & self.given.keys():
            return True
        pair = any(name in fields for name in ("chosen", "rejected")) or PAIR & self.given.keys()
        return not pair and any(name in fields for name in KNOWN["options"])

    def value(self, fields: Mapping[str, Any], name: str) -> object:
        """What a row holds under this name; None where it has no such column.

        Raises SourceRefusal where an option names a column that the row does not have.
        """
        column = self.given.get(name)
        if column is None:
            column = next((known for known in KNOWN[name] if known in fields), "")
        if not column:
            return None
        if column not in fields:
            raise SourceRefusal("missing_column", f"no column {column!r} for {name}")
        return fields[column]

    def needed(self, fields: Mapping[str, Any], name: str) -> object:
        """The same for what a row must have; raises SourceRefusal."""
        value = self.value(fields, name)
        if value is None:
            names = (self.given[name],) if name in self.given else KNOWN[name]
            there = any(column in fields for column in names)
            reason = "empty_value" if there else "missing_column"
            raise SourceRefusal(reason, f"{name} is null" if there else f"no column for {name}")
        return value
