"""What a release is written from, out of a run folder."""

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

from pydantic import JsonValue

from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import subject_of
from pairwright.dataset import read_lines
from pairwright.dataset.address import ForgetList
from pairwright.dataset.layout import splits_of
from pairwright.errors import Difference, InputError
from pairwright.models.store import Store
from pairwright.records import Mode, content_id, pseudonym
from pairwright.releases.changes import TRIAL, check_version
from pairwright.releases.primary import PrimaryFiles, ReleaseFiles, UnitOutcome, read_release
from pairwright.releases.run_notes import read_tombstones, run_provenance
from pairwright.releases.selection import (
    ReleaseCandidate,
    exclusions,
    read_candidates,
    trial_because,
)
from pairwright.releases.verify.release import check_folder
from pairwright.releases.write import ReleaseContent
from pairwright.settings.config import essential
from pairwright.workflows.progress import Progress, Step
from pairwright.workflows.study import read_open_study
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.public_study import ReleasedStudy, published
from pairwright_human_eval.study_files import read_fixed

_AGAIN = "Run pairwright build again to its end: no call is sent twice."


def gather_release_content(
    run: Path,
    store: Store,
    version: str,
    *,
    previous: Path | None,
    trial: bool,
    validation_share: float,
    progress: Progress,
) -> ReleaseContent:
    """Read what a release of a run is written from; `validation_share` of the users, 0 to below 1,
    are those whose pairs are in the split `validation`.

    Raises InputError for anything that keeps the run from being released, and StoreError where its
    store cannot be read.
    """
    folder = RunFolder(run)
    config, manifest = folder.settings(), _manifest(run)
    if not store.finished:
        raise InputError("its build has not finished", where=run, fix=_AGAIN)
    name, before = config.release.name, None
    if previous:
        before = _previous(previous, version, name, trial=trial)
    forgotten = read_tombstones(run)
    entries, public, decisions = _candidates(run, forgotten, progress, trial=trial)
    units = tuple(_units(store, entries, forgotten, run / "pairs.jsonl"))
    why = exclusions(entries, decisions, trial=trial)
    chosen = tuple(entry for entry in entries if not why[entry.id])
    if not chosen:
        raise _nothing(run, why, trial=trial)
    provenance = run_provenance(
        version,
        config.release,
        manifest,
        essential(folder.saved())["content"],
        trial_because=trial_because(chosen, public) if trial else (),
        previous=before,
        validation_share=validation_share,
        where=run / "manifest.json",
    )
    return ReleaseContent(
        primary=PrimaryFiles(provenance, units, public),
        pairs=run / "pairs.jsonl",
        entries=entries,
        why=why,
        # Splits are made of all pairs, released or not: a later decision moves no user.
        splits=splits_of((entry.users for entry in entries), validation_share),
    )


def _previous(root: Path, version: str, name: str, *, trial: bool) -> ReleaseFiles:
    """The release before `version` of the dataset `name`.

    Raises InputError if it is not whole, not lower, of another dataset, or, before an ordinary
    release, a trial.
    """
    previous = read_release(root)
    provenance = previous.primary.provenance
    if provenance.info.name != name:
        what = f"is a release of {provenance.info.name!r}, and this run makes {name!r}"
        fix = "Name a release of the same dataset, or correct [release] name in the run's config."
        raise InputError(what, where=root, fix=fix)
    if provenance.kind == "trial" and not trial:
        fix = "Name the last ordinary release, or leave --previous out for the first."
        raise InputError("is a trial, and no ordinary release follows one", where=root, fix=fix)
    if check_version(provenance.version.removesuffix(TRIAL)) >= check_version(version):
        what = f"is version {provenance.version}, which {version} does not follow"
        fix = "Give --version a higher number than the previous release has."
        raise InputError(what, where=root, fix=fix)
    try:
        check_folder(root)
    except Difference as found:
        fix = "Take the previous release again from where it was published."
        raise InputError(found.what, where=root / found.where, fix=fix) from None
    return previous


def every_100(progress: Progress, name: str) -> Callable[[int], None]:
    """Report a step's count at every hundredth, for what is quick and done many times."""

    def count(done: int) -> None:
        if done % 100 == 0:
            progress(Step(name, done))

    return count


def _manifest(run: Path) -> JsonValue:
    path = run / "manifest.json"
    try:
        manifest: JsonValue = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_AGAIN) from None
    return manifest


def _candidates(
    run: Path, forgotten: ForgetList, progress: Progress, *, trial: bool
) -> tuple[tuple[ReleaseCandidate, ...], ReleasedStudy | None, dict[str, Decision] | None]:
    """The run's subjects, with what people decided on them where there is a study. Without one an
    ordinary release needs that there is nothing to verify."""
    human, quoted = HumanFolder(run), shlex.quote(str(run))
    count = every_100(progress, "reading pairs")
    fixed = read_fixed(human)
    if fixed is None:
        entries, _ = read_candidates(run / "pairs.jsonl", forgotten, None, count)
        to_verify = any(one.needs_votes and not one.forgotten for one in entries)
        if to_verify and not trial:
            raise InputError(
                "no study: nobody has verified its pairs",
                where=human.path,
                fix=f"`pairwright human export {quoted}` begins one; --trial makes a release for"
                " trying out.",
            )
        return entries, None, None
    study = read_open_study(run)
    progress(Step("reading answers"))
    pairs, answers = study.pairs(), study.answers()
    entries, outlines = read_candidates(pairs, forgotten, study.fixed, count)
    left_out = {entry.id for entry in entries if entry.forgotten}
    progress(Step("deciding"))
    public = published(
        study.fixed, outlines, answers.verdicts, answers.set_aside, study.rules, leaving=left_out
    )
    if public.simulated and not trial:
        raise InputError(
            "simulated annotators answered, and that verifies nothing",
            where=human.verdicts,
            fix="Have people answer (pairwright human push), or add --trial.",
        )
    decisions = public.decisions
    _check_reported(human.decisions, decisions, run)
    return entries, public, decisions


def _check_reported(path: Path, decisions: Mapping[str, Decision], run: Path) -> None:
    """Raise InputError where decisions.jsonl says something else: its report is of other answers
    or of another rule."""
    if not path.exists():
        return
    quoted = shlex.quote(str(run))
    fix = f"`pairwright human report {quoted}`, look at what it says, and release then."
    for number, line in enumerate(read_lines(path, Decision), start=1):
        now = decisions.get(line.subject)
        if now and now != line:
            raise InputError(
                f"{line.subject} is {line.state} here, and {now.state} by the answers and the rule"
                " of now"
                if now.state != line.state
                else f"{line.subject} has other answers now",
                where=f"{path}:{number}",
                fix=fix,
            )


def _units(
    store: Store,
    entries: Sequence[ReleaseCandidate],
    forgotten: ForgetList,
    pairs: Path,
) -> Iterator[UnitOutcome]:
    """Every unit in the source's order, without those of people who are to be forgotten.

    Raises InputError where pairs.jsonl, of which `entries` are, is not what the build kept.
    """
    removed = {entry.id for entry in entries if entry.forgotten}
    listed = [entry.id for entry in entries]
    built = list[str]()
    for row in store.outcomes():
        subject = subject_of(row.record)
        if subject:
            built.append(subject)
        users = (row.user, row.partner or row.user)
        if subject in removed or any(pseudonym(user) in forgotten.users for user in users):
            continue
        yield UnitOutcome(
            unit=content_id("unit", row.unit),
            mode=cast(Mode, row.mode),
            outcome=cast(Literal["kept", "rejected", "failed"], row.kind),
            stage=row.stage,
            reason=row.reason,
            subject=subject,
        )
    if built != listed:
        raise InputError(
            f"holds {len(listed):,} twins and pairs, and not the {len(built):,} that the build"
            " kept, in their order",
            where=pairs,
            fix=_AGAIN,
        )


def _nothing(run: Path, why: Mapping[str, str], *, trial: bool) -> InputError:
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in Counter(why.values()).most_common())
    fix = "Build until pairs are kept."
    if why:
        quoted = shlex.quote(str(run))
        fix = f"`pairwright human report {quoted}` says what is open or refused."
        fix += (
            f" A trial of all kept pairs has no study: move {HumanFolder(run).path} away, or have"
            f" simulated annotators answer (`pairwright human simulate {quoted}`)."
            if trial
            else " For trying out, add --trial."
        )
    return InputError(f"nothing to release ({reasons or 'no pairs'})", where=run, fix=fix)
