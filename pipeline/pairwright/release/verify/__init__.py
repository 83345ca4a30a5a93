"""Is a release what it says? Everything here needs the release's folder alone.

verify.py      the order of the checks, which stop at the first difference
folder.py      the files: all there, nothing besides, each with its hash
stated.py      version, kind, models and errata agree
history.py     every version goes on with the one before
outlines.py verdicts.py    people's part agrees with itself
units.py       what came of each unit: every subject is one that was kept
rows.py        one pass over the rows: ids, splits, profiles, and what each of these holds them to:
               twins.py, votes.py (people's decisions), evidence.py, parts.py (a file of rows)
manifest.py    the digests that the manifest states
documents.py   every file but the rows, written again and compared
audited.py     the audit speaks of these rows
audited_again.py page.py    the audit derived again, and its page where other libraries drew it
"""

from pairwright.release.verify.comparison import VerifyProgress
from pairwright.release.verify.release import VerifiedRelease, verify_release

__all__ = ["VerifiedRelease", "VerifyProgress", "verify_release"]
