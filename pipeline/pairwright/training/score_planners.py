"""Comparing planners: what each plans, and how that agrees with the gold aspects."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, model_validator
from typer import Argument

from pairwright.errors import CallFailed
from pairwright.evaluation.downstream import Downstream, best_of, figures_of, part_of
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored, failed_call
from pairwright.evaluation.session import ScoringCalls, open_calls
from pairwright.evaluation.settings import OutputJudge
from pairwright.models import Model, together
from pairwright.models.connect import open_clients
from pairwright.options import ItemLimit, OutPath
from pairwright.pages.output import output_folder
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import Dropped, Item, Record
from pairwright.settings.domains import Domains
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import PlanRules, SourceRules
from pairwright.stages.judges import match
from pairwright.stages.planner import plan
from pairwright.stages.question import Question
from pairwright.text import number_of
from pairwright.training.planner_data import load_settings, prompts_and_domains, read_gold

FIGURES = ["precision", "recall", "F1", "mismatched user"]
_HOW = (
    "Precision: share of a plan's aspects that the gold aspects ask for too; recall: share of the"
    " gold aspects that the plan asks for; F1: their harmonic mean, 0 for an empty plan; mismatched"
    " user: precision against another user's gold aspects, which is what fits anybody. Means over"
    " items, with 95 % intervals by user. Gold aspects come from what no planner reads."
)


class MatchJudge(OutputJudge):
    """The judge that says which aspects ask for the same."""


class PromptedPlanner(PlanRules):
    """A planner that an endpoint serves."""

    endpoint: str = Field(description="name of a table of [endpoints]")
    sampling: Sampling = Sampling()
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")


JUDGE = "[judge]"
PlannerName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
"""Names a file of the results: lower case, digits and dashes."""


class PlanScoring(Record):
    """Settings of a comparison: the planners, the items and the judge."""

    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(default={})
    planners: dict[PlannerName, PromptedPlanner] = Field(min_length=1)
    judge: MatchJudge
    prompts: str | None = Field(None, description="folder of prompts; none: the built-in ones")
    rubrics: str | None = Field(None, description="folder of domains; none: the built-in ones")
    seed: int = Field(0, description="other users' gold aspects are drawn with it")

    @model_validator(mode="after")
    def _known(self) -> "PlanScoring":
        tables = {f"planners.{name}": planner for name, planner in self.planners.items()}
        check_endpoints({**tables, "judge": self.judge}, self.endpoints)
        return self


class ScoredPlan(Record):
    """The judged plan of one planner for one item, without the item's texts."""

    id: str
    user: str
    planned: tuple[str, ...] | None = None
    """The planned aspects; None without a readable plan."""
    dropped: int = 0
    """Aspects of the reply that were dropped, for evidence that is in no post and the like."""
    left_out: int = 0
    """Posts that did not fit into the prompt."""
    precision: float | None = None
    """Share of planned aspects that agree with a gold one; None for an empty plan, as `other`."""
    recall: float | None = None
    f1: float | None = None
    """Harmonic mean of precision and recall; 0 if nothing was planned, or nothing agrees."""
    other: float | None = None
    """Precision against the gold aspects of another user's item: what generic aspects get."""
    unscored: str = ""
    """The reason for no plan or no judge's answer about it; empty if neither is missing."""
    detail: str = ""


def score_planners(
    settings: Annotated[Path | str, Argument(help="The planners.", metavar="SETTINGS.toml")],
    out: OutPath,
    *,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> Downstream:
    """Compare planners on held-out gold aspects: precision, recall and F1, with intervals by user.

    A judge says which aspects ask for the same. Calls are stored: running the same command again
    goes on, and asks nothing twice. Exit code 1: a planner left more than 5 % of the items open.

    Examples::

        pairwright train score score.toml --out scores --limit 20
    """
    path, folder = Path(settings), output_folder(out)
    scoring, base = load_settings(PlanScoring, path), path.resolve().parent
    prompts, domains = prompts_and_domains(scoring.prompts, scoring.rubrics, base)
    gold = read_gold(scoring.source, domains, base, "[source]")
    items = gold.items[:limit]
    others, lines = others_of(items, scoring.seed), dict[str, list[ScoredPlan]]()
    asked: dict[str, PromptedPlanner | MatchJudge] = {**scoring.planners, JUDGE: scoring.judge}
    endpoints = {of.endpoint: scoring.endpoints[of.endpoint] for of in asked.values()}
    # Enough items under way at once to keep every endpoint full.
    workers = max(endpoint.concurrency for endpoint in endpoints.values())

    async def compare(calls: ScoringCalls) -> None:
        async with open_clients(endpoints, calls.meter, calls.store) as clients:
            models = {
                name: Model(clients[of.endpoint], endpoints[of.endpoint], of.sampling)
                for name, of in asked.items()
            }
            calls.clients.extend(clients.values())
            for name, spec in scoring.planners.items():
                work = partial(
                    scored, spec=spec, planner=models[name], judge=models[JUDGE],
                    others=others, prompts=prompts, domains=domains,
                )  # fmt: skip
                lines[name] = await calls.each(name, items, work, workers)

    with open_calls(folder, progress, stop) as calls:
        run_async(compare(calls))
    refs = {name: endpoints[of.endpoint].model for name, of in asked.items()}
    found = result_of(lines, gold.refused, refs)
    found.write(folder, {f"{name}.jsonl": each for name, each in lines.items()})
    return found


async def scored(
    item: Item,
    *,
    spec: PromptedPlanner,
    planner: Model,
    judge: Model,
    others: Mapping[str, Item],
    prompts: Prompts,
    domains: Domains,
) -> ScoredPlan:
    """Ask a planner for a plan, and have a judge compare it with the item's gold aspects, and
    then with those of another user's item, if `others` has one. An unusable reply or a failed
    call is the reason for no plan; the next run repeats a failed call."""
    fields: dict[str, Any] = {"id": item.id, "user": item.user}
    question = Question(
        item.question, prompts, item.id, domains.item_language(item), spec.words,
        domains.guidance(item.domain), rules=spec,
    )  # fmt: skip
    try:
        reply = await plan(question, item.profile, planner)
        if isinstance(reply, Dropped):
            fields |= Unscored(reply.reason, reply.detail).fields
        else:
            aspects = tuple(one.aspect for one in reply.aspects)
            fields |= {"planned": aspects, "dropped": len(reply.dropped)}
            fields |= {"left_out": len(reply.shown.left_out)}
            fields |= await _judged(question, item, others.get(item.id), aspects, judge)
    except CallFailed as error:
        fields |= failed_call(error).fields
    return ScoredPlan(**fields)


async def _judged(
    question: Question, item: Item, other: Item | None, planned: tuple[str, ...], judge: Model
) -> dict[str, Any]:
    """The agreement of a plan with the gold aspects, or the reason that it is missing."""
    if not planned:
        return {"recall": 0.0, "f1": 0.0}
    own, *theirs = (
        tuple(aspect.aspect for aspect in of.rubric_aspects) for of in (item, other) if of
    )
    lists = [own, *theirs]
    # The order of the lists must not tell which is the item's own.
    random.Random(item.id).shuffle(lists)
    place = lists.index(own)
    precise, recalled = await together(
        match(question, [*planned], lists, judge, name="plan_score_precision"),
        match(question, [*own], [planned], judge, name="plan_score_recall"),
    )
    for reply in (precise, recalled):
        if isinstance(reply, Dropped):
            return Unscored(f"judge_{reply.reason}", reply.detail).fields
    shares = (
        [place in found for found in precise],
        [bool(found) for found in recalled],
        [1 - place in found for found in precise],
    )
    p, r, strange = (round(float(np.mean(found)), 6) for found in shares)
    f1 = round(2 * p * r / (p + r), 6) if p + r else 0.0
    return {"precision": p, "recall": r, "f1": f1, "other": strange if theirs else None}


def others_of(items: Sequence[Item], seed: int) -> dict[str, Item]:
    """Draw for each item one of another user: of its category if there is one, else any. Items of
    the only user have none."""
    others = {}
    for item in items:
        pool = [one for one in items if one.user != item.user]
        near = [one for one in pool if (one.domain, one.category) == (item.domain, item.category)]
        if pool:
            others[item.id] = random.Random(f"{seed} {item.id}").choice(near or pool)
    return others


def result_of(
    lines: Mapping[str, Sequence[ScoredPlan]], refused: Mapping[str, int], models: Mapping[str, str]
) -> Downstream:
    """Means of each planner's lines over the items that were judged, with intervals by user."""
    frame = pd.DataFrame(
        [name, one.user, one.precision, one.recall, one.f1, one.other]
        for name, each in lines.items()
        for one in each
    ).set_axis(["planner", "cluster", *FIGURES], axis=1)
    figures, verdict = figures_of(frame, ["planner"], FIGURES), "No plan could be compared."
    if best := best_of(figures, "F1"):
        n, users = number_of(best.n, "item"), number_of(best.clusters, "user")
        verdict = f"{best.row[0]} comes nearest to what users expect: F1 {best}, {n}, {users}."
    notes = [_HOW, *(f"Rows of [source] not used: {n:,} {why}." for why, n in refused.items())]
    for name, each in lines.items():
        dropped, short = sum(one.dropped for one in each), sum(one.left_out > 0 for one in each)
        notes.append(f"{name}: {dropped:,} aspects dropped; {short:,} prompts without all posts.")
    return Downstream(
        name="plan-score",
        title="Planners on held-out gold aspects",
        verdict=verdict,
        heads=("planner",),
        figures=figures,
        models=tuple(ScorerRef(name=name, kind="", model=of) for name, of in models.items()),
        parts=tuple(part_of(name, len(of), [x.unscored for x in of]) for name, of in lines.items()),
        notes=tuple(notes),
    )
