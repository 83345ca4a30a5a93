"""A user's questions as items, each with what the user wrote before it: questions and answers."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.assets import RUBRICS
from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, clean_text
from pairwright.sources.items import UserPost, place, user_items
from pairwright.sources.markup import html_text
from pairwright.sources.opening import Items
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.stackexchange.dump import Dump, locate_dump
from pairwright.sources.stackexchange.store import DumpPost, DumpStore
from pairwright.sources.stackexchange.titles import why_unanswerable


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
    domain = place(category, domains, rules)[1]
    with DumpStore(dump) as store:
        yield from store.refusals()
        for posts in store.users():
            by_name = {post.name: post for post in posts}

            def about(
                asked: UserPost, by_name: dict[str, DumpPost] = by_name
            ) -> tuple[str, str, str]:
                number, tags = by_name[asked.id].id, by_name[asked.id].tags.split()
                own = category
                if rules.category_by == "tag" and tags:
                    # The one that most questions of the site have.
                    own += "/" + max(tags, key=lambda tag: (store.tags[tag], tag))
                return f"{dump.category}_{number}", own, domain

            user, read = dump.user(posts[0].user), list[UserPost]()
            questions = [post for post in posts if post.kind == "question"]
            if questions and len(posts) <= rules.min_posts:
                detail = f"{len(posts) - 1} other posts, not {rules.min_posts}"
                yield SourceRefusal("too_few_posts", detail).at(questions[-1].where, user)
                continue
            for post in posts if questions else posts[:1]:
                try:
                    read.append(_user_post(post, dump, category, rules))
                except SourceRefusal as refusal:
                    yield refusal.at(post.where, post.name)
            if read:
                yield from user_items(user, read, about, rules)


def _user_post(post: DumpPost, dump: Dump, category: str, rules: SourceRules) -> UserPost:
    """A post that can be read alone. Raises SourceRefusal."""
    repairs: Repairs = {}
    limit = rules.max_post_chars
    title = " ".join(clean_text(post.title, "title", repairs, limit).split())
    body = clean_text(html_text(post.body), "body", repairs, limit)
    is_answer = post.kind == "answer"
    if not body and (is_answer or not title):
        raise SourceRefusal("empty_text", f"the {post.kind} has no text")
    if is_answer and not title:
        repairs["missing_question"] = "the question it is about is not in the dump"
    words = f'Answer to "{title}":\n{body}' if is_answer and title else f"{title}\n{body}"
    return UserPost(
        where=post.where,
        id=post.name,
        question=title,
        narrative=body,
        text=words.strip(),
        created=post.created,
        category=category,
        url=dump.address(post.kind, post.id),
        kind=post.kind,
        repairs=repairs,
        refusal=None if is_answer else _question_refusal(post),
        edited=post.edited,
    )


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
