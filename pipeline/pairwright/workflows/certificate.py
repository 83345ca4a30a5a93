"""Comparing generated twins with natural ones, by results of the same scorers on both."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pairwright.errors import InputError
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.board import leaderboard as rank_results
from pairwright.evaluation.board.inputs import gather_results
from pairwright.evaluation.certificate import Certificate, certificate_page, compare_scorers
from pairwright.evaluation.correlation.measures import reported_measures
from pairwright.options import Doc
from pairwright.sources.source_table import sound_rows
from pairwright.sources.table_files import comma_separated
from pairwright.workflows.evaluation import conditions_of
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.progress import Progress, counter, log_notes


def certify(
    generated: Annotated[
        str | Path | Iterable[str | Path], Doc("Results on a release with twins.", "GENERATED")
    ],
    natural: Annotated[
        str | Path | Iterable[str | Path],
        Doc("Results on a release with natural twins.", "NATURAL"),
    ],
    out: Annotated[
        str | Path | None, Doc("Write certificate.html, .md and .json.", "DIR", name="--out")
    ] = None,
    *,
    condition: Annotated[str, Doc("The condition that is compared.", "NAME")] = "profile",
    families: Annotated[
        str | Path | None, Doc("CSV file with the columns scorer and family.", "FILE.csv")
    ] = None,
    seed: Annotated[int, Doc("Seed of the random orders.", least=0)] = 0,
    progress: Progress = log_notes,
) -> Certificate:
    """Compare generated twins with people's own choices: do both rank the same scorers alike?

    Results are folders of `evaluate` or .json files. Scorers that are ranked on both in `condition`
    count; baselines do not.

    Raises InputError where results cannot be compared, such as of two limits or splits, and
    StoreError.

        >>> certify("results/generated", "results/natural").families
        12
    """
    folder = output_folder(out)
    (known_condition,) = conditions_of((condition,))
    family_of = {} if families is None else read_families(Path(families))
    boards: list[Leaderboard] = []
    users: list[set[str]] = []
    for side in (generated, natural):
        listed = (side,) if isinstance(side, str | Path) else tuple(side)
        results = gather_results(map(Path, listed))
        boards.append(rank_results(results, counter(progress, "results", total=len(results))))
        # All results of a side have the same pairs.
        users.append({one.user for one in results[0].decisions() if one.user})
    known = {one.about.scorer.name for board in boards for one in board.entries.values()}
    for number, name in enumerate(family_of, start=2):
        if name not in known:
            raise InputError(
                f"{name!r} is not a scorer of these results",
                where=f"{families}:{number}",
                fix=f"The scorers are: {', '.join(sorted(known))}.",
            )
    certificate = compare_scorers(
        boards[0],
        boards[1],
        known_condition,
        family_of,
        users_in_both=len(users[0] & users[1]),
        seed=seed,
        done=counter(progress, "orders", total=len(reported_measures("rank", 0.9))),
    )
    if folder:
        write_page(folder, "certificate", certificate_page(certificate), certificate)
    return certificate


def read_families(path: Path) -> dict[str, str]:
    """The family of each scorer, of a CSV file with the columns `scorer` and `family`.

    Raises InputError naming the line that is not of this form.
    """
    fix = "Give each scorer one line, such as: skywork,llama"
    columns, rows = sound_rows(path, comma_separated, fix)
    if columns != ["scorer", "family"]:
        raise InputError(
            "does not begin with the columns scorer and family",
            where=f"{path}:1",
            fix="Write the first line as: scorer,family",
        )
    families: dict[str, str] = {}
    for where, row in rows:
        scorer, family = row["scorer"].strip(), row["family"].strip()
        if not scorer or not family or scorer in families:
            what = "is not one scorer with its family, or the scorer is there twice"
            raise InputError(what, where=where, fix=fix)
        families[scorer] = family
    return families
