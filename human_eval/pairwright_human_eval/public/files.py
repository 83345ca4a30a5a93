"""The public files of a study, read from a release."""

from pairwright.dataset import Layout, read_lines, read_one
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.public.records import Public, PublicStudy
from pairwright_human_eval.records import Verdict


def read_public(layout: Layout) -> Public | None:
    """The study of a release; None where nobody was asked.

    Raises InputError naming the file and line that is not what it should be.
    """
    if not any(path.exists() for path in (layout.study, layout.subjects, layout.verdicts)):
        return None
    return Public(
        read_one(layout.study, PublicStudy),
        tuple(read_lines(layout.subjects, Outline)),
        tuple(read_lines(layout.verdicts, Verdict)),
    )
