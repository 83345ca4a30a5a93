"""A source as tests read it, and what they write into one."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.records import Item
from pairwright.settings.domains import Domain, Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import Problems, SourceProblem, read

HOME = Domain(
    key="Home", name="Home", subcategories=("cooking", "movies", "coffee"), kinds=("tools",)
)
DOMAINS = Domains([HOME], Path("rubrics"))
STEW = "My stew is watery every time and I do not own a scale to measure anything with."
BREAD = "Rye bread in a gas oven that only reaches two hundred degrees, is it hopeless?"
KNIFE = "Which single knife should a left-handed beginner with small hands buy first?"
QUESTION = "How do I keep a risotto warm for late guests?"
NARRATIVE = "They come from work at different hours and I only have two burners."


class Dataset(list[dict[str, Any]]):
    """Of `datasets.Dataset`, what is used of it."""

    @property
    def column_names(self) -> list[str]:
        return list(self[0])


class Result(NamedTuple):
    items: list[Item]
    problems: list[SourceProblem]

    @property
    def item(self) -> Item:
        (item,) = self.items
        return item

    @property
    def problem(self) -> SourceProblem:
        (problem,) = self.problems
        return problem

    @property
    def said(self) -> list[tuple[str, str, str | None]]:
        """Each problem's reason, line and id."""
        return [(one.reason, one.where.rpartition(":")[2], one.id) for one in self.problems]

    def reasons(self, action: str) -> Counter[str]:
        return Counter(one.reason for one in self.problems if one.action == action)


def result(folder: Path, name: str, **rules: Any) -> Result:
    said = list[SourceProblem]()
    items = list(read(SourceRules(path=name, **rules), DOMAINS, folder, Problems(said.append)))
    return Result(items, said)


def post(id: Any, text: Any, created: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": id, "text": text, "category": "cooking", "created": created, **more}


def row(id: str = "b", **changes: Any) -> dict[str, Any]:
    """An item as a file has it, with whatever a test changes in it; None takes a field away."""
    days = zip((STEW, BREAD, KNIFE), range(1, 4), strict=True)
    fields = {
        "id": id,
        "user": f"user of {id}",
        "question": QUESTION,
        "narrative": NARRATIVE,
        "category": "cooking",
        "created": "2020-01-09",
        "profile": [post(f"p{day}", text, f"2020-01-0{day}") for text, day in days],
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def with_post(text: Any, created: Any = "2020-01-04", id: Any = "px", **more: Any) -> Any:
    """The item with one more post at the end of its profile."""
    return row(profile=[*row()["profile"], post(id, text, created)], **more)


def write_lines(path: Path, *rows: object) -> None:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")


def of_rows(folder: Path, *rows: object, **rules: Any) -> Result:
    """What is read of a file of these items."""
    write_lines(folder / "h.jsonl", *rows)
    return result(folder, "h.jsonl", **rules)


HEAD = "user,created,title,text,category,url"
ANN = (
    "ann,2020-01-02,,Rye bread is hopeless,movies,http://x/2",
    "ann,2020-01-01,Watery stew,I own no scale,cooking,http://x/1",
    f"ann,2020-01-03,{QUESTION},{NARRATIVE},cooking,http://x/3",
)


def posts_csv(*lines: str, head: str = HEAD) -> bytes:
    return "\n".join([head, *lines, ""]).encode()


def of_posts(folder: Path, *lines: str, head: str = HEAD, **rules: Any) -> Result:
    """What is read of a table of these posts."""
    (folder / "p.csv").write_bytes(posts_csv(*lines, head=head))
    return result(folder, "p.csv", format="posts", **rules)
