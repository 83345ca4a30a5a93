"""The copies of exports that a study keeps: imported by hand, pulled, or simulated.

They name accounts by number and nobody by e-mail, and hold no draft and no prediction.
"""

from pairwright_human_eval.annotation_exports.imports import (
    ImportedFile,
    ImportResult,
    import_files,
    undo_import,
)
from pairwright_human_eval.annotation_exports.raw_files import (
    StoredFile,
    store_pulled,
    stored_annotations,
    stored_exports,
)

__all__ = [
    "ImportResult",
    "ImportedFile",
    "StoredFile",
    "import_files",
    "store_pulled",
    "stored_annotations",
    "stored_exports",
    "undo_import",
]
