"""Every file of a release that is a function of its primary files.

context.py     what all of them are made of, computed once, and manifest.json, its record
build_summary.py study_summary.py audit_summary.py    the build, the human verification and the
               audit in brief: records that manifest.json holds, and rows of tables
sentences.py   what pages say, by topic: `sentences.jinja`, and `own_choice.toml` where the label is
               the user's own choice
pages.py       README.md, DATASHEET.md, LICENSE.md and CHANGELOG.md, from the templates beside it,
               in which every value is escaped; `columns.toml` says what each column holds
croissant.py   croissant.json
documents.py   files made of rows line by line, and all derived files in their order

Verifying a release derives these files again and compares. A new one gets a function here and a
line in `derived_files`.
"""

from pairwright.releases.derive.context import Manifest, ReleaseContext, make_manifest
from pairwright.releases.derive.documents import RowFiles, derived_files

__all__ = ["Manifest", "ReleaseContext", "RowFiles", "derived_files", "make_manifest"]
