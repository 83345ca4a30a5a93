"""Publishing a release on the Hugging Face Hub: one commit that is the whole release, and a tag.

Nothing here prints or stores a token: `huggingface_hub` finds the login by itself.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pairwright.assets import install
from pairwright.errors import Difference, InputError
from pairwright.pairs import Layout
from pairwright.pairs.layout import read_checksums
from pairwright.progress import Progress, log_notes
from pairwright.releases.check import DOWNLOADED, CheckedRelease, check

try:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
    from huggingface_hub.errors import HfHubHTTPError
except ModuleNotFoundError as error:
    if error.name != "huggingface_hub":
        raise
    raise InputError(
        "to push, `huggingface_hub` is missing", where="--push", fix=f"Run {install('hub')}."
    ) from None

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_LOGIN = "Log in with `hf auth login`, or put a token that may write into HF_TOKEN."
_AGAIN = (
    "Use a name under which your login may write (`hf auth login`, HF_TOKEN); look whether somebody"
    " else changed the dataset; check network, HF_ENDPOINT and HF_HUB_OFFLINE; push again."
)


def publish(
    release: str | Path,
    name: str,
    *,
    digest: str | None = None,
    progress: Progress = log_notes,
) -> tuple[CheckedRelease, str, bool]:
    """Check a release, make ORG/NAME on the Hugging Face Hub hold exactly it, and tag that with its
    version. Returns what was checked, the address of the dataset, and whether it is private.

    `digest` is the root digest that the release must have. A dataset that does not exist yet is
    made, private; one that exists stays as visible as it is. The release goes up as
    one commit, so that no one loads a part of it. A version that is published is never changed.

    Raises Difference if the release is not what its files say, or is changed meanwhile. Raises
    InputError if the name, the login or the network cannot be used.
    """
    root = Path(release)
    if not _NAME.fullmatch(name):
        raise InputError("no name of a dataset", where=repr(name), fix="Give ORG/NAME.")
    checked = check(root, digest, progress=progress)
    # The files that the root digest stands for, and the one that lists them.
    sums = Layout(root).checksums.name
    digests = {sums: checked.digest.removeprefix("sha256:"), **read_checksums(root)}
    token = get_token()
    if not token:
        raise InputError("not logged in to the Hugging Face Hub", where=name, fix=_LOGIN)
    with _refusals(name, token):
        api = HfApi()
        api.create_repo(name, repo_type="dataset", private=True, exist_ok=True)
        refs = api.list_repo_refs(name, repo_type="dataset")
        if checked.version in {tag.name for tag in refs.tags}:
            raise InputError(
                f"version {checked.version} is published there, and stays as it is",
                where=name,
                fix="Release the next version with --previous, and push that.",
            )
        there = api.dataset_info(name)
        # What an earlier version had and this one has not is removed; what is the Hub's own stays.
        old = {file.rfilename for file in there.siblings or ()} - {*digests, *DOWNLOADED}
        commit = api.create_commit(
            name,
            [*(CommitOperationDelete(path) for path in sorted(old)), *_added(root, digests)],
            repo_type="dataset",
            commit_message=f"Version {checked.version}",
            commit_description=f"Root digest {checked.digest}",
            # Refused where somebody else has pushed meanwhile.
            parent_commit=there.sha,
        )
        api.create_tag(name, repo_type="dataset", tag=checked.version, revision=commit.oid)
    return checked, f"{api.endpoint}/datasets/{name}", bool(there.private)


def _added(root: Path, digests: Mapping[str, str]) -> Iterator[CommitOperationAdd]:
    """The files, each under the hash that was checked. Raises Difference."""
    for path, digest in digests.items():
        adding = CommitOperationAdd(path_in_repo=path, path_or_fileobj=root / path)
        if adding.upload_info.sha256.hex() != digest:
            fix = "Push again, and leave the folder alone meanwhile."
            raise Difference("was changed since it was checked", where=path, fix=fix)
        yield adding


@contextmanager
def _refusals(name: str, token: str) -> Iterator[None]:
    """Turn what the Hub or the network refuses into an InputError."""
    try:
        yield
    except (InputError, Difference):
        raise
    except Exception as error:  # whatever the Hub's client and the network raise
        # An upload's own error says which file it was, and its cause why.
        cause = error if isinstance(error, HfHubHTTPError) else error.__cause__ or error
        # A client or server may quote the header that it could not use, as it is or escaped.
        said = " ".join(str(cause).split())
        for quoted in (token, ascii(token)[1:-1]):
            said = said.replace(quoted, "...")
        what = f"not published: {type(cause).__name__}: {said}"
        raise InputError(what, where=name, fix=_AGAIN) from None
