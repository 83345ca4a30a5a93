"""Attention checks: preference tasks whose answer is plain to anyone who reads them."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.records import Record, content_id


class Check(Record):
    """A question, a fictional person's posts, and a response that is plainly the better one."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    """The same question, shorter and longer."""
    posts: tuple[str, ...] = Field(min_length=1)
    good: str
    good_terse: str = ""
    """The same in shorter sentences of longer words."""
    bad: str
    bad_terse: str = ""

    @property
    def id(self) -> str:
        return content_id("check", self.question, self.good, self.bad)


class _File(Record):
    check: tuple[Check, ...] = Field(min_length=1)


def load_checks(path: Path) -> tuple[Check, ...]:
    """The checks of a TOML file; raises InputError."""
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).check
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"no checks can be read: {error}", where=path, fix="Restore the file that ships."
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(
            first["msg"], where=f"{path} [{key}]", fix="Compare with the checks that ship."
        ) from None
