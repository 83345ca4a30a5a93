"""What is said about a row or post that was refused or changed on its way in, and by which rule."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pairwright.records import Record

REASONS = {
    # A row is refused
    "bad_json": "a line is not JSON",
    "bad_csv": "a record's quotes do not match",
    "ragged_row": "a record has more or fewer cells than there are columns",
    "invalid_utf8": "a line or record holds bytes that are not UTF-8",
    "not_an_object": "a row, or a post of a profile, is not an object",
    "wrong_type": "a field holds another type than it should, such as a number for text",
    "missing_id": "an item, or a post of a profile, has no id",
    "duplicate_id": "an item before it has its id",
    "missing_user": "the user is empty",
    "missing_category": "no category, and no default for it",
    "unknown_category": "the category belongs to no domain",
    "bad_time": "a time that cannot be read, or (posts) that is missing",
    "empty_question": "no question; for posts, neither a title nor a short first sentence",
    "too_few_posts": "fewer posts than `min_posts` may be in the profile",
    "bad_kind": "a kind of post that is longer than a word or two",
    "no_question": "a user none of whose posts can be asked",
    "repeated_question": "a question that its user asked again later; it stays in the history",
    "no_choice": "(choices) neither of the two options was taken: a tie, or nothing",
    "bad_choice": "(choices) the choice is neither `a` nor `b`, nor one of the two options",
    "same_options": "(choices) an option is missing, or both are the same",
    "changed_choice": "(choices) the user took one of the two at one time and the other at another:"
    " none of these rows is used",
    "repeated_choice": "(choices) the user made the same choice in another row: the latest is used",
    "no_times": "(choices) no choice has a time, so all texts count as older",
    "similar_users": "(choices) ids of users that differ by case or blanks alone",
    "use": "how many of the choices (Polis: only of the users) are in a natural twin",
    "no_twins": "(Polis) the conversations of which no natural twin came",
    "unknown_user": "(choices) a text by a user who made no choice",
    "bad_vote": "(Polis) a vote that is not 1, -1, 0 or empty; the participant's row is refused",
    "taken_out": "(Polis) a statement that moderators took out is never a response; it stays in its"
    " author's history",
    "bad_moderation": "(Polis) `moderated` is not 1, 0, -1 or empty",
    "about_voters": "(Polis) a statement of a fact about the voter (`is-meta`), such as where one"
    " lives, is never a response; it stays in its author's history",
    "disowned": "(Polis) a statement that its own author voted against or passed is in no history",
    "seed": "(Polis) a statement of the organisers (participant 0, or `is-seed`) is in no history",
    "no_votes": "(Polis) an author whose votes are not there",
    "no_opposite": "(choices, Polis) nobody whose choices are there took what this user refused and"
    " refused what this user took",
    "not_paired": "(choices, Polis) those who chose the reverse are other users' partners",
    "over_limit": "(choices, Polis) the user's couple has its `twins_per_user` twins",
    "telling_history": "(choices, Polis) without what tells the answer fewer than `min_posts` posts"
    " are left, or the two responses are nearly the same",
    "none_accepted": "the user who asked accepted no answer, or the dump does not have it",
    "own_answer": "the accepted answer is by the user who asked",
    "no_other_answer": "nobody else answered",
    "no_text": "the accepted answer has no text",
    "no_match": "no other answer has as many votes or more and about the same length",
    "not_a_post": "(dumps) a row that is neither a question nor an answer, such as a tag's page",
    "deleted_user": "(dumps) a post whose account was deleted",
    "community_owned": "(dumps) a post of the community: nobody's own words",
    "closed_question": "(dumps) a closed question is not asked; it stays in the history",
    "unanswerable_title": "(dumps) a title that cannot be answered without the text below it is not"
    " asked; the question stays in the history",
    # A post is refused
    "empty_text": "a post without text",
    "later_post": "a post that is not older than the question, or than any choice of its user",
    "undated_post": "a post without a time, whose question or other posts have one: kept and"
    " counted, or refused with `undated_posts = false`",
    "target_in_profile": "a post that repeats the question, alone or with its narrative: of the"
    " shorter of the two, four fifths of the runs of three words are in the other",
    "duplicate_post_id": "a post of the same profile before it has its id",
    "duplicate_post": "a post of the same profile before it has its text",
    "moderation_comment": "(dumps) a comment that the site writes for users who vote on a question",
    "short_comment": "(dumps) a comment of fewer than three words with content",
    # An item or a post is used after a repair
    "html_to_text": "HTML was turned into plain text",
    "control_characters": "control, bidi and invisible characters were removed",
    "bad_address": "an address that does not begin with http:// or https:// was left out",
    "long_post": "a text was cut at `max_post_chars`, at a word's end",
    "code_block": "(dumps) a block of more than three lines of code became a mark that counts them",
    "image": "(dumps) an image became a mark",
    "edited_later": "(dumps) a post that its user edited after the question: a dump has the last"
    " version only",
    "missing_question": "(dumps) the question that an answer or comment is about is not there",
    "taken_out_post": "(Polis) a statement that moderators took out is in its author's history",
    "empty_aspect": "an entry of rubric_aspects without a text was left out",
}


_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def excerpt(value: object) -> str:
    """A value of the file as a message shows it: quoted, short, on one line, printable."""
    line = repr(value if isinstance(value, str) else str(value))
    line = _CONTROL.sub("", line)
    return line if len(line) <= 80 else f"{line[:76]}...{line[-1]}"


class SourceProblem(Record):
    """One row or post that was refused, or used after a repair. Data, not an error."""

    action: Literal["refused", "repaired", "noted"]
    """`noted`: nothing was refused or changed, and a person should know of it."""
    reason: str
    """A key of REASONS, to count by."""
    where: str
    """`file:line`; for JSON arrays, Parquet and the Hub `file:row`, counted from 1."""
    id: str | None = None
    """The post, item or user it is about, as far as known."""
    detail: str = ""
    value: str | None = None
    """What could not be used, where it is one value that other rows may have, too: a category or a
    time."""


class SourceRefusal(Exception):
    """Raised while a row is read; the code that reads rows turns it into a SourceProblem."""

    def __init__(self, reason: str, detail: str, value: str | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.value = value

    def at(self, where: str, id: str | None) -> SourceProblem:
        """The SourceProblem that it is, with its place."""
        return SourceProblem(
            action="refused", reason=self.reason, where=where, id=id, detail=self.detail,
            value=self.value,
        )  # fmt: skip


_CELLS = (
    "Separate cells by commas, semicolons or tabs (.csv) or by tabs (.tsv), quote a cell that holds"
    " one, and write a quote in a cell twice."
)
REMEDIES = {
    "no_match": "Few questions have one: take a larger dump, and targets = 'all' in [source].",
    "missing_user": "Give each row its user; for posts, name the column in `user`.",
    "bad_time": "Write times as 2024-03-01, 2024-03-01T08:00 or seconds since 1970; for posts, name"
    " their column in `created`. Day.month.year and month/day/year are refused on purpose: 3/1/2024"
    " can be either.",
    "empty_text": "For posts, name the column of the text in `text`.",
    "empty_question": "Give each item a `question`.",
    "missing_id": "Give each item and each post an `id`.",
    "missing_category": "Set `default_category`, or name the column in `category`.",
    "unknown_category": "Add the category to `also` in a file of rubrics/, or add a domain file:"
    ' also = ["chess"].',
    "target_in_profile": "A history must hold more than the question that is asked: take such posts"
    " out, and bring others where too few are left.",
    "too_few_posts": "Bring longer histories, or lower `min_posts`.",
    "bad_choice": "Write `a` or `b`, and `tie` where neither was taken; name the column in"
    " `choice`.",
    "same_options": "Name the columns of the two responses in `option_a` and `option_b`.",
    "no_opposite": "Natural twins need questions that several users answered, with the same two"
    " responses. Case, blanks and marks at the end do not count; words do.",
    "no_times": "Name the column of the time in `created`. Leave it out only if you know that all"
    " texts are older than the choices.",
    "similar_users": "Write each id in one way, if they are one person.",
    "telling_history": "Bring texts of these users, or earlier choices between other responses.",
    "unknown_user": "Are the ids of both tables the same?",
    "bad_json": "Write one object a line; an array belongs in a .json file.",
    "not_an_object": "Write one object a line; an array belongs in a .json file.",
    "bad_csv": _CELLS,
    "ragged_row": _CELLS,
    "invalid_utf8": "Save the file as UTF-8; in Excel: save as CSV UTF-8.",
}
"""What to do, by reason, where there is more to do than to mend the row."""
_FORMAT = re.compile(r"^\([^)]*\) ")
"""The formats that a rule is for, which a reader of one source knows."""
NAMED = 10
"""Values that are named of a reason, such as categories."""
KEPT = 1_000
"""Values that are counted of a reason; a file may hold another bad value in every row."""


class ProblemCount(NamedTuple):
    """The rows and posts that one reason concerns."""

    reason: str
    n: int
    where: str
    """The place of the first."""
    detail: str
    """What was said of the first."""
    values: str
    """What could not be used, most frequent first: `'Chess' (12), 'Knots' (4)`. May be empty."""
    remedy: str
    """May be empty."""

    @property
    def said(self) -> str:
        """The first one's detail, and the values where there is more than one."""
        return f"{self.detail} (all: {self.values})" if self.values else self.detail


class ProblemCounts:
    """Problems, counted as they go by."""

    def __init__(self) -> None:
        self._n: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], SourceProblem] = {}
        self._values: dict[tuple[str, str], Counter[str]] = {}

    def add(self, problem: SourceProblem) -> None:
        """Count one more."""
        key = problem.action, problem.reason
        self._n[key] += 1
        self._first.setdefault(key, problem)
        values = self._values.setdefault(key, Counter())
        if problem.value is not None and (problem.value in values or len(values) < KEPT):
            values[problem.value] += 1

    def of(self, action: Literal["refused", "repaired", "noted"]) -> list[ProblemCount]:
        """The reasons of one action, most frequent first."""
        return [
            ProblemCount(
                reason, n, first.where, first.detail or _FORMAT.sub("", REASONS[reason]),
                _listed(self._values[action, reason]),
                _remedy(reason, list(self._values[action, reason])),
            )
            for (kind, reason), n in self._n.most_common()
            if kind == action
            for first in (self._first[kind, reason],)
        ]  # fmt: skip

    def lines(self) -> Iterator[str]:
        """For a person: what to know, what was refused and why, and then the repairs."""
        for note in self.of("noted"):
            yield f"note: {note.detail} ({note.reason}, {note.where})"
            if note.remedy:
                yield f"  {note.remedy}"
        for refusal in self.of("refused"):
            first = f"the first at {refusal.where}: {refusal.said}"
            yield f"refused {refusal.n:,}: {refusal.reason}; {first}"
            if refusal.remedy:
                yield f"  {refusal.remedy}"
        if repaired := self.of("repaired"):
            yield "repaired: " + ", ".join(f"{repair.n:,} {repair.reason}" for repair in repaired)


def _remedy(reason: str, values: list[str]) -> str:
    """With the line to write, where it follows from the values."""
    if reason == "unknown_category" and values:
        named = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:NAMED])
        return (
            f"Add also = [{named}] to the file of the domain that they belong to,"
            " rubrics/<domain>.toml, or add a domain file."
        )
    return REMEDIES.get(reason, "")


def _listed(values: Counter[str]) -> str:
    if len(values) < 2:
        return ""
    named = ", ".join(f"{excerpt(value)} ({n:,})" for value, n in values.most_common(NAMED))
    more = len(values) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named
