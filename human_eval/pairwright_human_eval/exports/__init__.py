"""What Label Studio exports, and the copies of it that a study keeps.

Reading is the only way in: whatever comes through here names accounts by number and nobody by
e-mail, and holds no draft and no prediction.
"""

from pairwright_human_eval.exports.clean import clean_task
from pairwright_human_eval.exports.imports import (
    ImportedFile,
    ImportResult,
    import_files,
    undo_import,
)
from pairwright_human_eval.exports.read import read_export
from pairwright_human_eval.exports.shape import Export, ExportedTask
from pairwright_human_eval.exports.store import StoredFile, store_pulled, stored_exports

__all__ = [
    "Export",
    "ExportedTask",
    "ImportResult",
    "ImportedFile",
    "StoredFile",
    "clean_task",
    "import_files",
    "read_export",
    "store_pulled",
    "stored_exports",
    "undo_import",
]
