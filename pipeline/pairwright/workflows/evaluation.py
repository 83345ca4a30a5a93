"""Evaluating scorers, ranking them, and correlating benchmarks with downstream scores."""

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from typer import Argument, Option

from pairwright.errors import InputError, near
from pairwright.evaluation.conditions import CONDITIONS, ConditionName, default_conditions
from pairwright.evaluation.content import ContentSources, Strangers, item_of
from pairwright.evaluation.correlation.correlations import Correlations, correlation_page
from pairwright.evaluation.correlation.correlations import correlate as correlate_models
from pairwright.evaluation.correlation.table import one_line, read_models
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.evaluation import Evaluation
from pairwright.evaluation.evaluation import evaluate as score_pairs
from pairwright.evaluation.figures import every_mode
from pairwright.evaluation.leaderboard import COVERAGE, Leaderboard, gather_results
from pairwright.evaluation.leaderboard import leaderboard as rank_results
from pairwright.evaluation.leaderboard_page import board_page
from pairwright.evaluation.release import Release
from pairwright.evaluation.results import Result, ResultSummary, write_result
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.scorer import BASELINES, MANNER, ByPair, reasons
from pairwright.evaluation.settings import Scorers, ScoresOfFile, history_hash
from pairwright.manner import is_choice_text
from pairwright.models import CallLog, Usage
from pairwright.notebook import run_async
from pairwright.options import (
    OutPath,
    ReleasePath,
    ScorerNames,
    SubjectLimit,
    SubjectSplit,
)
from pairwright.progress import Note, Progress, Stop, counter, log_notes
from pairwright.settings.prompt import Prompts
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.scorers import OpenScorer
from pairwright.workflows.scoring import (
    OpenPlanner,
    ScorerSession,
    open_session,
    scorer_settings,
)


class EvaluationTask(NamedTuple):
    """What is to be scored, by which scorers, in which conditions."""

    release: Release
    scorers: tuple[str, ...]
    conditions: tuple[ConditionName, ...]
    limit: int | None


class ScorerEvaluation(NamedTuple):
    """A scorer on a release, to be tried in one condition after the other."""

    task: EvaluationTask
    session: ScorerSession
    opened: OpenScorer
    sources: ContentSources
    planner: OpenPlanner | None

    async def score(self, condition: ConditionName) -> tuple[ResultSummary, list[PairDecision]]:
        """Score all pairs in a condition.

        Raises ConfigError, EndpointRefused, Interrupted and StoreError.
        """
        release, limit = self.task.release, self.task.limit
        total = sum(CONDITIONS[condition].applies(row.mode) for row in release.rows(limit))
        opened, planner = self.opened, self.planner

        def end() -> None:
            opened.stop()
            if planner:
                planner.stop()

        name = f"{opened.ref.name}, {condition}"
        log = self.session.calls.meter.log = CallLog()
        with self.session.calls.step(name, total, end) as count:
            decisions = await score_pairs(
                release.rows(limit),
                Evaluation(opened.scorer, condition, self.sources),
                workers=opened.workers,
                stop=end,
                on_each=lambda _: count(),
            )
        return self._about(condition, decisions, log), decisions

    def _about(
        self, condition: ConditionName, decisions: list[PairDecision], log: CallLog
    ) -> ResultSummary:
        opened, release = self.opened, self.task.release
        record, history = CONDITIONS[condition], self.sources.history
        planned = self.planner if record.needs == "planner" else None
        choices = [one.choice for one in decisions]
        modes = list(every_mode(decisions))
        used = Usage.of(log.by_model.values())
        # [history] does not decide which posts the scores of a file were made with.
        shows = record.shows_posts and not isinstance(opened.scorer, ByPair)
        return ResultSummary(
            release=release.ref,
            scorer=opened.ref,
            condition=condition,
            limit=self.task.limit,
            split=release.split,
            history=history_hash(history) if shows else "",
            seed=self.session.settings.seed if record.needs == "strangers" else None,
            planner=planned and planned.ref,
            pairs=len(decisions),
            scored=sum(choice is not None for choice in choices),
            ties=choices.count("tie"),
            unstable=sum(one.unstable for one in decisions),
            unscored=reasons(decisions),
            units=sum(len(mode.units) for mode in modes),
            units_scored=sum(len(mode.whole) for mode in modes),
            shortened=sum(one.left_out > 0 for one in decisions),
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            cost=self._cost(log),
        )

    def _cost(self, log: CallLog) -> float | None:
        """By the prices of the file's endpoints; None where nothing was asked, or a model that was
        has no price. Two endpoints that serve one model are priced as the first of them."""
        endpoints = reversed(self.session.settings.endpoints.values())
        priced = {one.model: one for one in endpoints if one.price_in or one.price_out}
        if not log.by_model or not log.by_model.keys() <= priced.keys():
            return None
        costs = (
            priced[model].cost(used.prompt_tokens, used.completion_tokens, used.cached_tokens)
            for model, used in log.by_model.items()
        )
        return round(sum(costs), 6)


OnResult: TypeAlias = Callable[[ResultSummary, list[PairDecision]], None]
"""What is called with a result's summary and decisions once its files are written."""


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """What an evaluation wrote."""

    folder: Path
    results: tuple[Result, ...]
    """One for each scorer and condition, in this order; each reads its decisions from its file."""

    def short(self) -> list[ResultSummary]:
        """The summaries of results in which fewer than 95 % of the twins and other pairs have a
        score. Pairs of users of whom the release has nothing to show do not count."""
        return [
            one.about
            for one in self.results
            if not one.about.units or one.about.units_scored < COVERAGE * one.about.units
        ]


def evaluate(
    release: ReleasePath,
    scorers: Annotated[
        Path | str | Scorers | None, Option(help="Scorers and endpoints.", metavar="FILE.toml")
    ],
    out: OutPath,
    *,
    names: ScorerNames = None,
    conditions: Annotated[
        Iterable[str] | None,
        Option("--condition", help="What is shown; repeatable.", metavar="COND"),
    ] = None,
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
    on_result: OnResult = lambda _about, _decisions: None,
) -> EvaluationResult:
    """Score a release's pairs with reward models and judges, shown more or less of the user.

    Scores are stored as they come: running the same command again scores nothing twice. The
    baselines longer, constant, overlap and similarity need no file and no model, nor do own-length
    and own-markup, for histories that hold choices. COND is none, profile, planner or rubric, or a
    control: wrong-profile, evidence-only, profile-without-evidence. Exit code 1: a scorer left more
    than 5 % of the twins and other pairs without a score that the release has something to show of.

    Raises InputError, ConfigError, EndpointRefused, Interrupted and StoreError; results that were
    whole before are in their files. `on_result` is called with each result as it is written.

        >>> done = evaluate("releases/1.0.0", None, "results", names=["longer"])
        >>> [(one.about.scorer.name, one.about.condition) for one in done.results]
        [('longer', 'none'), ('longer', 'profile'), ('longer', 'wrong-profile')]

    Examples::

        pairwright evaluate releases/1.0.0 --out results
        pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --scorer skywork
        pairwright evaluate releases/1.0.0 --out results --condition none --condition profile
        pairwright leaderboard results theirs --out board
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    pairs = Release(Path(release), split)
    if names is None:
        posts = (post.text for row in pairs.rows(limit) for post in row.profile)
        manner = any(map(is_choice_text, posts))
        asked = [name for name in BASELINES if manner or name not in MANNER]
    else:
        asked = list(dict.fromkeys(names))
    task = EvaluationTask(
        pairs,
        tuple(asked),
        default_conditions(pairs.rows(limit)) if conditions is None else conditions_of(conditions),
        limit,
    )
    _check_rubrics(task)
    if names is None and (others := settings.scorers):
        progress(Note(f"Not asked, because --scorer names none: {', '.join(others)}."))
    for name, condition in CONDITIONS.items() if conditions is None else ():
        if condition.default and name not in task.conditions:
            progress(Note(f"Condition {name} is left out: it does not apply to twins."))
    return run_evaluation(task, settings, prompts, folder, progress, stop, on_result)


def _check_rubrics(task: EvaluationTask) -> None:
    """Raise InputError where a condition shows a rubric, and no pair has one by its mode."""
    modes = {row.mode for row in task.release.rows(task.limit)}
    for name in task.conditions:
        if CONDITIONS[name].uses_rubric and not any(map(CONDITIONS[name].applies, modes)):
            raise InputError(
                f"{name} goes by the rubric, and natural twins have none: their labels are the"
                " users' own choices",
                where="--condition",
                fix="Leave it out, or name a release of mode twin or violate.",
            )


def conditions_of(names: Iterable[str]) -> tuple[ConditionName, ...]:
    """The conditions of these names, each once. Raises InputError for a name that is not one."""
    by_name: dict[str, ConditionName] = {name: name for name in CONDITIONS}
    names = list(dict.fromkeys(names))
    if unknown := [name for name in names if name not in by_name]:
        raise InputError(
            f"there is no condition {unknown[0]!r}",
            where="--condition",
            fix=f"One of: {', '.join(by_name)}.{near(unknown[0], by_name)}",
        )
    return tuple(by_name[name] for name in names)


def run_evaluation(
    task: EvaluationTask,
    scorers: Scorers,
    prompts: Prompts,
    folder: Path,
    progress: Progress,
    stop: Stop | None,
    on_result: OnResult,
) -> EvaluationResult:
    """Score, write each result to `folder` and pass it on. Raises as `evaluate` does."""
    results: list[Result] = []

    async def score(session: ScorerSession) -> None:
        await _check_score_files(task, session)
        async with AsyncExitStack() as stack:
            planner, needs = None, {CONDITIONS[name].needs for name in task.conditions}
            if "planner" in needs:
                planner = await stack.enter_async_context(session.planner())
            rows = task.release.rows() if "strangers" in needs else ()
            strangers = Strangers(map(item_of, rows), session.settings.seed)
            history = session.settings.history.rules(task.release.study_posts)
            sources = ContentSources(history, strangers, planner and planner.planner)
            for name in task.scorers:
                # One at a time: a model in this process fills the memory there is.
                async with session.scorer(name) as scorer:
                    one = ScorerEvaluation(task, session, scorer, sources, planner)
                    for condition in task.conditions:
                        about, decisions = await one.score(condition)
                        results.append(Result(write_result(folder, about, decisions)))
                        on_result(about, decisions)

    with open_session(scorers, prompts, folder, progress, stop) as session:
        run_async(score(session))
    return EvaluationResult(folder, tuple(results))


async def _check_score_files(task: EvaluationTask, session: ScorerSession) -> None:
    """Compare files of scores with the release before anything is computed."""
    defined = session.settings.scorers
    names = [name for name in task.scorers if isinstance(defined.get(name), ScoresOfFile)]
    if not names:
        return
    whole = task.release
    if whole.split is not None:
        whole = Release(whole.folder)
    pairs = {row.id for row in whole.rows()}
    async with session.scorers(*names) as opened:
        for one in opened.values():
            assert isinstance(one.scorer, ScoreFile), "its kind says so"
            one.scorer.check(pairs, task.conditions)


def leaderboard(
    results: Annotated[
        Iterable[Path | str], Argument(help="Folders or files of results.", metavar="RESULTS")
    ],
    out: Annotated[Path | str | None, Option(help="Folder of the page.")] = None,
    *,
    progress: Progress = log_notes,
) -> Leaderboard:
    """Rank scorers by what they got right on one release, and say which can be distinguished.

    One table for each mode of pairs and each condition. Rows that share a letter cannot be
    distinguished. All results must be of the same release, the same pairs and the same limit.

    Raises InputError where results cannot be ranked together, and StoreError.

        >>> board = leaderboard(["results"])
        >>> [(one.mode, one.condition) for one in board.rankings]
        [(None, 'none'), (None, 'profile')]

    Examples::

        pairwright leaderboard results
        pairwright leaderboard results theirs others/skywork.profile.json --out board
    """
    folder = output_folder(out) if out else None
    gathered = gather_results(map(Path, results))
    board = rank_results(gathered, counter(progress, "results", total=len(gathered)))
    if folder:
        write_page(folder, "leaderboard", board_page(board), board)
    return board


def correlate(
    table: Annotated[Path | str, Argument(help="One row a model, a header.", metavar="TABLE.csv")],
    benchmarks: Annotated[
        Iterable[str], Option("--benchmark", help="Scores to try; repeatable.", metavar="COL")
    ],
    downstream: Annotated[str, Option(help="Column with the downstream scores.", metavar="COL")],
    out: Annotated[Path | str | None, Option(help="Folder of the page.")] = None,
    *,
    model: Annotated[str | None, Option(help="Models' names [the first].", metavar="COL")] = None,
    lineage: Annotated[
        str | None, Option(help="Families of models, left out together.", metavar="COL")
    ] = None,
) -> Correlations:
    """Correlate benchmark scores with downstream scores over the same models.

    Spearman, weighted tau, NDCG and RBO, each with its interval from 5 models or lineages on.
    Greater scores must be better in every column.

    Raises InputError and StoreError.

        >>> correlate("models.csv", ["accuracy"], "best_of_16").n
        12

    Examples::

        pairwright downstream correlate models.csv --benchmark accuracy --downstream best_of_16
        pairwright downstream correlate models.csv --benchmark a --benchmark b --downstream ppo
    """
    folder = output_folder(out) if out else None
    models = read_models(Path(table), tuple(dict.fromkeys(benchmarks)), downstream, model, lineage)
    correlations = correlate_models(models, one_line(downstream))
    if folder:
        write_page(folder, "report", correlation_page(correlations, models), correlations)
    return correlations
