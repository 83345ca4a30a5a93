"""What is said about a row or post that was refused or changed on its way in, and by which rule."""

from typing import Literal

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
    "too_few_posts": "fewer posts than `min_posts` may stand in the profile",
    # A post is refused
    "empty_text": "a post without text",
    "later_post": "a post that is not older than the question",
    "target_in_profile": "a post that repeats the question, alone or with its narrative",
    "duplicate_post_id": "a post of the same profile before it has its id",
    "duplicate_post": "a post of the same profile before it has its text",
    # An item or a post is used after a repair
    "html_to_text": "HTML was turned into plain text",
    "control_characters": "control, bidi and invisible characters were removed",
    "long_post": "a text was cut at `max_post_chars`, at a word's end",
    "empty_aspect": "an entry of rubric_aspects without a text was left out",
}


class Problem(Record):
    """One row or post that was refused, or used after a repair. Data, not an error."""

    action: Literal["refused", "repaired"]
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


class Refusal(Exception):
    """Raised while a row is read; whoever reads rows turns it into a Problem."""

    def __init__(self, reason: str, detail: str, value: str | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.value = value

    def at(self, where: str, id: str | None) -> Problem:
        """The Problem that it is, with its place."""
        return Problem(
            action="refused", reason=self.reason, where=where, id=id, detail=self.detail,
            value=self.value,
        )  # fmt: skip
