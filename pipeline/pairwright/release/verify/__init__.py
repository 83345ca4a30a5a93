"""Is a release what it says? All checks here need only the release's folder.

release.py     `verify_release`: the checks in their order; they stop at the first difference
folder.py      the files: all are there, none besides, each with its hash
provenance.py  version, kind, models, history and errata agree; each kept unit has a subject
study.py       what people were asked, and their answers, agree with the study
rows.py        one pass over the rows: ids, splits, profiles, licences, and the files of rows
row_checks.py  what each row is held to besides: its twin, its votes, its evidence
audit.py audit_page.py    the audit is of these rows, and is the one that they give again
comparison.py  a file compared with what it must be, and the error that names the difference
"""

from pairwright.release.verify.comparison import VerifyProgress
from pairwright.release.verify.release import VerifiedRelease, verify_release

__all__ = ["VerifiedRelease", "VerifyProgress", "verify_release"]
