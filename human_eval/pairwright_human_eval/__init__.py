"""Human verification: blind tasks out, annotations back, verdicts, agreement, decisions.

Everything here works on files and records; the command line puts it together with a run folder.
"""

from typing import Literal

AnnotationTool = Literal["label-studio", "spreadsheet"]
"""What annotators work with."""
SERVER_TOOL: Literal["label-studio"] = "label-studio"
"""The tool that has a server."""

LONGEST_MINUTES = 15.0
"""What a task that was open counts for at most, in pay and in plans."""
