"""Rows that are items: LaMP-QA's schema, and Personalized RewardBench's, whose further
fields (`chosen`, `rejected`) are not an item's and are left alone."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pairwright.records import GoldAspect, Item, Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, address, kind_of_post, label, rows, text, time
from pairwright.sources.opening import Items, SourceFormat, TableColumns, open_table, table_hash
from pairwright.sources.problems import SourceProblem, SourceRefusal
from pairwright.sources.rules import ReadPost, place, with_profile
from pairwright.sources.source_table import SourceRow


def _read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Items]:
    advice = 'Rename them, or set format = "posts" if each row is one post'
    table = open_table(rules, folder, TableColumns(required(rules), advice, lists=True))
    return table.source, read_items(table.rows, domains, rules)


FORMAT = SourceFormat(table_hash, items=_read)


def required(rules: SourceRules) -> list[str]:
    """The columns that must be there."""
    return ["id", "question", "profile", *([] if rules.default_category else ["category"])]


def read_items(
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
        repairs: Repairs = {}
        id = None
        try:
            id = label(row.fields, "id", repairs)
            if not id:
                raise SourceRefusal("missing_id", "the row has no id")
            if id in first:
                raise SourceRefusal("duplicate_id", f"{first[id]} has this id already")
            for one in _item(id, row, repairs, with_users, domains, rules):
                yield one
                if isinstance(one, Item):
                    first[id] = row.where
        except SourceRefusal as refusal:
            yield refusal.at(row.where, id or None)


def _item(
    id: str,
    row: SourceRow,
    repairs: Repairs,
    with_users: bool,
    domains: Domains,
    rules: SourceRules,
) -> Iterator[Item | SourceProblem]:
    limit = rules.max_post_chars
    user = label(row.fields, "user", repairs) if with_users else id
    if not user:
        raise SourceRefusal("missing_user", "the row's `user` is empty")
    question = text(row.fields, "question", repairs, limit)
    if not question:
        raise SourceRefusal("empty_question", "the row has no question")
    category, domain = place(label(row.fields, "category", repairs), domains, rules)
    item = Item(
        id=id,
        user=user,
        question=question,
        narrative=text(row.fields, "narrative", repairs, limit) or None,
        category=category,
        domain=domain,
        profile=(),
        rubric_aspects=_aspects(row, repairs, limit),
        created=time(row.fields, "created"),
        source_url=address(row.fields, "source_url", repairs) or None,
    )
    posts = [_post(raw, row.where, limit) for raw in rows(row.fields, "profile")]
    yield from (post for post in posts if isinstance(post, SourceProblem))
    readable = [post for post in posts if isinstance(post, ReadPost)]
    yield from with_profile(item, readable, row.where, repairs, rules)


def _post(raw: Any, where: str, limit: int) -> ReadPost | SourceProblem:
    repairs: Repairs = {}
    id = None
    try:
        if not isinstance(raw, dict):
            raise SourceRefusal("not_an_object", "a post of the profile is not an object")
        id = label(raw, "id", repairs)
        if not id:
            raise SourceRefusal("missing_id", "a post of the profile has no id")
        words = text(raw, "text", repairs, limit)
        if not words:
            raise SourceRefusal("empty_text", "the post has no text")
        post = Post(
            id=id,
            text=words,
            category=label(raw, "category", repairs),
            created=time(raw, "created"),
            source_url=address(raw, "source_url", repairs) or None,
            kind=kind_of_post(raw, "kind", repairs),
        )
    except SourceRefusal as refusal:
        return refusal.at(where, id or None)
    return ReadPost(post, where, repairs)


def _aspects(row: SourceRow, repairs: Repairs, limit: int) -> tuple[GoldAspect, ...]:
    aspects = []
    for raw in rows(row.fields, "rubric_aspects"):
        if not isinstance(raw, dict):
            raise SourceRefusal("wrong_type", "an entry of rubric_aspects is not an object")
        name, reason, evidence = (
            text(raw, field, repairs, limit) for field in ("aspect", "reason", "evidence")
        )
        if name:
            aspects.append(GoldAspect(aspect=name, reason=reason, evidence=evidence))
        else:
            repairs.setdefault("empty_aspect", "an entry of rubric_aspects names no aspect")
    return tuple(aspects)
