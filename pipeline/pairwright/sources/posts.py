"""Rows that are posts: a user's latest are the questions, the strictly earlier ones the profile.

All posts are in memory here, because a user's may be anywhere in the file.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.records import Item, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells
from pairwright.sources.items import UserPost, frequent_user, place, user_items
from pairwright.sources.opening import Items, open_table, renamed_keys
from pairwright.sources.problems import SourceProblem, SourceRefusal, refuse
from pairwright.sources.source_table import SourceRow

# A longer first line or sentence is not a question that a person could have asked as a title.
_QUESTION_CHARS = 200
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")


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
    by_user: dict[str, list[UserPost]] = {}
    for row in table:
        if isinstance(row, SourceProblem):
            yield row
            continue
        cells, user = Cells(row.fields, rules), ""
        try:
            user = cells.user(rules.user)
            post = _post(cells, row.where, rules)
            by_user.setdefault(user, []).append(post)
        except SourceRefusal as refusal:
            yield refusal.at(row.where, user or None)
    yield from frequent_user(by_user)
    for user, posts in by_user.items():
        # The sort is stable: of posts of one moment, the file's last is the latest.
        posts.sort(key=lambda post: post.created)

        def about(asked: UserPost, user: str = user) -> tuple[str, str, str]:
            id = content_id("item", user, asked.question, asked.created)
            return id, *place(asked.category, domains, rules)

        yield from user_items(user, posts, about, rules)


def _post(cells: Cells, where: str, rules: SourceRules) -> UserPost:
    created = cells.time(rules.created) or refuse("bad_time", f"`{rules.created}` is empty")
    title, body = cells.line(rules.title), cells.body(rules.text)
    return UserPost(
        where=where,
        id="",
        question=title or _opening(body),
        narrative=body,
        # In one line, as LaMP-QA's profiles have them.
        text=f"{title} {body}".strip() or refuse("empty_text", "neither a title nor a text"),
        created=created,
        category=cells.label(rules.category),
        url=cells.address(rules.url),
        kind=cells.post_kind(rules.kind),
        repairs=cells.repairs,
    )


def _opening(body: str) -> str:
    """The first line, or else its first sentence, where it is short enough to be a question."""
    line = body.partition("\n")[0].strip()
    sentence = _SENTENCE.match(line)
    candidates = [line, sentence.group() if sentence else line]
    return next((c for c in candidates if len(c) <= _QUESTION_CHARS), "")
