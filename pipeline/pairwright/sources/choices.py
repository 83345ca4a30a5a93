"""Rows that are choices: a user, a question, two responses and the one that the user took.

A user's history is what they wrote (a second table) and what they chose before. Without times only
the texts are known to be older. All rows are in memory, because a user's may be anywhere.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pairwright.dataset.row import choice_text
from pairwright.errors import SourceError
from pairwright.records import Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, label, repaired, text, time
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.rules import place
from pairwright.sources.source_table import SourceRow, SourceTable
from pairwright.text import normalised


class OwnPost(NamedTuple):
    """What a user wrote, or chose, and what the choice was about."""

    post: Post
    about: frozenset[str] = frozenset()
    """Of a choice: its question and both options, by their keys. Empty of a text."""


class Chooser(NamedTuple):
    """A user before a question, with what the user took and refused of the responses to it."""

    where: str
    user: str
    topic: str
    """A key: those of one topic were asked the same."""
    question: str
    category: str
    domain: str
    taken: Mapping[str, str]
    """The responses that the user took, by their keys."""
    refused: Mapping[str, str]
    history: Sequence[OwnPost]
    """All that the user wrote and chose, oldest first."""
    known: int
    """So many of these are older than the choice."""
    created: str | None = None
    reason: str | None = None
    source_url: str | None = None

    @property
    def place_of_twin(self) -> tuple[str, str]:
        """What both users of a natural twin have in common."""
        return self.topic, self.domain


def required(rules: SourceRules) -> list[str]:
    """The columns that a table of choices must have: the five, and others that the rules name
    otherwise."""
    named = [name for name in ("created", "reason", "category", "url") if _renamed(rules, name)]
    five = ("user", "question", "option_a", "option_b", "choice")
    return [getattr(rules, name) for name in (*five, *named)]


def required_of_texts(rules: SourceRules) -> list[str]:
    """The columns that a table of texts must have."""
    return [rules.user, rules.text]


def _renamed(rules: SourceRules, name: str) -> bool:
    return bool(getattr(rules, name) != SourceRules.model_fields[name].default)


class _Choice(NamedTuple):
    """One row as it was read."""

    where: str
    user: str
    question: str
    taken: str
    refused: str
    category: str
    domain: str
    created: str | None
    reason: str
    url: str
    repairs: Repairs

    @property
    def about(self) -> frozenset[str]:
        return frozenset(map(normalised, (self.question, self.taken, self.refused)))

    @property
    def post(self) -> Post:
        """The choice as a later reader sees it."""
        words = choice_text(self.question, self.taken, self.refused, self.reason)
        return Post(
            id=content_id("post", self.user, self.created or "", words),
            text=words,
            category=self.category,
            created=self.created,
            source_url=self.url or None,
            kind="choice",
        )


def read_choosers(
    table: SourceTable, texts: SourceTable | None, domains: Domains, rules: SourceRules
) -> Iterator[Chooser | SourceProblem]:
    """Each choice that can be used, in the table's order, after all problems.

    Raises SourceError where nobody can have a history.
    """
    choices = list[_Choice]()
    for row in table.rows:
        read = row if isinstance(row, SourceProblem) else _read(row, domains, rules)
        if isinstance(read, SourceProblem):
            yield read
        else:
            choices.append(read)
    timed = any(choice.created for choice in choices)
    _check_times(timed, table, texts)
    written: dict[str, list[OwnPost]] = {}
    for row in texts.rows if texts else ():
        found = row if isinstance(row, SourceProblem) else _text(row, rules, timed=timed)
        if isinstance(found, SourceProblem):
            yield found
        else:
            user, post, repairs = found
            yield from repaired(repairs, row.where, post.post.id)
            written.setdefault(user, []).append(post)
    by_user: dict[str, list[_Choice]] = {}
    for choice in choices:
        by_user.setdefault(choice.user, []).append(choice)
    usable: dict[str, Chooser] = {}
    for user, own in by_user.items():
        for one in _of_user(own, written.get(user, []), rules, timed=timed):
            if isinstance(one, Chooser):
                usable[one.where] = one
            else:
                yield one
    yield from (usable[choice.where] for choice in choices if choice.where in usable)


def unpaired(chooser: Chooser, *, met: bool) -> SourceProblem:
    """What is said of a chooser who is in no twin; `met` says whether anybody chose the reverse."""
    refusal = SourceRefusal("not_paired", "") if met else SourceRefusal("no_opposite", "")
    return refusal.at(chooser.where, chooser.user)


def _check_times(timed: bool, table: SourceTable, texts: SourceTable | None) -> None:
    if timed:
        return
    if texts is None:
        raise SourceError(
            "no choice has a time and there are no texts, so nobody has a history",
            where=table.source,
            fix="Name the column of the time in `created` (earlier choices are the history), or a"
            " table of what the users wrote in `texts`.",
        )


def _read(row: SourceRow, domains: Domains, rules: SourceRules) -> _Choice | SourceProblem:
    repairs: Repairs = {}
    user, limit = "", rules.max_post_chars
    try:
        user = label(row.fields, rules.user, repairs)
        if not user:
            raise SourceRefusal("missing_user", f"`{rules.user}` is empty")
        question = text(row.fields, rules.question, repairs, limit)
        if not question:
            raise SourceRefusal("empty_question", f"`{rules.question}` is empty")
        options = [
            text(row.fields, name, repairs, limit) for name in (rules.option_a, rules.option_b)
        ]
        if not all(options) or normalised(options[0]) == normalised(options[1]):
            raise SourceRefusal(
                "same_options",
                f"`{rules.option_a}` and `{rules.option_b}` are not two different responses",
            )
        taken = _taken(row, options, repairs, rules)
        category, domain = place(label(row.fields, rules.category, repairs), domains, rules)
        return _Choice(
            where=row.where,
            user=user,
            question=question,
            taken=options[taken],
            refused=options[1 - taken],
            category=category,
            domain=domain,
            created=time(row.fields, rules.created),
            reason=text(row.fields, rules.reason, repairs, limit),
            url=label(row.fields, rules.url, repairs),
            repairs=repairs,
        )
    except SourceRefusal as refusal:
        return refusal.at(row.where, user or None)


_SIDE = re.compile(r"(?:(?:option|response|answer|output|model|side)[ _-]?)?([ab])")
_NEITHER = frozenset(
    ("", "tie", "tied", "both", "neither", "none", "equal", "same", "skip", "pass", "cannot tell")
)


def _taken(row: SourceRow, options: Sequence[str], repairs: Repairs, rules: SourceRules) -> int:
    """0 or 1: the option that the user took."""
    said = text(row.fields, rules.choice, repairs, rules.max_post_chars)
    word = said.strip().casefold()
    names = (rules.option_a.casefold(), rules.option_b.casefold())
    for form in (names, tuple(option.casefold() for option in options)):
        if word in form:
            return form.index(word)
    if side := _SIDE.fullmatch(word):
        return "ab".index(side[1])
    if word in _NEITHER or word.startswith("tie"):
        raise SourceRefusal("no_choice", f"`{rules.choice}` is {excerpt(said)}")
    raise SourceRefusal(
        "bad_choice", f"`{rules.choice}` is {excerpt(said)}, and not `a` or `b`", value=said[:200]
    )


def _text(
    row: SourceRow, rules: SourceRules, *, timed: bool
) -> tuple[str, OwnPost, Repairs] | SourceProblem:
    repairs: Repairs = {}
    user, limit = "", rules.max_post_chars
    try:
        user = label(row.fields, rules.user, repairs)
        if not user:
            raise SourceRefusal("missing_user", f"`{rules.user}` is empty")
        title = " ".join(text(row.fields, rules.title, repairs, limit).split())
        words = f"{title}\n{text(row.fields, rules.text, repairs, limit)}".strip()
        if not words:
            raise SourceRefusal("empty_text", f"`{rules.text}` is empty")
        created = time(row.fields, rules.created)
        if timed != bool(created):
            raise SourceRefusal(
                "bad_time",
                f"`{rules.created}` is empty, and the choices have times: it may be younger"
                if timed
                else "the text has a time and the choices have none: it may be younger than a"
                " choice",
            )
        post = Post(
            id=content_id("post", user, created or "", words),
            text=words,
            created=created,
            source_url=label(row.fields, rules.url, repairs) or None,
        )
    except SourceRefusal as refusal:
        return refusal.at(row.where, user or None)
    return user, OwnPost(post), repairs


def _of_user(
    choices: Sequence[_Choice], written: Sequence[OwnPost], rules: SourceRules, *, timed: bool
) -> Iterator[Chooser | SourceProblem]:
    """One user's choices, each with what is older."""
    settled = list[_Choice]()
    for choice, refusal in _settled(choices, timed=timed):
        if refusal:
            yield refusal.at(choice.where, choice.user)
        else:
            settled.append(choice)
    own = dict.fromkeys(written)
    if timed:
        own |= dict.fromkeys(OwnPost(one.post, one.about) for one in settled)
    history = sorted(own, key=lambda one: one.post.created or "")
    times = [one.post.created or "" for one in history]
    for choice in settled:
        known = bisect_left(times, choice.created) if choice.created else len(history)
        if known < rules.min_posts:
            detail = f"{known} texts or choices before this one, not {rules.min_posts}"
            yield SourceRefusal("too_few_posts", detail).at(choice.where, choice.user)
            continue
        yield from repaired(choice.repairs, choice.where, choice.user)
        yield Chooser(
            where=choice.where,
            user=choice.user,
            topic=content_id("topic", *sorted(choice.about)),
            question=choice.question,
            category=choice.category,
            domain=choice.domain,
            taken={normalised(choice.taken): choice.taken},
            refused={normalised(choice.refused): choice.refused},
            history=history,
            known=known,
            created=choice.created,
            reason=choice.reason or None,
            source_url=choice.url or None,
        )


def _settled(
    choices: Sequence[_Choice], *, timed: bool
) -> Iterator[tuple[_Choice, SourceRefusal | None]]:
    """Each choice, with the reason where it cannot be used: a user who took either of two
    responses at different times has no one choice of them, and one that was made again counts as
    of its last time."""
    same: dict[frozenset[str], list[_Choice]] = {}
    for choice in choices:
        same.setdefault(choice.about, []).append(choice)
    for again in same.values():
        ordered = sorted(again, key=lambda one: one.created or "")
        changed = len({normalised(one.taken) for one in again}) > 1
        for n, choice in enumerate(ordered, start=1):
            refusal = None
            if timed and not choice.created:
                refusal = SourceRefusal("bad_time", "the choice has no time, and others have one")
            elif changed:
                refusal = SourceRefusal("changed_choice", f"of {excerpt(choice.question)}")
            elif n < len(ordered):
                refusal = SourceRefusal("repeated_choice", f"of {excerpt(choice.question)}")
            yield choice, refusal
