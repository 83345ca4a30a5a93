"""`pairwright human`: commands that end with an exit code."""

from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.cli.printing import print_words

if TYPE_CHECKING:
    from pairwright_human_eval.answers import ImportedAnswers


def print_import(result: "ImportedAnswers", run: Path) -> int:
    """Print which files were taken in, and what became of the answers."""
    print_words("import", result=result, run=run)
    return int(bool(result.refused))
