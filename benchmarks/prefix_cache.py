"""Prompt tokens that a real engine computes for the calls of a build, by the order in a prompt.

Forty users of one category with histories of about 1,500 tokens are built with a double of a model,
each history being read for five questions: the user's own and those of four others, the partner
among them. All calls then go to vLLM (a tiny model on the CPU, tokens of about four characters,
prefix cache on) in the order in which they were stored: as they are, in the order of the published
prompts, and with the question last. Computed is what was not found in the cache: queries minus
hits.

    .venv/bin/python benchmarks/prefix_cache.py [USERS]
"""

import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import building
import histories

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from endpoint import double_url
from engines.fixtures import HERE, NOT_ON_A_CPU, environment
from own_environment import cache_folder, prepare
from pairwright import assets
from pairwright.settings.prompt import SYSTEM_TEXTS, variables
from study import HISTORIES

ROOT = Path(__file__).resolve().parents[1]
PART = re.compile(r"^<(\w+)[^>\n]*>\n.*?\n</\1>$", re.DOTALL | re.MULTILINE)
_WITH_HISTORY = [name for name in SYSTEM_TEXTS if "history" in variables(name)]


def published(prompt: str) -> str:
    """Instruction, question, history, in the order of Personalized RewardBench's prompts."""
    parts = [match.group() for match in PART.finditer(prompt)]
    own = [text.strip() for text in PART.sub("\0", prompt).split("\0")]
    parts.sort(key=lambda part: part.startswith("<history>"))
    return "\n\n".join([text for text in own if text] + parts)


def question_last(prompt: str) -> str:
    """Instruction, history, question, and what else there is."""
    parts = [match.group() for match in PART.finditer(prompt)]
    own = [text.strip() for text in PART.sub("\0", prompt).split("\0")]
    order = ("<history>", "<post ", "<question>")
    parts.sort(key=lambda part: next((n for n, tag in enumerate(order) if part.startswith(tag)), 9))
    return "\n\n".join([text for text in own if text] + parts)


ORDERS = {
    "ours": lambda prompt: prompt,
    "published: instruction, question, history": published,
    "question last: instruction, history, question": question_last,
}
OTHERS = 4
FILLER = 9
IN_FLIGHT = 16
CACHE_TOKENS = 131_072


class Call(NamedTuple):
    purpose: str
    system: str
    user: str


class Cost(NamedTuple):
    """Prompt tokens of one call, and those of them that were found in the cache."""

    tokens: int
    found: int


def main(users: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        calls = built(folder, users)
        report(calls, measured(folder, calls))


def built(folder: Path, users: int) -> list[Call]:
    """The calls of a whole build, in the order of the store."""
    with (folder / "histories.jsonl").open("w", encoding="utf-8") as file:
        for number in range(users):
            # Every eighth is of one category.
            file.write(json.dumps(histories.item(8 * number, FILLER)) + "\n")
    config = building.prepare(
        folder, double_url(), users, concurrency=IN_FLIGHT, write=False,
        extra=f"[planner]\nothers = {OTHERS}",
    )  # fmt: skip
    if code := building.build(config, folder / "run").code:
        sys.exit(f"the build ended with {code}")
    with sqlite3.connect(f"file:{folder / 'run' / 'run.sqlite'}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT purpose, request FROM calls ORDER BY rowid").fetchall()
    prompts = [(purpose, json.loads(request)["messages"]) for purpose, request in rows]
    return [Call(purpose, *(m["content"] for m in messages)) for purpose, messages in prompts]


def measured(folder: Path, calls: list[Call]) -> dict[str, list[Cost]]:
    """What each call costs vLLM in each order; no order finds what another left in the cache."""
    pins = HERE / "requirements.txt"
    python = str(prepare(cache_folder(), "engines", pins, "4.5 GB", NOT_ON_A_CPU))
    model, text = folder / "tiny", folder / "text"
    text.write_text(bundled(), encoding="utf-8")
    _run([python, str(HERE / "tiny_model.py"), str(model), str(text)])
    engine = str(Path(__file__).with_name("prefix_engine.py"))
    printed = _run(
        [python, engine, str(model), str(CACHE_TOKENS), str(IN_FLIGHT)],
        "".join(json.dumps(_conversations(order, calls)) + "\n" for order in ORDERS),
    )
    # vLLM logs to the standard output, too.
    replies = [json.loads(line) for line in printed.splitlines() if line.startswith('{"cost"')]
    costs = {}
    for order, reply in zip(ORDERS, replies, strict=True):
        costs[order] = [Cost(*cost) for cost in reply["cost"]]
        by_call = sum(cost.found for cost in costs[order])
        if by_call != reply["hits"] or len(costs[order]) != len(calls):
            sys.exit(f"{by_call} tokens found by the calls, {reply['hits']} by the metrics")
    return costs


def _conversations(order: str, calls: list[Call]) -> list[list[dict[str, str]]]:
    return [
        [
            {"role": "system", "content": call.system},
            {"role": "user", "content": ORDERS[order](call.user)},
        ]
        for call in calls
    ]


def bundled() -> str:
    """English of the project: its prompts and the posts of its example."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(assets.PROMPTS.glob("*.md"))]
    for line in HISTORIES.read_text(encoding="utf-8").splitlines():
        texts += [post["text"] for post in json.loads(line)["profile"]]
    return "\n".join(texts)


def _run(command: list[str], given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment())
    if done.returncode:
        sys.exit(f"{Path(command[1]).name} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


def report(calls: list[Call], measured: dict[str, list[Cost]]) -> None:
    planned = [call.user for call in calls if call.purpose in _WITH_HISTORY]
    read = Counter(user.partition("<history>\n")[2].partition("</history>")[0] for user in planned)
    users, posts = len(read), "".join(re.findall(r"<post .*?</post>", "".join(read), re.DOTALL))
    times = len(planned) / users
    print(
        f"{len(calls):,} calls; {users} histories of about {len(posts) / users / 4:,.0f} tokens,"
        f" each read {times:.1f} times; a cache of {CACHE_TOKENS:,} tokens"
    )
    print(f"{'tokens a user':<42} {'sent':>8} {'computed':>9} {'with history':>13} {'other':>8}")
    with_history, whole = {}, {}
    for order, costs in measured.items():
        computed = [cost.tokens - cost.found for cost in costs]
        whole[order] = sum(computed)
        with_history[order] = sum(
            n for call, n in zip(calls, computed, strict=True) if call.purpose in _WITH_HISTORY
        )
        print(
            f"{order:<42} {sum(c.tokens for c in costs) / users:>8,.0f}"
            f" {whole[order] / users:>9,.0f} {with_history[order] / users:>13,.0f}"
            f" {(whole[order] - with_history[order]) / users:>8,.0f}"
        )
    ours, theirs, last = ORDERS
    figures = {
        "computed_ratio": with_history[ours] / with_history[theirs],
        "computed_ratio_item": whole[ours] / whole[theirs],
        "computed_ratio_question_last": whole[ours] / whole[last],
        "calls_per_history": times,
        "computed_per_item": whole[ours] / users,
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 40)
