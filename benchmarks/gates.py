"""What the gates let through: each defect planted at 20 %, by a double of a model.

A simulated judge that reads only the prompt tests the plumbing: whether what a judge or a text
gate can see is acted on. It says nothing about how well a real judge sees.

For every kind: how many defective drafts, aspects or judgements there were (ground truth comes
with each reply), and the share of them that reached pairs.jsonl: as a side of a kept pair, as an
aspect of its rubric, or as a vote that was counted.

Clean drafts are those of a build without planted defects that keep to the bound on shared words:
beyond it a draft is refused on purpose, whoever wrote it, and `over_word_bound` is their share.
`clean_refused` is the share of clean drafts that any gate refuses, on the double's texts.
`recorded_clean_refused` is the share of the clean drafts of examples/recorded that a text gate
refuses: a strong model wrote them.

    .venv/bin/python benchmarks/gates.py [ITEMS PLANTED]

A build has ITEMS items (300); they double until it has PLANTED defects of a kind (300).
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, get_args

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import building
import histories

from endpoint import double, in_thread
from model_double import tagged
from pairwright.construct.build import build as build_run
from pairwright.models.store import Store
from pairwright.records import Aspect, Comparison, Draft
from pairwright.settings.rules import JudgedGate, TextGate
from pairwright.start import start_study
from pairwright.stats import share
from pairwright.text import echo, passages

RATE, ITEMS, PLANTED = 0.2, 300, 300
DOUBLINGS = 4
DRAFTS = (
    "leaked_rubric", "copied_profile", "violated_chosen", "adhering_rejected",
    "over_long", "persona_talk", "refusal",
)  # fmt: skip
ASPECTS = ("aspect_without_evidence", "generic_aspect")
ECHO = "echo_gap"
"""Not one defect but two on the sides of one twin: one repeats every word of its aspects, and the
other has none of them. Judges would refuse the second, so in this build the gates on judgements are
off, and nothing but the gate on echo stands between such a draft and pairs.jsonl."""
JUDGEMENTS = ("unparseable_json", "wrong_number_of_scores", "first_preferring_judge")


def build(folder: Path, rates: dict[str, float], items: int, extra: str = "") -> Store:
    """One build of synthetic users on the model's double with these defects."""
    _write_histories(folder / "histories.jsonl", items)
    with in_thread(double(**rates)) as endpoint:
        config = building.prepare(folder, endpoint.url, items, write=False, extra=extra)
        done = building.build(config, folder / "run")
    if done.code not in (0, 1):
        raise SystemExit(f"the build ended with {done.code}")
    return Store(folder / "run" / "run.sqlite", writing=False)


def _write_histories(path: Path, items: int) -> None:
    """Synthetic users each of whose posts has a name, a number and an address of its own."""
    first, second = ("Nether Upper Little Great Lower".split(), "Wallop Marlow Snoring Tew".split())
    with path.open("w") as file:
        for number in range(items):
            item: dict[str, Any] = histories.item(number)
            for n, post in enumerate(item["profile"]):
                name = f"{first[(number + n) % 5]} {second[n % 4]}"
                post["text"] += (
                    f" It came from {name} for {61000 + number}{n + 1}{n + 2} crowns,"
                    f" by way of s{number}.{n}@post.example."
                )
            file.write(json.dumps(item) + "\n")


def escapes(store: Store, kind: str) -> list[bool]:
    """For each defective draft, aspect or judgement: whether it reached pairs.jsonl."""
    found: list[bool] = []
    for outcome in building.outcomes(store):
        if kind in DRAFTS:
            found += _drafts(store, kind, outcome)
        elif kind == ECHO:
            found += _unequal_echoes(store, outcome)
        elif kind in ASPECTS:
            found += _aspects(store, kind, outcome)
        else:
            found += _judgements(store, kind, outcome)
    return found


class Planted(NamedTuple):
    """A reply in which the kind was planted, with the prompt it answers."""

    purpose: str
    prompt: str
    text: str


def _planted(store: Store, kind: str, outcome: building.Built) -> Iterator[Planted]:
    for key, purpose in outcome.calls.items():
        stored = store.call(key)
        assert stored is not None
        request, reply = stored[0], json.loads(stored[1])
        if kind in reply["pairwright"]["planted"]:
            prompt = request.messages[-1].content
            text = reply["choices"][0]["message"]["content"].strip()
            yield Planted(purpose, prompt, text)


def _drafts(store: Store, kind: str, outcome: building.Built) -> Iterator[bool]:
    spoilt = {p.text for p in _planted(store, kind, outcome) if p.purpose != "write_plain"}
    kept, refused = outcome.kept, outcome.refused
    for draft in (*kept, *refused):
        if spoilt & {side.strip() for side in draft.both}:
            yield draft in kept


def _unequal_echoes(store: Store, outcome: building.Built) -> Iterator[bool]:
    # A side that serves nothing can have a word of an aspect by chance: then it is not defective.
    repeating, without = (
        {one.text for one in _planted(store, kind, outcome) if _echo_of(one) == share}
        for kind, share in (("repeated_aspects", 1), ("violated_chosen", 0))
    )
    kept, refused = outcome.kept, outcome.refused
    for draft in (*kept, *refused):
        first, second = (side.strip() for side in draft.both)
        if (first in repeating and second in without) or (first in without and second in repeating):
            yield draft in kept


def _echo_of(written: Planted) -> float | None:
    aspects = (aspect for _, aspect in tagged(written.prompt, "aspect"))
    return echo(written.text, aspects, tagged(written.prompt, "question")[0][1])


def _aspects(store: Store, kind: str, outcome: building.Built) -> Iterator[bool]:
    if not any(planted.purpose == "plan" for planted in _planted(store, kind, outcome)):
        return
    posts = [post.text for pair in outcome.pairs for post in pair.profile]
    generic = _blind(store, outcome)

    def is_planted(aspect: Aspect) -> bool:
        if kind == "generic_aspect":
            return aspect.aspect in generic
        return not all(
            any(passage in post for post in posts) for passage in passages(aspect.evidence)
        )

    for rubric in {pair.rubric.user: pair.rubric for pair in outcome.pairs}.values():
        yield from (True for aspect in rubric.aspects if is_planted(aspect))
        yield from (False for dropped in rubric.dropped if is_planted(dropped.aspect))


def _blind(store: Store, outcome: building.Built) -> set[str]:
    keys = [key for key, purpose in outcome.calls.items() if purpose == "plan_blind"]
    replies = [json.loads(store.get(key) or b"{}") for key in keys]
    texts = [reply["choices"][0]["message"]["content"] for reply in replies]
    return {aspect for text in texts for aspect in json.loads(text)["aspects"]}


def _judgements(store: Store, kind: str, outcome: building.Built) -> Iterator[bool]:
    for planted in _planted(store, kind, outcome):
        if kind == "unparseable_json":
            yield _reads(planted.text)
        elif kind == "wrong_number_of_scores":
            if planted.purpose == "adherence":
                yield any(_miscounted(outcome, draft) for draft in outcome.kept)
        elif planted.purpose == "compare":
            # Always A is not an opinion: it must not make a tie, and so not parity by a tie.
            yield any(
                draft.comparison is Comparison.TIE and draft.first in planted.prompt
                for draft in outcome.kept
            )


def _reads(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _miscounted(outcome: building.Built, draft: Draft) -> bool:
    sizes = {len(pair.rubric.aspects) for pair in outcome.pairs}
    return any(len(fit.scores) not in sizes for fits in draft.adherence for fit in fits.values())


def measure(kind: str, items: int, least: int) -> list[bool]:
    """Build with more and more items until the kind was planted often enough."""
    rates, extra = {kind: RATE}, ""
    if kind == ECHO:
        rates = {"repeated_aspects": 1.0, "violated_chosen": 0.5}
        extra = f"gates.off = {json.dumps(get_args(JudgedGate))}"
    for doubled in range(DOUBLINGS + 1):
        with tempfile.TemporaryDirectory() as scratch:
            store = build(Path(scratch), rates, items << doubled, extra)
            found = escapes(store, kind)
            store.close()
        if len(found) >= least:
            return found
    raise SystemExit(f"{kind}: {len(found)} planted in {items << DOUBLINGS} items")


def main(items: int = ITEMS, least: int = PLANTED) -> None:
    worst = 0.0
    print(f"{'defect':<26} {'planted':>8}   escaped, with its 95 % interval")
    for kind in (*DRAFTS, ECHO, *ASPECTS, *JUDGEMENTS):
        found = measure(kind, items, least)
        worst = max(worst, sum(found) / len(found))
        print(f"{kind:<26} {len(found):>8}   {share(sum(found), len(found)).counted()}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        store = build(Path(scratch), {}, items)
        outcomes = list(building.outcomes(store))
        store.close()
    beyond, refused, drafts = clean_drafts(outcomes)
    print(f"{'over the word bound':<26} {drafts:>8}   {share(beyond, drafts).counted()}")
    clean = share(refused.total(), drafts - beyond)
    print(f"{'clean drafts refused':<26} {clean.n:>8}   {clean.counted()}")
    print("   ", ", ".join(f"{gate} {n}" for gate, n in refused.most_common()))
    print("The judge is simulated and reads only the prompt: this tests the plumbing.")
    recorded_beyond, by_gate, recorded = clean_drafts(recorded_outcomes())
    by_text = share(sum(by_gate[gate] for gate in get_args(TextGate)), recorded - recorded_beyond)
    beyond_bound = share(recorded_beyond, recorded).counted()
    print(f"{'recorded, over the bound':<26} {recorded:>8}   {beyond_bound}")
    print(f"{'recorded, by a text gate':<26} {by_text.n:>8}   {by_text.counted()}")
    print("   ", ", ".join(f"{gate} {n}" for gate, n in by_gate.most_common()))
    figures = {
        "plumbing_escape": round(worst, 4),
        "over_word_bound": round(beyond / drafts, 4),
        "clean_refused": round(refused.total() / clean.n, 4),
        "recorded_clean_refused": round((by_text.k or 0) / by_text.n, 4),
    }
    print(json.dumps(figures))


def clean_drafts(outcomes: Sequence[building.Built]) -> tuple[int, Counter[str], int]:
    """Drafts over the bound on shared words, all other refused drafts by gate, and all drafts."""
    refused = Counter(
        draft.refused_by.gate
        for outcome in outcomes
        for draft in outcome.refused
        if draft.refused_by
    )
    drafts = refused.total() + sum(len(outcome.kept) for outcome in outcomes)
    return refused.pop("shared_words", 0), refused, drafts


def recorded_outcomes() -> list[building.Built]:
    """The outcomes of the recorded example, built again."""
    with tempfile.TemporaryDirectory() as scratch:
        config = start_study(Path(scratch) / "study")
        build_run(config, Path(scratch) / "run")
        with closing(Store(Path(scratch) / "run" / "run.sqlite", writing=False)) as store:
            return list(building.outcomes(store))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
