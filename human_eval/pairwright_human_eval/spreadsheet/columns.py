"""What is where in a spreadsheet of tasks.

A row is something to read, or something to answer. `task` and `field` name what is answered, so
rows may be sorted, filtered and left out.
"""

TASK, FIELD, WHAT, TEXT, CHOICES, ANSWER = COLUMNS = (
    "task", "field", "what", "text", "choices", "answer",
)  # fmt: skip
"""The head of a sheet in English. The first two are the same in every language."""
COMMENT_FIELD, SKIP_WORD, MINUTES, CONSENT = "comment", "skip", "minutes", "consent"
YES = "yes"
"""Fields beside the controls of a form, the answer that skips a task, and the one that agrees."""
