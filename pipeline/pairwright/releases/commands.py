"""What is done with releases that are written: verifying, comparing and publishing them, and having
the next one go without somebody."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument, Option

from pairwright.audits.run import write_audit
from pairwright.construct.folder import RunFolder
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.lines import read_lines
from pairwright.options import ReleasePath, RunPath
from pairwright.pairs.address import ForgetList, address_of, url_name
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import Item, pseudonym
from pairwright.releases.changes import SubjectChange, subject_changes
from pairwright.releases.primary import Provenance, read_release
from pairwright.releases.run_notes import add_tombstones
from pairwright.releases.selection import subjects_in
from pairwright.releases.verify import VerifiedRelease
from pairwright.releases.verify import verify_release as verify_release
from pairwright_human_eval.units import Unit

_PSEUDONYM = re.compile(r"user-[0-9a-f]{16}")


def verify(
    release: ReleasePath,
    digest: Annotated[
        str | None, Option(help="The root digest to expect.", metavar="sha256:...")
    ] = None,
    *,
    progress: Progress = log_notes,
) -> VerifiedRelease:
    """Derive decisions, rows, counts and the audit's figures of a release again, and compare.

    Needs the folder alone. Stops at the first difference and names its place; then the exit code is
    1.

    --push publishes what was verified, tagged with its version. It needs the extra [hub] and your
    own login: `hf auth login`, or HF_TOKEN. A new dataset is private, so that it can be looked at
    first; one that exists stays as visible as it is.

    Raises Difference at the first place that differs, and InputError where the folder is not a
    release.

        >>> verify("releases/1.0.0").rows
        412

    Examples::

        pairwright verify releases/1.0.0 --digest sha256:...
        pairwright verify releases/1.0.0 --push my-lab/my-pairs
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
    before: Annotated[Path | str, Argument(help="The folder of a release.", metavar="A")],
    after: Annotated[Path | str, Argument(help="The folder of a later one.", metavar="B")],
    *,
    progress: Progress = log_notes,
) -> ReleaseDiff:
    """Compare two releases: pairs added, removed or changed, and why.

    The halves of a twin are added, removed and changed together. No release names who asked to be
    forgotten.

    Raises InputError where a folder is not a release, or its rows cannot be read.

        >>> diff("1.0.0", "1.1.0").counts
        {('Home-twin', 'added', 'new'): 24, ('Home-twin', 'removed', 'refused'): 2}

    Examples::

        pairwright diff releases/1.0.0 releases/1.1.0
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


@dataclass
class Removal:
    """One user or address that is to be forgotten, and what of the run it concerns."""

    given: str
    """The user's id or the address, as it was named."""
    name: str
    forgotten: ForgetList
    """This one alone."""
    items: int = 0
    posts: set[str] = field(default_factory=set)
    """Ids."""
    pairs: int = 0
    twins: int = 0
    """Those among the pairs; each has two of them."""
    new: bool = True
    """False where it had been recorded before."""

    @property
    def found(self) -> bool:
        return bool(self.items or self.pairs)

    def add_item(self, item: Item) -> None:
        histories = {item.user: item.profile}
        if item.opposite:
            histories[item.opposite.other] = item.opposite.profile
        own = {user for user in histories if pseudonym(user) in self.forgotten.users}
        named = [
            post.id
            for user, posts in histories.items()
            for post in posts
            if user in own or self.forgotten.holds(None, [post])
        ]
        if own or named or self.forgotten.concerns(item):
            self.items += 1
            self.posts.update(named)

    def add_subject(self, subject: Unit) -> None:
        """A twin is left out whole, whichever half is concerned."""
        if any(map(self.forgotten.concerns, subject.pairs)):
            self.pairs += len(subject.pairs)
            self.twins += len(subject.pairs) == 2


def forget(
    run: RunPath,
    *,
    users: Annotated[
        Iterable[str], Option("--user", help="An id or a pseudonym; repeatable.", metavar="USER")
    ] = (),
    urls: Annotated[
        Iterable[str], Option("--url", help="Of a post or question; repeatable.", metavar="URL")
    ] = (),
    progress: Progress = log_notes,
) -> tuple[tuple[Removal, ...], tuple[str, ...]]:
    """Record who or what is to be forgotten: the next release goes without it.

    Every pair made of that user's or that address's posts, or with a response by that user, is left
    out, twins whole, with the answers on it. RUN/forgotten.jsonl holds hashes only; recording
    somebody again is harmless. The run folder itself still holds the posts. Exits with 1 if
    somebody or something named is nowhere in the run.

    Raises InputError where nothing is named, or an address is not one. Returns what was recorded,
    and what is nowhere in the run.

    Examples::

        pairwright forget runs/first --user 4711
        pairwright forget runs/first --url https://cooking.stackexchange.com/q/123
    """
    run = Path(run)
    RunFolder(run).settings()
    traces = [*(trace for user in users for trace in _user(user)), *map(_address, urls)]
    if not traces:
        raise InputError(
            "nobody and nothing is named", where=run, fix="Give --user or --url, or several."
        )
    progress(Step("looking through the run"))
    for item in read_lines(RunFolder(run).items, Item):
        for trace in traces:
            trace.add_item(item)
    # Without the file the run's first build has not finished.
    if (run / "pairs.jsonl").exists():
        for _, subject in subjects_in(run / "pairs.jsonl"):
            for trace in traces:
                trace.add_subject(subject)
    present = {trace.given for trace in traces if trace.found}
    traces = [trace for trace in traces if trace.found or trace.given not in present]
    new = set(add_tombstones(run, (trace.name for trace in traces)))
    for trace in traces:
        trace.new = trace.name in new
    return tuple(traces), tuple(dict.fromkeys(trace.given for trace in traces if not trace.found))


def _user(user: str) -> Iterator[Removal]:
    """What looks like a pseudonym may be the source's own id: only the run can tell."""
    if not user.strip():
        raise InputError("names nobody", where="--user", fix="Give a user's id in the source.")
    for name in (pseudonym(user), *([user] if _PSEUDONYM.fullmatch(user) else [])):
        yield Removal(user, name, ForgetList(users=frozenset({name})))


def _address(text: str) -> Removal:
    address = address_of(text)
    if address is None or "." not in address.host or re.search(r"\s", text.strip()):
        raise InputError(
            f"{text!r} is not an address",
            where="--url",
            fix="Give it as a browser shows it, such as https://cooking.stackexchange.com/q/123.",
        )
    name = url_name(text)
    return Removal(text, name, ForgetList(urls=frozenset({name})))
