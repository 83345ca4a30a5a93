"""The funnel of a run: how many items give a kept twin, and what a kept pair takes.

    .venv/bin/python benchmarks/funnel.py [RUN]

Without a run folder examples/recorded is built: fictional users, and a language model's recorded
replies. A run of a simulated model says so: it refuses next to nothing. The last line has
`kept_share` (kept units over items, twins or pairs where no twins are built) and `calls_per_pair`
(all calls of the run over all kept pairs), each with its n and its 95 % interval, and
`prompt_tokens_per_pair`; by mode `blind_preference`: how often a judge that knows nobody would
rather have the chosen response, or of twins that for the user who asked; `overlap` and `tfidf`: how
often a count of the words that a response shares with the user's posts is right; and
`parity_share`, the part of all judged drafts that was refused for parity.
"""

import json
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from pairwright.audits.shortcuts.informed import baseline_points, pair_overlap
from pairwright.construct.estimate import read_pilot
from pairwright.construct.outcomes import funnel_rows
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.dataset.conversion import row_of
from pairwright.intervals import accuracy_by_cluster
from pairwright.models.store import Store
from pairwright.modes import STAGES, has_no_preference
from pairwright.settings.rules import JudgedGate
from pairwright.text import terms_of
from pairwright.workflows.example_study import write_example_study
from pairwright.workflows.run_build import build
from pairwright.workflows.run_status import RunStatus, status


def main(run: Path) -> None:
    found = status(run)
    for mode in found.config.modes:
        for stage, share in funnel_rows(found.tally.reached, mode):
            print(f"{mode:8} {STAGES[stage]:24} {share.counted()}")
    for (of, where, reason), n in found.tally.rejected.most_common():
        print(f"{of:8} refused {where}: {reason}  {n}")
    for gate, n in found.tally.drafts.most_common():
        print(f"         draft refused: {gate}  {n}")
    for figure in found.tally.preference_figures:
        print(f"{figure.mode:8} a judge that knows nobody prefers {figure.side}  {figure}")
    print(json.dumps(last_line(run, found)))


def last_line(run: Path, found: RunStatus) -> dict[str, object]:
    """The figures by which two runs are compared."""
    with closing(Store(run / "calls.sqlite", writing=False)) as store:
        pilot = read_pilot(store, found.config)
    (_, kept) = funnel_rows(found.tally.reached, pilot.mode)[-1]
    line: dict[str, object] = {
        "run": "simulated model" if found.simulated else run.name,
        "mode": pilot.mode,
        "items": kept.n,
        "kept": kept.k,
        "kept_share": kept.value,
        "kept_share_interval": [kept.low, kept.high],
        "pairs": found.pairs,
        "calls": found.stored.calls,
        "calls_per_pair": round(found.stored.calls / found.pairs, 2) if found.pairs else None,
    }
    line["blind_preference"] = {
        figure.mode: figure.share and [figure.share.value, figure.share.low, figure.share.high]
        for figure in found.tally.preference_figures
    }
    tokens = found.stored.prompt_tokens
    line["prompt_tokens_per_pair"] = round(tokens / found.pairs) if found.pairs else None
    line |= words_alone(run)
    refused = found.tally.drafts
    judged = found.tally.kept.total() + sum(refused[gate] for gate in get_args(JudgedGate))
    line["parity_share"] = [refused["parity"], judged]
    if kept.k:
        calls = next(one for one in pilot.expect(kept=1).expected if one.name == "calls")
        each = kept.k / found.pairs
        line["calls_per_pair_interval"] = [
            round(end * each, 2) if end < float("inf") else None for end in (calls.low, calls.high)
        ]
        line["users"] = len(pilot.figures)
    return line


def words_alone(run: Path) -> dict[str, dict[str, list[float | None]]]:
    """By baseline and mode: the share of pairs in which it is right, its 95 % interval and n."""
    rows = [row_of(pair) for pair in iterate_pairs(run)]
    found: dict[str, dict[str, list[float | None]]] = {}
    for name, known in (("overlap", "profile_overlap"), ("tfidf", "profile_tfidf")):
        modes = {row.mode for row in rows if row.mode and not has_no_preference(row.mode)}
        for mode in sorted(modes):
            pairs = [row for row in rows if row.mode == mode]
            overlaps = [
                pair_overlap(row, terms_of((post.text for post in row.profile), row.language))
                for row in pairs
            ]
            points = dict(baseline_points(overlaps))[known]
            clusters = [row.dyad or row.id for row in pairs]
            right = accuracy_by_cluster(list(zip(clusters, points.tolist(), strict=True)))
            if right:
                found.setdefault(name, {})[mode] = [right.value, right.low, right.high, right.n]
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as folder:
            config = write_example_study(Path(folder) / "study")
            build(config, Path(folder) / "recorded")
            main(Path(folder) / "recorded")
