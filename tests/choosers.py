"""Made-up people who chose: tables of choices and texts, and an exported conversation of Polis."""

import csv
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from pairwright import build
from pairwright.assets import EXAMPLES
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


def conversation(folder: Path, authors: int = 8, statements: int = 3) -> Path:
    """An exported conversation of Polis: authors 1, 2, ... who agree with their own camp and
    disagree with the other, and two who wrote nothing."""
    written = [author for author in range(1, authors + 1) for _ in range(statements)]
    comments = [
        [1_500_000_000_000, id, author, 1, statement(author, id % statements)]
        for id, author in enumerate(written)
    ]
    votes = [
        [who, "", *(1 if author % 2 == who % 2 else -1 for author in written)]
        for who in range(1, authors + 3)
    ]
    about = [["url", f"https://pol.is/{folder.name}"], ["about", 'Said "so",\nand more']]
    head = ["timestamp", "comment-id", "author-id", "moderated", "comment-body"]
    write_csv(folder / "comments.csv", head, comments)
    head = ["participant", "group-id", *map(str, range(len(written)))]
    write_csv(folder / "participants-votes.csv", head, votes)
    write_csv(folder / "summary.csv", ["topic", "What the ward shares"], about)
    return folder


def to_choices(folder: Path, out: Path) -> dict[str, str]:
    """The tables that the example makes of an exported conversation, as the keys of a source."""
    script = EXAMPLES / "polis_to_choices.py"
    done = subprocess.run(
        [sys.executable, script, folder, out], capture_output=True, text=True, check=True
    )
    assert "pairwright build" in done.stdout
    source: dict[str, str] = tomllib.loads((out / "pairwright.toml").read_text())["source"]
    return source | {"path": str(out / "choices.csv"), "texts": str(out / "texts.csv")}


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
    said = "Letter {n} of u{user}: I keep {topic} hours."
    rows = [
        [f"u{user}", said.format(n=n, user=user, topic=TOPICS[user + n]), f"2024-0{n + 1}-01"]
        for user in range(users)
        for n in range(texts)
    ]
    return write_csv(path, TEXTS, rows)


def built_conversation(folder: Path, authors: int = 24, **release: object) -> Path:
    """A run of natural twins of such a conversation, in the folder."""
    source = to_choices(conversation(folder / "ward", authors), folder / "choices")
    stated = {"name": "ward", "licence": "CC-BY-4.0", **release}
    config = {"modes": ["natural"], "source": source, "release": stated}
    build(Config.model_validate(config), folder / "run", folder=folder)
    return folder / "run"
