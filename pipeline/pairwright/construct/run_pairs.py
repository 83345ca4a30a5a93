"""What a finished run holds, read again: its results by name; its pairs, and whether they are what
its build wrote; and replies that nothing could be made of, which are set aside and asked for again.

A reply is stored whatever it is, so the same command finds it again. Where a server gave refusals,
tool calls or thinking alone, these are set aside, and their units forgotten: the next build sends
the same requests again. What was paid for stays in the store's sums.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic_core import from_json

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import (
    Outcome,
    OutcomeKind,
    iterate_outcomes,
    iterate_pair_lines,
    pair_lines,
    unusable_reply,
)
from pairwright.construct.tally import names_of
from pairwright.dataset import Layout, Row, parts_of, read_lines, read_rows
from pairwright.errors import InputError
from pairwright.models import Completion, completion_of
from pairwright.models.store import Store
from pairwright.records import Mode, Pair, Rejected
from pairwright.text import number_of

MOST_NAMED = 5
"""Ids that are named where several begin alike."""


class UnitResult(NamedTuple):
    """One unit of the last run."""

    unit: str
    mode: Mode
    users: tuple[str, ...]
    """The asker, and the partner where there is one."""
    kind: OutcomeKind
    stage: str
    reason: str
    subject: str | None
    """The twin's or pair's id, where it was kept."""


def iterate_results(store: Store) -> Iterator[UnitResult]:
    """Read every unit of a run that has finished, in source order and without its text."""
    return (_result(*outcome) for outcome in _outcomes(store))


def iterate_built_results(store: Store, pairs: Path) -> Iterator[UnitResult]:
    """Read the same, and hold pairs.jsonl to what the build wrote of each unit.

    Raises InputError, which names lines and fields that differ.
    """
    with pairs.open("rb") as there:
        for unit, kind, outcome in _outcomes(store):
            for line in pair_lines(outcome["result"]) if kind == "kept" else ():
                built = line.encode()
                if there.read(len(built)) != built:
                    raise _difference_error(store, pairs)
            yield _result(unit, kind, outcome)
        if there.read(1):
            raise _difference_error(store, pairs)


def _outcomes(store: Store) -> Iterator[tuple[str, str, dict[str, Any]]]:
    # Drafts and profiles as records would take a hundred times as long to read.
    for unit, kind, record in store.outcomes():
        yield unit, kind, from_json(record, cache_strings="keys")


def _result(unit: str, kind: str, outcome: dict[str, Any]) -> UnitResult:
    result = outcome["result"]
    return UnitResult(
        unit=unit,
        mode=outcome["mode"],
        users=(outcome["user"], outcome["partner"]) if outcome["partner"] else (outcome["user"],),
        kind=cast(OutcomeKind, kind),
        stage=result.get("stage", ""),
        reason=result.get("reason") or result.get("failure", ""),
        subject=result["pair"]["id"] if "pair" in result else result.get("id"),
    )


def find_outcome(store: Store, wanted: str, run: Path) -> Outcome:
    """Find the outcome that a pair id, twin id, unit id or item id belongs to, or the beginning of
    one id alone.

    An item id finds the first of its units. Raises InputError where nothing has the id.
    """
    if (found := _with_id(store, wanted)) is not None:
        return found
    index = store.index
    near = index.names(wanted, MOST_NAMED) if index and wanted else []
    near = [name for name in near if name != wanted]
    if len(near) == 1 and (found := _with_id(store, near[0])) is not None:
        return found
    more = ", ..." if len(near) == MOST_NAMED else ""
    raise InputError(
        f"several ids begin with {wanted!r}: {', '.join(near)}{more}"
        if near
        else f"nothing here has the id {wanted!r}",
        where=run,
        fix="`pairwright show RUN` without an id lists the ids of all units.",
    )


def _with_id(store: Store, wanted: str) -> Outcome | None:
    index = store.index
    # What the index names is looked at: a name may be that of an earlier outcome.
    places = store.positions() if index is None else {*index.positions(wanted), *index.stale()}
    for position in sorted(places):
        if (record := store.record(position)) is None:
            continue
        outcome = Outcome.model_validate_json(record)
        if wanted in names_of(outcome):
            return outcome
    return None


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    What a simulated model had a part in has `simulated = True`. Raises InputError where there are
    no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)


SHOWN = 5
"""Differences that an error lists."""
_AGAIN = "Run pairwright build again to its end: it writes the file, and no call is sent twice."


def check_as_built(run: Path) -> None:
    """Raise InputError where pairs.jsonl is not what the run's build wrote, naming lines and
    fields that differ, and StoreError where the run has no store to tell from."""
    file = run / "pairs.jsonl"
    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        if not store.finished:
            raise InputError("its build has not finished", where=run, fix=_AGAIN)
        for _ in iterate_built_results(store, file):
            pass


def _difference_error(store: Store, file: Path) -> InputError:
    differences = _differences(store, file)
    shown = [_description(store, *difference) for difference in islice(differences, SHOWN)]
    more = sum(1 for _ in differences)
    listed = "\n    ".join([*shown, *([f"and {number_of(more, 'other')}"] if more else [])])
    return InputError(
        f"is not what the build wrote:\n    {listed}",
        where=file,
        fix=f"{_AGAIN} Studies and releases hold what the build's calls led to.",
    )


def _differences(store: Store, file: Path) -> Iterator[tuple[str, str, str]]:
    """What differs, in the order of the file, and then what it lacks: what, beginning with the
    line's number or the pair's id; and where the build wrote another line for a pair, its id and
    the line as it is now."""
    built = {_id(line): _digest(line) for line in iterate_pair_lines(store)}
    missing = dict.fromkeys(built)
    same = True
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        for number, line in enumerate(lines, start=1):
            name, changed = _id(line), ("", "")
            if name not in built:
                what = f"{name} is not of this build" if name else "is not a pair"
            elif name not in missing:
                what = f"{name} is there twice"
            elif built[name] != _digest(line):
                what, changed = name, (name, line)
            else:
                del missing[name]
                continue
            missing.pop(name, None)
            same = False
            yield f"line {number}: {what}", *changed
    for name in missing:
        yield f"{name} is missing", "", ""
    if same and not missing:
        yield "the lines are in another order", "", ""


def _description(store: Store, what: str, name: str, line: str) -> str:
    """A difference in words, with the fields that differ."""
    if not name:
        return what
    then = from_json(next(line for line in iterate_pair_lines(store) if _id(line) == name))
    now = from_json(line)
    fields = [field for field in {**then, **now} if then.get(field) != now.get(field)]
    return f"{what}: {', '.join(fields) or 'laid out otherwise'}"


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode()).digest()


def _id(line: str) -> str:
    """The pair's id; empty where the line is not a pair."""
    try:
        pair: Any = from_json(line)
    except ValueError:
        return ""
    return str(pair["id"]) if isinstance(pair, dict) and "id" in pair else ""


def set_aside_unusable(store: Store, reasons: Collection[str]) -> int:
    """Set the replies aside behind units that were refused for these reasons, and forget these
    units and their surveys. Returns the number of replies.

    Raises InputError for a reason that no unit here was refused for.
    """
    if not reasons:
        return 0
    units, keys, refused = set[str](), set[str](), Counter[str]()
    for outcome in iterate_outcomes(store, "rejected"):
        result = outcome.result
        if not isinstance(result, Rejected):
            continue
        if (unusable := unusable_reply(result.stage, result.reason)) is None:
            continue
        prompt, reason = unusable
        refused[reason] += 1
        if reason in reasons:
            units |= {outcome.unit, f"survey:{outcome.item_id}"}
            of_stage = [call.key for call in outcome.calls if call.purpose == prompt]
            bodies = {key: body for key in of_stage if (body := store.get(key)) is not None}
            bad = [key for key, body in bodies.items() if not _is_reply(completion_of(key, body))]
            # All of them where each reply is JSON, and was refused for what is in it.
            keys.update(bad or bodies)
    if missing := sorted(set(reasons) - refused.keys()):
        there = ", ".join(f"{reason} ({n:,})" for reason, n in refused.most_common())
        raise InputError(
            f"no unit was refused for {missing[0]!r}",
            where="--ask-again-for",
            fix=f"Reasons to ask again for are here: {there or 'none'}.",
        )
    store.ask_again(units, keys)
    return len(keys)


def _is_reply(completion: Completion) -> bool:
    if completion.instead or completion.finish == "length" or not completion.text.strip():
        return False
    try:
        return isinstance(from_json(completion.text, allow_inf_nan=False), dict)
    except ValueError:
        return False
