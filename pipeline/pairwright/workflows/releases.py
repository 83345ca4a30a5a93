"""What is done with releases that are written: verifying, comparing and publishing them."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.options import Doc, ReleasePath
from pairwright.releases.changes import (
    TRIAL,
    SubjectChange,
    check_version,
    hashes_by_subject,
    resolve_forgotten,
    subject_changes,
)
from pairwright.releases.primary import Change, ReleaseFiles, read_release
from pairwright.releases.verify import VerifiedRelease
from pairwright.releases.verify import verify_release as verify_release
from pairwright.workflows.pair_audit import write_audit
from pairwright.workflows.progress import Progress, Step, log_notes


def verify(
    release: ReleasePath,
    digest: Annotated[
        str | None,
        Doc("The root digest that the release must have.", "sha256:...", name="--digest"),
    ] = None,
    *,
    progress: Progress = log_notes,
) -> VerifiedRelease:
    """Derive everything in a release again from its rows and raw verdicts, and compare.

    The audit is derived again, too. `digest` is the root digest that the release must have,
    `sha256:...`; without it, the folder is only compared with itself.

    Raises Difference at the first place that differs, and InputError where the folder is not a
    release.

        >>> verify("releases/1.0.0").rows
        412
    """
    return verify_release(
        Path(release),
        digest,
        lambda name, done, total: progress(Step(name, done, total)),
        write_audit=write_audit,
    )


@dataclass(frozen=True, slots=True)
class ReleaseName:
    """A release by its name, version and digest."""

    name: str
    version: str
    digest: str
    """The root digest."""


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """What one release has and another has not, or has otherwise."""

    before: ReleaseName
    after: ReleaseName
    subjects: tuple[SubjectChange, ...]
    """Every twin and pair that was added, removed or changed, and why."""
    counts: tuple[Change, ...]
    """Pairs, by configuration, change and reason."""
    same_dataset: bool
    """Whether both are releases, or trials, of a dataset of one name."""

    @property
    def reversed(self) -> bool:
        """Whether the first release is the later one."""
        first, second = (
            check_version(release.version.removesuffix(TRIAL))
            for release in (self.before, self.after)
        )
        return second < first

    def as_json(self) -> dict[str, JsonValue]:
        """The two releases, the counts, and every subject."""
        return {
            "before": asdict(self.before),
            "after": asdict(self.after),
            "counts": [change.model_dump() for change in self.counts],
            "subjects": [
                {**subject._asdict(), "pairs": list(subject.pairs)} for subject in self.subjects
            ],
        }


def diff(
    before: Annotated[str | Path, Doc("The folder of a release.", "A")],
    after: Annotated[str | Path, Doc("The folder of a later one.", "B")],
    *,
    progress: Progress = log_notes,
) -> ReleaseDiff:
    """Find which pairs one release has and a later one has not, or has otherwise, and why.

    A twin is one subject: its halves are added, removed and changed together. The reasons are those
    that the two releases hold themselves.

    Raises InputError where a folder is not a release, or its rows cannot be read.

        >>> [(change.what, change.pairs) for change in diff("1.0.0", "1.1.0").counts]
        [('added', 24), ('removed', 2)]
    """
    old, new = read_release(Path(before)), read_release(Path(after))
    progress(Step("reading rows"))
    before_rows, after_rows = hashes_by_subject(old.layout), hashes_by_subject(new.layout)
    changes = subject_changes(before_rows, after_rows, old.primary, new.primary)
    listed, counts = resolve_forgotten(changes, old, new)
    names = (release.primary.provenance.info.name for release in (old, new))
    same_dataset = len(set(names)) == 1
    return ReleaseDiff(_name(old), _name(new), tuple(listed), counts, same_dataset)


def _name(release: ReleaseFiles) -> ReleaseName:
    provenance = release.primary.provenance
    return ReleaseName(provenance.name, provenance.version, release.digest)


def publish(
    release: str | Path,
    name: str,
    *,
    digest: str | None = None,
    public: bool = False,
    progress: Progress = log_notes,
) -> tuple[VerifiedRelease, str, bool]:
    """Verify a release and publish it on the Hugging Face Hub as ORG/NAME, tagged with its version:
    what was verified, the address where it is, and whether that is private.

    `digest` is the root digest that the release must have. A dataset that does not exist yet is
    made, private unless `public`; one that exists stays as visible as it is. Needs the extra [hub]
    and the user's own login.

    Raises Difference where the release is not what its files say, and InputError where the name,
    the login or the network cannot be used.

        >>> publish("releases/1.0.0", "my-lab/my-pairs")[1]
        'https://huggingface.co/datasets/my-lab/my-pairs'
    """
    check_publication(name, trial=name.endswith("-trial"))
    from pairwright.releases.hub import push

    verified = verify(release, digest, progress=progress)
    return verified, *push(Path(release), name, verified, public=public)


def check_publication(name: str, *, trial: bool) -> None:
    """Raise InputError where a release of this kind cannot go to this name, or the extra is
    missing. To be called before any work."""
    try:
        from pairwright.releases.hub import check_name
    except ModuleNotFoundError as error:
        if error.name != "huggingface_hub":
            raise
        raise InputError(
            "to push, `huggingface_hub` is missing",
            where=name,
            fix=f"Run {install('hub')}.",
        ) from None
    check_name(name, trial=trial)
