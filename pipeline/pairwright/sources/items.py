"""Rows that are items; and what makes an item of any source's question and posts.

The rows have LaMP-QA's schema or Personalized RewardBench's, whose further fields (`chosen`,
`rejected`) are not an item's and are left alone.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pairwright.records import GoldAspect, Item, Post
from pairwright.sources.fields import Cells
from pairwright.sources.opening import Source, open_table
from pairwright.sources.problems import Repairs, SourceRefusal, excerpt, refuse
from pairwright.sources.tables import SourceRow
from pairwright.text import find_question, normalised
from pairwright.times import is_older, latest_moment


class SourcePost(NamedTuple):
    """What a user wrote, as it was read: a post, or the question of an item."""

    where: str
    id: str
    """Empty if the source names none: then a post is numbered in its item."""
    text: str
    """The whole, as it is read in a history."""
    created: str | None
    category: str
    url: str | None
    repairs: Repairs
    kind: str = ""
    item: str = ""
    """The id of the item that asks it; empty if the source names none."""
    question: str = ""
    """What it asks; empty if it cannot be told."""
    narrative: str = ""
    refusal: SourceRefusal | None = None
    """Why it is not asked. It stays in the history."""
    edited: str = ""
    """When the user edited it last."""


def read(source: Source) -> tuple[str, Iterator[Item]]:
    """The source as messages name it, and an item for each row. Raises SourceError."""
    table = open_table(source, source.rules.path, "items")
    return table.source, _items(source, source.problems.sound(table.rows))


def _items(source: Source, rows: Iterator[SourceRow]) -> Iterator[Item]:
    first: dict[str, str] = {}
    with_users = False
    for row in rows:
        # LaMP-QA has no users. Once a row has one, a row without is a gap, not a format.
        with_users = with_users or "user" in row.fields
        with source.problems.row(row.where) as read:
            cells = Cells(row.fields, source.rules)
            read.id = id = cells.label("id") or refuse("missing_id", "the row has no id")
            if id in first:
                refuse("duplicate_id", f"{first[id]} has this id already")
            user = cells.user("user") if with_users else id
            item = _item(source, id, user, cells, row.where)
            first[id] = row.where
            yield item


def _item(source: Source, id: str, user: str, cells: Cells, where: str) -> Item:
    question = cells.text("question") or refuse("empty_question", "the row has no question")
    placed(source, cells.label(source.rules.category))
    narrative, aspects = cells.text("narrative"), _aspects(source, cells)
    asked = _post(source, id, cells, where, question, narrative)
    posts = list[SourcePost]()
    for raw in cells.rows("profile"):
        with source.problems.row(where) as read:
            if not isinstance(raw, dict):
                refuse("not_an_object", "a post of the profile is not an object")
            own = Cells(raw, source.rules)
            read.id = own.label("id") or refuse("missing_id", "a post of the profile has no id")
            text = own.body("text") or refuse("empty_text", "the post has no text")
            posts.append(_post(source, read.id, own, where, text))
    return make_item(source, id, user, asked, posts, aspects)


def _post(
    source: Source, id: str, cells: Cells, where: str, text: str, narrative: str = ""
) -> SourcePost:
    return SourcePost(
        where=where, id=id, text=text, category=cells.label(source.rules.category),
        created=cells.time("created"), url=cells.address("source_url"),
        kind=cells.label("kind").lower(), repairs=cells.repairs, question=text,
        narrative=narrative,
    )  # fmt: skip


def _aspects(source: Source, cells: Cells) -> tuple[GoldAspect, ...]:
    aspects = []
    for raw in cells.rows("rubric_aspects"):
        if not isinstance(raw, dict):
            refuse("wrong_type", "an entry of rubric_aspects is not an object")
        entry = Cells(raw, source.rules, cells.repairs)
        name, reason, evidence = map(entry.text, ("aspect", "reason", "evidence"))
        if name:
            aspects.append(GoldAspect(aspect=name, reason=reason, evidence=evidence))
        else:
            cells.repairs["empty_aspect"] = "an entry of rubric_aspects names no aspect"
    return tuple(aspects)


def placed(source: Source, category: str) -> tuple[str, str]:
    """The category, or the default one, and its domain's key; raises SourceRefusal."""
    category = category or source.rules.default_category or ""
    if not category:
        refuse("missing_category", "no category, and no `default_category` is set")
    domain = source.domains.of(category)
    if domain is None:
        known = ", ".join(source.domains.by_key)
        detail = f"{excerpt(category)} belongs to none of the domains {known}"
        refuse("unknown_category", detail, category)
    return category, domain.key


def make_item(
    source: Source, id: str, user: str, asked: SourcePost, posts: Sequence[SourcePost],
    aspects: tuple[GoldAspect, ...] = (),
) -> Item:  # fmt: skip
    """The item of a question, with those of the posts that may be in its profile. Raises
    SourceRefusal if they are too few."""
    category, domain = placed(source, asked.category)
    profile = _profile(source, id, asked, posts)
    source.problems.repair(asked.repairs, asked.where, id)
    return Item(
        id=id, user=user, question=asked.question, narrative=asked.narrative or None,
        category=category, domain=domain, profile=profile, rubric_aspects=aspects,
        created=asked.created, source_url=asked.url,
    )  # fmt: skip


def _profile(
    source: Source, item: str, asked: SourcePost, posts: Sequence[SourcePost]
) -> tuple[Post, ...]:
    timed = bool(asked.created) or any(post.created for post in posts)
    numbered = [(post.id or f"{item}-p{n}", post) for n, post in enumerate(posts, start=1)]
    if all(post.created for post in posts):  # Else the file's order stays.
        numbered.sort(key=lambda one: latest_moment(one[1].created or ""))
    profile: dict[str, Post] = {}
    texts: dict[str, str] = {}
    """Ids by text."""
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
            if folded in texts:
                refuse("duplicate_post", f"the same text as {excerpt(texts[folded])}")
            texts[folded] = id
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
