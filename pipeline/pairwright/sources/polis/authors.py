"""Authors of statements, with their votes on those of others, and the votes of everybody else."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pairwright.errors import SourceError
from pairwright.records import Post, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.source_rules import SourceRules
from pairwright.sources.choices import Chooser, OwnPost, Voter
from pairwright.sources.fields import Repairs, clean_text, label, repaired, text, time
from pairwright.sources.polis.files import (
    STATEMENTS,
    Conversation,
    open_exported,
    read_summary,
    rows_inside,
    statement_rows,
)
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.rules import place
from pairwright.sources.source_table import SourceRow
from pairwright.text import normalised

QUESTION = "Which of these would this person agree with?"
OWNER = "0"
"""The participant who opened the conversation. Its statements are seeds, and statements of others
that moderators wrote again: in published conversations they contradict each other."""
SIGNS = 10
"""So many votes on own statements tell whether 1 means agree."""
_SAID = {"1": 1, "1.0": 1, "-1": -1, "-1.0": -1, "0": 0, "0.0": 0, "": None}


class _Statement(NamedTuple):
    where: str
    author: str
    post: Post
    never_response: str | None
    """The reason why it is not shown as a response, if there is one."""
    seed: bool
    """The organisers wrote it, for the conversation and not for themselves."""
    repairs: Repairs


def read_choosers(
    conversations: list[Conversation], domains: Domains, rules: SourceRules
) -> Iterator[Chooser | Voter | SourceProblem]:
    """Each author of enough statements with their votes on those of others, and the votes of all
    other participants, after the problems of the conversation. Raises SourceError."""
    if not rules.default_category:
        raise SourceError(
            "a conversation has no category, which decides the domain of its pairs",
            where="[source] default_category",
            fix='Set it to a category of a file in rubrics/, such as "politics".',
        )
    for conversation in conversations:
        yield from _Reader(conversation, domains, rules).choosers()


class _Reader:
    """One conversation."""

    def __init__(self, conversation: Conversation, domains: Domains, rules: SourceRules) -> None:
        self._conversation, self._rules = conversation, rules
        self._category, self._domain = place("", domains, rules)
        about = read_summary(conversation.summary) if conversation.summary else {}
        topic = clean_text(about.get("topic", ""), "topic", {}, rules.max_post_chars)
        topic = " ".join((topic or conversation.name).split())
        end = "" if topic.endswith(("?", "!", "。", "？", "！")) else ":"
        self._question = f"{topic}{end} {QUESTION}"
        url = about.get("url", "").strip()
        self._url = url if url.startswith(("https://", "http://")) and " " not in url else None

    def choosers(self) -> Iterator[Chooser | Voter | SourceProblem]:
        statements: dict[str, _Statement] = {}
        for row in statement_rows(self._conversation.statements, self._conversation.inside):
            read = row if isinstance(row, SourceProblem) else self._statement(row, statements)
            if isinstance(read, _Statement):
                statements[read.post.id] = read
                yield from repaired(read.repairs, read.where, read.post.id)
                if read.never_response:
                    yield SourceRefusal(read.never_response, "").at(read.where, read.post.id)
                if read.seed:
                    yield SourceRefusal("seed", "").at(read.where, read.post.id)
            else:
                yield read
        by_author: dict[str, list[_Statement]] = {}
        for statement in statements.values():
            if not statement.seed:
                by_author.setdefault(statement.author, []).append(statement)
        own_votes: Counter[int] = Counter()
        choosers = list[Chooser | Voter | SourceProblem]()
        for row in self._voters(statements):
            if isinstance(row, SourceProblem):
                yield row
                continue
            author = label(row.fields, "participant", {})
            own = by_author.pop(author, [])
            try:
                votes = {name: _vote(row.fields, name) for name in statements if name in row.fields}
            except SourceRefusal as refusal:
                yield refusal.at(row.where, self._user(author))
                continue
            own_votes.update(vote for one in own if (vote := votes.get(one.post.id)))
            choosers += self._chooser(author, row.where, own, statements, votes)
        for author, own in by_author.items():
            detail = f"{excerpt(author)} is not a participant of {self._conversation.votes.name}"
            yield SourceRefusal("no_votes", detail).at(own[0].where, self._user(author))
        self._check_signs(own_votes)
        yield from choosers

    def _statement(
        self, row: SourceRow, before: Mapping[str, _Statement]
    ) -> _Statement | SourceProblem:
        repairs: Repairs = {}
        name = ""
        try:
            name = label(row.fields, "comment-id", repairs)
            if not name:
                raise SourceRefusal("missing_id", "`comment-id` is empty")
            if name in before:
                raise SourceRefusal("duplicate_id", f"{before[name].where} has this id already")
            author = label(row.fields, "author-id", repairs)
            if not author:
                raise SourceRefusal("missing_user", "`author-id` is empty")
            words = text(row.fields, "comment-body", repairs, self._rules.max_post_chars)
            if not words:
                raise SourceRefusal("empty_text", "`comment-body` is empty")
            post = Post(
                id=name,
                text=words,
                category=self._category,
                created=time(row.fields, "timestamp"),
                source_url=self._url,
                kind="statement",
            )
            taken_out = label(row.fields, "moderated", repairs) in ("-1", "-1.0")
            about_voters = _is_true(row.fields, "is-meta")
            seed = author == OWNER or _is_true(row.fields, "is-seed")
        except SourceRefusal as refusal:
            return refusal.at(row.where, name or None)
        reason = "taken_out" if taken_out else "about_voters" if about_voters else None
        return _Statement(row.where, author, post, reason, seed, repairs)

    def _voters(self, statements: Mapping[str, _Statement]) -> Iterator[SourceRow | SourceProblem]:
        table = open_exported(self._conversation.votes)
        if "participant" not in (table.columns or ()):
            raise SourceError(
                "no column participant",
                where=f"{self._conversation.votes}:1",
                fix="Export the conversation's votes again, one row a participant.",
            )
        if not statements.keys() & set(table.columns or ()):
            raise SourceError(
                f"no column is named after a statement of {STATEMENTS}",
                where=f"{self._conversation.votes}:1",
                fix="Export the conversation's votes again, one column a statement.",
            )
        seen: dict[str, str] = {}
        for row in rows_inside(table, self._conversation.inside):
            if isinstance(row, SourceProblem):
                yield row
                continue
            voter = label(row.fields, "participant", {})
            if voter in seen:
                detail = f"{seen[voter]} has this participant already"
                yield SourceRefusal("duplicate_id", detail).at(row.where, voter)
            else:
                seen[voter] = row.where
                yield row

    def _chooser(
        self,
        author: str,
        where: str,
        own: list[_Statement],
        statements: Mapping[str, _Statement],
        votes: Mapping[str, int | None],
    ) -> Iterator[Chooser | Voter | SourceProblem]:
        user = self._user(author)
        history: dict[str, OwnPost] = {}
        for one in sorted(own, key=lambda one: one.post.created or ""):
            if votes.get(one.post.id) in (-1, 0):
                yield SourceRefusal("disowned", "").at(one.where, one.post.id)
                continue
            id = content_id("post", user, one.post.id)
            kept = OwnPost(one.post.model_copy(update={"id": id}))
            if history.setdefault(normalised(one.post.text), kept) is not kept:
                yield SourceRefusal("duplicate_post", "").at(one.where, one.post.id)
        taken, refused = (
            {
                name: one.post.text
                for name, one in statements.items()
                if votes.get(name) == side and one.author != author and not one.never_response
            }
            for side in (1, -1)
        )
        if len(history) < self._rules.min_posts:
            if own:
                detail = f"{len(history)} own statements, not {self._rules.min_posts}"
                yield SourceRefusal("too_few_posts", detail).at(where, user)
            yield Voter(user, tuple(taken.values()), tuple(refused.values()))
            return
        yield Chooser(
            where=where,
            user=user,
            topic=self._conversation.name,
            question=self._question,
            category=self._category,
            domain=self._domain,
            taken=taken,
            refused=refused,
            history=tuple(history.values()),
            known=len(history),
            source_url=self._url,
        )

    def _user(self, author: str) -> str:
        """A user's id, which is the same in no other conversation."""
        return f"{self._conversation.name}/{author}"

    def _check_signs(self, own_votes: Counter[int]) -> None:
        """Raise SourceError where most authors seem to disagree with themselves."""
        if own_votes.total() >= SIGNS and own_votes[-1] > own_votes[1]:
            raise SourceError(
                f"{own_votes[-1]:,} of {own_votes.total():,} votes of authors on their own"
                " statements are -1, so -1 seems to mean agree",
                where=self._conversation.votes,
                fix="Take the exported table in which 1 means agree.",
            )


def _vote(fields: Mapping[str, Any], name: str) -> int | None:
    said = str(fields[name]).strip()
    if said not in _SAID:
        raise SourceRefusal("bad_vote", f"on statement {name}: {excerpt(said)}", value=said[:200])
    return _SAID[said]


def _is_true(fields: Mapping[str, Any], name: str) -> bool:
    """Whether a column says yes. Older exports do not have these columns."""
    return str(fields.get(name, "")).strip().lower() in ("true", "t", "1")
