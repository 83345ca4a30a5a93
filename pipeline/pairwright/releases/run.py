"""Parts of a run folder that a release takes: its twins and pairs with people's decisions, and the
outcome of every unit. Also the run's statements, without anything of the machine it ran on.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd
from pydantic import JsonValue

from pairwright.assets import __version__
from pairwright.build_statement import BuildSummary
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Outcomes
from pairwright.errors import Difference, InputError
from pairwright.lines import read_document, read_one
from pairwright.models.store import Store
from pairwright.modes import label_of
from pairwright.pairs.address import read_tombstones
from pairwright.pairs.layout import places_of, root_digest
from pairwright.progress import Progress, Step
from pairwright.records import content_id, model_name, pseudonym
from pairwright.releases.check import check_folder
from pairwright.releases.contents import (
    TRIAL,
    Contents,
    Json,
    Stated,
    UnitOutcome,
    read_contents,
    release_at,
)
from pairwright.releases.rows import FORGOTTEN, left_out, read_subjects
from pairwright.settings.config import essential
from pairwright_human_eval.decisions import ReleasedStudy, published
from pairwright_human_eval.folder import HumanFolder, read_study

_AGAIN = "Run pairwright build again to its end: no call is sent twice."
_NUMBER = "(0|[1-9][0-9]{0,5})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")


def check_version(version: str) -> tuple[int, ...]:
    """The three numbers of X.Y.Z. Raises InputError for anything else."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise InputError(
            f"{version!r} is not a version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return tuple(map(int, match.groups()))


def gather(
    run: Path,
    store: Store,
    version: str,
    *,
    previous: Path | None,
    trial: bool,
    validation_share: float,
    progress: Progress,
) -> tuple[Contents, pd.DataFrame]:
    """Read the primary files of a run's release, without rows, and the frame of its twins and
    pairs. The frame says `why` each is not released, empty if it is, and its `split`.

    Raises InputError for anything that keeps the run from being released, and StoreError if its
    store cannot be read.
    """
    folder = RunFolder(run)
    info = folder.settings().release
    if not Outcomes(store).finished or not (run / "manifest.json").exists():
        raise InputError("its build has not finished", where=run, fix=_AGAIN)
    read_one(run / "manifest.json", BuildSummary, fix=_AGAIN)  # Raises if it is none.
    manifest = json.loads(read_document(run / "manifest.json"))
    before = _previous(previous, version, info.name) if previous else None
    public, forgotten = None, read_tombstones(run)
    if HumanFolder(run).study.exists():
        study = read_study(run)
        progress(Step("reading answers"))
        answers = study.answers()
        subjects, outlines = read_subjects(study.pairs(), forgotten, study.asked, progress)
        progress(Step("deciding"))
        leaving = set(subjects["subject"][subjects["forgotten"]])
        public = published(study.fixed, study.rules, outlines, answers, leaving)
    else:
        subjects, _ = read_subjects(run / "pairs.jsonl", forgotten, (), progress)
    because = _not_verified(run, subjects, public, trial=trial)
    stated = Stated(
        pairwright=__version__,
        version=version + (TRIAL if because else ""),
        kind="trial" if because else "release",
        trial_because=because,
        previous=before.version if before else None,
        previous_digest=root_digest(previous) if previous else None,
        info=info,
        build=public_manifest(manifest, essential(folder.saved())["content"]),
        validation_share=validation_share,
    )
    contents = Contents(stated, tuple(_units(store, subjects, run)), public)
    why = left_out(contents)
    subjects["why"] = [why.get(subject, FORGOTTEN) for subject in subjects["subject"]]
    # Splits are made of all pairs, released or not: a later decision moves no user.
    splits = splits_of(subjects["users"], validation_share)
    subjects["split"] = [splits[users[0]] for users in subjects["users"]]
    if subjects["why"].all():
        counts = Counter(subjects["why"]).most_common()
        listed = ", ".join(f"{n:,} {reason}" for reason, n in counts) or "no pairs"
        fix = f"`pairwright human report {shlex.quote(str(run))}` says what is open or refused."
        raise InputError(f"nothing to release ({listed})", where=run, fix=fix)
    return contents, subjects


def _previous(root: Path, version: str, name: str) -> Stated:
    """Statements of the release before `version` of the dataset `name`.

    Raises InputError if it is not whole, not lower, or of another dataset.
    """
    stated = read_contents(release_at(root)).stated
    if stated.info.name != name:
        what = f"is a release of {stated.info.name!r}, and this run makes {name!r}"
        fix = "Name a release of the same dataset, or correct [release] name in the run's config."
        raise InputError(what, where=root, fix=fix)
    if check_version(stated.version.removesuffix(TRIAL)) >= check_version(version):
        what = f"is version {stated.version}, which {version} does not follow"
        fix = "Give --version a higher number than the previous release has."
        raise InputError(what, where=root, fix=fix)
    try:
        check_folder(root)
    except Difference as found:
        fix = "Take the previous release again from where it was published."
        raise InputError(found.what, where=root / found.where, fix=fix) from None
    return stated


def _not_verified(
    run: Path, subjects: pd.DataFrame, public: ReleasedStudy | None, *, trial: bool
) -> tuple[str, ...]:
    """Reasons why a trial is only for trying out, in words; empty for an ordinary release. Raises
    InputError if only a trial can hold these pairs and this is not one."""
    what, fix = "it was made with --trial", ""
    left = subjects["mode"][~subjects["forgotten"]]
    if public and public.simulated:
        what = "simulated annotators answered instead of people"
        fix = "Have people answer (pairwright human push), or add --trial."
    elif public is None and any(label_of(mode) != "given" for mode in left):
        what = "nobody verified its pairs"
        fix = f"`pairwright human export {shlex.quote(str(run))}` begins a study; --trial makes a"
        fix += " release for trying out."
    if fix and not trial:
        raise InputError(what, where=HumanFolder(run).path, fix=fix)
    return (what,) if trial else ()


def _units(store: Store, subjects: pd.DataFrame, run: Path) -> Iterator[UnitOutcome]:
    """Every unit in the source's order, without those of people who are to be forgotten.

    Raises InputError if the run's pairs.jsonl, which `subjects` are from, is not what the build
    kept.
    """
    removed, users = set(subjects["subject"][subjects["forgotten"]]), read_tombstones(run).users
    built = list[str]()
    for row in Outcomes(store).rows(whole=False):
        if row.subject:
            built.append(row.subject)
        if row.subject in removed or users & {pseudonym(row.user), pseudonym(row.partner or "")}:
            continue
        yield UnitOutcome(
            unit=content_id("unit", row.unit),
            mode=row.mode,
            outcome=cast(Literal["kept", "dropped", "failed"], row.kind),
            stage=row.stage,
            reason=row.reason,
            subject=row.subject,
        )
    if built != list(subjects["subject"]):
        raise InputError(
            f"holds {len(subjects):,} twins and pairs, and not the {len(built):,} that the build"
            " kept, in their order",
            where=run / "pairs.jsonl",
            fix=_AGAIN,
        )


# The manifest of the run


def public_manifest(manifest: Json, content: JsonValue) -> Json:
    """A run's manifest without what build/units.jsonl counts, and as `_public` leaves it.
    `content` are the hashes of prompts, rubrics and source that it was built with."""
    build = {name: _public(value, name) for name, value in manifest.items() if name != "counts"}
    return build | {"config": build.get("config", {}) | {"content": content}}


def _public(value: Any, key: str = "") -> Any:
    """A value without folders of this machine. Of what was sent beside prompts, where keys and
    account names may be, only names and types are left."""
    if isinstance(value, dict) and key == "extra":
        return {name: type(one).__name__ for name, one in value.items()}
    if isinstance(value, dict):
        # The options of an engine are paths by many names.
        return {
            model_name(name): _public(one, "path" if key == "vllm" else name)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_public(one, key) for one in value]
    if isinstance(value, str) and key in ("path", "texts", "prompts", "rubrics"):
        return re.split(r"[/\\]", value.rstrip("/\\"))[-1]
    return model_name(value) if isinstance(value, str) and key in ("model", "recorded") else value


def splits_of(subjects: Iterable[Sequence[str]], share: float) -> dict[str, str]:
    """The split of every user; each subject is the pseudonyms it is about, one or two.

    Partners of a twin stay together, over all configurations. Where a group goes depends on the
    pseudonyms in it and on nothing else, so that other users who come or go change nothing.
    """
    limit = int(share * (1 << 64))
    places = places_of(subjects).items()
    return {user: "validation" if place < limit else "test" for user, place in places}
