"""Every file of a release that is a function of its primary files.

context.py     what all of them are made of, computed once, and manifest.json, its record
build_summary.py study_summary.py audit_summary.py    the build, the human verification and the
               audit in brief: records that manifest.json holds, and sentences and rows of pages
study_sentences.py    what pages say of the human verification
proof.py own_choice.py    what a verified pair proves, and what a user's own choice does
cautions.py    sentences on uses, people, biases and limits
markdown.py    templates in which every value is escaped
card.py (front_matter.py) pages.py licences.py croissant.py row_files.py    each file
documents.py   all of them

Verifying a release derives these files again and compares. A new one gets a function here and a
line in `derived_files`.
"""

from pairwright.release.derive.context import (
    Manifest,
    ReleaseContext,
    make_manifest,
    release_context,
)
from pairwright.release.derive.documents import derived_files

__all__ = ["Manifest", "ReleaseContext", "derived_files", "make_manifest", "release_context"]
