"""Rows become items: a user's question, with what the same user wrote before it.

A row may be an item, in LaMP-QA's schema or Personalized RewardBench's, whose further fields
(`chosen`, `rejected`) are left alone. Or it is a post: then a user's latest posts are the
questions, and the strictly earlier ones are the profile.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from pairwright.errors import SourceError
from pairwright.records import GoldAspect, Item, Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import COLUMNS, SourceRules, required_columns
from pairwright.sources.fields import Cells
from pairwright.sources.problems import Problems, Repairs, SourceRefusal, excerpt, refuse
from pairwright.sources.tables import OPENERS, fields_of, locate, open_hub
from pairwright.text import find_question, normalised
from pairwright.times import is_older, latest_moment

_ASPECT = {name: name for name in ("aspect", "reason", "evidence")}
_POST = {name: name for name in ("id", "text", "category", "created", "source_url", "kind")}


class Source(NamedTuple):
    """Rules that a source is read with, and the list of its problems."""

    rules: SourceRules
    domains: Domains
    folder: Path
    """Folder of the config: a relative path starts there."""
    problems: Problems

    def rows(self, table: str) -> Iterator[Cells]:
        """The rows of a kind of table, cleaned; those that cannot be read are counted. Raises
        SourceError for a table without the columns that are needed."""
        rules = self.rules
        given = (rules.texts or "") if table == "texts" else rules.path
        path = locate(given, self.folder)
        there, rows = OPENERS[path.suffix.lower()](path) if path else open_hub(given, rules)
        required, columns_there = required_columns(rules, table).values(), {*(there or ())}
        missing = [" or ".join(names) for names in required if not {*names} & columns_there]
        if missing and there is not None:
            fix = f"It has: {', '.join(there[:40])}. Name the right ones: --column"
            fix += " user=author, or a line in [source.columns]; `format` says what a row is."
            fix += " Or set `default_category`." * ("category" in missing)
            fix += " Or rename them here: both tables share these keys." * (table == "texts")
            raise SourceError(
                f"no column {', '.join(missing)}", where=f"{path or given}:1", fix=fix
            )
        name = path.name if path else given
        needed, optional = (names.split() for names in COLUMNS[table])
        columns = {one: rules.columns.get(one, one) for one in (*needed, *optional)}
        for number, row in rows:
            cells = Cells(f"{name}:{number}")
            with self.problems.row(cells.where, cells):
                fields, own = fields_of(row), columns
                if table == "texts":  # It shares the keys of the choices, or has the usual names.
                    own = {one: c if c in fields else one for one, c in columns.items()}
                cells.read(fields, own, rules.html, needed)
                yield cells

    def place(self, category: str, where: str, id: str) -> tuple[str, str]:
        """The category, or the default one, and its domain's key. Notes one that is in no domain's
        file; raises SourceRefusal without one."""
        category = category or self.rules.default_category or ""
        if not category:
            refuse("missing_category", "no category, and no `default_category` is set")
        if domain := self.domains.of(category):
            return category, domain.key
        detail = (
            f"{excerpt(category)} is in no domain's file: its domain is Other, which is general"
        )
        self.problems.report("noted", "unknown_category", where, id, detail, category)
        return category, self.domains.general.key


class SourcePost(NamedTuple):
    """Text that a user wrote, as it was read: a post, or the question of an item."""

    where: str
    created: str | None
    category: str
    url: str
    repairs: Repairs
    text: str
    """Whole text, as it is read in a history."""
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

    @classmethod
    def of(cls, cells: Cells, **more: Any) -> Self:
        """The text of a row, or of an entry in it."""
        return cls(
            where=cells.where, created=cells["created"], category=cells["category"],
            url=cells.get("url") or cells.get("source_url", ""),
            kind=cells.get("kind", "").lower(), repairs=cells.repairs, **more,
        )  # fmt: skip


# Rows that are items


def read_items(source: Source) -> Iterator[Item]:
    """An item for each row. Raises SourceError."""
    first, with_users = dict[str, str](), False
    for cells in source.rows("items"):
        where, id = cells.where, cells["id"]
        with source.problems.row(where, cells):
            if id in first:
                refuse("duplicate_id", f"{first[id]} has this id already")
            # LaMP-QA has no users. Once a row has one, a row without is a gap, not a format.
            with_users = with_users or bool(cells["user"])
            if with_users and not cells["user"]:
                refuse("missing_user", "the row has no user, and others have one")
            aspects, posts = _aspects(source, cells), list[SourcePost]()
            for entry in cells["profile"]:
                own = Cells(where)
                with source.problems.row(where, own):
                    own.read(fields_of(entry), _POST, source.rules.html, ("id",))
                    text = own["text"] or refuse("empty_text", "the post has no text")
                    posts.append(SourcePost.of(own, id=own["id"], text=text))
            text, narrative = cells["question"], cells["narrative"]
            asked = SourcePost.of(cells, item=id, text=text, question=text, narrative=narrative)
            item = make_item(source, cells["user"] or id, asked, posts, aspects)
            first[id] = where
            yield item


def _aspects(source: Source, cells: Cells) -> list[GoldAspect]:
    """The aspects of a row. Raises SourceRefusal."""
    aspects = []
    for entry in cells["rubric_aspects"]:
        own = Cells(cells.where, cells.repairs)
        own.read(fields_of(entry), _ASPECT, source.rules.html)
        if own["aspect"]:
            aspects.append(GoldAspect(**own))
        else:
            cells.repairs["empty_aspect"] = "an entry of rubric_aspects names no aspect"
    return aspects


# Rows that are posts

# A longer first line or sentence is not a question that a person could have asked as a title.
_QUESTION_CHARS = 200
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")


def read_posts(source: Source) -> Iterator[Item]:
    """The items of each user, users in the order in which the file first names them. Raises
    SourceError."""
    by_user = dict[str, list[SourcePost]]()
    for cells in source.rows("posts"):
        with source.problems.row(cells.where, cells):
            post = _post(cells)
            by_user.setdefault(cells["user"], []).append(post)
    for user, posts in by_user.items():
        # The sort is stable: of posts of one moment, the file's last is the latest.
        posts.sort(key=lambda post: post.created or "")
        yield from user_items(source, user, posts)


def _post(cells: Cells) -> SourcePost:
    """A row as a post, which asks its title, or else a short first line or sentence."""
    title, body = cells["title"], cells["text"]
    # In one line, as LaMP-QA's profiles have them.
    text = f"{title} {body}".strip() or refuse("empty_text", "neither a title nor a text")
    line = body.partition("\n")[0].strip()
    sentence = _SENTENCE.match(line)
    openings = (line, sentence.group() if sentence else line)
    short = next((one for one in openings if len(one) <= _QUESTION_CHARS), "")
    return SourcePost.of(cells, text=text, question=title or short, narrative=body)


def user_items(source: Source, user: str, posts: Sequence[SourcePost]) -> Iterator[Item]:
    """The items of one user's posts, which are in time order: the latest `targets` questions, each
    in its last form, with the posts before it."""
    source = source._replace(problems=source.problems.once())
    problems, askable = source.problems, dict[int, str]()
    for n, post in enumerate(posts):
        with problems.row(post.where, {"id": post.id, "user": user}):
            if post.refusal:
                raise post.refusal
            if post.kind in ("", "question"):
                askable[n] = normalised(post.question) or str(n)
    if not askable:
        detail = "none of the user's posts can be asked"
        problems.report("refused", "no_question", posts[0].where, user, detail)
    last, targets = {key: n for n, key in askable.items()}, source.rules.targets
    chosen = sorted(last.values())[0 if targets == "all" else -targets :]
    for n in (n for n in askable if n >= chosen[0]):
        post = posts[n]
        if n not in chosen:
            detail = f"{excerpt(post.question)} is asked again by a later post"
            problems.report("refused", "repeated_question", post.where, post.id or user, detail)
            continue
        with problems.row(post.where, {"user": user}):
            if not post.question:
                refuse("empty_question", "no title, and no short first line or sentence")
            yield make_item(source, user, post, posts[:n])


# A question with posts becomes an item


def make_item(
    source: Source, user: str, asked: SourcePost, posts: Sequence[SourcePost],
    aspects: Iterable[GoldAspect] = (),
) -> Item:  # fmt: skip
    """The item of a question, with those of the posts that may be in its profile. Raises
    SourceRefusal if they are too few."""
    id = asked.item or content_id("item", user, asked.question, asked.created or "")
    profile, repaired = _profile(source, id, asked, posts)
    category, domain = source.place(asked.category, asked.where, id)
    for repairs, where, of in (*repaired, (asked.repairs, asked.where, id)):
        source.problems.repair(repairs, where, of)
    return Item(
        id=id, user=user, question=asked.question, narrative=asked.narrative or None,
        category=category, domain=domain, profile=profile, rubric_aspects=tuple(aspects),
        created=asked.created, source_url=asked.url or None,
    )  # fmt: skip


def _profile(
    source: Source, item: str, asked: SourcePost, posts: Sequence[SourcePost]
) -> tuple[tuple[Post, ...], list[tuple[Repairs, str, str]]]:
    """The posts that may be read before the question: older ones that do not repeat it, each once;
    and their repairs, with places and ids. Raises SourceRefusal if they are too few."""
    timed = bool(asked.created) or any(post.created for post in posts)
    numbered = [(post.id or f"{item}-p{n}", post) for n, post in enumerate(posts, start=1)]
    if all(post.created for post in posts):  # Else the file's order stays.
        numbered.sort(key=lambda one: latest_moment(one[1].created or ""))
    profile, ids_by_text = dict[str, Post](), dict[str, str]()
    repaired = list[tuple[Repairs, str, str]]()
    for id, post in numbered:
        with source.problems.row(post.where, {"id": id}):
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
                source_url=post.url or None, kind=post.kind,
            )  # fmt: skip
            repairs = dict(post.repairs)
            if timed and not post.created:
                repairs["undated_post"] = "it may be younger than the question"
            repaired.append((repairs, post.where, id))
    if len(profile) < source.rules.min_posts:
        left = f"{len(profile)} of {len(posts)} posts left, not {source.rules.min_posts}"
        refuse("too_few_posts", left)
    return tuple(profile.values()), repaired
