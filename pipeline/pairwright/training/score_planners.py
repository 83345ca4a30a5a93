"""Comparing planners: what each plans, and how that agrees with the gold aspects."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from typer import Argument

from pairwright import text
from pairwright.errors import CallFailed, InputError
from pairwright.evaluation.session import ScoringCalls, open_calls
from pairwright.lines import read_lines
from pairwright.models import Model, together
from pairwright.models.connect import open_clients
from pairwright.notebook import run_async
from pairwright.options import ItemLimit, OutPath
from pairwright.pages import Page, render_page
from pairwright.pages.output import output_folder, write_page
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Dropped, Item, Record
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.sources import SourceItems
from pairwright.stages.judges import match
from pairwright.stages.planner import plan
from pairwright.stats import Estimate, mean_by_user
from pairwright.training.plan_settings import (
    FilePlanner,
    PlanScoring,
    PromptedPlanner,
    load_settings,
    prompts_and_domains,
)
from pairwright.training.planner_data import read_gold

DIGITS = 6
Match = Literal["judge", "words"]
"""How two aspects are compared: by a judge, or by shared content words."""
Fields = dict[str, Any]
"""Fields of a `ScoredPlan`."""
AskPlan = Callable[[Item], Awaitable[Fields]]
AskJudge = Callable[[Item, Item | None, tuple[str, ...]], Awaitable[Fields]]


class AspectAgreement(Record):
    """One plan against an item's gold aspects; of an empty plan the recall alone."""

    precision: float | None = None
    recall: float = 0.0
    other: float | None = None
    """Precision against the gold aspects of another user's item: what generic aspects get."""

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 if nothing was planned, or nothing agrees."""
        if not self.precision or not self.recall:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


class ScoredPlan(Record):
    """One planner on one item. Without the item's texts."""

    id: str
    user: str
    planned: tuple[str, ...] | None = None
    """None if there is no plan that can be read."""
    dropped: int = 0
    """Aspects of the reply that were dropped, for evidence that is in no post and the like."""
    left_out: int = 0
    """Posts that did not fit into the prompt."""
    missing: str = ""
    """Why there is no plan, or no judge's answer about it."""
    detail: str = ""
    judge: AspectAgreement | None = None
    words: AspectAgreement | None = None


class PlannerScores(Record):
    """One planner over all items."""

    name: str
    model: str
    """Of plans that were made elsewhere, the file's name."""
    items: int
    planned: int
    empty: int
    """Plans without an aspect: an answer, not a failure."""
    missing: dict[str, int]
    """Items without a plan or a judge's answer, by reason; no mean counts them."""
    aspects: int
    dropped: int
    shortened: int
    """Items of which not all posts fitted."""
    figures: dict[Match, dict[str, Estimate | None]]
    """Means of precision, recall, f1 and other, 0 to 1, with intervals by user."""


class PlanScores(Record):
    """Planners on one source."""

    source: str
    """Hash of the source's content."""
    items: int
    users: int
    gold: int
    """Gold aspects of these items."""
    refused: dict[str, int]
    """Rows of the source that are not used, by reason."""
    limit: int | None
    judge: str
    """The judge's model; empty without one."""
    planners: tuple[PlannerScores, ...]


def score_planners(
    settings: Annotated[Path | str, Argument(help="What is compared.", metavar="SETTINGS.toml")],
    out: OutPath,
    *,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> PlanScores:
    """Compare planners on held-out gold aspects: precision, recall and F1, with intervals by user.

    Planners are endpoints or files of plans. Aspects are matched by shared words, and by a judge
    if there is one. Calls are stored: running the same command again goes on, and asks nothing
    twice. Exit code 1: a planner left more than 5 % of the items open.

    Examples::

        pairwright train score score.toml --out scores
        pairwright train score score.toml --out scores --limit 20
    """
    path, folder = Path(settings), output_folder(out)
    scoring, base = load_settings(PlanScoring, path), path.resolve().parent
    prompts, domains = prompts_and_domains(scoring, base)
    gold = read_gold(scoring.source, domains, base, "[source]")
    items, endpoints = gold.items[:limit], scoring.endpoints
    others = others_of(items, scoring.seed)
    specs = {**scoring.planners, **({"[judge]": scoring.judge} if scoring.judge else {})}
    asks, models = dict[str, AskPlan](), dict[str, str]()
    for name, spec in specs.items():
        if isinstance(spec, FilePlanner):
            asks[name], models[name] = read_plans(base / spec.path, gold), Path(spec.path).name
        else:
            models[name] = endpoints[spec.endpoint].model

    async def compare(calls: ScoringCalls) -> dict[str, list[ScoredPlan]]:
        asked = {name: of for name, of in specs.items() if not isinstance(of, FilePlanner)}
        names = {of.endpoint for of in asked.values()}
        async with open_clients(endpoints, names, calls.meter, calls.store) as clients:

            def stop_all() -> None:
                for client in clients.values():
                    client.stop()

            judge, lines = None, {}
            for name, spec in asked.items():
                model = Model(clients[spec.endpoint], endpoints[spec.endpoint], spec.sampling)
                if isinstance(spec, PromptedPlanner):
                    asks[name] = served(spec, model, prompts, domains)
                else:
                    judge = judged_by(model, prompts)
            # Enough items under way at once to keep every endpoint full.
            workers = max((endpoints[name].concurrency for name in names), default=1)
            for name in scoring.planners:

                async def line(item: Item, ask: AskPlan = asks[name]) -> ScoredPlan:
                    return await scored(item, others.get(item.id), ask, judge)

                lines[name] = await calls.each(name, items, line, workers=workers, stop=stop_all)
        return lines

    with open_calls(folder, progress, stop) as calls:
        lines = run_async(compare(calls))
    matches: tuple[Match, ...] = ("judge", "words") if scoring.judge else ("words",)
    scores = PlanScores(
        source=gold.hash,
        items=len(items),
        users=len({item.user for item in items}),
        gold=sum(len(item.rubric_aspects) for item in items),
        refused=gold.refused,
        limit=limit,
        judge=models.get("[judge]", ""),
        planners=tuple(
            planner_scores(name, models[name], each, matches) for name, each in lines.items()
        ),
    )
    files = {f"{name}.jsonl": each for name, each in lines.items()}
    write_page(folder, "plan-score", plan_scores_page(scores), scores, files)
    return scores


async def scored(
    item: Item, other: Item | None, ask: AskPlan, judge: AskJudge | None
) -> ScoredPlan:
    """Compare a planner's plan for an item with its gold aspects, and with those of `other`."""
    found = await ask(item)
    if (planned := found.get("planned")) is not None:
        found["words"] = agreement_by_words(planned, _names(item), _names(other))
        found |= await judge(item, other, planned) if judge else {}
    return ScoredPlan(id=item.id, user=item.user, **found)


def _missing(why: str, detail: str) -> Fields:
    return {"missing": why, "detail": detail[:500]}


def served(spec: PromptedPlanner, model: Model, prompts: Prompts, domains: Domains) -> AskPlan:
    """Ask a planner that an endpoint serves. A reply that cannot be used, and a call that failed,
    are reasons why there is no plan; the next run asks again for the latter."""

    async def ask(item: Item) -> Fields:
        try:
            reply = await plan(
                item.question, item.profile, model, prompts, spec.rules,
                guidance=domains.guidance(item.domain), words=spec.words,
                language=domains.item_language(item),
            )  # fmt: skip
        except CallFailed as error:
            return _missing(error.result_reason, error.detail)
        if isinstance(reply, Dropped):
            return _missing(reply.reason, reply.detail)
        aspects, left_out = tuple(one.aspect for one in reply.aspects), reply.shown.left_out
        return {"planned": aspects, "dropped": len(reply.dropped), "left_out": len(left_out)}

    return ask


class MadePlan(Record):
    """A line of a file of plans: an item, and its aspects."""

    id: str
    aspects: tuple[Annotated[str, Field(pattern=r"\S")], ...]


def read_plans(path: Path, gold: SourceItems) -> AskPlan:
    """Read plans that were made elsewhere, asked as a planner is.

    Raises InputError for a line that is no plan, an item that is not in the source, and an item
    with two plans.
    """
    known, plans = {item.id for item in gold.items} | gold.without, dict[str, MadePlan]()
    fix = "Name a file with one plan per item of the source; `path` starts at the settings' folder."
    for number, made in enumerate(read_lines(path, MadePlan, fix=fix), start=1):
        if made.id in plans or made.id not in known:
            why = "has a plan already" if made.id in plans else "is not in [source]"
            what = f"the item {made.id!r} {why}"
            raise InputError(what, where=f"{path}:{number} [id]", fix=fix)
        plans[made.id] = made

    async def ask(item: Item) -> Fields:
        if made := plans.get(item.id):
            return {"planned": made.aspects}
        return _missing("no_plan", "the file has no plan for this item")

    return ask


def judged_by(judge: Model, prompts: Prompts) -> AskJudge:
    """Ask a judge which aspects ask for the same content: the agreement, or why there is none."""

    async def ask(item: Item, other: Item | None, planned: tuple[str, ...]) -> Fields:
        if not planned:
            return {"judge": AspectAgreement()}
        own, theirs = _names(item), _names(other)
        lists = [own, theirs] if theirs else [own]
        # The order of the lists must not tell which is the item's own.
        if theirs and _digest("order", item.id) < "8":
            lists.reverse()
        place, question = lists.index(own), item.question
        try:
            precise, recalled = await together(
                match(question, [*planned], lists, judge, prompts, name="plan_score_precision"),
                match(question, [*own], [planned], judge, prompts, name="plan_score_recall"),
            )
        except CallFailed as error:
            return _missing(error.result_reason, error.detail)
        for reply in (precise, recalled):
            if isinstance(reply, Dropped):
                return _missing(f"judge_{reply.reason}", reply.detail)
        precision, recall = _mean(place in found for found in precise), _mean(map(bool, recalled))
        strange = _mean(1 - place in found for found in precise) if theirs else None
        return {"judge": AspectAgreement(precision=precision, recall=recall, other=strange)}

    return ask


def agreement_by_words(
    planned: Sequence[str], gold: Sequence[str], other: Sequence[str] = ()
) -> AspectAgreement:
    """Compare a plan with gold aspects: each aspect with the nearest of the other list, by shared
    content words over all. `other` are the gold aspects of another user's item."""
    if not planned:
        return AspectAgreement()
    language = text.language_of(*gold, *planned)
    own, theirs, strange = (
        [text.terms(one, language) for one in part] for part in (planned, gold, other)
    )

    def nearest(of: list[frozenset[str]], among: list[frozenset[str]]) -> float:
        return _mean(max(text.jaccard(a, b) for b in among) for a in of)

    return AspectAgreement(
        precision=nearest(own, theirs),
        recall=nearest(theirs, own),
        other=nearest(own, strange) if strange else None,
    )


def others_of(items: Sequence[Item], seed: int) -> dict[str, Item]:
    """Draw for each item one of another user: of its category if there is one, else of its domain,
    else any. Items of the only user have none."""
    drawn = sorted(items, key=lambda item: _digest(str(seed), item.id))
    others: dict[str, Item] = {}
    # The nearer kind comes later, and stays.
    for alike in (lambda _: "", lambda item: item.domain, lambda item: item.category):
        pools = defaultdict[str, list[Item]](list)
        for item in drawn:
            pools[alike(item)].append(item)
        for pool in pools.values():
            for place, item in enumerate(pool):
                following = (*pool[place + 1 :], *pool[:place])
                if other := next((one for one in following if one.user != item.user), None):
                    others[item.id] = other
    return others


def _names(item: Item | None) -> tuple[str, ...]:
    return tuple(aspect.aspect for aspect in item.rubric_aspects) if item else ()


def _mean(values: Iterable[float]) -> float:
    each = list(values)
    return round(sum(each) / len(each), DIGITS)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def planner_scores(
    name: str, model: str, lines: Sequence[ScoredPlan], matches: Sequence[Match]
) -> PlannerScores:
    """Count what one planner did, and take the means of its figures."""

    def mean(match: Match, figure: str) -> Estimate | None:
        of = [(line.user, getattr(getattr(line, match), figure, None)) for line in lines]
        return mean_by_user([(user, value) for user, value in of if value is not None])

    figures = ("precision", "recall", "f1", "other")
    return PlannerScores(
        name=name,
        model=model,
        items=len(lines),
        planned=sum(line.planned is not None for line in lines),
        empty=sum(line.planned == () for line in lines),
        missing=dict(sorted(Counter(line.missing for line in lines if line.missing).items())),
        aspects=sum(len(line.planned or ()) for line in lines),
        dropped=sum(line.dropped for line in lines),
        shortened=sum(line.left_out > 0 for line in lines),
        figures={match: {one: mean(match, one) for one in figures} for match in matches},
    )


def plan_scores_page(scores: PlanScores) -> Page:
    """Show planners side by side, and name the one with the highest F1."""
    first = next(iter(scores.planners[0].figures))
    f1 = {of.name: one for of in scores.planners if (one := of.figures[first]["f1"])}
    best = max(f1, key=lambda name: f1[name].value or 0.0, default=None)
    return render_page("plan_scores", {}, scores=scores, match=first, best=best, f1=f1)
