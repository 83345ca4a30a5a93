"""Is a release what it says? All checks here need only the release's folder.

release.py     `verify_release`: the checks in their order; they stop at the first difference
comparison.py  a file compared with what it must be, and the files: all are there, none besides
provenance.py  version, kind, models, history and errata agree; each kept unit has a subject
study.py       what people were asked, and their answers, agree with the study
rows.py        one pass over the rows: ids, splits, twins, votes, evidence, and the files of rows
audit.py       the audit is of these rows, and is the one that they give again
"""

from pairwright.release.verify.comparison import VerifyProgress
from pairwright.release.verify.release import VerifiedRelease, verify_release

__all__ = ["VerifiedRelease", "VerifyProgress", "verify_release"]
