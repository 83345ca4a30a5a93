"""Made-up people who chose: an exported conversation of Polis, and tables of choices and texts."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from pairwright import build
from pairwright.settings.config import Config

TOPICS = (
    "bridge", "market", "library", "harbour", "tram", "orchard", "school", "museum", "canal",
    "theatre", "airfield", "quarry",
)  # fmt: skip
CAMPS = (
    ("is for everybody", "needs no gate", "should stay open late"),
    ("belongs to those who paid", "wants a fence", "has to earn its keep"),
)


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def statement(author: int, n: int) -> str:
    """What an author of one of the two camps says."""
    thing = TOPICS[(author + 5 * n) % len(TOPICS)]
    return f"Our {thing}, number {author}, {CAMPS[author % 2][n % 3]}."


def conversation(
    folder: Path,
    authors: int = 8,
    statements: int = 3,
    *,
    votes: Mapping[tuple[int, str], object] | None = None,
    written_by: Mapping[str, int] | None = None,
    taken_out: Iterable[str] = (),
    summary: bool = True,
) -> Path:
    """Authors 1, 2, ... who agree with their own camp and disagree with the other, and two who
    wrote nothing; `votes` are changed cells, by author and statement, `written_by` changed authors,
    by statement. Author 1 wrote statements 0, 1 and 2."""
    written = {
        str((author - 1) * statements + n): author
        for author in range(1, authors + 1)
        for n in range(statements)
    }
    authors_of = written | dict(written_by or {})
    out = set(taken_out)
    write_csv(
        folder / "comments.csv",
        ["timestamp", "datetime", "comment-id", "author-id", "agrees", "disagrees", "moderated",
         "comment-body"],
        [
            [1_500_000_000_000 + 1000 * int(id), "", id, authors_of[id], 0, 0,
             -1 if id in out else 1, statement(author, int(id) % statements)]
            for id, author in written.items()
        ],
    )  # fmt: skip
    write_csv(
        folder / "participants-votes.csv",
        ["participant", "group-id", "n-comments", "n-votes", "n-agree", "n-disagree", *written],
        [
            [who, "", "", "", "", "",
             *((votes or {}).get((who, id), 1 if author % 2 == who % 2 else -1)
               for id, author in written.items())]
            for who in range(1, authors + 3)
        ],
    )  # fmt: skip
    if summary:
        url = f"https://pol.is/{folder.name}"
        pairs = [["url", url], ["conversation-description", 'Said "so",\nand more']]
        write_csv(folder / "summary.csv", ["topic", "What the ward shares"], pairs)
    return folder


def newer_export(folder: Path, kinds: Mapping[str, str]) -> Path:
    """The files of a conversation with the columns of exports of 2024; `kinds` gives the column
    that is true of a statement."""
    comments = pd.read_csv(folder / "comments.csv", dtype=str).drop(columns="datetime")
    for kind in ("is-meta", "is-seed"):
        comments[kind] = [str(kinds.get(id) == kind).lower() for id in comments["comment-id"]]
    comments.to_csv(folder / "comments.csv", index=False)
    votes = pd.read_csv(folder / "participants-votes.csv", dtype=str)
    votes.insert(1, "xid", "")
    votes.to_csv(folder / "participants-votes.csv", index=False)
    return folder


CHOICES = ("user", "question", "option_a", "option_b", "choice", "created", "reason")
TEXTS = ("user", "text", "created")


def table_of_choices(path: Path, users: int = 6, questions: int = 4) -> Path:
    """Users with even numbers take the short answer of each question, the others the long one;
    every second row has the two the other way round."""
    rows = []
    for user in range(users):
        for n in range(questions):
            short, long = f"Take the {TOPICS[n]}.", f"Walk round by the {TOPICS[n + 1]} and rest."
            options = (short, long) if (user + n) % 3 else (long, short)
            taken = "ab"[options.index(short if user % 2 == 0 else long)]
            rows.append(
                [f"u{user}", f"How do I get to the {TOPICS[n]} from here?", *options, taken,
                 f"2024-05-{n + 10:02}T08:00:00", "I am in a hurry" if user == 0 else ""]
            )  # fmt: skip
    return write_csv(path, CHOICES, rows)


def table_of_texts(path: Path, users: int = 6, texts: int = 2) -> Path:
    return write_csv(
        path,
        TEXTS,
        [
            [
                f"u{user}",
                f"Letter {n} of u{user}: I keep {TOPICS[user + n]} hours.",
                f"2024-0{n + 1}-01",
            ]
            for user in range(users)
            for n in range(texts)
        ],
    )


def built_conversation(folder: Path, authors: int = 24) -> Path:
    """A run of natural twins of such a conversation, in the folder."""
    conversation(folder / "ward", authors=authors)
    config = {
        "modes": ["natural"],
        "source": {"path": "ward", "format": "polis", "default_category": "politics"},
        "release": {"name": "ward", "licence": "CC-BY-4.0"},
    }
    build(Config.model_validate(config), folder / "run", folder=folder)
    return folder / "run"
