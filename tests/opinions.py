"""For the real tier: what people answer, and how they tick it, without the code that reads it."""

from pydantic import JsonValue

from label_studio_server import scales, ticked
from pairwright_human_eval.records import KeyedTask

Said = dict[str, str]
"""By the name of each question, in the order of the form: the label of the answer, which names a
response by its role."""
Given = dict[str, Said | None]
"""By task; None for a skip."""

OPTIONS = {
    "preference": ("A", "B", "equal", "cannot_tell"),
    "support": ("clearly", "plausibly", "no", "contradicted"),
    "delivered": ("A", "B", "both", "neither", "cannot_tell"),
}
"""By the start of a question's name: what it can be answered, in the order of the forms."""
SCORES = ("1", "2", "3", "4", "5", "cannot_judge")


def opinion(row: KeyedTask) -> Said:
    """Mostly for the chosen response, which is well; one in eight of each other answer.

    In the second round, where A is the better one half of the time: A.
    """
    turn = int(row.task[-4:], 16) % 8
    if row.kind == "preference":
        others = ("cannot_tell", "equal", "rejected")
        plain = row.purpose != "vote" or turn >= len(others)
        if row.round == 2:
            return {"preference": row.a}
        return {"preference": "chosen" if plain else others[turn]}
    if row.kind == "quality":
        found: Said = {}
        for scale in scales():
            found |= {f"{scale.name}_a": "4", f"{scale.name}_b": "5"}
        if row.round == 1 and turn < 2:
            found[f"{scales()[0].name}_a"] = ("cannot_judge", "2")[turn]
        return found
    delivered = ("chosen", "both", "neither", "cannot_tell")
    found = {}
    for n in range(row.aspects):
        found[f"support_{n}"] = "no" if turn == 0 else "clearly" if n % 2 else "plausibly"
        found[f"delivered_{n}"] = delivered[(turn + n) % len(delivered)]
    return found


def ticks(row: KeyedTask, said: Said) -> list[tuple[str, int]]:
    """By the name of each question, in the order of the form: which of its options."""
    other = {"chosen": "rejected", "rejected": "chosen"}
    place = {row.a: "A", other.get(row.a, ""): "B"}
    return [(name, _options(name).index(place.get(label, label))) for name, label in said.items()]


def lines(row: KeyedTask, said: Said) -> set[tuple[str, str, str]]:
    """Kind, item and label of every line of answers.jsonl that says it."""
    found = set()
    for name, label in said.items():
        start, _, end = name.rpartition("_")
        if row.kind == "preference":
            found.add(("preference", "", label))
        elif row.kind == "quality":
            roles = ("first", "second") if row.a == "first" else ("second", "first")
            found.add(("quality", f"{start} {roles['ab'.index(end)]}", label))
        else:
            kind = "support" if start == "support" else "delivery"
            found.add((kind, str(int(end) + 1), label))
    return found


def result(row: KeyedTask, said: Said, comment: str) -> list[JsonValue]:
    """As the page would send it."""
    given = [ticked(name, _options(name)[n]) for name, n in ticks(row, said)]
    if comment:
        told: JsonValue = {"text": [comment]}
        written = {"from_name": "comment", "to_name": "Question", "type": "textarea"}
        given.append({**written, "value": told})
    return given


def _options(name: str) -> tuple[str, ...]:
    return OPTIONS.get(name.split("_")[0], SCORES)
