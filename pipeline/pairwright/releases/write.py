"""Writing of a release: every file is written next to its place, and moved there at once."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from pydantic_core import to_json
from typer import Option

from pairwright.audits.examination import audit_pairs, shortened
from pairwright.audits.page import write_page
from pairwright.construct.folder import RunFolder
from pairwright.errors import InputError, on_disk
from pairwright.files import write_whole
from pairwright.lines import write_one
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.pages.output import output_folder
from pairwright.pairs import Layout, open_release
from pairwright.pairs.layout import file_digest, root_digest
from pairwright.progress import Progress, Step, log_notes
from pairwright.releases.card import dataset_card, licence_page, modes_of
from pairwright.releases.contents import Contents, Json, RowCounts, manifest_of, write_contents
from pairwright.releases.croissant import croissant_json
from pairwright.releases.rows import write_data
from pairwright.releases.run import check_version, gather


class ReleaseResult(NamedTuple):
    """A release that was written."""

    folder: Path
    digest: str
    """Root digest, `sha256:...`, which is to be published with the release."""
    manifest: Json
    """Contents of manifest.json: name, version, kind, and everything counted."""
    table: pd.DataFrame
    """Counts by mode: twins or pairs `released` and `in_run`, `rows` and `users` of the release,
    and how many units of the build `failed`."""
    left_out: Mapping[str, int]
    """Number of twins and pairs that are not released, by reason, the commonest first."""
    not_stated: tuple[str, ...]
    """Fields of [release] that are empty, and that a reader of the card would miss."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.manifest["rows"]["rows"])


def release(
    run: RunPath,
    out: Annotated[Path | str, Option(help="A new folder, for the release.", metavar="DIR")],
    version: Annotated[str, Option(help="The version, higher than any before.", metavar="X.Y.Z")],
    *,
    previous: Annotated[
        Path | str | None, Option(help="The release before this one.", metavar="DIR")
    ] = None,
    trial: Annotated[
        bool, Option("--trial", help="Allow simulated and unverified pairs: no benchmark.")
    ] = False,
    validation_share: Annotated[
        float,
        Option("--validation", help="Share of users for validation.", metavar="0.1", min=0, max=1),
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
        >>> made.rows, made.digest
        (412, 'sha256:...')

    Examples::

        pairwright release runs/first --out releases/1.0.0 --version 1.0.0
        pairwright release runs/first --out 1.1.0 --version 1.1.0 --previous releases/1.0.0
        pairwright release runs/demo --out releases/demo --version 0.1.0 --trial
    """
    run, out = Path(run), Path(out)
    check_version(version)
    output_folder(out)
    if out.exists() or out.is_symlink():
        what, fix = "is there already, and a release goes into a new folder", "Give another --out."
        raise InputError(what, where=out, fix=fix)
    folder = RunFolder(run)
    folder.settings()
    if not folder.calls.exists():
        fix = "Restore it from a copy, or build again."
        raise InputError("is missing", where=folder.calls, fix=fix)
    # Locked, so that no build changes the run meanwhile.
    with closing(Store(folder.calls, writing=True)) as store:
        contents, subjects = gather(
            run, store, version, previous=None if previous is None else Path(previous), trial=trial,
            validation_share=validation_share, progress=progress,
        )  # fmt: skip
        chosen = subjects[subjects["why"] == ""]
        with on_disk(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(prefix=f"{out.name}.", dir=out.parent))
        try:
            counts, manifest = _write(Layout(temporary), contents, chosen, run, progress)
            with on_disk(out):
                temporary.chmod(0o755)
                temporary.rename(out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    failed = Counter(unit.mode for unit in contents.units if unit.outcome == "failed")
    by_mode = counts.rows.groupby("mode")
    table = pd.DataFrame({
        "failed": pd.Series(failed, dtype=int),
        "released": chosen.groupby("mode").size(),
        "in_run": subjects.groupby("mode").size(),
        "rows": by_mode.size(),
        "users": by_mode["user"].nunique(),
    })  # fmt: skip
    table = table.reindex([mode for mode in MODES if mode in table.index]).fillna(0).astype(int)
    reasons = (why.removeprefix("refused: ").split("; ")[0] for why in subjects["why"] if why)
    left_out, empty = dict(Counter(reasons).most_common()), _not_stated(contents, manifest)
    return ReleaseResult(out, root_digest(out), manifest, table, left_out, empty)


def _write(
    layout: Layout, contents: Contents, chosen: pd.DataFrame, run: Path, progress: Progress
) -> tuple[RowCounts, Json]:
    """Write every file of a release. Returns the counted rows, and manifest.json."""
    counts = write_data(layout, run / "pairs.jsonl", chosen, contents, progress)
    write_contents(layout, contents)
    source = open_release(layout.root)
    audit = audit_pairs(source, progress=progress)
    write_one(layout.audit, shortened(audit))
    write_page(layout.audit_page, audit, source, progress=progress)
    manifest = manifest_of(layout, contents, counts)
    for path, text in derived_files(layout, contents, manifest):
        write_whole(path, text)
    progress(Step("checksums"))
    write_checksums(layout.root)
    return counts, manifest


def _not_stated(contents: Contents, manifest: Json) -> tuple[str, ...]:
    needless = {"attribution", "citation"}
    if "unknown" not in manifest["rows"]["licences"]:
        needless.add("licence")
    if any(mode.label == "given" for mode in modes_of(manifest)):
        needless |= {"own_licence", "annotators", "payment"}
    stated = contents.stated.info
    return tuple(name for name, value in stated if not value and name not in needless)


def derived_files(layout: Layout, contents: Contents, manifest: Json) -> Iterator[tuple[Path, str]]:
    """The pages and the manifest, each with its text."""
    yield layout.manifest, to_json(manifest, indent=2).decode() + "\n"
    yield layout.card, dataset_card(layout, contents, manifest)
    yield layout.croissant, croissant_json(layout, contents, manifest)
    yield layout.licences, licence_page(contents, manifest)


def write_checksums(root: Path) -> None:
    """Write them for all files below `root`."""
    layout = Layout(root)
    files = (path for path in root.rglob("*") if path.is_file() and path != layout.checksums)
    paths = sorted(map(layout.inside, files))
    write_whole(layout.checksums, (f"{file_digest(root / path)}  {path}\n" for path in paths))
