"""Where items come from, and the rules that rows are held to."""

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from pairwright.records import Record


class SourceRules(Record):
    """Where items come from, and the rules rows are held to."""

    path: str = Field(
        description="a file (JSON, JSONL, CSV, TSV, Parquet), a Hugging Face id, the dump of a"
        " Stack Exchange site (.7z, its folder, or Posts.xml), or the folder of an exported Polis"
        " conversation, or of several"
    )
    format: Literal["items", "posts", "stackexchange", "choices", "polis"] = Field(
        "items",
        description="items: LaMP-QA's or the benchmark's schema; posts: one post a row;"
        " stackexchange: a site's dump; choices: one user's choice of two responses a row; polis:"
        " exported conversations",
    )
    texts: str | None = Field(
        None,
        description="choices: a file of texts that the users wrote, one a row (columns `user`,"
        " `text`, `created`); none: a history is the user's earlier choices alone",
    )
    config: str | None = Field(None, description="configuration of a Hugging Face dataset")
    split: str = Field("test", description="split of a Hugging Face dataset")
    min_posts: int = Field(2, ge=1, description="fewer earlier posts and the item is refused")
    max_post_chars: int = Field(20_000, ge=100, description="longer posts are cut, and counted")
    undated_posts: bool = Field(
        True,
        description="keep a post without a time where its question or other posts have one, and"
        " count it; false: it is refused, because it may be younger than the question",
    )
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        1,
        description="how many of a user's latest questions become items, each with the posts that"
        " are older than it, or `all`; rows that are items are taken as they are",
    )
    site: str | None = Field(
        None,
        description="stackexchange: host of the site, such as `cooking.stackexchange.com`; none:"
        " the name of the folder or archive tells it",
    )
    comments: bool = Field(False, description="stackexchange: comments are posts of a history, too")
    category_by: Literal["site", "tag"] = Field(
        "site",
        description="stackexchange: the category is the site, or the question's most frequent tag",
    )
    user: str = Field("user", description="posts, choices, texts: column of the user")
    text: str = Field("text", description="posts, texts: column of the text")
    created: str = Field("created", description="posts, choices, texts: column of the time")
    title: str = Field("title", description="posts, texts: column of the title, if there is one")
    category: str = Field(
        "category", description="posts, choices: column of the category, if there is one"
    )
    url: str = Field(
        "url", description="posts, choices, texts: column of the address, if there is one"
    )
    kind: str = Field(
        "kind",
        description="posts: column of the kind of post (`question`, `answer`, `review`), if there"
        " is one; only questions and posts without a kind are asked",
    )
    question: str = Field("question", description="choices: column of the question or topic")
    option_a: str = Field("option_a", description="choices: column of the first response")
    option_b: str = Field("option_b", description="choices: column of the second response")
    choice: str = Field(
        "choice", description="choices: column of the response that the user took: `a` or `b`"
    )
    reason: str = Field(
        "reason", description="choices: column of the user's own reason, if there is one"
    )
    default_category: str | None = Field(
        None,
        description="category of rows that have none, and of Polis conversations; without it they"
        " are refused",
    )

    @field_validator("site")
    @classmethod
    def _host(cls, site: str | None) -> str | None:
        if site is not None and not re.fullmatch(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", site):
            raise ValueError(f"{site!r} is not a host such as 'cooking.stackexchange.com'")
        return site

    @model_validator(mode="after")
    def _of_the_format(self) -> "SourceRules":
        for format, keys in _KEYS_OF_FORMAT.items():
            if self.format != format:
                for key in keys:
                    if getattr(self, key) != type(self).model_fields[key].default:
                        raise ValueError(f"{key} goes with format = {format!r}")
        if self.format not in ("posts", "stackexchange") and self.targets != 1:
            raise ValueError(
                "targets goes with format = 'posts' or 'stackexchange': rows that are items or"
                " choices are taken as they are"
            )
        return self

    @property
    def own_choices(self) -> bool:
        """Whether it holds people's own choices, of which natural twins are made."""
        return self.format in ("choices", "polis")


_KEYS_OF_FORMAT = {
    "stackexchange": ("site", "comments", "category_by"),
    "choices": ("texts", "question", "option_a", "option_b", "choice", "reason"),
}
"""The keys of a source that go with one format alone."""
