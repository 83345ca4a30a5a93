"""Ranking results side by side, and deriving them again from their stored replies."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Annotated

from pairwright.errors import CallFailed, InputError
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.board import leaderboard as rank_results
from pairwright.evaluation.board.inputs import gather_results
from pairwright.evaluation.board.page import board_page
from pairwright.evaluation.board.tables import csv_table, latex_tables
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.release import Release
from pairwright.evaluation.results import (
    NAME,
    NOT_STORED,
    Result,
    ResultSummary,
    check_release,
    check_settings,
    differences,
)
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.evaluation.settings import Scorers
from pairwright.files import CALLS, write_whole
from pairwright.models.client import Meter
from pairwright.models.store import CallStore
from pairwright.models.store.database import holds_plain_replies
from pairwright.notebook import run_async
from pairwright.options import Doc
from pairwright.workflows.evaluation import EvaluationTask, derive_results
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.progress import Progress, Stop, counter, log_notes
from pairwright.workflows.scoring import ScorerSession, ScoringCalls, scorer_settings


def leaderboard(
    results: Annotated[
        Iterable[str | Path],
        Doc(
            "Folders of `pairwright evaluate` or .json files; the scorers of team=FOLDER are called"
            " “team: NAME”.",
            "RESULTS...",
        ),
    ],
    out: Annotated[
        str | Path | None,
        Doc("Write leaderboard.html, .md, .csv, .tex, .json.", "DIR", name="--out"),
    ] = None,
    *,
    release: Annotated[
        str | Path | None,
        Doc("Derive every decision again from this and the stored replies.", "RELEASE", "--verify"),
    ] = None,
    progress: Progress = log_notes,
) -> Leaderboard:
    """Rank scorers by what they got right on one release, and say which can be distinguished.

    `results` are folders of `evaluate` or single .json files, all of one release, the same pairs
    and the same limit. Scorers of the folder `team=theirs` are called `team: NAME`. What results
    say of their release is held to `release`, its folder. `out` gets leaderboard.html, .md, .csv,
    .tex and .json. Accuracies are shares from 0 to 1, with 95 % intervals by cluster; scorers are
    compared by a step-down sign-flip test, on natural twins by the intervals of their differences.

    Raises InputError where results cannot be ranked together, and StoreError.

        >>> board = leaderboard(["results"])
        >>> [(one.mode, one.condition) for one in board.rankings]
        [(None, 'none'), (None, 'profile')]
    """
    folder = output_folder(out)
    aliases = dict(_path_and_alias(Path(path)) for path in results)
    gathered = gather_results(aliases, {path: alias for path, alias in aliases.items() if alias})
    if release is not None:
        _check_releases(gathered, Path(release))
    board = rank_results(gathered, counter(progress, "results", total=len(gathered)))
    if folder:
        write_whole(folder / "leaderboard.csv", csv_table(board))
        write_whole(folder / "leaderboard.tex", latex_tables(board))
        page = board_page(board)._replace(markdown=board_page(board, brief=True).markdown)
        write_page(folder, "leaderboard", page, board)
    return board


def _check_releases(results: Sequence[Result], folder: Path) -> None:
    """Raise InputError where a result is of another release than the one in a folder, or says of
    it what it does not say itself."""
    ref = Release(folder, results[0].about.split).ref
    for result in results:
        check_release(result, ref)


def check_results(
    results: Iterable[str | Path],
    release: str | Path,
    scorers: str | Path | Scorers | None = None,
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> dict[Path, list[str]]:
    """Derive results again from the replies that are stored beside them, without asking a model:
    by result, a sentence for each way in which it is not what its replies give.

    `release` and `scorers` are those that the results were made with.

    Raises InputError where a result is not of this release, was made with other settings, or has no
    `calls.sqlite` beside it; and ConfigError and StoreError.
    """
    settings, prompts = scorer_settings(scorers)
    # Nothing is sent, so no key of an endpoint is needed.
    keyless = {
        name: endpoint.model_copy(update={"api_key_env": None})
        for name, endpoint in settings.endpoints.items()
    }
    known = settings.model_copy(update={"endpoints": keyless})
    # By path: two senders may call two scorers by one name, and here each has its own replies.
    paths = [_path_and_alias(Path(path))[0] for path in results]
    gathered = [result for path in paths for result in gather_results([path])]
    _check_releases(gathered, Path(release))
    for result in gathered:
        name = result.about.scorer.name
        if name not in BASELINES and name not in known.scorers:
            missing = "" if scorers is None else ", and the file that was named does not have it"
            raise InputError(
                f"its scorer {name} is of a file of scorers{missing}",
                where=result.path,
                fix="Name the file that it was evaluated with: --scorers FILE.toml",
            )
    count = counter(progress, "results", total=len(gathered))
    found: dict[Path, list[str]] = {}
    together = groupby(gathered, key=lambda one: (one.path.parent, one.about.scorer.name))
    for (folder, _), of_scorer in together:
        replies = folder / CALLS
        _check_replies(replies)
        with closing(StoredReplies(replies, writing=False)) as store:
            # The steps of each scorer are not reported: results are counted.
            calls = ScoringCalls(store, Meter(), lambda _: None, stop or Stop())
            session = ScorerSession(known, prompts, calls)
            found |= run_async(_derive(list(of_scorer), Path(release), session, count))
    return found


def _path_and_alias(path: Path) -> tuple[Path, str]:
    """The folder and the alias of `ALIAS=FOLDER`; any other path has no alias.

    Raises InputError where the alias is no name, and for an archive."""
    alias, equals, folder = str(path).partition("=")
    if not equals or path.exists() or "/" in alias:
        alias, folder = "", str(path)
    elif not NAME.fullmatch(alias):
        raise InputError(
            f"{alias!r} is not an alias: lower case, digits and dashes",
            where=path,
            fix="Choose another one, such as team=theirs",
        )
    if Path(folder).is_file() and folder.endswith(".zip"):
        raise InputError(
            "is an archive, which this version does not read",
            where=folder,
            fix="Unpack it, and name the folder that holds its results.",
        )
    return Path(folder), alias


def _check_replies(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            "is not there, so the results beside it cannot be derived again",
            where=path,
            fix="Name the folder that `pairwright evaluate` wrote, with its stored replies.",
        )
    if not holds_plain_replies(path):
        raise InputError(
            "does not hold replies in the table that `pairwright evaluate` writes",
            where=path,
            fix="Ask for the folder as `pairwright evaluate` left it.",
        )


class StoredReplies(CallStore):
    """A store that is only read: what it does not have is not asked."""

    def get(self, key: str) -> bytes:
        """Raises CallFailed where the reply is not stored."""
        value = super().get(key)
        if value is None:
            raise CallFailed(NOT_STORED, "its reply is not beside the result")
        return value


async def _derive(
    results: Sequence[Result], release: Path, session: ScorerSession, count: Callable[[], None]
) -> dict[Path, list[str]]:
    """The differences of one scorer's results."""
    first = results[0].about
    pairs = Release(release, first.split)
    conditions = tuple(result.about.condition for result in results)
    task = EvaluationTask(pairs, (first.scorer.name,), conditions, first.limit)
    found, remaining = dict[Path, list[str]](), iter(results)

    def compare(about: ResultSummary, decisions: list[PairDecision]) -> None:
        result = next(remaining)
        check_settings(result, about)
        found[result.path] = list(differences(result, about, decisions))
        count()

    await derive_results(task, session, results[0].path.parent, compare)
    return found
