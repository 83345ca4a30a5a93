"""One conversation: its files, who wrote which statement, which may be responses, and what is asked
of them: the topic, and which statement a person agrees with."""

import csv
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.records import Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Cells, clean_text, repaired
from pairwright.sources.opening import TableColumns, check_columns
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt, refuse
from pairwright.sources.source_table import SourceRow, SourceTable, check_readable, content_hash
from pairwright.sources.table_files import comma_separated

STATEMENTS = "comments.csv"
VOTES = ("participants-votes.csv", "participant-votes.csv")
"""Its name in published data, and in what a conversation's own report page exports."""
SUMMARY = "summary.csv"
LARGEST_SUMMARY = 1_000_000


class Conversation(NamedTuple):
    """One conversation's files."""

    name: str
    """The name of its folder."""
    statements: Path
    votes: Path
    summary: Path | None
    prefix: str
    """The folder in front of its files' names, where the source holds several conversations."""

    @property
    def files(self) -> list[Path]:
        return [self.statements, self.votes, *([self.summary] if self.summary else [])]


def locate_conversations(rules: SourceRules, folder: Path) -> list[Conversation]:
    """The conversations of the folder that the rules name, by name. Raises SourceError."""
    path = folder / Path(rules.path).expanduser()
    if not path.is_dir():
        raise SourceError(
            "is not a folder" if path.exists() else "no such folder",
            where=path,
            fix="Name the folder of a conversation's exported files, or a folder of such folders;"
            f" `path` is relative to {folder}.",
        )
    if (path / STATEMENTS).is_file():
        return [_conversation(path, "")]
    folders = sorted(one for one in path.iterdir() if (one / STATEMENTS).is_file())
    if not folders:
        raise SourceError(
            f"holds no {STATEMENTS}, and no folder in it does",
            where=path,
            fix=f"Name the folder of a conversation: {STATEMENTS}, {VOTES[0]}, {SUMMARY}.",
        )
    return [_conversation(one, f"{one.name}/") for one in folders]


def conversations_hash(conversations: list[Conversation]) -> str:
    """`b2:` and a hash of the files that are read, with their names."""
    return content_hash(
        part
        for conversation in conversations
        for path in conversation.files
        for part in (
            f"{conversation.name}/{path.name}\0{path.stat().st_size}\0".encode(),
            path,
        )
    )


def _conversation(path: Path, prefix: str) -> Conversation:
    votes = next((path / name for name in VOTES if (path / name).is_file()), None)
    if votes is None:
        raise SourceError(
            f"holds {STATEMENTS} and no {VOTES[0]}",
            where=path,
            fix="Export the conversation again with its votes.",
        )
    summary = path / SUMMARY
    return Conversation(
        path.resolve().name,
        path / STATEMENTS,
        votes,
        summary if summary.is_file() else None,
        prefix,
    )


def read_summary(path: Path) -> dict[str, str]:
    """The names and values of a summary. Raises SourceError."""
    fix = "Export it again, or leave it out."
    if path.stat().st_size > LARGEST_SUMMARY:
        raise SourceError(f"has more than {LARGEST_SUMMARY:,} bytes", where=path, fix=fix)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
        return {row[0].strip(): row[1] for row in csv.reader(lines, strict=True) if len(row) == 2}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"is not CSV in UTF-8: {error}", where=path, fix=fix) from None


def statement_rows(path: Path, prefix: str) -> Iterator[SourceRow | SourceProblem]:
    """The rows of a table of statements. Raises SourceError."""
    table = open_exported(path)
    needed = ["comment-id", "author-id", "comment-body"]
    advice = "Export the conversation's statements again; the first line names the columns"
    check_columns(table.source, table.columns or [], TableColumns(needed, advice))
    return prefix_rows(table, prefix)


def open_exported(path: Path) -> SourceTable:
    """An exported table. Raises SourceError."""
    check_readable(path, "Export the conversation again.")
    return comma_separated(path)


def prefix_rows(table: SourceTable, prefix: str) -> Iterator[SourceRow | SourceProblem]:
    """The rows, with the folder in front of their places."""
    for row in table.rows:
        where = prefix + row.where
        if isinstance(row, SourceProblem):
            yield row.model_copy(update={"where": where})
        else:
            yield row._replace(where=where)


OWNER = "0"
"""The participant who opened the conversation. Its statements are seeds, and statements of others
that moderators wrote again: in published conversations they contradict each other."""


_MODERATION = {"1": 1, "1.0": 1, "0": 0, "0.0": 0, "": 0, "-1": -1, "-1.0": -1}
"""Let in by moderators, not looked at, taken out."""


class PolisStatement(NamedTuple):
    """A statement as it was read."""

    where: str
    author: str
    post: Post
    never_response: str | None
    """The reason why it is not shown as a response, if there is one."""
    seed: bool
    """Whether the organisers wrote it, for the conversation and not for themselves."""


def read_statements(
    conversation: Conversation, category: str, url: str | None, rules: SourceRules
) -> Iterator[PolisStatement | SourceProblem]:
    """Each statement after its problems, in the order of the file. Raises SourceError."""
    places: dict[str, str] = {}
    for row in statement_rows(conversation.statements, conversation.prefix):
        if isinstance(row, SourceProblem):
            yield row
            continue
        cells = Cells(row.fields, rules.max_post_chars)
        try:
            read = _statement(cells, row.where, category, url)
            name = read.post.id
            if name in places:
                raise SourceRefusal("duplicate_id", f"{places[name]} has this id already")
        except SourceRefusal as refusal:
            yield refusal.at(row.where, cells.label("comment-id") or None)
            continue
        places[name] = row.where
        yield from repaired(cells.repairs, row.where, name)
        for reason in (read.never_response, "seed" if read.seed else None):
            if reason:
                yield SourceRefusal(reason, "").at(row.where, name)
        yield read


def _statement(cells: Cells, where: str, category: str, url: str | None) -> PolisStatement:
    """Raises SourceRefusal."""
    name = cells.label("comment-id") or refuse("missing_id", "`comment-id` is empty")
    author = cells.user("author-id")
    words = cells.text("comment-body") or refuse("empty_text", "`comment-body` is empty")
    post = Post(
        id=name,
        text=words,
        category=category,
        created=cells.time("timestamp"),
        source_url=url,
        kind="statement",
    )
    never_response = None
    if _is_taken_out(cells.label("moderated")):
        never_response = "taken_out"
    elif _is_true(cells.label("is-meta")):
        never_response = "about_voters"
    seed = author == OWNER or _is_true(cells.label("is-seed"))
    return PolisStatement(where, author, post, never_response, seed)


def _is_taken_out(moderated: str) -> bool:
    """Whether moderators took it out. Raises SourceRefusal where nobody can tell."""
    if moderated not in _MODERATION:
        raise SourceRefusal(
            "bad_moderation",
            f"`moderated` is {excerpt(moderated)}: not 1, 0, -1 or empty",
            value=moderated[:200],
        )
    return _MODERATION[moderated] == -1


def _is_true(said: str) -> bool:
    """Whether a column says yes. Older exports do not have these columns."""
    return said.lower() in ("true", "t", "1")


QUESTIONS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("questions.toml").read_text(encoding="utf-8")
)
"""The sentence of a question, by ISO 639-1 code."""
_ENDS = ("?", "!", "。", "？", "！")
_LONGEST = 3
"""So many of the longest statements tell the language."""


def question_of(
    conversation: Conversation,
    topic: str,
    statements: Iterable[str],
    domain: str,
    domains: Domains,
    rules: SourceRules,
) -> str:
    """The topic (the folder's name, where there is none) and the sentence, in the language of the
    domain or, where its file names none, of the statements."""
    topic = " ".join(clean_text(topic, "topic", {}, rules.max_post_chars).split())
    longest = sorted(statements, key=len, reverse=True)[:_LONGEST]
    language = domains.language(domain, *longest)
    sentence = QUESTIONS.get(language or "en", QUESTIONS["en"])
    topic = topic or conversation.name
    if language in ("ja", "zh"):
        return f"{topic}{'' if topic.endswith(_ENDS) else '：'}{sentence}"
    return f"{topic}{'' if topic.endswith(_ENDS) else ':'} {sentence}"
