"""sources.md: what a source can read, and the rules for rows that are not as they should be."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel

from pairwright.records import GoldAspect, Post
from pairwright.settings.rules import COLUMNS, SourceRules
from pairwright.sources import dumps, problems
from pairwright.sources.problems import REMEDIES
from pairwright.sources.tables import FLAT, OPENERS, required_columns
from reference.markdown import page_of, table

FILE_KINDS = {
    ".json": "one array of objects",
    ".jsonl": "one object a line",
    ".csv": "commas, semicolons or tabs, whichever the first line has most of; it names the"
    " columns",
    ".tsv": "tabs, the first line names the columns",
    ".parquet": "one row a row, profiles as nested lists",
}
ITEM_FIELDS = {
    "id": "unique in the file",
    "user": "whose question it is; where no row has one, every item is a user of its own",
    "question": "the question",
    "narrative": "the user's own long explanation; no model reads it",
    "category": "decides the domain; `default_category` can replace it",
    "created": "time of the question; posts that are not older are refused, and a post's day"
    " without a time counts as its end",
    "source_url": "address of the question",
    "profile": "list of earlier posts, each an object",
    "rubric_aspects": 'list of gold aspects, each an object; used by `aspects = "gold"`',
}
POST_FIELDS = {
    "id": "unique in its profile",
    "text": "the post, with its title in front if it has one",
    "category": "category of the post",
    "created": "time of the post",
    "source_url": "address of the post",
    "kind": "kind of post, such as `question`, `answer` or `review`; stays in the run folder",
}
COLUMN_FIELDS = {
    "user": "whose row it is",
    "text": "the text",
    "created": "when it was written or chosen",
    "title": "the title; the latest post's is the question",
    "category": "decides the domain",
    "url": "the address of the post",
    "kind": "`question`, `answer`, `review`, ...; only questions and posts without one are asked",
    "question": "the question or topic",
    "option_a": "the first response",
    "option_b": "the second response",
    "choice": "what was taken: `a` or `b`",
    "reason": "the user's own reason",
}
ASPECT_FIELDS = {
    "aspect": "what the user expects in an answer",
    "reason": "why",
    "evidence": "the passage that says so",
}


DUMP = f"""\
## From a Stack Exchange dump

Stack Exchange publishes what people wrote on each of its sites as an archive. Unpack it (`7z x
cooking.stackexchange.com.7z -ocooking.stackexchange.com`) and name the folder, or the `Posts.xml`
in it. Reading takes about eight times the file's size in memory.

```toml
[source]
format = "stackexchange"
path = "cooking.stackexchange.com"
targets = 3          # of each user's latest questions, or "all"
min_posts = 4        # earlier posts that an item needs
```

`pairwright build pairwright.toml --run runs/cooking --dry-run` reads it, prints what was refused
and why, and sends no call.

- **Questions.** A question is asked by its title; its text is the narrative. The history is what
  the user wrote before it, oldest first: questions and answers. An answer begins with the title
  of its question. A closed question is not asked, nor one whose title cannot be answered without
  the text: it points at something (`this circuit`, `the following`, `my code`, `the picture`), or
  has fewer than {dumps.MIN_TERMS} words with content. The rules are for English titles. Both
  stay in the history.
- **Texts.** HTML becomes plain text without images; formulas stay in TeX. A text is the last
  version of a post; one that its user edited after the question is counted (`edited_later`).
- **Addresses and licences.** The folder's name tells the site, or `site =
  "cooking.stackexchange.com"`. Each post gets its address, and a release derives the licence from
  address and date as [Stack Exchange states it](https://stackoverflow.com/help/licensing). A user
  is `cooking.stackexchange.com/users/12`, as `pairwright forget` takes it.
- **Categories.** The category is the site (`cooking`, `stackoverflow`), which must be in a
  domain: `subcategories` or `also` of a file in the rubrics folder. If it is in none,
  `default_category` is used.
- **Left out.** Posts of deleted accounts and of the community, wikis and tags' pages.

A file that declares an entity is refused; a line with a document type does no harm."""


CHOICES = """\
## People's own choices

With `modes = ["natural"]` a source holds what people chose, and no model is asked: a natural twin
is a question on which one user took what another refused, and the reverse. The how-to is
[choices.md](choices.md).

```toml
modes = ["natural"]

[source]
format = "choices"
path = "choices.csv"     # a row a choice
texts = "texts.csv"      # a row a text that a user wrote; leave it out if there are none
default_category = "cooking"
```

`choice` is `a` or `b` (`option_b`, `Response B`, or the text of the option are understood, too), or
`tie` where neither was taken. **The history** of a choice is what its user wrote before it and the
user's earlier choices, each as a post of kind `choice` with question, both options and reason. A
choice of the same question, or of one of the two options, is left out of it, and so is a text that
repeats an option. Where the choices have times, a choice or text without one is refused; where
they have none, all texts are taken as written before, no earlier choice is known, and a text with
a time is refused. The reason of a choice is released as its narrative, which no scorer is shown."""


def sources_page() -> str:
    return page_of(
        "# Sources",
        "What `[source]` can read, and what is done with rows that are not as they should be. The"
        " keys of the table are in [config.md](config.md#source); how to bring your own data is in"
        " [extend.md](extend.md).",
        "## Files",
        table(
            ("file", "rows", '`format = "items"`', '`format = "posts"`'),
            [
                (f"`{suffix}`", FILE_KINDS[suffix], "no" if suffix in FLAT else "yes", "yes")
                for suffix in OPENERS
            ]
            + [
                (
                    "`org/name`, `org/name@revision`",
                    "a dataset of the Hugging Face Hub (extra `hub`), one `config` and `split`",
                    "yes",
                    "yes",
                )
            ],
        ),
        'A dump of a Stack Exchange site is read with `format = "stackexchange"`: see'
        " [below](#from-a-stack-exchange-dump).",
        "Text is UTF-8, with or without a byte order mark. Empty, `NULL`, `None`, `NaN` and `N/A`"
        " cells are missing ones. A time is ISO 8601 (UTC if it names no offset), seconds or"
        " milliseconds since 1970, or `Fri Nov 06 00:32:23 PST 2020`; a date such as 03/04/2015 or"
        " 03.04.2015 is refused, because it has two readings: write 2015-04-03T08:00. Texts are"
        " plain text; set `html = true` if they are HTML.",
        "## Rows that are items",
        "LaMP-QA's schema. Further fields, such as the `chosen` and `rejected` of Personalized"
        " RewardBench, are left alone.",
        table(
            ("field", "", "meaning"),
            [(f"`{n}`", _needed(n, "items"), text) for n, text in ITEM_FIELDS.items()],
        ),
        "A post of `profile`:",
        _schema(POST_FIELDS, Post, ["id", "text"]),
        "An entry of `rubric_aspects`:",
        _schema(ASPECT_FIELDS, GoldAspect, ["aspect"]),
        "## Rows that are posts",
        "One post a row, in any order. A user's latest post becomes the question: its title, or"
        " else its first line or sentence if that has at most 200 characters. Its text becomes the"
        " narrative, and the strictly earlier posts become the profile. With `targets` more of the"
        " user's latest posts become items, each with the posts from before it. A column of another"
        ' name is named in `[source.columns]`, such as `user = "author"`.',
        _columns("posts"),
        DUMP,
        CHOICES,
        "The columns of a table of choices, whose own names stand in `[source.columns]`:",
        _columns("choices"),
        "The columns of a table of texts:",
        _columns("texts"),
        "## Rules",
        "A row or post that cannot be used is refused, or repaired, by one of these rules, and"
        " reading goes on. Each case is a line of `source_problems.jsonl` in the run folder"
        f" ({', '.join(f'`{name}`' for name in problems.SourceProblem.model_fields)});"
        " the counts are in `manifest.json`. A file that cannot be used at all, or of which not one"
        " row is left, is an error with exit code 2.",
        *_rules(),
    )


def _schema(fields: dict[str, str], model: type[BaseModel], required: Sequence[str]) -> str:
    if set(fields) != set(model.model_fields):
        raise ValueError(f"say what the fields of {model.__name__} are")
    rows = [(f"`{n}`", "required" if n in required else "", text) for n, text in fields.items()]
    return table(("field", "", "meaning"), rows)


def _needed(name: str, table: str) -> str:
    if name in required_columns(SourceRules(path="", default_category="any"), table):
        return "required"
    needed = name in required_columns(SourceRules(path=""), table)
    return "required, or `default_category`" if needed else ""


def _columns(of: str) -> str:
    names = [name for part in COLUMNS[of] for name in part.split()]
    rows = [(f"`{name}`", _needed(name, of), COLUMN_FIELDS[name]) for name in names]
    return table(("column", "", "meaning"), rows)


def _rules() -> Iterator[str]:
    for heading, reasons in _grouped_reasons():
        yield f"### {heading}"
        rows = [
            (f"`{reason}`", problems.REASONS[reason], REMEDIES.get(reason, ""))
            for reason in reasons
        ]
        yield table(("reason", "rule", "what to do"), rows)


def _grouped_reasons() -> list[tuple[str, list[str]]]:
    """The keys of REASONS under the comments that group them in their file."""
    groups: list[tuple[str, list[str]]] = []
    source = Path(problems.__file__).with_name("reasons.toml").read_text(encoding="utf-8")
    # The first comment is about all of them.
    for line in source.partition("\n\n")[2].splitlines():
        if line.startswith("# "):
            groups.append((line.removeprefix("# "), []))
        elif line.startswith("["):
            groups[-1][1].append(line.strip("[]"))
    found = [reason for _, reasons in groups for reason in reasons]
    if found != list(problems.REASONS):
        raise ValueError("REASONS is no longer grouped by comments")
    return groups
