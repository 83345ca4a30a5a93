"""The funnel of a run: how many items give a kept twin, and what a kept pair takes.

    .venv/bin/python benchmarks/funnel.py [RUN]

Without a run folder examples/recorded is built: fictional users, and a language model's recorded
replies. The last line has
`kept_share` (kept units over items, twins or pairs where no twins are built) and `calls_per_pair`
(all calls of the run over all kept pairs), and
`prompt_tokens_per_pair`; `overlap` and `tfidf`: how
often a count of the words that a response shares with the user's posts is right, and
`overlap_twins` that of twins alone; `winners_again`: of the drafts whose comparison named a winner
in its first order, in how many the other order named the same one; `parity_share`, the part of all
judged drafts that was refused for parity; and `by_mode`, calls and prompt tokens for each kept pair
of a mode: those of its drafts, also where nothing came of them, and `planning`, for all modes
together: whose posts bear on which question.
"""

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from building import outcomes

from pairwright.audits.ways import Vocabulary, baseline_points, pair_words
from pairwright.construct.build import build
from pairwright.construct.outcomes import Outcomes, iterate_pairs
from pairwright.construct.status import RunStatus, status
from pairwright.models.store import Store
from pairwright.modes import MODES, STAGES, label_of
from pairwright.pairs.conversion import row_of
from pairwright.records import Comparison
from pairwright.settings.rules import JudgedGate
from pairwright.start import start_study
from pairwright.stats import cluster_numbers, mean_points


def main(run: Path) -> None:
    found = status(run)
    for mode in found.config.modes:
        for stage, share in found.funnel[mode]:
            print(f"{mode:8} {STAGES[stage]:24} {share.counted()}")
    for one in found.units:
        if one.kind == "dropped":
            print(f"{one.mode:8} dropped {one.stage}: {one.reason}  {one.n}")
    for gate, n in found.drafts.most_common():
        print(f"         draft refused: {gate}  {n}")
    print(json.dumps(last_line(run, found)))


def last_line(run: Path, found: RunStatus) -> dict[str, object]:
    """The figures by which two runs are compared."""
    modes = found.config.modes
    mode = next((mode for mode in modes if MODES[mode].needs_partner), modes[0])
    (_, kept) = found.funnel[mode][-1]
    line: dict[str, object] = {
        "run": run.name,
        "mode": mode,
        "items": kept.n,
        "kept": kept.k,
        "kept_share": kept.value,
        "kept_share_interval": [kept.low, kept.high],
        "pairs": found.pairs,
        "calls": found.stored.calls,
        "calls_per_pair": round(found.stored.calls / found.pairs, 2) if found.pairs else None,
    }
    tokens = found.stored.prompt_tokens
    line["prompt_tokens_per_pair"] = round(tokens / found.pairs) if found.pairs else None
    words = words_alone(run)
    line |= words | {"overlap_twins": words.get("overlap", {}).get("twin", [None])[0]}
    line["winners_again"] = winners_again(run)
    line["by_mode"] = by_mode(run)
    refused = found.drafts
    judged = found.count("kept") + sum(refused[gate] for gate in get_args(JudgedGate))
    line["parity_share"] = [refused["parity"], judged]
    return line


def by_mode(run: Path) -> dict[str, dict[str, float]]:
    """By mode: kept pairs, and the calls and prompt tokens that each took beside planning, which is
    counted over all kept pairs."""
    with closing(Store(run / "run.sqlite", writing=False)) as store:
        planning = {
            key
            for row in Outcomes(store).rows("mode = 'plan'", whole=False)
            for key in json.loads(row.calls)
        }
        own: dict[str, set[str]] = {}
        kept = Counter[str]()
        for outcome in outcomes(store):
            kept[outcome.mode] += len(outcome.pairs)
            own.setdefault(outcome.mode, set()).update(outcome.calls)
    with closing(sqlite3.connect(run / "run.sqlite")) as database:
        tokens = dict(database.execute("SELECT key, prompt_tokens FROM calls"))

    def each(keys: set[str], pairs: int) -> dict[str, float]:
        asked = sum(tokens[key] for key in keys)
        return {
            "pairs": pairs,
            "calls_a_pair": round(len(keys) / max(1, pairs), 2),
            "prompt_tokens_a_pair": round(asked / max(1, pairs)),
        }

    found = {mode: each(keys - planning, kept[mode]) for mode, keys in own.items()}
    return found | {"planning": each(planning, kept.total())}


def winners_again(run: Path) -> list[int]:
    """Of the drafts that were compared in both orders, since the first one named a winner: those of
    which the other order named it, too, and all."""
    with closing(Store(run / "run.sqlite", writing=False)) as store:
        verdicts = Counter(
            draft.comparison
            for outcome in outcomes(store)
            for draft in (*outcome.kept, *outcome.refused)
        )
    again = verdicts[Comparison.FIRST] + verdicts[Comparison.SECOND]
    return [again, again + verdicts[Comparison.UNDECIDED]]


def words_alone(run: Path) -> dict[str, dict[str, list[float | None]]]:
    """By baseline and mode: the share of pairs in which it is right, its 95 % interval and n."""
    rows = [row_of(pair) for pair in iterate_pairs(run)]
    found: dict[str, dict[str, list[float | None]]] = {}
    for name, known in (("overlap", "profile_overlap"), ("tfidf", "profile_tfidf")):
        modes = {row.mode for row in rows if row.mode and label_of(row.mode) != "equal"}
        for mode in sorted(modes):
            pairs = [row for row in rows if row.mode == mode]
            words = Vocabulary()
            points = baseline_points([pair_words(row, words) for row in pairs], words)[known]
            clusters = cluster_numbers([row.dyad or row.id for row in pairs])
            right = mean_points(points, clusters)
            found.setdefault(name, {})[mode] = [right.value, right.low, right.high, right.n]
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as folder:
            config = start_study(Path(folder) / "study")
            build(config, Path(folder) / "recorded")
            main(Path(folder) / "recorded")
