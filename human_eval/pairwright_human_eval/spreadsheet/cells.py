"""The cells of a spreadsheet of tasks: what is where, and texts as cells and back.

A row is something to read, or something to answer. `task` and `field` name what is answered, so
rows may be sorted, filtered and left out.
"""

import re

TASK, FIELD, WHAT, TEXT, CHOICES, ANSWER = COLUMNS = (
    "task", "field", "what", "text", "choices", "answer",
)  # fmt: skip
"""The head of a sheet in English. The first two are the same in every language."""
COMMENT_FIELD, SKIP_WORD, MINUTES, CONSENT = "comment", "skip", "minutes", "consent"
YES = "yes"
"""Fields beside the controls of a form, the answer that skips a task, and the one that agrees."""
_CONTROL = re.compile(r"(support|delivered)_(\d{1,6})")
_FIELD = re.compile(r"(support|delivered)_line_([1-9]\d{0,5})")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet may take for the start of a formula, or for the end of a cell."""
LONGEST = 30_000
"""Characters of a cell; Excel cuts off what is behind 32,767."""


def field_of(control: str) -> str:
    """The field of a form's control, with lines as a person counts them: `support_0` is
    `support_line_1`."""
    found = _CONTROL.fullmatch(control)
    return f"{found[1]}_line_{int(found[2]) + 1}" if found else control


def control_of(field: str) -> str:
    """The control that a field stands for. Sheets of older versions hold the control itself."""
    found = _FIELD.fullmatch(field)
    return f"{found[1]}_{int(found[2]) - 1}" if found else field


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it where one
    might."""
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if (begins in _FORMULA and begins) or begins == "'" else text


def unguarded(cell: str) -> str:
    """The text that `guarded` made the cell of."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


def pieces(text: str) -> list[str]:
    """A text in parts that each fit into a cell."""
    return [text[n : n + LONGEST] for n in range(0, len(text), LONGEST)] or [""]
