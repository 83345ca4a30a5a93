"""What a release takes from a run folder: its twins and pairs with people's decisions, the outcome
of every unit, and what the run states of itself without anything of the machine it ran on.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd
from pydantic import JsonValue

from pairwright.assets import __version__
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Outcomes
from pairwright.errors import Difference, InputError
from pairwright.models.store import Store
from pairwright.modes import label_of
from pairwright.pairs.address import read_tombstones
from pairwright.pairs.layout import root_digest, splits_of
from pairwright.progress import Progress, Step
from pairwright.records import content_id, model_name, pseudonym
from pairwright.releases.check import check_folder
from pairwright.releases.contents import TRIAL, Contents, Json, Stated, UnitOutcome, read_release
from pairwright.releases.rows import read_subjects, reasons
from pairwright.settings.config import essential
from pairwright_human_eval.folder import HumanFolder, read_study
from pairwright_human_eval.released import ReleasedStudy, published

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
    """Read what a release of a run is written from: its primary files without rows, and the frame
    of its twins and pairs with `why` each is not released, empty if it is, and its `split`.

    Raises InputError for anything that keeps the run from being released, and StoreError if its
    store cannot be read.
    """
    folder = RunFolder(run)
    info, manifest = folder.settings().release, _manifest(run)
    if not Outcomes(store).finished:
        raise InputError("its build has not finished", where=run, fix=_AGAIN)
    before = _previous(previous, version, info.name, trial=trial) if previous else None
    subjects, public = _subjects(run, progress, trial=trial)
    because = _trial_because(subjects, public) if trial else ()
    stated = Stated(
        pairwright=__version__,
        version=version + (TRIAL if because else ""),
        kind="trial" if because else "release",
        trial_because=because,
        previous=before.version if before else None,
        previous_digest=root_digest(previous) if previous else None,
        info=info,
        build=public_manifest(manifest, essential(folder.saved())["content"], run),
        validation_share=validation_share,
    )
    contents = Contents(stated, tuple(_units(store, subjects, run)), public)
    subjects["why"] = reasons(subjects, contents)
    # Splits are made of all pairs, released or not: a later decision moves no user.
    splits = splits_of(subjects["users"], validation_share)
    subjects["split"] = [splits[users[0]] for users in subjects["users"]]
    if subjects["why"].all():
        raise _nothing(run, subjects["why"], trial=trial)
    return contents, subjects


def _previous(root: Path, version: str, name: str, *, trial: bool) -> Stated:
    """What the release before `version` of the dataset `name` states.

    Raises InputError if it is not whole, not lower, of another dataset, or, before an ordinary
    release, a trial.
    """
    _, contents = read_release(root)
    stated = contents.stated
    if stated.info.name != name:
        what = f"is a release of {stated.info.name!r}, and this run makes {name!r}"
        fix = "Name a release of the same dataset, or correct [release] name in the run's config."
        raise InputError(what, where=root, fix=fix)
    if stated.kind == "trial" and not trial:
        fix = "Name the last ordinary release, or leave --previous out for the first."
        raise InputError("is a trial, and no ordinary release follows one", where=root, fix=fix)
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


def _subjects(
    run: Path, progress: Progress, *, trial: bool
) -> tuple[pd.DataFrame, ReleasedStudy | None]:
    """The run's twins and pairs, and what people answered if there is a study. Without a study
    nothing in an ordinary release may need votes."""
    human, forgotten = HumanFolder(run), read_tombstones(run)
    if not human.study.exists():
        subjects, _ = read_subjects(run / "pairs.jsonl", forgotten, (), progress)
        if not trial and _need_votes(subjects):
            raise InputError(
                "no study: nobody has verified its pairs",
                where=human.path,
                fix=f"`pairwright human export {shlex.quote(str(run))}` begins one; --trial makes a"
                " release for trying out.",
            )
        return subjects, None
    study = read_study(run)
    progress(Step("reading answers"))
    answers = study.answers()
    subjects, outlines = read_subjects(study.pairs(), forgotten, study.asked, progress)
    progress(Step("deciding"))
    leaving = set(subjects["subject"][subjects["forgotten"]])
    public = published(study.fixed, outlines, answers, study.rules, leaving)
    if public.simulated and not trial:
        raise InputError(
            "simulated annotators answered, and that verifies nothing",
            where=human.answers,
            fix="Have people answer (pairwright human push), or add --trial.",
        )
    return subjects, public


def _need_votes(subjects: pd.DataFrame) -> bool:
    """Whether people have to verify some of these before they are released."""
    return any(label_of(mode) != "given" for mode in subjects["mode"][~subjects["forgotten"]])


def _trial_because(subjects: pd.DataFrame, public: ReleasedStudy | None) -> tuple[str, ...]:
    """Why a trial is only for trying out, in words."""
    if public is None and _need_votes(subjects):
        return ("nobody verified its pairs",)
    if public and public.simulated:
        return ("simulated annotators answered instead of people",)
    return ("it was made with --trial",)


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


def _nothing(run: Path, why: Iterable[str], *, trial: bool) -> InputError:
    """The error of a run without anything to release, with the reasons in the run's order."""
    counts = ", ".join(f"{n:,} {reason}" for reason, n in Counter(why).most_common())
    quoted = shlex.quote(str(run))
    fix = f"`pairwright human report {quoted}` says what is open or refused."
    if trial:
        fix += f" Or let simulated annotators answer: `pairwright human simulate {quoted}`."
    return InputError(f"nothing to release ({counts or 'no pairs'})", where=run, fix=fix)


# The manifest of the run


def _manifest(run: Path) -> JsonValue:
    path = run / "manifest.json"
    try:
        manifest: JsonValue = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_AGAIN) from None
    return manifest


def public_manifest(manifest: JsonValue, content: JsonValue, run: Path) -> Json:
    """A run's manifest as it is released: without what build/units.jsonl counts, and as `_public`
    leaves it. `content` are the hashes of prompts, rubrics and source that it was built with.

    Raises InputError if it is not a run's.
    """
    parts = manifest if isinstance(manifest, dict) else {}
    config = parts.get("config")
    if not isinstance(config, dict) or not isinstance(parts.get("source"), dict):
        fix = "Build again: it is written at the end of each build."
        raise InputError("is not the manifest of a run", where=run / "manifest.json", fix=fix)
    build = {name: _public(value, name) for name, value in parts.items() if name != "counts"}
    return build | {"config": _public(config) | {"content": content}}


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
