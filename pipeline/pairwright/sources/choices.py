"""A table of choices as users who took one response and refused another.

A user's history has the user's texts (a second table) and earlier choices. Without times it has
only the texts, which are then taken for older.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple, TypeVar

from pairwright.manner import choice_text
from pairwright.records import Post, content_id
from pairwright.sources.fields import Cells
from pairwright.sources.items import Source
from pairwright.sources.problems import Repairs, excerpt, refuse
from pairwright.text import normalised, word_count
from pairwright.times import is_older, latest_moment

T = TypeVar("T")
SHORT = 3
"""Words of an option that many questions may share."""
_END = ".!?\u2026\u3002\uff01\uff1f "


# Many users are asked to choose between the same two.
@lru_cache(maxsize=1 << 14)
def choice_key(words: str) -> str:
    """Key that two texts share if they are one question or one response: the words as `normalised`
    has them, without marks at the end."""
    key = normalised(words)
    return key.rstrip(_END) or key


class OwnPost(NamedTuple):
    """Text that a user wrote, or chose, and the question of that choice."""

    post: Post
    question: str = ""
    """The key of the question of a choice. Empty of a text."""
    options: frozenset[str] = frozenset()
    """The keys of the options of a choice, without those that many questions share (`yes`)."""


@dataclass(frozen=True)
class Chooser:
    """One row: what a user was asked, and what the user took and refused; with what its user wrote
    and chose before it, as soon as that is known."""

    where: str
    user: str
    question: str
    category: str
    domain: str
    taken: str
    refused: str
    created: str | None
    reason: str | None
    source_url: str | None
    repairs: Repairs
    history: Sequence[OwnPost] = ()
    """Texts that the user wrote and chose, oldest first; the first `older_count` are older."""
    older_count: int = 0

    @property
    def keys(self) -> tuple[str, str]:
        """The keys of what the user took and refused."""
        return choice_key(self.taken), choice_key(self.refused)

    @property
    def twin_key(self) -> tuple[str, str]:
        """Key that is the same for all users who were asked to choose between the same two."""
        words = sorted({choice_key(self.question), *self.keys})
        return content_id("topic", *words), self.domain

    @property
    def post(self) -> Post:
        """The choice as a later reader sees it."""
        words = choice_text(self.question, self.taken, self.refused, self.reason or "")
        return Post(
            id=content_id("post", self.user, self.created or "", words), text=words,
            category=self.category, created=self.created, source_url=self.source_url,
            kind="choice",
        )  # fmt: skip


def read_choices(source: Source) -> Iterator[Chooser]:
    """Choices that can be used, in the table's order. Raises SourceError."""
    by_user = _by_user(source, "choices", partial(_choice, source))
    choices = [choice for own in by_user.values() for choice in own]
    timed = any(choice.created for choice in choices)
    if choices and not timed:
        detail = "no choice has a time: every text counts as older, and no choice is history"
        source.problems.report("noted", "no_times", choices[0].where, None, detail)
    latest = {user: max(one.created or "" for one in own) for user, own in by_user.items()}
    texts, written = choices and source.rules.texts, dict[str, list[OwnPost]]()
    if texts:
        written = _by_user(source, "texts", partial(_text, source, latest, timed))
    shared, usable = _shared_options(choices), list[Chooser]()
    for user, own in by_user.items():
        usable += _user_choosers(source, own, written.get(user, []), shared, timed=timed)
    yield from sorted(usable, key=lambda one: int(one.where.rpartition(":")[2]))


# Rows


def _by_user(source: Source, table: str, made: Callable[[Cells], T]) -> dict[str, list[T]]:
    """Results of `made` for the rows of a table, by user; both in the table's order. A row that it
    refuses is counted."""
    by_user = dict[str, list[T]]()
    for cells in source.rows(table):
        with source.problems.row(cells.where, cells):
            one = made(cells)
            by_user.setdefault(cells["user"], []).append(one)
    return by_user


_SIDE = re.compile(r"(?:(?:option|response|answer|output|model|side)[ _-]?)?([ab])")
_NEITHER = frozenset(
    ("", "tie", "tied", "both", "neither", "none", "equal", "same", "skip", "pass", "cannot tell")
)


def _choice(source: Source, cells: Cells) -> Chooser:
    """The choice of a row; raises SourceRefusal."""
    options = cells["option_a"], cells["option_b"]
    if not all(options) or choice_key(options[0]) == choice_key(options[1]):
        refuse("same_options", "there are not two different responses")
    taken = _choice_index(cells, source.rules.columns)
    category, domain = source.place(cells["category"], cells.where, cells["user"])
    return Chooser(
        where=cells.where, user=cells["user"], question=cells["question"], taken=options[taken],
        refused=options[1 - taken], category=category, domain=domain, created=cells["created"],
        reason=cells["reason"] or None, source_url=cells["url"] or None, repairs=cells.repairs,
    )  # fmt: skip


def _choice_index(cells: Cells, columns: Mapping[str, str]) -> int:
    """0 or 1: the option that the user took, by its text, its letter or its column's name."""
    held, word = cells["choice"], cells["choice"].casefold()
    said = f"`{columns.get('choice', 'choice')}` is {excerpt(held) if held else 'empty'}"
    names = ("option_a", "option_b")
    readings = {
        n for n, name in enumerate(names)
        if word in (cells[name].casefold(), columns.get(name, name).casefold())
    }  # fmt: skip
    if side := _SIDE.fullmatch(word):
        readings.add("ab".index(side[1]))
    if not readings and (word in _NEITHER or word.startswith("tie")):
        refuse("no_choice", said)
    if len(readings) != 1:
        refuse("bad_choice", f"{said}: not `a`, `b`, a tie, an option or its column", held[:200])
    return readings.pop()


def _text(source: Source, latest: Mapping[str, str], timed: bool, cells: Cells) -> OwnPost:
    """A text of the second table by one of those who chose, `latest` at these times. It has a time
    if the choices have (`timed`), and none if they have none. Raises SourceRefusal."""
    user, created = cells["user"], cells["created"]
    words = f"{cells['title']}\n{cells['text']}".strip() or refuse("empty_text", "there is no text")
    if bool(created) != timed:
        one, other = ("the text", "the choices") if created else ("the choices", "the text")
        refuse("bad_time", f"{one} has a time and {other} none: the text may be later")
    if user not in latest:
        refuse("unknown_user", "")
    if created and latest[user] and not is_older(created, latest[user]):
        refuse("later_post", "")
    id = content_id("post", user, created or "", words)
    source.problems.repair(cells.repairs, cells.where, id)
    return OwnPost(Post(id=id, text=words, created=created, source_url=cells["url"] or None))


# Users


def _shared_options(choices: Sequence[Chooser]) -> frozenset[str]:
    """The keys of short options that half of the questions or more have, such as `yes` and `no`.
    Taking one does not tell what a user takes on another question."""
    questions: dict[str, set[str]] = {}
    for choice in choices:
        for option in choice.keys:
            questions.setdefault(option, set()).add(choice_key(choice.question))
    n_questions = len(set().union(*questions.values()))
    return frozenset(
        option
        for option, own in questions.items()
        if len(own) > 1 and 2 * len(own) >= n_questions and word_count(option) <= SHORT
    )


def _user_choosers(
    source: Source, choices: Sequence[Chooser], written: Sequence[OwnPost],
    shared: frozenset[str], *, timed: bool,
) -> Iterator[Chooser]:  # fmt: skip
    """One user's choices, each with what is older."""
    by_key, usable = dict[tuple[str, str], list[Chooser]](), list[Chooser]()
    for choice in choices:
        by_key.setdefault(choice.twin_key, []).append(choice)
    for repeats in by_key.values():
        # Who took different responses at different times has made no choice.
        changed = len({choice_key(one.taken) for one in repeats}) > 1
        repeats.sort(key=lambda one: one.created or "")
        for choice in repeats:
            with source.problems.row(choice.where, {"user": choice.user}):
                if timed and not choice.created:
                    refuse("bad_time", "the choice has no time, and others have one")
                if changed or choice is not repeats[-1]:
                    reason = "changed_choice" if changed else "repeated_choice"
                    refuse(reason, f"of {excerpt(choice.question)}")
                usable.append(choice)
    chosen = [
        OwnPost(one.post, choice_key(one.question), frozenset(one.keys) - shared)
        for one in (usable if timed else ())
    ]
    own = dict.fromkeys([*written, *chosen])
    history = sorted(own, key=lambda one: latest_moment(one.post.created or ""))
    times = [latest_moment(one.post.created or "") for one in history]
    for choice in usable:
        older_count = bisect_left(times, choice.created) if choice.created else len(history)
        least = source.rules.min_posts
        if older_count < least:
            detail = f"the user has {older_count} earlier texts and choices; {least} are needed"
            detail += "" if timed else "; no `created` column, so no choice counts as earlier"
            source.problems.report("refused", "too_few_posts", choice.where, choice.user, detail)
            continue
        source.problems.repair(choice.repairs, choice.where, choice.user)
        yield replace(choice, history=history, older_count=older_count)
