"""The audit of a release: written when it is made, and again when it is verified."""

from collections.abc import Callable
from pathlib import Path

from pairwright.audit.page import Sizes, write_page
from pairwright.audit.read.release import open_release
from pairwright.audit.records import Audit
from pairwright.audit.run import Options, audit, shortened
from pairwright.dataset import write_one
from pairwright_human_eval.public_study import ReleasedStudy


def write_audit(
    root: Path,
    public: ReleasedStudy | None,
    file: Path,
    page: Path,
    progress: Callable[[str, int | None], None] = lambda _what, _n: None,
) -> Audit:
    """Audit the rows of the release at `root`, and write audit.json and its page to two places.

    `public` is the release's study. Raises InputError where the rows cannot be read, and StoreError
    where the disk refuses. The same rows and study give the same bytes with the same libraries.
    """
    source, sizes = open_release(root), Sizes()
    found = audit(source.seen_by(sizes.add), Options(public=public), progress=progress)
    write_one(file, shortened(found))
    write_page(page, found, source.rows(), sizes, progress=progress)
    return found
