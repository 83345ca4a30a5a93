"""Small run folders with a finished study, and releases of them, made without any model.

run = run_of(tmp_path / "run")                         # built, exported, answered by people
layout = released(run, tmp_path / "release")           # `pairwright release`, version 1.0.0
other = released(run, tmp_path / "second", "1.1.0", "--previous", layout.root)
layout = written(run, tmp_path / "release")            # its primary files alone

The run has PAIRS of two domains, twins and violate pairs about the same questions, with posts of
Stack Exchange and ids that their content gives. People verify all of them but those whose question
is in `against`, where they vote for the other response.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pairwright import assets
from pairwright.build_statement import SourceSummary
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import (
    Failed,
    Outcomes,
    Result,
    Unit,
    outcome_of,
    write_files,
)
from pairwright.construct.status import make_manifest, status_of
from pairwright.models import CallLog
from pairwright.models.store import Store
from pairwright.pairs import Layout, Row, open_release
from pairwright.progress import log_notes
from pairwright.records import (
    Adherence,
    AspectScore,
    Comparison,
    DraftSide,
    Dropped,
    Item,
    Kept,
    Pair,
    Quality,
    Rubric,
    content_id,
    pseudonym,
)
from pairwright.releases.contents import (
    Contents,
    RowCounts,
    manifest_of,
    read_contents,
    write_contents,
)
from pairwright.releases.rows import write_data
from pairwright.releases.run import gather
from pairwright.releases.write import derived_files, write_checksums
from pairwright.settings.config import Config, validate
from pairwright.settings.prompt import Prompts
from pairwright.sources import Problems
from pairwright_human_eval.answers import store_raw, write_answers
from pairwright_human_eval.folder import HumanFolder, file_hash, read_study, write_study
from pairwright_human_eval.records import SIMULATED, KeyedTask, Study
from pairwright_human_eval.units import Unit as AskedUnit
from pairwright_human_eval.units import units_of
from small_studies import OF_THREE, SCALES, study_of, twin, violate
from study import pairwright

DOMAINS = ("Garden", "Home")
INFO = {
    "name": "small-pairs",
    "motivation": "To test releases.",
    "contact": "contact@example.com",
    "licence": "CC0-1.0",
}


# Pairs


def question(n: int, domain: str = "Home", **changes: Any) -> list[Pair]:
    """The three pairs about one question: both halves of its twin, and the violate pair."""
    return [*twinned(n, domain, **changes), violated(n, domain, **changes)]


def twinned(n: int, domain: str = "Home", **changes: Any) -> tuple[Pair, Pair]:
    """A twin as a build makes one: judged, its posts of Stack Exchange, ids from content."""
    first, second = twin(n, domain, **_changed(n, changes))
    first, second = _on_site(first), _on_site(second)
    users = pseudonym(first.user), pseudonym(second.user)
    name = content_id("twin", first.item_id, *users, first.chosen, first.rejected)
    scores = _adherence((2, 1), (0, 1)), _adherence((1, 0), (2, 2))
    return _named(first, scores, name), _named(second, scores, name)


def violated(n: int, domain: str = "Home", **changes: Any) -> Pair:
    """A pair of mode violate, likewise."""
    scores = _adherence((2, 2), (0, 1))
    return _named(_on_site(violate(n, domain, **_changed(n, changes))), (scores,), None)


def placebo(n: int, domain: str = "Home", **changes: Any) -> tuple[Pair, Pair]:
    """A placebo: a twin of two plain responses, without rubrics."""
    plain = f"Plain answer {n}.", f"Other plain answer {n}."
    halves = list[Pair]()
    for pair, sides in zip(twinned(n, domain, **changes), (plain, plain[::-1]), strict=True):
        texts = dict(zip(("chosen", "rejected"), sides, strict=True))
        rubric = Rubric(question_id=pair.item_id, user=pair.user, origin=None, aspects=())
        halves.append(pair.model_copy(update={"mode": "placebo", "rubric": rubric, **texts}))
    users = [pseudonym(pair.user) for pair in halves]
    name = content_id("placebo", halves[0].item_id, *users, *plain)
    first, second = (_named(pair, (), name) for pair in halves)
    return first, second


def _adherence(*sides: tuple[int, int]) -> dict[DraftSide, Adherence]:
    first, second = (
        Adherence(scores=tuple(AspectScore(reason="r", score=score) for score in scores))
        for scores in sides
    )
    return {"first": first, "second": second}


def _changed(n: int, changes: dict[str, Any]) -> dict[str, Any]:
    return {"narrative": f"The long story of {n}.", "source_url": _address(n), **changes}


def _address(n: int | str) -> str:
    return f"https://diy.stackexchange.com/q/{n}"


def _on_site(pair: Pair) -> Pair:
    """Every post with an id, an address and a date of its own."""
    owner = int(content_id("n", pair.user)[-6:], 16)
    names = {post.id: f"post-{owner * 10 + k}" for k, post in enumerate(pair.profile)}
    posts = []
    for k, post in enumerate(pair.profile):
        own = {
            "id": names[post.id], "source_url": _address(owner * 10 + k), "category": "Repairs",
            "created": f"{2010 + 4 * k}-05-01T12:00:00.000",
        }  # fmt: skip
        posts.append(post.model_copy(update=own))
    aspects = tuple(
        aspect.model_copy(update={"post_ids": tuple(names[post] for post in aspect.post_ids)})
        for aspect in pair.rubric.aspects
    )
    rubric = pair.rubric.model_copy(update={"aspects": aspects})
    changes = {"profile": tuple(posts), "rubric": rubric, "category": "Repairs"}
    return pair.model_copy(update=changes)


def _named(
    pair: Pair, adherence: tuple[dict[DraftSide, Adherence], ...], twin_id: str | None
) -> Pair:
    quality = {
        side: Quality(reason="r", scores={scale.name: 4 for scale in SCALES})
        for side in ("first", "second")
    }
    draft = pair.draft.model_copy(
        update={
            "adherence": adherence, "quality": quality, "comparison": Comparison.TIE,
            "generator": "writer-7b", "strategy": "twin" if twin_id else "omit",
            "blind_preference": int(pair.item_id.rpartition("_")[2]) % 3,
        }
    )  # fmt: skip
    name = content_id(
        "pair", pair.mode, pair.item_id, pseudonym(pair.user), pair.chosen, pair.rejected
    )
    return pair.model_copy(
        update={"id": name, "twin_id": twin_id, "draft": draft, "judge": "judge-70b"}
    )


def unaddressed(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs without addresses of questions and posts, so that [release] licence is theirs."""
    nowhere: dict[str, Any] = {"source_url": None}
    changed = []
    for pair in pairs:
        profile = tuple(post.model_copy(update=nowhere) for post in pair.profile)
        changed.append(pair.model_copy(update=nowhere | {"profile": profile}))
    return changed


PAIRS = tuple(pair for n in range(8) for pair in question(n, DOMAINS[n % 2]))
"""Eight questions, half of them of each domain: eight twins and eight violate pairs."""


# Runs

Answers = dict[str, str]
Answer = Callable[[KeyedTask, AskedUnit | None], Answers | None]
"""The ticks of one task by control; None leaves it unanswered."""


def run_of(
    folder: Path,
    pairs: Iterable[Pair] = PAIRS,
    *,
    study: bool = True,
    answer: Answer | None = None,
    against: Iterable[int] = (),
    simulated_answers: bool = False,
    failed: int = 0,
    info: dict[str, str] | None = None,
    **human: Any,
) -> Path:
    """A run folder as `build`, `human export` and `human import` leave it.

    `against`: numbers of questions where people vote for the other response. `failed`: how many
    units failed. `human`: keys of [human].
    """
    kept = list(pairs)
    config = _config(folder, INFO if info is None else info, human)
    _built(folder, kept, config, failed)
    if study:
        export(folder, kept, config)
        questions = {f"Question {n}, how is it done?" for n in against}
        answered(folder, answer or right(questions), simulated=simulated_answers)
    return folder


@cache
def _prompts() -> Prompts:
    return Prompts.load(assets.PROMPTS)


def _config(folder: Path, info: dict[str, str], human: dict[str, Any]) -> Config:
    endpoint = {"base_url": "http://127.0.0.1:9/v1"}
    return validate(
        {
            "source": {"path": "/home/somebody/secret/histories.jsonl"},
            "roles": {"planner": "judge", "generator": ["writer"], "judge": "judge"},
            "endpoints": {
                "writer": {**endpoint, "model": "writer-7b"},
                "judge": {**endpoint, "model": "judge-70b", "revision": "abc123"},
            },
            "human": {**OF_THREE, **human},
            "release": info,
        },
        folder / "config.toml",
    )


def _built(folder: Path, kept: list[Pair], config: Config, failed: int) -> None:
    run = RunFolder(folder)
    run.make()
    scales = [scale.model_dump(mode="json") for scale in SCALES]
    run.prepare(config, {"source": "b2:0", "scales": scales}, accept_changes=False)
    units = [*_units(kept, failed)]
    _write_items(run.items, kept, [item for _, item, _ in units])
    database = Store(run.calls)
    outcomes = Outcomes(database)
    for position, (unit, item, result) in enumerate(units):
        placed = unit._replace(position=position)
        outcomes.add(outcome_of(placed, item, result, CallLog()))
    found = status_of(run, database, config)
    source = SourceSummary(
        path="histories.jsonl", hash="b2:0", items=found.count(), refused={}, repaired={}
    )
    write_files(database, folder, make_manifest(found, database, _prompts().hashes, source))
    outcomes.finish()
    database.close()


def _write_items(path: Path, kept: list[Pair], others: Iterable[Item]) -> None:
    """One item a user: asked about what the user's own pairs are, or nothing that was kept. Those
    of other units have no history."""
    items: dict[str, Item] = {}
    for pair in sorted(kept, key=lambda of: not of.asked):
        items.setdefault(
            pair.user,
            Item(
                id=pair.item_id if pair.asked else f"item of {pair.user}",
                user=pair.user, question=pair.question, narrative=pair.narrative,
                category=pair.category, domain=pair.domain, profile=pair.profile,
                created=pair.created, source_url=pair.source_url if pair.asked else None,
            ),
        )  # fmt: skip
    by_id = {item.id: item for item in items.values()}
    every = {item.id: item for item in others} | by_id
    lines = (item.model_dump_json() + "\n" for item in every.values())
    path.write_text("".join(lines), encoding="utf-8")


Built = tuple[Unit, Item, Result]


def _units(kept: list[Pair], failed: int) -> Iterable[Built]:
    """What was kept, six units without a signal, and those that failed."""
    for unit in units_of(kept, Path("pairs.jsonl")):
        asked, partner = unit.asked, unit.pairs[1].user if len(unit.pairs) == 2 else None
        yield _unit(unit.mode, asked.item_id, asked.user, Kept(pairs=unit.pairs), partner)
    refused = Dropped(stage="plan", reason="no_personal_signal", detail="none of 3 stood")
    for n in range(900, 903):
        yield _unit("twin", f"item_{n}", f"user_{n}", refused, f"partner_{n}")
        yield _unit("violate", f"item_{n}", f"user_{n}", refused, None)
    failure = Failed(reason="timeout", detail="no reply in 600 s")
    for n in range(failed):
        yield _unit("violate", f"failed_{n}", f"user_{n}", failure, None)


def _unit(mode: str, name: str, user: str, result: Result, partner: str | None) -> Built:
    item = Item(
        id=name, user=user, question="What else?", category="Other", domain="Home", profile=()
    )
    return Unit(f"{mode}:{name}", mode, 0, 0, partner), item, result


# Studies


def export(folder: Path, kept: list[Pair], config: Config, annotators: int = 9) -> None:
    """Tasks of all pairs, as `human export` writes them."""
    made = study_of(kept, annotators=annotators, overlap=3, **config.human.model_dump())
    study = Study(**dict(made.study) | {"pairs_hash": file_hash(folder / "pairs.jsonl")})
    write_study(HumanFolder(folder), study, made.all())


def right(against: Iterable[str] = ()) -> Answer:
    """Votes for the chosen response, of placebos for no difference, but in questions of `against`
    for a response that is not chosen; 4 on every scale; every aspect clearly there."""
    turned = frozenset(against)

    def answer(task: KeyedTask, unit: AskedUnit | None) -> Answers:
        best = task.expected or "A"
        if task.kind == "preference":
            if unit and unit.asked.question in turned:
                return {"preference": "B" if best == "A" else "A"}
            return {"preference": task.expected or "equal"}
        if task.kind == "quality":
            return {f"{scale.name}_{side}": "4" for scale in SCALES for side in "ab"}
        rows = range(task.aspects)
        return {f"support_{n}": "clearly" for n in rows} | {f"delivered_{n}": best for n in rows}

    return answer


def answered(folder: Path, answer: Answer, *, simulated: bool = False) -> None:
    """The exports of all annotators, as `human import` keeps them."""
    study = read_study(folder)
    for n, (who, tasks) in enumerate(exports_of(folder, answer).items(), start=1):
        name = f"{SIMULATED}{who}-1" if simulated else f"{n:04}"
        store_raw(study, name, json.dumps(tasks).encode())
    write_answers(study)


def exports_of(folder: Path, answer: Answer) -> dict[str, list[dict[str, Any]]]:
    """By annotator: what Label Studio exports of their tasks, each done by one account."""
    study = read_study(folder)
    pairs = [
        Pair.model_validate_json(line)
        for line in (folder / "pairs.jsonl").read_bytes().split(b"\n")[:-1]
    ]
    units = {unit.id: unit for unit in units_of(pairs, folder / "pairs.jsonl")}
    exported: dict[str, list[dict[str, Any]]] = {}
    for account, who in enumerate(study.fixed.annotators, start=1):
        tasks: list[dict[str, Any]] = []
        for path in sorted((study.folder.path / "tasks" / who).glob("*.json")):
            for row in json.loads(path.read_bytes()):
                keyed = study.key[row["data"]["task"]]
                ticks = answer(keyed, units.get(keyed.unit))
                if ticks is not None:
                    tasks.append(exported_task(row["data"], ticks, account, len(tasks)))
        if tasks:
            exported[who] = tasks
    return exported


def exported_task(data: Any, ticks: Answers, account: int, n: int) -> dict[str, Any]:
    """A task as Label Studio exports it, done by an account."""
    when = f"2026-01-{1 + n // 1440 % 28:02}T{n // 60 % 24:02}:{n % 60:02}:00.000000Z"
    number, result = account * 100_000 + n, []
    for name, choice in ticks.items():
        result.append({"from_name": name, "type": "choices", "value": {"choices": [choice]}})
    annotation = {
        "id": number, "unique_id": f"{account}-{data['task']}", "completed_by": account,
        "updated_by": account, "was_cancelled": False, "created_at": when, "updated_at": when,
        "lead_time": 30.0, "result": result,
    }  # fmt: skip
    return {"id": number, "data": data, "annotations": [annotation]}


# Releases


def released(run: Path, out: Path, version: str = "1.0.0", *options: object) -> Layout:
    """`pairwright release RUN --out OUT --version VERSION`, which must succeed."""
    done = pairwright("release", run, "--out", out, "--version", version, *options)
    assert done.code == 0, done.said
    return Layout(out)


def gathered(
    run: Path, version: str = "1.0.0", share: float = 0.0, **options: Any
) -> tuple[Contents, pd.DataFrame]:
    """What a release would be written from."""
    given = {"previous": None, "trial": False, "progress": log_notes} | options
    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        return gather(run, store, version, validation_share=share, **given)


def why(found: pd.DataFrame) -> dict[str, str]:
    """By twin or pair: why it is not released."""
    return dict(zip(found["subject"], found["why"], strict=True))


def write_primary(run: Path, out: Path, version: str = "1.0.0", **options: Any) -> Layout:
    """The primary files of a release alone."""
    layout, (contents, found) = Layout(out), gathered(run, version, **options)
    write_data(layout, run / "pairs.jsonl", found[found["why"] == ""], contents, log_notes)
    write_contents(layout, contents)
    return layout


class Known(NamedTuple):
    """What the derived files are made of."""

    layout: Layout
    contents: Contents
    manifest: dict[str, Any]


def known_of(layout: Layout) -> Known:
    """What is derived from primary files and an audit that are there."""
    contents, counts = read_contents(layout), RowCounts()
    for line in open_release(layout.root).read(Problems()):
        counts.add(line.split, line.row)
    return Known(layout, contents, manifest_of(layout, contents, counts))


def texts(known: Known) -> dict[str, str]:
    """The manifest and the pages."""
    return {known.layout.inside(path): text for path, text in derived_files(*known)}


def written(run: Path, out: Path, version: str = "1.0.0", **options: Any) -> Layout:
    """The primary files alone, in a tenth of the time: as much of a release as a diff and the next
    release read. The manifest only says that there is one."""
    layout = write_primary(run, out, version, **options)
    layout.manifest.write_text("{}\n", encoding="utf-8")
    write_checksums(out)
    return layout


def rows(layout: Layout) -> list[Row]:
    return list(open_release(layout.root))


def subjects(found: Iterable[Row]) -> set[str]:
    return {row.subject for row in found}
