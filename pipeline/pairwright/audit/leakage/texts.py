"""The distinct texts of all rows, numbered as they come, and where they stand."""

from array import array

import numpy as np
import pandas as pd

QUESTION, CHOSEN, REJECTED, POST = 0, 1, 2, 3
"""Places in a row; posts are numbered on from `POST`."""


def place_name(place: int) -> str:
    return ("question", "chosen", "rejected")[place] if place < POST else f"post {place - POST + 1}"


class Texts:
    """Numbers for texts, of which only a hash is kept."""

    def __init__(self) -> None:
        # Python's own hash, which a text that is seen again has at hand. It differs from run to
        # run; the numbers given do not.
        self._numbers: dict[int, int] = {}
        self._rows, self._places, self._texts = array("I"), array("I"), array("I")

    def add(self, row: int, place: int, text: str) -> bool:
        """Note that a text stands there; True where it was not seen before."""
        key, known = hash(text), len(self._numbers)
        self._rows.append(row)
        self._places.append(place)
        self._texts.append(self._numbers.setdefault(key, known))
        return len(self._numbers) > known

    def standing(self) -> pd.DataFrame:
        """Columns row, place and text: a line for each place that a text stands in."""
        columns = {"row": self._rows, "place": self._places, "text": self._texts}
        return pd.DataFrame({name: np.array(of, np.int64) for name, of in columns.items()})
