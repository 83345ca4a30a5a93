"""Texts as cells of a spreadsheet, and back."""

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet may take for the start of a formula, or for the end of a cell."""
LONGEST = 30_000
"""Characters of a cell; Excel cuts off what is behind 32,767."""


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
