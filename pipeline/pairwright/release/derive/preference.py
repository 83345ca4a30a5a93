"""preference/CONFIG-SPLIT.jsonl: the same pairs as message lists, which RewardBench's CLI reads.

    {"id", "subset", "prompt", "chosen", "rejected", "canary"}

`chosen` and `rejected` hold two messages each: the user's, the same in both, and the assistant's.
`prompt` is the text of the user's message: RewardBench documents it as text beside whole
conversations (`load_preference_dataset`, now `load_and_process_dataset`), and takes one that is a
list for the other schema, where `chosen` is text.
RewardBench takes no system message, so the user's history is in the user's message, oldest post
first. Aspects and narrative are never in it: they are the answer key.
"""

import json
from collections.abc import Iterable, Iterator

from pairwright.dataset import Row
from pairwright.dataset.message import message


def preference(rows: Iterable[Row], canary: str) -> Iterator[str]:
    """One line a row, in their order."""
    for row in rows:
        text = message(row.question, row.profile)
        prompt = {"role": "user", "content": text}
        line = {
            "id": row.id,
            "subset": row.config,
            "prompt": text,
            "chosen": [prompt, {"role": "assistant", "content": row.chosen}],
            "rejected": [prompt, {"role": "assistant", "content": row.rejected}],
            "canary": canary,
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"
