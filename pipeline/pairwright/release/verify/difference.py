"""Where a release is not what it says, with what is there and what must be."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pairwright.dataset import Layout
from pairwright.errors import Difference, InputError
from pairwright.release.records import Stated
from pairwright.version import code_digest

Progress = Callable[[str, int, int | None], None]
"""Called with what is being checked, how much of it is done, and of how much, where it is known."""
ANEW = (
    "Take the release anew from where it was published; if it is so there, too, tell its"
    " maintainers."
)
_LONGEST = 100


def difference(what: str, where: str) -> Difference:
    """The error to raise; names of files are shown so that a terminal stays whole."""
    return Difference(what, where=where if where.isprintable() else ascii(where), fix=ANEW)


def same(name: str, there: object, must: object, where: str) -> None:
    """Raise Difference unless what is there is what must be."""
    if there != must:
        raise difference(f"{name} is {shown(there)}, and must be {shown(must)}", where)


def shown(value: object) -> str:
    """A value for a message: escaped, and cut to about a hundred characters."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


@contextmanager
def by_another(stated: Stated) -> Iterator[None]:
    """Say of a difference in what is derived that other code wrote it, where it did: pages are
    worded, and figures estimated, by the code that wrote them."""
    try:
        yield
    except Difference as found:
        if stated.code == code_digest():
            raise
        told = f"Pairwright {stated.pairwright}, code {stated.code},"
        fix = f"{told} wrote this release, and this is another: verify it with that one."
        raise Difference(found.what, where=found.where, fix=fix) from None


@contextmanager
def reading(root: Path) -> Iterator[None]:
    """Turn what cannot be read inside the block into a Difference that names the place."""
    try:
        yield
    except InputError as error:
        raise difference(error.what, error.where.replace(f"{root}/", "", 1)) from None
    except RecursionError:
        # Of all that is read the audit alone has no schema that stops at a depth.
        name = Layout(root).audit.relative_to(root).as_posix()
        raise difference("is nested too deep to be read", name) from None
