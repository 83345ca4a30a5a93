"""Rows that are items, and what every item is held to, whatever it came from: a domain, and a
profile of earlier posts.

The rows have LaMP-QA's schema or Personalized RewardBench's, whose further fields (`chosen`,
`rejected`) are not an item's and are left alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.records import GoldAspect, Item, Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells, Repairs, repaired
from pairwright.sources.opening import Items, open_table
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt, refuse
from pairwright.sources.source_table import SourceRow
from pairwright.text import find_question, normalised
from pairwright.times import is_older, latest_moment


class ReadPost(NamedTuple):
    """A post as it was read, with its place and what was repaired in it."""

    post: Post
    where: str
    repairs: Repairs


class UserPost(NamedTuple):
    """One post of a user, of whose posts items are made."""

    where: str
    id: str
    """Empty if the source names none: then it is numbered."""
    question: str
    """What it asks; empty if it cannot be told."""
    narrative: str
    text: str
    """The whole, as it is read in a history."""
    created: str
    category: str
    url: str | None
    kind: str
    repairs: Repairs
    refusal: SourceRefusal | None = None
    """Why it is not asked. It stays in the history."""
    edited: str = ""
    """When the user edited it last."""


def user_items(
    user: str,
    posts: list[UserPost],
    about: Callable[[UserPost], tuple[str, str, str]],
    rules: SourceRules,
) -> Iterator[Item | SourceProblem]:
    """The items of one user's posts, which are in time order, each after its problems.

    `about` gives an item's id, category and domain.
    """
    noted = set[tuple[str, str, str]]()
    for one in _user_items(user, posts, about, rules):
        if isinstance(one, SourceProblem):
            # A post may be in several items.
            key = one.reason, one.where, one.detail
            if key in noted:
                continue
            noted.add(key)
        yield one


def _user_items(
    user: str,
    posts: list[UserPost],
    about: Callable[[UserPost], tuple[str, str, str]],
    rules: SourceRules,
) -> Iterator[Item | SourceProblem]:
    chosen: list[int] = []
    questions: set[str] = set()
    some = False
    for n, post in reversed(list(enumerate(posts))):
        if post.kind not in ("", "question"):
            continue
        folded = normalised(post.question)
        if post.refusal:
            yield post.refusal.at(post.where, post.id or user)
            continue
        some = True
        if len(chosen) == rules.targets:
            continue
        if folded in questions:
            detail = f"{excerpt(post.question)} is asked again by a later post"
            yield SourceRefusal("repeated_question", detail).at(post.where, post.id or user)
            continue
        chosen.append(n)
        questions |= {folded} - {""}
    if not some:
        refusal = SourceRefusal("no_question", "none of the user's posts can be asked")
        yield refusal.at(posts[0].where, user)
    for n in reversed(chosen):
        try:
            yield from _user_item(user, posts[n], posts[:n], about, rules)
        except SourceRefusal as refusal:
            yield refusal.at(posts[n].where, user)


def _user_item(
    user: str,
    asked: UserPost,
    earlier: list[UserPost],
    about: Callable[[UserPost], tuple[str, str, str]],
    rules: SourceRules,
) -> Iterator[Item | SourceProblem]:
    if not asked.question:
        raise SourceRefusal("empty_question", "no title, and no short first line or sentence")
    id, category, domain = about(asked)
    item = Item(
        id=id,
        user=user,
        question=asked.question,
        narrative=asked.narrative or None,
        category=category,
        domain=domain,
        profile=(),
        created=asked.created,
        source_url=asked.url,
    )
    read = []
    for number, post in enumerate(earlier, start=1):
        repairs = dict(post.repairs)
        if is_older(asked.created, post.edited):
            # Some of its text may be younger than the question.
            repairs["edited_later"] = f"its user edited it at {post.edited}, after the question"
        own = Post(
            id=post.id or f"{id}-p{number}",
            text=post.text,
            category=post.category,
            created=post.created,
            source_url=post.url,
            kind=post.kind,
        )
        read.append(ReadPost(own, post.where, repairs))
    yield from with_profile(item, read, asked.where, asked.repairs, rules)


LEAST_USERS = 10
"""Users among whom a fifth of the rows is more than one person's share."""


def frequent_user(by_user: Mapping[str, Sequence[Any]]) -> Iterator[SourceProblem]:
    """The note that one of many users has more than a fifth of all rows: the id may stand for
    several people."""
    n = sum(map(len, by_user.values()))
    if len(by_user) >= LEAST_USERS:
        for user, own in by_user.items():
            if 5 * len(own) > n:
                detail = f"{excerpt(user)} has {len(own):,} of {n:,} rows"
                yield SourceProblem(
                    action="noted", reason="frequent_user", where=own[0].where, id=user,
                    detail=detail,
                )  # fmt: skip


def place(category: str, domains: Domains, rules: SourceRules) -> tuple[str, str]:
    """The category and its domain's key; raises SourceRefusal."""
    category = category or rules.default_category or ""
    if not category:
        raise SourceRefusal("missing_category", "no category, and no `default_category` is set")
    domain = domains.of(category)
    if domain is None:
        raise SourceRefusal(
            "unknown_category",
            f"{excerpt(category)} belongs to none of the domains {', '.join(domains.by_key)}",
            value=category,
        )
    return category, domain.key


def with_profile(
    item: Item, posts: list[ReadPost], where: str, repairs: Repairs, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    """The problems of its posts, and the item with those posts that may be in its profile."""
    timed = bool(item.created) or any(one.post.created for one in posts)
    profile: dict[str, ReadPost] = {}
    texts: dict[str, str] = {}
    """Ids by text."""
    for one in _in_time_order(posts):
        post, folded = one.post, normalised(one.post.text)
        undated = timed and not post.created
        if undated and not rules.undated_posts:
            refusal = SourceRefusal("undated_post", "it has no time, and others have one")
        elif item.created and post.created and not is_older(post.created, item.created):
            refusal = SourceRefusal("later_post", f"{post.created}, the question {item.created}")
        elif post.id in profile:
            detail = "an earlier post of the profile has this id"
            refusal = SourceRefusal("duplicate_post_id", detail)
        elif find_question(post.text, item.question, item.narrative):
            refusal = SourceRefusal("target_in_profile", f"it repeats {excerpt(item.question)}")
        elif folded in texts:
            refusal = SourceRefusal("duplicate_post", f"the same text as {excerpt(texts[folded])}")
        else:
            note = {"undated_post": "it may be younger than the question"} if undated else {}
            profile[post.id] = one._replace(repairs=one.repairs | note)
            texts[folded] = post.id
            continue
        yield refusal.at(one.where, post.id)
    if len(profile) < rules.min_posts:
        raise SourceRefusal(
            "too_few_posts", f"{len(profile)} of {len(posts)} posts left, not {rules.min_posts}"
        )
    for one in profile.values():
        yield from repaired(one.repairs, one.where, one.post.id)
    yield from repaired(repairs, where, item.id)
    yield item.model_copy(update={"profile": tuple(one.post for one in profile.values())})


def _in_time_order(posts: list[ReadPost]) -> list[ReadPost]:
    """Oldest first; in the file's order where a post has no time."""
    if any(one.post.created is None for one in posts):
        return posts
    return sorted(posts, key=lambda one: latest_moment(one.post.created or ""))


def read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Items]:
    """The source as messages name it, and its items. Raises SourceError."""
    advice = 'Rename them, or set format = "posts" if each row is one post'
    table = open_table(rules, rules.path, folder, required(rules), advice)
    return table.source, _read_items(table.rows, domains, rules)


def required(rules: SourceRules) -> list[str]:
    """The columns that must be there."""
    return ["id", "question", "profile", *([] if rules.default_category else ["category"])]


def _read_items(
    table: Iterable[SourceRow | SourceProblem], domains: Domains, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    """Each row as an item, after the problems it had; one row is held at a time."""
    first: dict[str, str] = {}
    with_users = False
    for row in table:
        if isinstance(row, SourceProblem):
            yield row
            continue
        # LaMP-QA has no users. Once a row has one, a row without is a gap, not a format.
        with_users = with_users or "user" in row.fields
        cells, id = Cells(row.fields, rules), None
        try:
            id = cells.label("id") or refuse("missing_id", "the row has no id")
            if id in first:
                raise SourceRefusal("duplicate_id", f"{first[id]} has this id already")
            user = cells.user("user") if with_users else id
            for one in _item(id, user, cells, row.where, domains, rules):
                yield one
                if isinstance(one, Item):
                    first[id] = row.where
        except SourceRefusal as refusal:
            yield refusal.at(row.where, id or None)


def _item(
    id: str, user: str, cells: Cells, where: str, domains: Domains, rules: SourceRules
) -> Iterator[Item | SourceProblem]:
    question = cells.text("question") or refuse("empty_question", "the row has no question")
    category, domain = place(cells.label("category"), domains, rules)
    item = Item(
        id=id,
        user=user,
        question=question,
        narrative=cells.text("narrative") or None,
        category=category,
        domain=domain,
        profile=(),
        rubric_aspects=_aspects(cells, rules),
        created=cells.time("created"),
        source_url=cells.address("source_url"),
    )
    posts = [_post(raw, where, rules) for raw in cells.rows("profile")]
    yield from (post for post in posts if isinstance(post, SourceProblem))
    readable = [post for post in posts if isinstance(post, ReadPost)]
    yield from with_profile(item, readable, where, cells.repairs, rules)


def _post(raw: Any, where: str, rules: SourceRules) -> ReadPost | SourceProblem:
    id = None
    try:
        if not isinstance(raw, dict):
            raise SourceRefusal("not_an_object", "a post of the profile is not an object")
        cells = Cells(raw, rules)
        id = cells.label("id") or refuse("missing_id", "a post of the profile has no id")
        words = cells.body("text") or refuse("empty_text", "the post has no text")
        post = Post(
            id=id,
            text=words,
            category=cells.label("category"),
            created=cells.time("created"),
            source_url=cells.address("source_url"),
            kind=cells.post_kind("kind"),
        )
    except SourceRefusal as refusal:
        return refusal.at(where, id or None)
    return ReadPost(post, where, cells.repairs)


def _aspects(cells: Cells, rules: SourceRules) -> tuple[GoldAspect, ...]:
    aspects = []
    for raw in cells.rows("rubric_aspects"):
        if not isinstance(raw, dict):
            raise SourceRefusal("wrong_type", "an entry of rubric_aspects is not an object")
        entry = Cells(raw, rules, cells.repairs)
        name, reason, evidence = map(entry.text, ("aspect", "reason", "evidence"))
        if name:
            aspects.append(GoldAspect(aspect=name, reason=reason, evidence=evidence))
        else:
            cells.repairs["empty_aspect"] = "an entry of rubric_aspects names no aspect"
    return tuple(aspects)
