"""Rows of a table of choices, and of a table of texts by the same users, read and cleaned."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pairwright.dataset.row import choice_text
from pairwright.records import Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.choosers import choice_key
from pairwright.sources.fields import Cells, Repairs
from pairwright.sources.items import place
from pairwright.sources.opening import renamed_keys
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceRow


def required(rules: SourceRules) -> list[str]:
    """The columns that a table of choices must have: the five, and others that the rules name
    otherwise."""
    five = ("user", "question", "option_a", "option_b", "choice")
    named = renamed_keys(rules, "created", "reason", "category", "url")
    return [getattr(rules, name) for name in (*five, *named)]


def text_columns(rules: SourceRules) -> list[str]:
    """The columns that a table of texts must have: both, and others that the rules name
    otherwise."""
    named = renamed_keys(rules, "created", "title", "url")
    return [getattr(rules, name) for name in ("user", "text", *named)]


class ChoiceRow(NamedTuple):
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
    url: str | None
    repairs: Repairs

    @property
    def options(self) -> frozenset[str]:
        """The keys of both options."""
        return frozenset(map(choice_key, (self.taken, self.refused)))

    @property
    def about(self) -> frozenset[str]:
        """The keys of the question and both options: what was chosen between."""
        return self.options | {choice_key(self.question)}

    @property
    def post(self) -> Post:
        """The choice as a later reader sees it."""
        words = choice_text(self.question, self.taken, self.refused, self.reason)
        return Post(
            id=content_id("post", self.user, self.created or "", words),
            text=words,
            category=self.category,
            created=self.created,
            source_url=self.url,
            kind="choice",
        )


def read_choice(row: SourceRow, domains: Domains, rules: SourceRules) -> ChoiceRow | SourceProblem:
    """Read a row as a choice; a SourceProblem where it is not one."""
    cells, user = Cells(row.fields, rules), ""
    try:
        user = cells.user(rules.user)
        question = cells.text(rules.question)
        if not question:
            raise SourceRefusal("empty_question", f"`{rules.question}` is empty")
        options = [cells.body(name) for name in (rules.option_a, rules.option_b)]
        if not all(options) or choice_key(options[0]) == choice_key(options[1]):
            raise SourceRefusal(
                "same_options",
                f"`{rules.option_a}` and `{rules.option_b}` are not two different responses",
            )
        index = _choice_index(cells.text(rules.choice), options, rules)
        category, domain = place(cells.label(rules.category), domains, rules)
        return ChoiceRow(
            where=row.where,
            user=user,
            question=question,
            taken=options[index],
            refused=options[1 - index],
            category=category,
            domain=domain,
            created=cells.time(rules.created),
            reason=cells.text(rules.reason),
            url=cells.address(rules.url),
            repairs=cells.repairs,
        )
    except SourceRefusal as refusal:
        return refusal.at(row.where, user or None)


_SIDE = re.compile(r"(?:(?:option|response|answer|output|model|side)[ _-]?)?([ab])")
_NEITHER = frozenset(
    ("", "tie", "tied", "both", "neither", "none", "equal", "same", "skip", "pass", "cannot tell")
)


def _choice_index(cell: str, options: Sequence[str], rules: SourceRules) -> int:
    """0 or 1: the option that the user took."""
    word = cell.strip().casefold()
    names = (rules.option_a.casefold(), rules.option_b.casefold())
    forms = (names, tuple(option.casefold() for option in options))
    readings = {form.index(word) for form in forms if word in form}
    if side := _SIDE.fullmatch(word):
        readings.add("ab".index(side[1]))
    if len(readings) == 1:
        return readings.pop()
    if readings:
        raise SourceRefusal(
            "bad_choice",
            f"`{rules.choice}` is {excerpt(cell)}, which is the place of one option and the text of"
            " the other",
            value=cell[:200],
        )
    if word in _NEITHER or word.startswith("tie"):
        raise SourceRefusal("no_choice", f"`{rules.choice}` is {excerpt(cell)}")
    raise SourceRefusal(
        "bad_choice",
        f"`{rules.choice}` is {excerpt(cell)}: not `a`, `b` or a tie",
        value=cell[:200],
    )


def read_text(
    row: SourceRow, rules: SourceRules, *, timed: bool
) -> tuple[str, Post, Repairs] | SourceProblem:
    """A row of the table of texts: its user, the text and what was repaired in it. It has a time if
    the choices have (`timed`), and none if they have none."""
    cells, user = Cells(row.fields, rules), ""
    try:
        user = cells.user(rules.user)
        words = f"{cells.line(rules.title)}\n{cells.body(rules.text)}".strip()
        if not words:
            raise SourceRefusal("empty_text", f"`{rules.text}` is empty")
        created = cells.time(rules.created)
        if timed and not created:
            there = rules.created in row.fields
            lack = "empty" if there else "missing: the row has no such column"
            detail = f"{lack}, and the choices have times: the text may be later"
            raise SourceRefusal("bad_time", f"`{rules.created}` is {detail}")
        if created and not timed:
            detail = "the text has a time and the choices have none: it may be later than a choice"
            raise SourceRefusal("bad_time", detail)
        post = Post(
            id=content_id("post", user, created or "", words),
            text=words,
            created=created,
            source_url=cells.address(rules.url),
        )
    except SourceRefusal as refusal:
        return refusal.at(row.where, user or None)
    return user, post, cells.repairs
