"""Attention checks: preference tasks with a plain answer, and whose answers count by them."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from pairwright.errors import InputError
from pairwright.records import Record, content_id
from pairwright.stats import Share, share
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict


class AttentionCheck(Record):
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


class _CheckFile(Record):
    check: tuple[AttentionCheck, ...] = Field(min_length=1)


def load_checks(path: Path) -> tuple[AttentionCheck, ...]:
    """The checks of a TOML file; raises InputError."""
    try:
        return _CheckFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).check
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


def checks_passed(verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]) -> dict[str, Share]:
    """By annotator: attention checks answered right, of those met.

    A check is met if it is answered, or if something behind it is: skipping one is missing it.
    """
    answers = {
        verdict.task: verdict
        for verdict in verdicts
        if verdict.kind == "preference" and verdict.round == 1
    }
    passed: dict[str, list[bool]] = {}
    waiting: dict[str, int] = {}
    for keyed in key.values():  # In the order of each annotator's work.
        if keyed.kind != "preference" or keyed.round != 1:
            continue
        who, verdict = keyed.annotator, answers.get(keyed.task)
        if verdict is None:
            waiting[who] = waiting.get(who, 0) + (keyed.purpose == "attention")
            continue
        found = passed.setdefault(who, [])
        found += [False] * waiting.pop(who, 0)
        if keyed.purpose == "attention" and isinstance(verdict.answers, PreferenceAnswer):
            expected = keyed.a if keyed.expected == "A" else keyed.b
            found.append(verdict.answers.choice == expected)
    return {who: share(sum(found), len(found)) for who, found in sorted(passed.items()) if found}


def excluded_by(passed: Mapping[str, Share], floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor`: none of their answers counts."""
    return frozenset(who for who, found in passed.items() if found.n and found.k / found.n < floor)
