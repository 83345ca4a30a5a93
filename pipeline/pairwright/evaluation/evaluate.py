"""The commands `evaluate` and `leaderboard`: scorers on pairs, in conditions, and side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from pairwright.errors import CallFailed, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.conditions import (
    CONDITIONS,
    ConditionName,
    ContentSources,
    Strangers,
    ask_fitting,
    conditions_of,
    item_of,
)
from pairwright.evaluation.leaderboard import Leaderboard, rank_tables
from pairwright.evaluation.leaderboard_page import board_page
from pairwright.evaluation.scorers.score_file import ScoreFile, ScoresOfFile
from pairwright.evaluation.scorers.scorer import (
    BASELINES,
    ByPair,
    Pointwise,
    Preference,
    PromptContent,
    ResponseScore,
    Scorer,
    Unscored,
    failed_call,
)
from pairwright.evaluation.scores import (
    Score,
    ScoresOf,
    ScoreTable,
    check_results,
    read_scores,
    write_scores,
)
from pairwright.evaluation.session import ScorerSession, open_calls
from pairwright.evaluation.settings import Scorers, scorer_settings, with_scorers
from pairwright.lines import write_lines
from pairwright.models import CONTEXT_LENGTH, together
from pairwright.options import ColumnMap, LabelMap, OutPath, ScorerNames, SubjectLimit, SubjectSplit
from pairwright.pages.output import output_folder, write_page
from pairwright.pairs import Row, column_map, label_map
from pairwright.progress import Note, Progress, Stop, log_notes, run_async


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The files of an evaluation, and its figures."""

    folder: Path
    tables: tuple[ScoreTable, ...]
    """The tables of scores, by scorer and then by condition."""
    board: Leaderboard


def evaluate(
    pairs: Annotated[
        Path | str, Argument(help="A release, run, file or dataset of pairs.", metavar="PAIRS")
    ],
    scorers: Annotated[
        Path | str | Scorers | None, Option(help="Scorers and endpoints.", metavar="FILE.toml")
    ],
    out: OutPath,
    *,
    names: ScorerNames = None,
    conditions: Annotated[
        Iterable[str] | None,
        Option("--condition", help="Condition to score; repeatable.", metavar="COND"),
    ] = None,
    columns: ColumnMap = (),
    labels: LabelMap = (),
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> EvaluationResult:
    """Score pairs with reward models and judges, shown more or less of the user.

    A scorer is one of the file, a baseline, or hf:ORG/NAME, openai:MODEL@URL, scores:FILE or
    python:FILE.py:CLASS. The baselines are longer, constant, overlap and similarity. COND: none,
    profile, rubric, or a control: wrong-profile, profile-without-evidence. Without it, those that
    the pairs allow. Scores are stored as they come: running the same command again scores nothing
    twice. Exit code 1: a scorer left more than 5 % of the pairs of a mode without a score.

    Raises InputError (also if `out` has results of other pairs), ConfigError, EndpointRefused,
    Interrupted and StoreError; tables that were whole before are in their files.

        >>> done = evaluate("releases/1.0.0", None, "results", names=["longer"])
        >>> [one.about.stem for one in done.tables]
        ['longer.profile', 'longer.none', 'longer.wrong-profile']

    Examples::

        pairwright evaluate releases/1.0.0 --out results
        pairwright evaluate releases/1.0.0 --out results --scorer hf:ORG/NAME
        pairwright evaluate pairs.jsonl --out theirs --scorer openai:MODEL@http://localhost:8000/v1
        pairwright evaluate releases/1.0.0 --out results --scorers scorers.toml --condition profile
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    benchmark = Benchmark(pairs, split, column_map(columns), label_map(labels))
    check_results(folder, benchmark.ref)
    # Without names the baselines alone.
    settings, asked = with_scorers(settings, BASELINES if names is None else names)
    given = None if conditions is None else tuple(conditions)
    drawn = given is None or "wrong-profile" in given
    strangers = Strangers(map(item_of, benchmark.rows() if drawn else ()), settings.seed)
    sources = ContentSources(settings.history, strangers)
    shown, left_out = conditions_of(given, lambda: benchmark.rows(limit), sources)
    if not any(row.profile for row in benchmark.rows()):
        left_out = ["No posts: this cannot show whether a scorer reads the user."]
    for line in (*benchmark.said, *left_out):
        progress(Note(line))
    with open_calls(folder, progress, stop) as calls:
        session = ScorerSession(settings, prompts, calls)
        tables = run_async(_score(session, benchmark, asked, shown, sources, limit, folder))
    return EvaluationResult(folder, tuple(tables), rank_tables(tables, benchmark))


async def _score(
    session: ScorerSession,
    benchmark: Benchmark,
    scorers: tuple[str, ...],
    conditions: list[ConditionName],
    sources: ContentSources,
    limit: int | None,
    folder: Path,
) -> list[ScoreTable]:
    """Score with each scorer in each condition, and write each table as it is whole."""
    tables, own, ids = list[ScoreTable](), dict.fromkeys(scorers, conditions), folder / "ids.jsonl"
    write_lines(ids, benchmark.places())
    for name in scorers:
        # Before anything is computed.
        session.bound(name)
        if isinstance(spec := session.settings.scorers.get(name), ScoresOfFile):
            file, pairs = ScoreFile(Path(spec.path)), {one.pair for one in benchmark.places()}
            own[name] = file.check(pairs, conditions, ids)
            for left in sorted({*conditions} - {*own[name]}):
                why = f"the file of {name} has no scores of it"
                session.calls.say(f"Condition {left} is left out: {why}.")
    for name in scorers:
        # One at a time: a model in this process fills the memory there is.
        async with session.scorer(name) as opened:
            for condition in own[name]:
                applies, scorer = CONDITIONS[condition].applies, opened.target
                scores = await session.calls.each(
                    f"{name}, {condition}",
                    filter(applies, benchmark.rows(limit)),
                    partial(score_pair, scorer=scorer, condition=condition, sources=sources),
                    opened.workers,
                    total=sum(map(applies, benchmark.rows(limit))),
                )
                about = ScoresOf(
                    benchmark=benchmark.ref,
                    path=benchmark.place_from(folder),
                    columns=dict(benchmark.columns),
                    labels=dict(benchmark.labels),
                    scorer=opened.ref,
                    condition=condition,
                    history=None if isinstance(scorer, ByPair) else session.settings.history,
                )
                tables.append(write_scores(folder, about, scores))
    return tables


async def score_pair(
    row: Row, scorer: Scorer, condition: ConditionName, sources: ContentSources
) -> Score:
    """Make the line of one pair. A call that failed is its reason, and is asked again by the next
    run."""
    shown = CONDITIONS[condition].content(sources, row)

    async def ask(fewer: PromptContent) -> dict[str, Any] | Unscored:
        if isinstance(scorer, ByPair):
            return _both(*scorer.scores(row.id, condition))
        if isinstance(scorer, Pointwise):
            sides = scorer.score(fewer, row.chosen), scorer.score(fewer, row.rejected)
            return _both(*await together(*sides))
        return _verdicts(await scorer.prefer(fewer, row.chosen, row.rejected))

    found: dict[str, Any] | Unscored = shown if isinstance(shown, Unscored) else {}
    try:
        if isinstance(shown, PromptContent):
            found = await ask_fitting(shown, sources.history, ask)
    except CallFailed as error:
        found = failed_call(error)
    fields = {"unscored": found.text} if isinstance(found, Unscored) else found
    return Score(pair=row.id, condition=condition, **fields)


def _both(
    chosen: ResponseScore | Unscored, rejected: ResponseScore | Unscored
) -> dict[str, Any] | Unscored:
    """The fields of both responses' scores. Both see the same posts, so if one does not fit neither
    is taken."""
    if isinstance(chosen, Unscored):
        return chosen
    if isinstance(rejected, Unscored):
        return rejected
    tokens = chosen.tokens + rejected.tokens
    return {"chosen": chosen.value, "rejected": rejected.value, "tokens": tokens}


def _verdicts(said: Preference) -> dict[str, Any] | Unscored:
    """The fields of a judge's verdicts. If one order has none the pair has no score, and the
    verdict of the other order is kept."""
    fields: dict[str, Any] = {"tokens": said.tokens}
    for order, verdict in (("backward", said.backward), ("forward", said.forward)):
        if not isinstance(verdict, Unscored):
            fields[order] = verdict
        elif verdict.reason == CONTEXT_LENGTH:
            return verdict
        else:
            fields["unscored"] = verdict.text
    return fields


def leaderboard(
    results: Annotated[
        Iterable[Path | str], Argument(help="Folders or files of results.", metavar="RESULTS")
    ],
    out: Annotated[Path | str | None, Option(help="Folder of the page.")] = None,
    *,
    pairs: Annotated[
        Path | str | None, Option(help="The pairs, if they were moved after scoring.")
    ] = None,
) -> Leaderboard:
    """Rank scorers by what they got right on the same pairs, and compare neighbours.

    One table for each mode of pairs. Rows are ranked within a condition, and each is compared with
    the one above it. All results must be of the same pairs.

    Raises InputError where results cannot be ranked together, and StoreError.

        >>> board = leaderboard(["results"])
        >>> [(one.mode, one.condition) for one in board.rankings]
        [('pairs', 'profile'), ('pairs', 'none')]

    Examples::

        pairwright leaderboard results
        pairwright leaderboard results theirs others/skywork.profile.json --out board
        pairwright leaderboard theirs --pairs releases/1.0.0
    """
    folder = output_folder(out) if out else None
    tables = read_scores(map(Path, results))
    first, about = tables[0].path, tables[0].about
    path = Path(pairs or first.parent / about.path)
    if not path.exists():
        what = f"the pairs that were scored are not at {path}"
        raise InputError(what, where=first, fix="Name them: --pairs PATH.")
    board = rank_tables(tables, Benchmark(path, None, about.columns, about.labels))
    if folder:
        write_page(folder, "leaderboard", board_page(board), board)
    return board
