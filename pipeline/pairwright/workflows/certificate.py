"""Holding generated twins to natural ones, by results of the same scorers on both."""

import csv
from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import InputError
from pairwright.evaluate.board import Leaderboard, gather_results
from pairwright.evaluate.board import leaderboard as rank_results
from pairwright.evaluate.certificate import Certificate, compare_scorers
from pairwright.evaluate.certificate.report_page import certificate_page
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.workflows.output import output_folder, write_report
from pairwright.workflows.progress import Progress, counter, log_notes

MEASURES = 6


def certify(
    generated: str | Path | Iterable[str | Path],
    natural: str | Path | Iterable[str | Path],
    out: str | Path | None = None,
    *,
    condition: ConditionName = "profile",
    families: str | Path | None = None,
    seed: int = 0,
    progress: Progress = log_notes,
) -> Certificate:
    """Hold generated twins to people's own choices: do both rank the same scorers alike?

    `generated` and `natural` are results of `evaluate`, folders or .json files: on a release with
    twins, and on one with natural twins. Scorers that are ranked on both in `condition` count;
    baselines do not. `families` is a CSV file with columns `scorer` and `family`. `out` gets
    certificate.html, .md and .json.

    Raises InputError where results cannot be compared, and StoreError.

        >>> certify("results/generated", "results/natural").families
        12
    """
    folder = output_folder(None if out is None else Path(out))
    found = compare_scorers(
        _board(generated, progress),
        _board(natural, progress),
        condition,
        None if families is None else read_families(Path(families)),
        seed=seed,
        done=counter(progress, "orders", total=MEASURES),
    )
    if folder:
        write_report(folder, "certificate", certificate_page(found), found)
    return found


def _board(paths: str | Path | Iterable[str | Path], progress: Progress) -> Leaderboard:
    listed = (paths,) if isinstance(paths, str | Path) else tuple(paths)
    results = gather_results(map(Path, listed))
    return rank_results(results, counter(progress, "results", total=len(results)))


def condition_named(name: str) -> ConditionName:
    """The condition of a name. Raises InputError for one that is not there."""
    for condition in CONDITIONS:
        if condition == name:
            return condition
    raise InputError(
        f"there is no condition {name!r}",
        where="--condition",
        fix=f"The conditions are: {', '.join(CONDITIONS)}.",
    )


def read_families(path: Path) -> dict[str, str]:
    """The family of each scorer, of a CSV file with the columns `scorer` and `family`.

    Raises InputError naming the line that is not of this form.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"cannot be read: {error}", where=path, fix="Name a CSV file in UTF-8."
        ) from None
    if not lines or [cell.strip() for cell in lines[0]] != ["scorer", "family"]:
        raise InputError(
            "does not begin with the columns scorer and family",
            where=f"{path}:1",
            fix="Write the first line as: scorer,family",
        )
    families: dict[str, str] = {}
    for number, cells in enumerate(lines[1:], start=2):
        values = [cell.strip() for cell in cells]
        if len(values) != 2 or not all(values) or values[0] in families:
            raise InputError(
                "is not one scorer with its family, or the scorer is there twice",
                where=f"{path}:{number}",
                fix="Give each scorer one line, such as: skywork,llama",
            )
        families[values[0]] = values[1]
    return families
