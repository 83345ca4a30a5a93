"""A user's questions as items, each with what the user wrote before it: questions, answers and,
where they are wanted, comments.

A model is asked by the title alone. Plain rules, for English titles, say which can be answered so:
they look for words that point at the question's body, and for titles that hardly say anything.
What they refuse is counted and can be read.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pairwright import text
from pairwright.assets import RUBRICS
from pairwright.errors import SourceError
from pairwright.records import Item, Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, clean_text, is_older
from pairwright.sources.items import ReadPost, latest, once_each, repeated_question, with_profile
from pairwright.sources.markup import comment_text, post_text
from pairwright.sources.opening import Items, SourceFormat
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.stackexchange.files import POSTS, Dump, dump_hash, locate_dump
from pairwright.sources.stackexchange.store import DumpPost, DumpStore

COMMENT_TERMS = 3
"""Words with content that a comment needs: one that thanks says nothing of anybody."""
# What the site writes in the name of users who vote on a question.
_MODERATION = re.compile(
    r"I'm voting to (?:close|leave)|(?:Possible )?duplicate of\b", re.IGNORECASE
)


def _read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Items]:
    dump = locate_dump(rules, folder)
    return dump.place(POSTS), read_items(dump, domains, rules)


FORMAT = SourceFormat(
    content=lambda rules, folder: dump_hash(locate_dump(rules, folder)), items=_read
)


def read_items(dump: Dump, domains: Domains, rules: SourceRules) -> Iterator[Item | SourceProblem]:
    """The items of each user in time order, users by number, each item after its problems.

    Raises SourceError where a file cannot be read, or no domain has the site's category.
    """
    domain = domains.of(dump.category)
    if domain is None:
        raise _no_domain(dump, domains)
    with DumpStore(dump) as store:
        yield from store.refusals()
        for posts in store.users():
            yield from once_each(_History(dump, store, domain.key, rules, posts).items())


class _History:
    """One user's posts, each made readable once, however many items it is in."""

    def __init__(
        self, dump: Dump, store: DumpStore, domain: str, rules: SourceRules, posts: list[DumpPost]
    ) -> None:
        self._dump = dump
        self._store = store
        self._domain = domain
        self._rules = rules
        self._posts = posts
        self._user = dump.user(posts[0].user)
        self._readable: dict[str, ReadPost | SourceProblem] = {}

    def items(self) -> Iterator[Item | SourceProblem]:
        """Oldest first, each after what is said of the user's posts."""
        questions = []
        for post in self._posts:
            refusal = _question_refusal(post) if post.kind == "question" else None
            if refusal:
                yield refusal.at(post.where, self._dump.post_id(post.kind, post.id))
            elif post.kind == "question":
                questions.append(post)
        if not questions:
            refusal = SourceRefusal("no_question", "none of the user's posts can be asked")
            yield refusal.at(self._posts[0].where, self._user)
        chosen, repeated = latest(questions, self._rules.targets, lambda post: post.title)
        for question in repeated:
            id = self._dump.post_id(question.kind, question.id)
            yield repeated_question(question.title).at(question.where, id)
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
        item = Item(
            id=f"{self._dump.category}_{question.id}",
            user=self._user,
            question=_one_line(question.title, repairs, self._rules),
            narrative=_body(question, repairs, self._rules) or None,
            category=self._category(question),
            domain=self._domain,
            profile=(),
            created=question.created,
            source_url=self._dump.address("question", question.id),
        )
        read = [self._read(post) for post in earlier]
        yield from (post for post in read if isinstance(post, SourceProblem))
        posts = list[ReadPost]()
        for one, post in zip(read, earlier, strict=True):
            if isinstance(one, SourceProblem):
                continue
            if post.edited > question.created:
                # Some of its text may be younger than the question.
                note = {"edited_later": f"its user edited it at {post.edited}, after the question"}
                one = one._replace(repairs={**one.repairs, **note})
            posts.append(one)
        yield from with_profile(item, posts, question.where, repairs, self._rules)

    def _category(self, question: DumpPost) -> str:
        """The site, or the tag of the question that most questions of the site have."""
        tags = question.tags.split()
        if self._rules.category_by == "site" or not tags:
            return self._dump.category
        most = max(tags, key=lambda tag: (self._store.tags[tag], tag))
        return f"{self._dump.category}/{most}"

    def _read(self, post: DumpPost) -> ReadPost | SourceProblem:
        id = self._dump.post_id(post.kind, post.id)
        if id not in self._readable:
            self._readable[id] = self._readable_post(id, post)
        return self._readable[id]

    def _readable_post(self, id: str, post: DumpPost) -> ReadPost | SourceProblem:
        repairs: Repairs = {}
        title = _one_line(post.title, repairs, self._rules)
        body = _body(post, repairs, self._rules)
        if not body and (not title or post.kind != "question"):
            return SourceRefusal("empty_text", f"the {post.kind} has no text").at(post.where, id)
        if post.kind == "comment" and (refusal := _comment_refusal(body)):
            return refusal.at(post.where, id)
        if not title and post.kind != "question":
            repairs["missing_question"] = "the question it is about is not in the dump"
        # A post that can be read alone.
        words = f"{title}\n{body}".strip()
        if post.kind != "question" and title:
            about = "Answer to" if post.kind == "answer" else "Comment on"
            words = f'{about} "{title}":\n{body}'
        readable = Post(
            id=id,
            text=words,
            category=self._dump.category,
            created=post.created,
            source_url=self._dump.address(post.kind, post.id),
            kind=post.kind,
        )
        return ReadPost(readable, post.where, repairs)


def _no_domain(dump: Dump, domains: Domains) -> SourceError:
    """Said before anything is read, because every item of a dump has its site's domain."""
    files = ", ".join(f"{key}.toml" for key in domains.by_key)
    own = "" if domains.folder != RUBRICS else (
        "These files came with the installation: `pairwright init` writes copies to edit; name"
        " their folder as `rubrics`. "
    )  # fmt: skip
    return SourceError(
        f"its category {dump.category!r} is in no domain, so no item of it could be used",
        where=dump.path,
        fix=f'Add also = ["{dump.category}"] to the file of the domain that it belongs to'
        f" ({files} in {domains.folder}), or add a domain file there. {own}".rstrip(),
    )


def _question_refusal(question: DumpPost) -> SourceRefusal | None:
    """Why a question is not asked again. It stays in the history."""
    if question.closed:
        return SourceRefusal("closed_question", f"{excerpt(question.title)} was closed")
    if why := why_unanswerable(question.title):
        return SourceRefusal("unanswerable_title", f"{excerpt(question.title)}: {why}")
    return None


def _comment_refusal(body: str) -> SourceRefusal | None:
    """Why a comment says nothing of the person who wrote it."""
    if _MODERATION.match(body):
        return SourceRefusal("moderation_comment", f"{excerpt(body)} is about the question's state")
    if len(text.terms(body)) < COMMENT_TERMS:
        detail = f"{excerpt(body)} has fewer than {COMMENT_TERMS} words with content"
        return SourceRefusal("short_comment", detail)
    return None


def _one_line(title: str, repairs: Repairs, rules: SourceRules) -> str:
    return " ".join(clean_text(title, "title", repairs, rules.max_post_chars).split())


def _body(post: DumpPost, repairs: Repairs, rules: SourceRules) -> str:
    if post.kind == "comment":
        return clean_text(comment_text(post.body), "text", repairs, rules.max_post_chars)
    plain, code_blocks, images = post_text(post.body)
    repairs["html_to_text"] = "the body was HTML"
    if code_blocks:
        repairs["code_block"] = text.number_of(code_blocks, "block")
    if images:
        repairs["image"] = text.number_of(images, "image")
    return clean_text(plain, "body", repairs, rules.max_post_chars)


MIN_TERMS = 2
"""Words with content that a title needs; one is enough for `What is a doppio?`."""

_SHOWN = "picture|image|photo|photograph|figure|screenshot|diagram|plot|snippet|attachment|video"
_WORK = "code|circuit|script|program|snippet|proof|solution|answer|calculation|derivation|output"
_TIMES = "year|month|week|weekend|morning|evening|day|time|season|summer|winter|spring|autumn|age"
_POINTERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # this circuit, these beans; not this year, nor "at the time of writing this"
        rf"\b(?<!writing )(?:this|these)\b(?! (?:{_TIMES})\b)",
        # that one, those beans; not "a grinder that fits" nor "the fact that"
        r"\b(?:is|are|was|does|do|like|of|about|with) (?:that|those)\b(?! (?:the|a|an|i|it|we)\b)",
        r"\ball those\b(?! (?:who|that|which)\b)",
        # Why did he leave; not "why does a cat purr when he sleeps"
        r"^(?:\w+ ){0,2}(?:does|did|is|was|has|had|can|could|will|would|should) (?:he|she)\b",
        r"\b(?:the|these) following\b|\bas follows\b|\bfollowing \w+[?:]?$",
        r"\battached\b(?! to\b)",
        r"\b(?:the|shown|given|listed|described|see|stated|mentioned|as) (?:above|below)\b",
        rf"\b(?:{_WORK}|{_SHOWN}|example|case|situation|recipe) (?:above|below)\b",
        rf"\b(?:in|on|from|see) (?:the|my|this) (?:{_SHOWN})s?\b",
        rf"\bmy (?:{_WORK}|{_SHOWN}|answer|homework|assignment|idea|approach)\b",
        r"\b(?:here|see inside|details inside|more inside)[.?!]*$",
        r"\b(?:please|pls|urgent)\b|^help\b",
    )
)
_OF_ANY_QUESTION = text.terms("question problem issue doubt query help advice")
# "How is cascara made?" asks something of anybody; "How do I start?" does not say what.
_GENERAL = re.compile(
    r"(?:what|which|how|why|when|where|who|is|are|does|do|can)\b(?!.*\b(?:i|i'm|my|we)\b).*\?$",
    re.IGNORECASE,
)


def why_unanswerable(title: str) -> str | None:
    """What a title lacks, in words; None for one that can be answered as it is."""
    plain = title.replace("\u2019", "'")
    for pointer in _POINTERS:
        match = pointer.search(plain)
        if match:
            return f"{match.group().strip()!r} points at what the title does not say"
    terms = len(text.terms(plain) - _OF_ANY_QUESTION)
    if terms < MIN_TERMS and not (terms and _GENERAL.match(plain)):
        return f"{text.number_of(terms, 'word')} with content, not {MIN_TERMS}"
    return None
