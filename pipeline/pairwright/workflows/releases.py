"""What is done with releases that are written: verifying, comparing and publishing them."""

from collections import Counter
from pathlib import Path
from typing import Annotated, NamedTuple

from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.options import Doc, ReleasePath
from pairwright.releases.changes import SubjectChange, subject_changes
from pairwright.releases.primary import Provenance, read_release
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


class ReleaseDiff(NamedTuple):
    """What one release has and another has not, or has differently."""

    before: Provenance
    after: Provenance
    changes: tuple[SubjectChange, ...]
    """Every twin and pair that was added, removed or changed, and why."""

    @property
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Pairs by configuration, change and reason."""
        counts = Counter[tuple[str, str, str]]()
        for one in self.changes:
            counts[one.config, one.what, one.reason] += len(one.pairs)
        return dict(sorted(counts.items()))


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

        >>> diff("1.0.0", "1.1.0").counts
        {('Home-twin', 'added', 'new'): 24, ('Home-twin', 'removed', 'refused'): 2}
    """
    old, new = read_release(Path(before)), read_release(Path(after))
    progress(Step("reading rows"))
    changes = subject_changes(old.layout, new.layout, old.primary, new.primary)
    return ReleaseDiff(old.primary.provenance, new.primary.provenance, tuple(changes))


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
