"""Rows that are posts: a user's latest are the questions, the strictly earlier ones the profile.

All posts are in memory here, because a user's may be anywhere in the file.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.records import Item, Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells, Repairs
from pairwright.sources.items import (
    ReadPost,
    frequent_user,
    latest,
    once_each,
    place,
    repeated_question,
    with_profile,
)
from pairwright.sources.opening import Items, open_table, renamed_keys
from pairwright.sources.problems import SourceProblem, SourceRefusal, refuse
from pairwright.sources.source_table import SourceRow

# A longer first line or sentence is not a question that a person could have asked as a title.
_QUESTION_CHARS = 200
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")


class RawPost(NamedTuple):
    """One post as a user wrote it."""

    where: str
    user: str
    title: str
    body: str
    created: str
    category: str
    url: str | None
    kind: str
    repairs: Repairs

    @property
    def whole(self) -> str:
        """Title and body in one line, as LaMP-QA's profiles have them."""
        return f"{self.title} {self.body}".strip()

    @property
    def question(self) -> str:
        """What it asks: its title, or a short opening; empty where it has neither."""
        return self.title or _opening(self.body)

    @property
    def asked(self) -> bool:
        """Whether it can be asked again."""
        return self.kind in ("", "question")


def read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Items]:
    """The source as messages name it, and its items. Raises SourceError."""
    advice = "Name the right ones in `user`, `text`, `created`, `title`, `category`, `url`"
    table = open_table(rules, rules.path, folder, required(rules), advice)
    return table.source, _read_items(table.rows, domains, rules)


def required(rules: SourceRules) -> list[str]:
    """The columns that must be there: the three, and others that the rules name otherwise."""
    names = ["user", "text", "created", *renamed_keys(rules, "title", "category", "url", "kind")]
    if not rules.default_category and "category" not in names:
        names.append("category")
    return [getattr(rules, name) for name in names]


def _read_items(
    table: Iterable[SourceRow | SourceProblem], domains: Domains, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    """The items of each user, users in the order in which the file first names them."""
    by_user: dict[str, list[RawPost]] = {}
    for row in table:
        read = row if isinstance(row, SourceProblem) else _written(row, rules)
        if isinstance(read, SourceProblem):
            yield read
        else:
            by_user.setdefault(read.user, []).append(read)
    yield from frequent_user(by_user)
    for user, posts in by_user.items():
        # The sort is stable: of posts of one moment, the file's last is the latest.
        posts.sort(key=lambda post: post.created)
        yield from once_each(_items(user, posts, domains, rules))


def _items(
    user: str, posts: list[RawPost], domains: Domains, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    """One user's, oldest first; `posts` is in time order."""
    questions = [n for n, post in enumerate(posts) if post.asked]
    if not questions:
        refusal = SourceRefusal("no_question", "none of the user's posts is a question")
        yield refusal.at(posts[0].where, user)
    chosen, repeated = latest(questions, rules.targets, lambda n: posts[n].question)
    for n in repeated:
        yield repeated_question(posts[n].question).at(posts[n].where, user)
    for n in chosen:
        try:
            yield from _item(posts[n], posts[:n], domains, rules)
        except SourceRefusal as refusal:
            yield refusal.at(posts[n].where, user)


def _written(row: SourceRow, rules: SourceRules) -> RawPost | SourceProblem:
    cells, user = Cells(row.fields, rules), ""
    try:
        user = cells.user(rules.user)
        created = cells.time(rules.created) or refuse("bad_time", f"`{rules.created}` is empty")
        post = RawPost(
            where=row.where,
            user=user,
            title=cells.line(rules.title),
            body=cells.body(rules.text),
            created=created,
            category=cells.label(rules.category),
            url=cells.address(rules.url),
            kind=cells.post_kind(rules.kind),
            repairs=cells.repairs,
        )
        if not post.whole:
            raise SourceRefusal("empty_text", "neither a title nor a text")
    except SourceRefusal as refusal:
        return refusal.at(row.where, user or None)
    return post


def _item(
    target: RawPost, earlier: list[RawPost], domains: Domains, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    question = target.question
    if not question:
        raise SourceRefusal(
            "empty_question",
            f"no title, and no first line or sentence of at most {_QUESTION_CHARS} characters",
        )
    category, domain = place(target.category, domains, rules)
    item = Item(
        id=content_id("item", target.user, question, target.created),
        user=target.user,
        question=question,
        narrative=target.body or None,
        category=category,
        domain=domain,
        profile=(),
        created=target.created,
        source_url=target.url,
    )
    readable = [
        _found(f"{item.id}-p{number}", post) for number, post in enumerate(earlier, start=1)
    ]
    yield from with_profile(item, readable, target.where, target.repairs, rules)


def _opening(body: str) -> str:
    """The first line, or else its first sentence, where it is short enough to be a question."""
    line = body.partition("\n")[0].strip()
    sentence = _SENTENCE.match(line)
    candidates = [line, sentence.group() if sentence else line]
    return next((c for c in candidates if len(c) <= _QUESTION_CHARS), "")


def _found(id: str, written: RawPost) -> ReadPost:
    post = Post(
        id=id,
        text=written.whole,
        category=written.category,
        created=written.created,
        source_url=written.url,
        kind=written.kind,
    )
    return ReadPost(post, written.where, written.repairs)
