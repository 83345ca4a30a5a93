"""Ranking results side by side."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pairwright.evaluation.leaderboard import Leaderboard, gather_results
from pairwright.evaluation.leaderboard import leaderboard as rank_results
from pairwright.evaluation.leaderboard_page import board_page
from pairwright.options import Doc
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.progress import Progress, counter, log_notes


def leaderboard(
    results: Annotated[
        Iterable[str | Path],
        Doc("Folders of `pairwright evaluate`, or .json files.", "RESULTS..."),
    ],
    out: Annotated[
        str | Path | None, Doc("Write leaderboard.html, .md and .json.", "DIR", name="--out")
    ] = None,
    *,
    progress: Progress = log_notes,
) -> Leaderboard:
    """Rank scorers by what they got right on one release.

    `results` are folders of `evaluate` or single .json files, all of one release, the same pairs
    and the same limit. `out` gets leaderboard.html, .md and .json. Accuracies are shares from 0 to
    1, with 95 % intervals by cluster.

    Raises InputError where results cannot be ranked together, and StoreError.

        >>> board = leaderboard(["results"])
        >>> [(one.mode, one.condition) for one in board.rankings]
        [(None, 'none'), (None, 'profile')]
    """
    folder = output_folder(out)
    gathered = gather_results(map(Path, results))
    board = rank_results(gathered, counter(progress, "results", total=len(gathered)))
    if folder:
        write_page(folder, "leaderboard", board_page(board), board)
    return board
