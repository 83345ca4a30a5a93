"""Tasks for people of the data's own community, who judge the pairs of their own posts."""

from collections.abc import Sequence
from pathlib import Path

from pairwright.construct.folder import RunFolder
from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.modes import TWIN
from pairwright.records import Item
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.own_choices import OwnExport, add_people, read_people
from pairwright_human_eval.records import Study
from pairwright_human_eval.study_files import read_fixed, write_study
from pairwright_human_eval.subjects import Subject


def export_own(
    run: Path, people: Path, subjects: Sequence[Subject], fresh: Study, days: int
) -> tuple[Study, OwnExport]:
    """Seat the `people` of a file, and write their tasks: beside a study of annotators where there
    is one, and else with the `fresh` study, which has no annotators.

    Raises InputError for a person who cannot be meant, and where the study is of other pairs, in
    another language or of another seed.
    """
    human = HumanFolder(run)
    users = {pair.user for subject in subjects for pair in subject.pairs}
    with_twins = {p.user for one in subjects if one.mode == TWIN.name for p in one.pairs}
    if (items := RunFolder(run).items).exists():
        users |= {item.user for item in read_lines(items, Item)}
    seated = read_people(people, users, with_twins)
    if not seated:
        raise InputError("names nobody", where=people, fix="Write a line for each person.")
    study = read_fixed(human)
    if study is None:
        study = fresh
        write_study(human, study, {})
    elif study.pairs_hash != fresh.pairs_hash:
        raise InputError(
            "the study here is of other pairs",
            where=human.study,
            fix=f"Move {human.path} away to start over.",
        )
    elif study.language != fresh.language:
        raise InputError(
            f"the forms of the study here are in {study.language!r}, not in {fresh.language!r}",
            where="--language",
            fix=f"Give --language {study.language}: all its people read one language.",
        )
    elif study.seed != fresh.seed:
        raise InputError(
            "the study here has another seed", where="--seed", fix="Leave the option out."
        )
    return study, add_people(human, study, seated, subjects, days)
