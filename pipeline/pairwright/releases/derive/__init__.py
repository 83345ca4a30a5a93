"""Every file of a release that is a function of its primary files.

context.py         what all of them are made of, computed once, and manifest.json, its record
card.py            README.md and LICENSE.md, from the templates beside it, in which every value is
                   escaped; `columns.toml` says what each column holds
statements.jinja   what card and Croissant say, by topic
croissant.py       croissant.json
documents.py       files made of rows line by line, and all derived files in their order
"""

from pairwright.releases.derive.context import Manifest, ReleaseContext, make_manifest
from pairwright.releases.derive.documents import RowFiles, derived_files

__all__ = ["Manifest", "ReleaseContext", "RowFiles", "derived_files", "make_manifest"]
