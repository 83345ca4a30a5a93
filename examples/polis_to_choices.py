"""Write the choices of an exported Polis conversation as tables that `pairwright build` reads.

python polis_to_choices.py FOLDER OUT

FOLDER holds comments.csv, participants-votes.csv and summary.csv, or folders of such files. OUT
gets choices.csv (an author agreed with one statement and disagreed with another), texts.csv (what
the authors wrote, which is their history) and pairwright.toml. Votes have no times, so a statement
may be younger than a vote.
"""

import csv
import random
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path

LEAST_OWN = 2
"""Statements that an author needs: the history."""
PARTNERS, PER_COUPLE = 20, 3
"""An author is compared with so many others, each on so many pairs of statements."""
ASKED = (
    "Which of these statements by others in the same discussion is this person more likely to agree"
    " with?"
)
CONFIG = """\
modes = ["natural"]

[source]
format = "choices"
path = "choices.csv"
texts = "texts.csv"
default_category = "politics"
"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def tables(folder: Path) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of choices.csv and texts.csv that one conversation gives."""
    summary = folder / "summary.csv"
    lines = summary.read_text(encoding="utf-8-sig").splitlines(True) if summary.is_file() else []
    about = {row[0]: row[1] for row in csv.reader(lines) if len(row) == 2}
    topic, url = about.get("topic") or folder.resolve().name, about.get("url", "")
    names = ("participants-votes.csv", "participant-votes.csv")
    ballots = next(folder / name for name in names if (folder / name).is_file())
    comments = {row["comment-id"]: row for row in rows(folder / "comments.csv")}
    votes: dict[str, dict[str, int]] = {}
    for row in rows(ballots):
        said = {id: float(row[id]) for id in comments if row.get(id)}
        votes[row["participant"]] = {id: int(vote) for id, vote in said.items()}
    own: dict[str, set[str]] = defaultdict(set)
    for id, row in comments.items():
        author = row["author-id"]
        # Participant 0 opened the conversation: its statements are not a person's own.
        seed = author == "0" or row.get("is-seed", "").lower() == "true"
        if not seed and votes.get(author, {}).get(id, 1) == 1:
            own[author].add(id)
    shown = {
        id
        for id, row in comments.items()
        if row.get("moderated") != "-1" and row.get("is-meta", "").lower() != "true"
    }
    authors = sorted(author for author in own if len(own[author]) >= LEAST_OWN and author in votes)
    agreed, refused = (
        {a: {id for id, vote in votes[a].items() if vote == side} & shown for a in authors}
        for side in (1, -1)
    )
    chance = random.Random(0)
    chosen: dict[tuple[str, tuple[str, str]], str] = {}
    for one in authors:
        for other in chance.sample(authors, min(PARTNERS, len(authors))):
            theirs = {id for id in comments if comments[id]["author-id"] in (one, other)}
            mine = sorted(agreed[one] & refused[other] - theirs)
            reverse = sorted(refused[one] & agreed[other] - theirs)
            pairs = list(product(mine, reverse))
            for a, b in chance.sample(pairs, min(PER_COUPLE, len(pairs))):
                both = (a, b) if int(a) < int(b) else (b, a)
                chosen[one, both], chosen[other, both] = a, b
    text = {id: " ".join(row["comment-body"].split()) for id, row in comments.items()}
    choices = [
        [f"{folder.name}/{user}", f"{topic}: {ASKED}", text[a], text[b], "ab"[taken == b], url]
        for (user, (a, b)), taken in chosen.items()
    ]
    texts = [
        [f"{folder.name}/{user}", text[id], url] for user in authors for id in sorted(own[user])
    ]
    return choices, texts


def write(folder: Path, out: Path) -> None:
    """Write the tables of one conversation, or of all in the folder."""
    found = sorted(path.parent for path in folder.glob("**/comments.csv"))
    if not found:
        sys.exit(f"{folder}: holds no comments.csv. Name the folder of an exported conversation.")
    choices, texts = [], []
    for one in found:
        its_choices, its_texts = tables(one.resolve())
        choices += its_choices
        texts += its_texts
    out.mkdir(parents=True, exist_ok=True)
    (out / "pairwright.toml").write_text(CONFIG, encoding="utf-8")
    head = ["user", "question", "option_a", "option_b", "choice", "url"]
    for name, columns, table in (
        ("choices.csv", head, choices), ("texts.csv", ["user", "text", "url"], texts),
    ):  # fmt: skip
        with (out / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *table])
    print(f"{len(choices):,} choices of {len({row[0] for row in choices}):,} authors. Next:")
    print(f"pairwright build {out / 'pairwright.toml'} --run {out / 'run'}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(Path(sys.argv[1]), Path(sys.argv[2]))
