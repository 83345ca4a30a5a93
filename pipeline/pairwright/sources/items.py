"""Rows become items: a user's question, with what the same user wrote before it.

A row may be an item, in LaMP-QA's schema or Personalized RewardBench's, whose further fields
(`chosen`, `rejected`) are left alone. Or it is a post: then a user's latest posts are the
questions, and the strictly earlier ones are the profile.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from pairwright.records import GoldAspect, Item, Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells
from pairwright.sources.problems import Problems, Repairs, SourceRefusal, excerpt, refuse
from pairwright.sources.tables import SourceTable, open_table
from pairwright.text import find_question, normalised
from pairwright.times import is_older, latest_moment

T = TypeVar("T")


class Source(NamedTuple):
    """Rules that a source is read with, and the list of its problems."""

    rules: SourceRules
    domains: Domains
    folder: Path
    """Folder of the config: a relative path starts there."""
    problems: Problems


class SourcePost(NamedTuple):
    """Text that a user wrote, as it was read: a post, or the question of an item."""

    where: str
    text: str
    """Whole text, as it is read in a history."""
    created: str | None
    category: str
    url: str | None
    repairs: Repairs
    id: str = ""
    """Id in the source; if that is empty, a post is numbered in its item."""
    kind: str = ""
    item: str = ""
    """The id of the item that asks it; empty if the source names none."""
    question: str = ""
    """Question that it asks; empty if it cannot be told."""
    narrative: str = ""
    refusal: SourceRefusal | None = None
    """Reason why it is not asked. It stays in the history."""
    edited: str = ""
    """Time of the user's last edit."""


# Rows that are items


def read_items(source: Source) -> Iterator[Item]:
    """An item for each row. Raises SourceError."""
    first: dict[str, str] = {}
    with_users = False
    table = open_table(source.rules.path, source.folder, source.rules, "items")
    for row in source.problems.sound(table.rows):
        # LaMP-QA has no users. Once a row has one, a row without is a gap, not a format.
        with_users = with_users or source.rules.columns.get("user", "user") in row.fields
        with source.problems.row(row.where) as read:
            cells = Cells(row.fields, source.rules, source.rules.columns)
            read.id = id = cells.label("id") or refuse("missing_id", "the row has no id")
            if id in first:
                refuse("duplicate_id", f"{first[id]} has this id already")
            item = _item(source, id, cells.user("user") if with_users else id, cells, row.where)
            first[id] = row.where
            yield item


def _item(source: Source, id: str, user: str, cells: Cells, where: str) -> Item:
    question = cells.text("question") or refuse("empty_question", "the row has no question")
    placed(source, cells.label("category"))
    aspects = list[GoldAspect]()
    for raw in cells.rows("rubric_aspects"):
        if not isinstance(raw, dict):
            refuse("wrong_type", "an entry of rubric_aspects is not an object")
        entry = Cells(raw, source.rules, {}, cells.repairs)
        name, reason, evidence = map(entry.text, ("aspect", "reason", "evidence"))
        if name:
            aspects.append(GoldAspect(aspect=name, reason=reason, evidence=evidence))
        else:
            cells.repairs["empty_aspect"] = "an entry of rubric_aspects names no aspect"
    asked, posts = _item_post(id, cells, where, question), list[SourcePost]()
    for raw in cells.rows("profile"):
        with source.problems.row(where) as read:
            if not isinstance(raw, dict):
                refuse("not_an_object", "a post of the profile is not an object")
            own = Cells(raw, source.rules, {})
            read.id = own.label("id") or refuse("missing_id", "a post of the profile has no id")
            text = own.body("text") or refuse("empty_text", "the post has no text")
            posts.append(_item_post(read.id, own, where, text))
    return make_item(source, id, user, asked, posts, aspects)


def _item_post(id: str, cells: Cells, where: str, text: str) -> SourcePost:
    return SourcePost(
        where=where, id=id, text=text, category=cells.label("category"),
        created=cells.time("created"), url=cells.address("source_url"),
        kind=cells.label("kind").lower(), repairs=cells.repairs, question=text,
        narrative=cells.text("narrative"),
    )  # fmt: skip


# Rows that are posts

# A longer first line or sentence is not a question that a person could have asked as a title.
_QUESTION_CHARS = 200
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")


def read_posts(source: Source) -> Iterator[Item]:
    """The items of each user, users in the order in which the file first names them. Raises
    SourceError."""
    table = open_table(source.rules.path, source.folder, source.rules, "posts")
    by_user = rows_by_user(source, table, _post)
    for user, posts in by_user.items():
        # The sort is stable: of posts of one moment, the file's last is the latest.
        posts.sort(key=lambda post: post.created or "")
        yield from user_items(source, user, posts)


def _post(_: str, cells: Cells, where: str) -> SourcePost:
    created = cells.time("created") or refuse("bad_time", f"`{cells.column('created')}` is empty")
    title, body = cells.line("title"), cells.body("text")
    # In one line, as LaMP-QA's profiles have them.
    text = f"{title} {body}".strip() or refuse("empty_text", "neither a title nor a text")
    if not (question := title):
        line = body.partition("\n")[0].strip()
        sentence = _SENTENCE.match(line)
        openings = (line, sentence.group() if sentence else line)
        question = next((one for one in openings if len(one) <= _QUESTION_CHARS), "")
    return SourcePost(
        where=where, text=text, created=created, category=cells.label("category"),
        url=cells.address("url"), kind=cells.label("kind").lower(), repairs=cells.repairs,
        question=question, narrative=body,
    )  # fmt: skip


def rows_by_user(
    source: Source, table: SourceTable, made: Callable[[str, Cells, str], T], texts: bool = False
) -> dict[str, list[T]]:
    """Results of `made` for each row, from its user, its cells and its place, by user; both in the
    table's order. `made` may raise SourceRefusal. Columns of `texts` may have their usual names.

    Notes a user with more than a fifth of all rows, and more than twice an equal share: the id may
    stand for several people.
    """
    by_user, places = dict[str, list[T]](), dict[str, str]()
    for row in source.problems.sound(table.rows):
        with source.problems.row(row.where) as read:
            given = source.rules.columns.items()
            columns = {name: own for name, own in given if own in row.fields or not texts}
            cells = Cells(row.fields, source.rules, columns)
            read.id = user = cells.user("user")
            one = made(user, cells, row.where)
            by_user.setdefault(user, []).append(one)
            places.setdefault(user, row.where)
    n = 0 if texts else sum(map(len, by_user.values()))
    for user, own in by_user.items():
        if 5 * len(own) > n > 0 and len(by_user) * len(own) > 2 * n:
            detail = f"{excerpt(user)} has {len(own):,} of {n:,} rows"
            source.problems.note("frequent_user", places[user], user, detail)
    return by_user


def user_items(source: Source, user: str, posts: Sequence[SourcePost]) -> Iterator[Item]:
    """The items of one user's posts, which are in time order."""
    # A post may be in several items: its problem counts once.
    own = Source(source.rules, source.domains, source.folder, source.problems.once())
    for n in _asked(own, user, posts):
        asked = posts[n]
        with own.problems.row(asked.where) as read:
            read.id = user
            if not asked.question:
                refuse("empty_question", "no title, and no short first line or sentence")
            id = asked.item or content_id("item", user, asked.question, asked.created or "")
            yield make_item(own, id, user, asked, posts[:n])


def _asked(source: Source, user: str, posts: Sequence[SourcePost]) -> list[int]:
    """The places of the posts that are asked, oldest first: the user's latest `targets` questions,
    each in its last form."""
    problems, askable = source.problems, list[int]()
    for n, post in enumerate(posts):
        if post.refusal:
            problems.add(post.refusal.at(post.where, post.id or user))
        elif post.kind in ("", "question"):
            askable.append(n)
    if not askable:
        detail = "none of the user's posts can be asked"
        problems.refuse("no_question", posts[0].where, user, detail)
    chosen = dict[str, int]()
    for n in reversed(askable):
        post = posts[n]
        if len(chosen) == source.rules.targets:
            break
        if chosen.setdefault(normalised(post.question) or str(n), n) != n:
            detail = f"{excerpt(post.question)} is asked again by a later post"
            problems.refuse("repeated_question", post.where, post.id or user, detail)
    return sorted(chosen.values())


# A question with posts becomes an item


def placed(source: Source, category: str) -> tuple[str, str]:
    """The category, or the default one, and its domain's key; raises SourceRefusal."""
    category = category or source.rules.default_category or ""
    if not category:
        refuse("missing_category", "no category, and no `default_category` is set")
    return category, (source.domains.of(category) or source.domains.general).key


def note_unknown(source: Source, category: str, where: str, id: str) -> None:
    """Note a category that is in no domain's file."""
    if source.domains.of(category) is None:
        detail = f"{excerpt(category)} is in no domain's file: its domain is Other"
        if source.rules.format != "choices":
            detail += ", whose rules for the planner are general"
        source.problems.note("unknown_category", where, id, detail, category)


def make_item(
    source: Source, id: str, user: str, asked: SourcePost, posts: Sequence[SourcePost],
    aspects: Iterable[GoldAspect] = (),
) -> Item:  # fmt: skip
    """The item of a question, with those of the posts that may be in its profile. Raises
    SourceRefusal if they are too few."""
    category, domain = placed(source, asked.category)
    profile = _profile(source, id, asked, posts)
    source.problems.repair(asked.repairs, asked.where, id)
    note_unknown(source, category, asked.where, id)
    return Item(
        id=id, user=user, question=asked.question, narrative=asked.narrative or None,
        category=category, domain=domain, profile=profile, rubric_aspects=tuple(aspects),
        created=asked.created, source_url=asked.url,
    )  # fmt: skip


def _profile(
    source: Source, item: str, asked: SourcePost, posts: Sequence[SourcePost]
) -> tuple[Post, ...]:
    timed = bool(asked.created) or any(post.created for post in posts)
    numbered = [(post.id or f"{item}-p{n}", post) for n, post in enumerate(posts, start=1)]
    if all(post.created for post in posts):  # Else the file's order stays.
        numbered.sort(key=lambda one: latest_moment(one[1].created or ""))
    profile, ids_by_text = dict[str, Post](), dict[str, str]()
    repaired = list[tuple[Repairs, str, str]]()
    for id, post in numbered:
        with source.problems.row(post.where) as read:
            read.id = id
            folded = normalised(post.text)
            if asked.created and post.created and not is_older(post.created, asked.created):
                refuse("later_post", f"{post.created}, the question {asked.created}")
            if id in profile:
                refuse("duplicate_post_id", "an earlier post of the profile has this id")
            if find_question(post.text, asked.question, asked.narrative):
                refuse("target_in_profile", f"it repeats {excerpt(asked.question)}")
            if folded in ids_by_text:
                refuse("duplicate_post", f"the same text as {excerpt(ids_by_text[folded])}")
            ids_by_text[folded] = id
            profile[id] = Post(
                id=id, text=post.text, category=post.category, created=post.created,
                source_url=post.url, kind=post.kind,
            )  # fmt: skip
            repairs = dict(post.repairs)
            if timed and not post.created:
                repairs["undated_post"] = "it may be younger than the question"
            if asked.created and is_older(asked.created, post.edited):
                repairs["edited_later"] = f"its user edited it at {post.edited}"
            repaired.append((repairs, post.where, id))
    if len(profile) < source.rules.min_posts:
        left = f"{len(profile)} of {len(posts)} posts left, not {source.rules.min_posts}"
        refuse("too_few_posts", left)
    for one in repaired:
        source.problems.repair(*one)
    return tuple(profile.values())
