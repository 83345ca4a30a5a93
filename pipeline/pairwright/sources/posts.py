"""Rows that are posts: a user's latest are the questions, the strictly earlier ones the profile."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pairwright.records import Item, content_id
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells
from pairwright.sources.items import SourcePost, make_item
from pairwright.sources.opening import Source, open_table, rows_by_user
from pairwright.sources.problems import Problems, excerpt, refuse
from pairwright.sources.tables import SourceTable
from pairwright.text import normalised

# A longer first line or sentence is not a question that a person could have asked as a title.
_QUESTION_CHARS = 200
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")
LEAST_USERS = 10
"""Users among whom a fifth of the rows is more than one person's share."""


def read(source: Source) -> tuple[str, Iterator[Item]]:
    """The source as messages name it, and the items of each user, users in the order in which the
    file first names them. Raises SourceError."""
    table = open_table(source, source.rules.path, "posts")
    return table.source, _items(source, table)


def _items(source: Source, table: SourceTable) -> Iterator[Item]:
    by_user = rows_by_user(source, table, partial(_post, source.rules))
    note_frequent_user(by_user, source.problems)
    for user, posts in by_user.items():
        # The sort is stable: of posts of one moment, the file's last is the latest.
        posts.sort(key=lambda post: post.created or "")
        yield from user_items(source, user, posts)


def _post(rules: SourceRules, _: str, cells: Cells, where: str) -> SourcePost:
    created = cells.time(rules.created) or refuse("bad_time", f"`{rules.created}` is empty")
    title, body = cells.line(rules.title), cells.body(rules.text)
    # In one line, as LaMP-QA's profiles have them.
    text = f"{title} {body}".strip() or refuse("empty_text", "neither a title nor a text")
    return SourcePost(
        where=where, id="", text=text, created=created, category=cells.label(rules.category),
        url=cells.address(rules.url), kind=cells.label(rules.kind).lower(),
        repairs=cells.repairs, question=title or _opening(body), narrative=body,
    )  # fmt: skip


def _opening(body: str) -> str:
    """The first line, else its first sentence, if it is short enough to be a question."""
    line = body.partition("\n")[0].strip()
    sentence = _SENTENCE.match(line)
    candidates = (line, sentence.group() if sentence else line)
    return next((c for c in candidates if len(c) <= _QUESTION_CHARS), "")


def note_frequent_user(by_user: Mapping[str, Sequence[Any]], problems: Problems) -> None:
    """Note that one of many users has more than a fifth of all rows: the id may stand for several
    people."""
    n = sum(map(len, by_user.values()))
    for user, own in by_user.items() if len(by_user) >= LEAST_USERS else ():
        if 5 * len(own) > n:
            detail = f"{excerpt(user)} has {len(own):,} of {n:,} rows"
            problems.note("frequent_user", own[0].where, user, detail)


def user_items(source: Source, user: str, posts: Sequence[SourcePost]) -> Iterator[Item]:
    """The items of one user's posts, which are in time order."""
    # A post may be in several items: its problem counts once.
    own = Source(source.rules, source.domains, source.folder, source.problems.once())
    for n in _chosen(own, user, posts):
        asked = posts[n]
        with own.problems.row(asked.where) as read:
            read.id = user
            if not asked.question:
                refuse("empty_question", "no title, and no short first line or sentence")
            id = asked.item or content_id("item", user, asked.question, asked.created or "")
            yield make_item(own, id, user, asked, posts[:n])


def _chosen(source: Source, user: str, posts: Sequence[SourcePost]) -> list[int]:
    """The places of the posts that are asked, oldest first: the user's latest `targets` questions,
    each in its last form."""
    askable, chosen = list[int](), dict[str, int]()
    for n, post in enumerate(posts):
        if post.kind in ("", "question") and post.refusal:
            source.problems.add(post.refusal.at(post.where, post.id or user))
        elif post.kind in ("", "question"):
            askable.append(n)
    if not askable:
        detail = "none of the user's posts can be asked"
        source.problems.refuse("no_question", posts[0].where, user, detail)
    for n in reversed(askable):
        where, id, question = posts[n].where, posts[n].id or user, posts[n].question
        if len(chosen) == source.rules.targets:
            break
        if question and normalised(question) in chosen:
            detail = f"{excerpt(question)} is asked again by a later post"
            source.problems.refuse("repeated_question", where, id, detail)
        else:
            chosen[normalised(question) or str(n)] = n
    return sorted(chosen.values())
