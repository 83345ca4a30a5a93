"""Is a release what it says? Everything here needs only the release's folder.

release.py   `verify_release`: files and checksums, then answers, decisions, rows, manifest, audit
rows.py      one pass over the rows: ids, splits, twins, votes and decisions
"""

from pairwright.releases.verify.release import VerifiedRelease, VerifyProgress, verify_release

__all__ = ["VerifiedRelease", "VerifyProgress", "verify_release"]
