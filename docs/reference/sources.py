"""What a row of each source holds, for config.md."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from pairwright.records import GoldAspect, Post
from pairwright.settings.rules import COLUMNS, SourceRules, required_columns
from reference.markdown import table

ITEM_FIELDS = {
    "id": "unique in the file",
    "user": "whose question it is; if no row has one, every item is a user of its own",
    "question": "the question",
    "narrative": "the user's own long explanation; no writer or judge sees it",
    "category": "decides the domain",
    "created": "time of the question; later posts are refused",
    "source_url": "address of the question",
    "profile": "list of earlier posts, each an object",
    "rubric_aspects": 'list of gold aspects for `aspects = "gold"`, each an object',
}
POST_FIELDS = {
    "id": "unique in its profile",
    "text": "the post, with its title in front if it has one",
    "category": "category of the post",
    "created": "time of the post",
    "source_url": "address of the post",
    "kind": "kind of post, such as `question`, `answer` or `review`",
}
COLUMN_FIELDS = {
    "user": "who wrote or chose it",
    "text": "the text",
    "created": "when it was written or chosen",
    "category": "decides the domain",
    "title": "the title; that of the latest post is the question",
    "url": "the address",
    "kind": "`question`, `answer`, ...; only questions and posts without a kind are asked",
    "question": "the question or topic",
    "option_a": "the first response",
    "option_b": "the second response",
    "choice": "`a`, `b`, the text of an option or the name of its column, or `tie`",
    "reason": "the user's own reason",
}
ASPECT_FIELDS = {
    "aspect": "what the user expects in an answer",
    "reason": "why",
    "evidence": "the passage that says so",
}
HEADS = ("field", "", "meaning")


def source_sections() -> Iterator[str]:
    yield "## What a row holds"
    yield (
        "JSON (one array), JSONL and Parquet are read for every format, and CSV and TSV for all but"
        " `items`. A dataset of the Hugging Face Hub is `ORG/NAME@REVISION`. Text is UTF-8."
        " Empty, `NULL`, `None`, `NaN` and `N/A` cells are missing. A time is ISO 8601 (UTC if it"
        " names no offset) or seconds since 1970; 03/04/2015 is refused, because it has two"
        " readings."
    )
    yield '`format = "items"`, LaMP-QA\'s schema; further fields are ignored:'
    yield table(HEADS, [(f"`{n}`", _needed(n, "items"), what) for n, what in ITEM_FIELDS.items()])
    yield "A post of `profile`:"
    yield _schema(POST_FIELDS, Post, {"id", "text"})
    yield "An entry of `rubric_aspects`:"
    yield _schema(ASPECT_FIELDS, GoldAspect, {"aspect"})
    yield '`format = "posts"`, `format = "choices"`, and the file `texts` of the latter:'
    listed = {of: " ".join(COLUMNS[of]).split() for of in ("posts", "choices", "texts")}
    yield table(
        ("field", *listed, "meaning"),
        [
            (f"`{n}`", *(_needed(n, of) if n in listed[of] else "" for of in listed), what)
            for n, what in COLUMN_FIELDS.items()
        ],
    )


def _schema(fields: Mapping[str, str], model: type[BaseModel], required: set[str]) -> str:
    if set(fields) != set(model.model_fields):
        raise ValueError(f"say what the fields of {model.__name__} are")
    needed = {name: "required" if name in required else "optional" for name in fields}
    return table(HEADS, [(f"`{name}`", needed[name], what) for name, what in fields.items()])


def _needed(name: str, of: str) -> str:
    if name in required_columns(SourceRules(path="", default_category="any"), of):
        return "required"
    needed = name in required_columns(SourceRules(path=""), of)
    return "required, or `default_category`" if needed else "optional"
