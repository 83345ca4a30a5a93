"""Authors of statements, with their votes on those of others, and the votes of everybody else."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pairwright.errors import SourceError
from pairwright.records import Authorship, content_id
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.choosers import Chooser, OwnPost, Voter
from pairwright.sources.fields import Cells, repaired
from pairwright.sources.items import place
from pairwright.sources.opening import Choosers, SourceFormat
from pairwright.sources.polis.conversation import (
    STATEMENTS,
    SUMMARY,
    Conversation,
    PolisStatement,
    conversations_hash,
    locate_conversations,
    open_exported,
    prefix_rows,
    question_of,
    read_statements,
    read_summary,
)
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceRow
from pairwright.text import normalised

LEAST_OWN_VOTES = 10
"""The fewest votes of authors on their own statements that tell whether 1 means agree."""
_VOTE_VALUES = {"1": 1, "1.0": 1, "-1": -1, "-1.0": -1, "0": 0, "0.0": 0, "": None}


def _read(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Choosers]:
    conversations = locate_conversations(rules, folder)
    source = str(folder / Path(rules.path).expanduser())
    return source, _choosers(conversations, domains, rules)


FORMAT = SourceFormat(
    content=lambda rules, folder: conversations_hash(locate_conversations(rules, folder)),
    choosers=_read,
    names=lambda rules, folder: [of.name for of in locate_conversations(rules, folder)],
)


def _choosers(
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
        yield from _ConversationReader(conversation, domains, rules).choosers()


class _ConversationReader:
    """One conversation."""

    def __init__(self, conversation: Conversation, domains: Domains, rules: SourceRules) -> None:
        self._conversation, self._domains, self._rules = conversation, domains, rules
        try:
            self._category, self._domain = place("", domains, rules)
        except SourceRefusal as refusal:
            raise SourceError(
                f"default_category {refusal.detail}",
                where="[source] default_category",
                fix=f"Set it to a category of a file in {domains.folder}, or name your own folder"
                ' at the top of the configuration: rubrics = "rubrics".',
            ) from None
        self._summary = read_summary(conversation.summary) if conversation.summary else {}
        cells = Cells(self._summary)
        self._url, self._repairs = cells.address("url"), cells.repairs
        self._question = ""
        self._authorships: dict[str, Authorship] = {}

    def choosers(self) -> Iterator[Chooser | Voter | SourceProblem]:
        conversation = self._conversation
        yield from repaired(self._repairs, conversation.prefix + SUMMARY, conversation.name)
        statements: dict[str, PolisStatement] = {}
        read = read_statements(self._conversation, self._category, self._url, self._rules)
        for one in read:
            if isinstance(one, PolisStatement):
                statements[one.post.id] = one
            else:
                yield one
        if not statements:
            raise SourceError(
                "holds not one statement that can be used",
                where=self._conversation.statements,
                fix="source_problems.jsonl has the reason of each row; export the conversation"
                " again as UTF-8 CSV.",
            )
        self._question = question_of(
            self._conversation,
            self._summary.get("topic", ""),
            (one.post.text for one in statements.values()),
            self._domain,
            self._domains,
            self._rules,
        )
        self._authorships = {
            name: Authorship(
                user=self._user(one.author), source_url=self._url, created=one.post.created
            )
            for name, one in statements.items()
        }
        by_author: dict[str, list[PolisStatement]] = {}
        for statement in statements.values():
            if not statement.seed:
                by_author.setdefault(statement.author, []).append(statement)
        own_votes: Counter[int] = Counter()
        choosers = list[Chooser | Voter | SourceProblem]()
        for row in self._voters(statements):
            if isinstance(row, SourceProblem):
                yield row
                continue
            author = Cells(row.fields).label("participant")
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

    def _voters(
        self, statements: Mapping[str, PolisStatement]
    ) -> Iterator[SourceRow | SourceProblem]:
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
        places: dict[str, str] = {}
        for row in prefix_rows(table, self._conversation.prefix):
            if isinstance(row, SourceProblem):
                yield row
                continue
            voter = Cells(row.fields).label("participant")
            if voter in places:
                detail = f"{places[voter]} has this participant already"
                yield SourceRefusal("duplicate_id", detail).at(row.where, voter)
            else:
                places[voter] = row.where
                yield row

    def _chooser(
        self,
        author: str,
        where: str,
        own: list[PolisStatement],
        statements: Mapping[str, PolisStatement],
        votes: Mapping[str, int | None],
    ) -> Iterator[Chooser | Voter | SourceProblem]:
        user = self._user(author)
        history: dict[str, OwnPost] = {}
        moderated = list[PolisStatement]()
        for one in sorted(own, key=lambda one: one.post.created or ""):
            if votes.get(one.post.id) in (-1, 0):
                yield SourceRefusal("disowned", "").at(one.where, one.post.id)
                continue
            id = content_id("post", user, one.post.id)
            kept = OwnPost(one.post.model_copy(update={"id": id}))
            if history.setdefault(normalised(one.post.text), kept) is not kept:
                yield SourceRefusal("duplicate_post", "").at(one.where, one.post.id)
            elif one.never_response == "taken_out":
                moderated.append(one)
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
            sides = (tuple(side.values()) for side in (taken, refused))
            yield Voter(user, self._question, *sides)
            return
        note = {"taken_out_post": ""}
        for one in moderated:
            yield from repaired(note, one.where, one.post.id)
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
            older_count=len(history),
            source_url=self._url,
            authorships=self._authorships,
        )

    def _user(self, author: str) -> str:
        """A user's id, which is the same in no other conversation."""
        return f"{self._conversation.name}/{author}"

    def _check_signs(self, own_votes: Counter[int]) -> None:
        """Raise SourceError where most authors seem to disagree with themselves."""
        if own_votes.total() >= LEAST_OWN_VOTES and own_votes[-1] > own_votes[1]:
            raise SourceError(
                f"{own_votes[-1]:,} of {own_votes.total():,} votes of authors on their own"
                " statements are -1, so -1 seems to mean agree",
                where=self._conversation.votes,
                fix="Take the exported table in which 1 means agree.",
            )


def _vote(fields: Mapping[str, Any], name: str) -> int | None:
    said = str(fields[name]).strip()
    if said not in _VOTE_VALUES:
        raise SourceRefusal("bad_vote", f"on statement {name}: {excerpt(said)}", value=said[:200])
    return _VOTE_VALUES[said]
