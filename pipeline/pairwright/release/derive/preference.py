"""preference/CONFIG-SPLIT.jsonl: the same pairs as message lists, which RewardBench's CLI reads.

    {"id", "subset", "chosen", "rejected", "canary"}

`chosen` and `rejected` hold two messages each: the user's, the same in both, and the assistant's.
RewardBench takes no system message, so the user's history is in the user's message, oldest post
first. Aspects and narrative are never in it: they are the answer key.

Every line of a user's text begins with "> ", and no line of the frame does, so that no text can
pass for the frame, whatever is written in it.
"""

import json
from collections.abc import Iterable, Iterator

from pairwright.dataset import Row, RowPost

_HISTORY = "Earlier posts of one person, oldest first. Every line of theirs begins with “> ”."
_QUESTION = "Answer this question for that person."


def preference(rows: Iterable[Row], canary: str) -> Iterator[str]:
    """One line a row, in their order."""
    for row in rows:
        prompt = {"role": "user", "content": prompt_of(row)}
        line = {
            "id": row.id,
            "subset": row.config,
            "chosen": [prompt, {"role": "assistant", "content": row.chosen}],
            "rejected": [prompt, {"role": "assistant", "content": row.rejected}],
            "canary": canary,
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def prompt_of(row: Row) -> str:
    """The history and the question as one message."""
    n = len(row.profile)
    posts = [_post(post, place, n) for place, post in enumerate(row.profile, start=1)]
    return "\n\n".join([_HISTORY, *posts, f"{_QUESTION}\n{_quoted(row.question)}"])


def _post(post: RowPost, place: int, of: int) -> str:
    day = post.created[:10] if post.created else "no date"
    return f"Post {place} of {of}, {day}:\n{_quoted(post.text)}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])
