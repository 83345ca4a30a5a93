"""What is where in a spreadsheet of tasks.

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


def field_of(control: str) -> str:
    """The field of a form's control, with lines as a person counts them: `support_0` is
    `support_line_1`."""
    found = _CONTROL.fullmatch(control)
    return f"{found[1]}_line_{int(found[2]) + 1}" if found else control


def control_of(field: str) -> str:
    """The control that a field stands for. Sheets of older versions hold the control itself."""
    found = _FIELD.fullmatch(field)
    return f"{found[1]}_{int(found[2]) - 1}" if found else field
