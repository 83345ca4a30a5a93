"""Making a release: everything is written beside its place, and put there whole."""

import json
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, cast

from pydantic import JsonValue
from typer import Option

from pairwright.audits.run import write_audit
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Outcomes
from pairwright.errors import Difference, InputError, on_disk
from pairwright.files import write_whole
from pairwright.models.store import Store
from pairwright.modes import label_of
from pairwright.options import RunPath, share_of
from pairwright.pages.output import output_folder
from pairwright.pairs import Layout
from pairwright.pairs.address import ForgetList, read_tombstones
from pairwright.pairs.layout import splits_of, write_checksums
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import content_id, pseudonym
from pairwright.releases.changes import TRIAL, check_version
from pairwright.releases.derive import ReleaseContext, RowFiles, derived_files
from pairwright.releases.primary import (
    PrimaryFiles,
    Provenance,
    ReleaseContent,
    ReleaseFiles,
    UnitOutcome,
    read_release,
    write_primary,
)
from pairwright.releases.run_notes import run_provenance
from pairwright.releases.selection import (
    ReleaseCandidate,
    exclusions,
    read_candidates,
    trial_because,
)
from pairwright.releases.summary import Summary
from pairwright.releases.verify.release import check_folder
from pairwright.settings.config import essential
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.opened import read_study
from pairwright_human_eval.released import ReleasedStudy, published

_AGAIN = "Run pairwright build again to its end: no call is sent twice."


class ReleaseResult(NamedTuple):
    """A release that was written."""

    folder: Path
    digest: str
    """Its root digest, `sha256:...`, which is to be published beside it."""
    provenance: Provenance
    """Its name, version and kind, and what it was built with."""
    summary: Summary
    """Rows, units and users of each configuration and split."""
    subjects: Mapping[str, int]
    """By configuration: twins and pairs of the run, released or not."""
    left_out: Mapping[str, int]
    """By reason: twins and pairs that are not released."""
    failed_units: int
    """Units of the build that failed, so that the release is short of them."""
    failed_checks: tuple[tuple[str, str], ...]
    """Name and configuration of the checks of its audit that failed."""
    not_stated: tuple[str, ...]
    """Fields of [release] that are empty on its card."""


def release(
    run: RunPath,
    out: Annotated[Path | str, Option(help="A new folder, for the release.", metavar="DIR")],
    version: Annotated[str, Option(help="The version, higher than any before.", metavar="X.Y.Z")],
    *,
    previous: Annotated[
        Path | str | None, Option(help="The release before this one.", metavar="DIR")
    ] = None,
    trial: Annotated[
        bool, Option("--trial", help="With simulated and unverified pairs: no benchmark.")
    ] = False,
    validation_share: Annotated[
        float,
        Option(
            "--validation", help="Share of users for validation.", metavar="10%", parser=share_of
        ),
    ] = 0.0,
    progress: Progress = log_notes,
) -> ReleaseResult:
    """Package verified pairs as a versioned, self-checking dataset.

    Contains the pairs as Parquet and as message lists, raw answers by pseudonym, the audit, card,
    Croissant, licences, manifest and checksums. The rule is [human] of RUN/config.toml; what the
    pages say of the dataset is [release]. Nothing simulated or unverified is in it, unless it is a
    trial, which says so everywhere. The same run, version and previous release give the same bytes.

    Raises InputError for anything that keeps the run from being released, and StoreError if its
    store or the disk refuses.

        >>> made = release("runs/first", "releases/1.0.0", "1.0.0")
        >>> made.summary.rows, made.digest
        (412, 'sha256:...')

    Examples::

        pairwright release runs/first --out releases/1.0.0 --version 1.0.0
        pairwright release runs/first --out 1.1.0 --version 1.1.0 --previous releases/1.0.0
        pairwright release runs/demo --out releases/demo --version 0.1.0 --trial
    """
    run, out = Path(run), Path(out)
    if not 0 <= validation_share < 1:
        raise InputError(
            f"{validation_share} is not a share of users", where="--validation", fix="Give 0 to 1."
        )
    check_version(version)
    output_folder(out)
    if out.exists() or out.is_symlink():
        raise InputError(
            "is there already, and a release goes into a new folder",
            where=out,
            fix="Give --out the name of a folder that is not there.",
        )
    folder = RunFolder(run)
    folder.settings()
    if not folder.calls.exists():
        fix = "Restore it from a copy, or build again."
        raise InputError("is missing", where=folder.calls, fix=fix)
    # Locked, so that no build changes the run meanwhile.
    with closing(Store(folder.calls, writing=True)) as store:
        content = gather_release_content(
            run, store, version, previous=None if previous is None else Path(previous), trial=trial,
            validation_share=validation_share, progress=progress,
        )  # fmt: skip
        with on_disk(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(prefix=f"{out.name}.", dir=out.parent))
        try:
            result = _write(Layout(temporary), content, out, progress)
            with on_disk(out):
                temporary.chmod(0o755)
                temporary.rename(out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return result


def _write(layout: Layout, content: ReleaseContent, out: Path, progress: Progress) -> ReleaseResult:
    primary = content.primary
    summary = write_primary(layout, content, lambda done: progress(Step("writing pairs", done)))
    known = ReleaseContext(layout, primary, summary)
    with RowFiles(known) as row_files:
        write_audit(
            layout.root, primary.public, layout.audit, layout.audit_page,
            lambda name, n: progress(Step(f"auditing: {name}", n)), row_files.add,
        )  # fmt: skip
    for path, text in derived_files(known, row_files.attributed):
        progress(Step(f"writing {layout.inside(path)}"))
        write_whole(path, text)
    progress(Step("checksums"))
    return ReleaseResult(
        folder=out,
        digest=write_checksums(layout.root),
        provenance=primary.provenance,
        summary=summary,
        subjects=Counter(entry.config for entry in content.entries),
        left_out=Counter(reason.split(":")[0] for reason in content.why.values() if reason),
        failed_units=sum(unit.outcome == "failed" for unit in primary.units),
        failed_checks=known.audit.failed,
        not_stated=_not_stated(primary.provenance, summary),
    )


def _not_stated(provenance: Provenance, summary: Summary) -> tuple[str, ...]:
    """The fields of [release] that a reader of the card would miss."""
    needless = {"max_overlap", "attribution", "citation"}
    if "unknown" not in summary.licences:
        needless.add("licence")
    if any(label_of(config.mode) == "given" for config in summary.configs):
        needless |= {"own_licence", "annotators", "payment"}
    return tuple(name for name, value in provenance.info if not value and name not in needless)


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
    if not Outcomes(store).finished:
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

    def count(done: int) -> None:
        progress(Step("reading pairs", done))

    if not human.study.exists():
        entries, _ = read_candidates(run / "pairs.jsonl", forgotten, frozenset(), count)
        to_verify = any(one.needs_votes and not one.forgotten for one in entries)
        if to_verify and not trial:
            raise InputError(
                "no study: nobody has verified its pairs",
                where=human.path,
                fix=f"`pairwright human export {quoted}` begins one; --trial makes a release for"
                " trying out.",
            )
        return entries, None, None
    study = read_study(run)
    progress(Step("reading answers"))
    answers = study.answers()
    entries, outlines = read_candidates(study.pairs(), forgotten, study.asked, count)
    left_out = {entry.id for entry in entries if entry.forgotten}
    progress(Step("deciding"))
    public = published(study.fixed, outlines, answers, study.rules, left_out)
    if public.simulated and not trial:
        raise InputError(
            "simulated annotators answered, and that verifies nothing",
            where=human.answers,
            fix="Have people answer (pairwright human push), or add --trial.",
        )
    return entries, public, public.decisions


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
    for row in Outcomes(store).rows(whole=False):
        subject = row.subject
        if subject:
            built.append(subject)
        users = (row.user, row.partner or row.user)
        if subject in removed or any(pseudonym(user) in forgotten.users for user in users):
            continue
        yield UnitOutcome(
            unit=content_id("unit", row.unit),
            mode=row.mode,
            outcome=cast(Literal["kept", "dropped", "failed"], row.kind),
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
