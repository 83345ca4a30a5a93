"""What a build kept and dropped of its questions, read from a run that has ended.

The store says of each unit what came of it, and `items.jsonl` what its question was. Both are read
once, a line at a time: memory holds a few numbers a question, however long its history.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic_core import from_json

from pairwright.construct.outcomes import stages_of
from pairwright.construct.run_pairs import iterate_results
from pairwright.construct.tally import UnitTally, unit_tallies
from pairwright.errors import StoreError, on_disk
from pairwright.models.store import Store
from pairwright.modes import MODES, Stage
from pairwright.question_selection import (
    DROPS,
    Question,
    QuestionSelection,
    StageDrop,
    question_differences,
)
from pairwright.records import Mode
from pairwright.text import number_of, word_count


def missed_stages(store: Store) -> dict[str, Stage | None]:
    """By refused unit, the first stage that it did not reach; None where a reply that cannot be
    used left it open."""
    return {
        unit: _missed_stage(tally)
        for unit, tally in unit_tallies(store)
        if tally.kind == "rejected"
    }


def _missed_stage(tally: UnitTally) -> Stage | None:
    stages = stages_of(tally.mode)
    return None if tally.reached is None else stages[stages.index(tally.reached) + 1]


def select_questions(
    store: Store, items: Path, modes: Collection[Mode]
) -> tuple[QuestionSelection, ...]:
    """The questions of each mode that may drop one; `items` is the run's items.jsonl."""
    written = [mode for mode in modes if not MODES[mode].own_choice]
    ends: dict[Mode, dict[str, tuple[bool, Stage | None]]] = {mode: {} for mode in written}
    """By mode and item: whether it was kept, and the stage that it missed."""
    for unit, tally in unit_tallies(store) if written else ():
        if tally.mode in ends and tally.kind in ("kept", "rejected"):
            kept = tally.kind == "kept"
            missed = None if kept else _missed_stage(tally)
            ends[tally.mode][unit.partition(":")[2]] = kept, missed
    ended = set[str]().union(*ends.values())
    questions = {name: one for name, one in _questions(items) if name in ended} if ended else {}
    if lost := ended - questions.keys():
        raise StoreError(
            f"{items}: {number_of(len(lost), 'item')} of this build not in it\n"
            "  Somebody changed it while the build ran. Build again: no call is sent twice."
        )
    return tuple(_selection(mode, ends[mode], questions) for mode in written)


def unit_lines(store: Store) -> Iterator[str]:
    """What came of every unit, a line each: of a refused one also the stage that it missed, and
    whose question it was."""
    missed = missed_stages(store)
    for one in iterate_results(store):
        parts = [one.unit, one.kind, one.subject or one.reason]
        if one.unit in missed:
            parts += [DROPS[missed[one.unit]], f"user {one.users[0]}"]
        yield "  ".join(parts)


def _questions(items: Path) -> Iterator[tuple[str, Question]]:
    """Each item's id, and what is known of its question."""
    users: dict[str, str] = {}
    """Each name once: a user has many questions."""
    with on_disk(items), items.open("rb") as lines:
        for line in lines:
            item = from_json(line)
            yield (
                item["id"],
                Question(
                    user=users.setdefault(item["user"], item["user"]),
                    words=word_count(item["question"]),
                    year=int(item["created"][:4]) if item["created"] else None,
                    category=item["category"].lower(),
                    kinds=Counter(post["kind"] for post in item["profile"]),
                ),
            )


def _selection(
    mode: Mode, ends: dict[str, tuple[bool, Stage | None]], questions: dict[str, Question]
) -> QuestionSelection:
    kept = [ends[name][0] for name in ends]
    dropped = defaultdict[Stage | None, list[str]](list)
    for name, (was_kept, missed) in ends.items():
        if not was_kept:
            dropped[missed].append(questions[name].user)
    return QuestionSelection(
        mode=mode,
        kept=sum(kept),
        dropped=len(kept) - sum(kept),
        stages=tuple(
            StageDrop(stage=stage, questions=len(users), users=len(set(users)))
            for stage in (*stages_of(mode), None)
            if (users := dropped.get(stage))
        ),
        differences=question_differences([questions[name] for name in ends], kept),
    )
