"""A user's questions as items, each with what the user wrote before it: questions and answers."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.assets import RUBRICS
from pairwright.errors import SourceError
from pairwright.records import Item, Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, clean_text
from pairwright.sources.items import (
    ReadPost,
    latest,
    once_each,
    place,
    repeated_question,
    with_profile,
)
from pairwright.sources.markup import html_text
from pairwright.sources.opening import Items
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.stackexchange.dump import Dump, locate_dump
from pairwright.sources.stackexchange.store import DumpPost, DumpStore
from pairwright.sources.stackexchange.titles import why_unanswerable
from pairwright.times import is_older


def read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Items]:
    """The source as messages name it, and its items. Raises SourceError."""
    dump = locate_dump(rules, folder)
    return str(dump.posts), _read_items(dump, domains, rules)


def _read_items(dump: Dump, domains: Domains, rules: SourceRules) -> Iterator[Item | SourceProblem]:
    """The items of each user in time order, users by number, each item after its problems.

    Raises SourceError where the file cannot be read, or no domain has the site's category or, in
    its place, `default_category`.
    """
    named = (dump.category, rules.default_category or "")
    category = next((one for one in named if domains.of(one)), None)
    if category is None:
        raise _no_domain(dump, domains)
    with DumpStore(dump) as store:
        yield from store.refusals()
        for posts in store.users():
            history = _History(dump, store, category, domains, rules, posts)
            yield from once_each(history.items())


class _History:
    """One user's posts, each made readable once, however many items it is in."""

    def __init__(
        self,
        dump: Dump,
        store: DumpStore,
        category: str,
        domains: Domains,
        rules: SourceRules,
        posts: list[DumpPost],
    ) -> None:
        self._dump, self._store, self._category, self._rules = dump, store, category, rules
        self._domain = place(category, domains, rules)[1]
        self._posts = posts
        self._user = dump.user(posts[0].user)
        self._readable: dict[int, ReadPost | SourceProblem] = {}

    def items(self) -> Iterator[Item | SourceProblem]:
        """Oldest first, each after what is said of the user's posts."""
        questions = []
        for post in self._posts:
            refusal = _question_refusal(post) if post.kind == "question" else None
            if refusal:
                yield refusal.at(post.where, post.name)
            elif post.kind == "question":
                questions.append(post)
        if not questions:
            refusal = SourceRefusal("no_question", "none of the user's posts can be asked")
            yield refusal.at(self._posts[0].where, self._user)
        chosen, repeated = latest(questions, self._rules.targets, lambda post: post.title)
        for question in repeated:
            yield repeated_question(question.title).at(question.where, question.name)
        for question in chosen:
            try:
                yield from self._item(question)
            except SourceRefusal as refusal:
                yield refusal.at(question.where, self._user)

    def _item(self, question: DumpPost) -> Iterator[Item | SourceProblem]:
        earlier = [post for post in self._posts if is_older(post.created, question.created)]
        if len(earlier) < self._rules.min_posts:
            raise SourceRefusal(
                "too_few_posts", f"{len(earlier)} earlier posts, not {self._rules.min_posts}"
            )
        repairs: Repairs = {}
        title, body = self._texts(question, repairs)
        item = Item(
            id=f"{self._dump.category}_{question.id}",
            user=self._user,
            question=title,
            narrative=body or None,
            category=self._category_of(question),
            domain=self._domain,
            profile=(),
            created=question.created,
            source_url=self._dump.address("question", question.id),
        )
        posts = list[ReadPost]()
        for post in earlier:
            if post.id not in self._readable:
                self._readable[post.id] = self._read(post)
            one = self._readable[post.id]
            if isinstance(one, SourceProblem):
                yield one
                continue
            if post.edited > question.created:
                # Some of its text may be younger than the question.
                note = {"edited_later": f"its user edited it at {post.edited}, after the question"}
                one = one._replace(repairs={**one.repairs, **note})
            posts.append(one)
        yield from with_profile(item, posts, question.where, repairs, self._rules)

    def _category_of(self, question: DumpPost) -> str:
        """The site's, or with the tag of the question that most questions of the site have."""
        tags = question.tags.split()
        if self._rules.category_by == "site" or not tags:
            return self._category
        most = max(tags, key=lambda tag: (self._store.tags[tag], tag))
        return f"{self._category}/{most}"

    def _read(self, post: DumpPost) -> ReadPost | SourceProblem:
        """A post that can be read alone."""
        repairs: Repairs = {}
        title, body = self._texts(post, repairs)
        is_answer = post.kind == "answer"
        if not body and (is_answer or not title):
            return SourceRefusal("empty_text", f"the {post.kind} has no text").at(
                post.where, post.name
            )
        if is_answer and not title:
            repairs["missing_question"] = "the question it is about is not in the dump"
        words = f'Answer to "{title}":\n{body}' if is_answer and title else f"{title}\n{body}"
        readable = Post(
            id=post.name,
            text=words.strip(),
            category=self._category,
            created=post.created,
            source_url=self._dump.address(post.kind, post.id),
            kind=post.kind,
        )
        return ReadPost(readable, post.where, repairs)

    def _texts(self, post: DumpPost, repairs: Repairs) -> tuple[str, str]:
        """Title, on one line, and body, which is HTML."""
        limit = self._rules.max_post_chars
        title = " ".join(clean_text(post.title, "title", repairs, limit).split())
        return title, clean_text(html_text(post.body), "body", repairs, limit)


def _no_domain(dump: Dump, domains: Domains) -> SourceError:
    """Said before anything is read, because every item of a dump has its site's domain."""
    files = ", ".join(f"{key}.toml" for key in domains.by_key)
    own = "" if domains.folder != RUBRICS else (
        "These files came with the installation: `pairwright init` writes copies to edit; name"
        " their folder as `rubrics`. "
    )  # fmt: skip
    return SourceError(
        f"its category {dump.category!r} is in no domain, so no item of it could be used",
        where=dump.posts,
        fix=f'Add also = ["{dump.category}"] to the file of the domain that it belongs to'
        f" ({files} in {domains.folder}), add a domain file there, or set `default_category` to a"
        f" category that a domain has. {own}".rstrip(),
    )


def _question_refusal(question: DumpPost) -> SourceRefusal | None:
    """Why a question is not asked again. It stays in the history."""
    if question.closed:
        return SourceRefusal("closed_question", f"{excerpt(question.title)} was closed")
    if why := why_unanswerable(question.title):
        return SourceRefusal("unanswerable_title", f"{excerpt(question.title)}: {why}")
    return None
