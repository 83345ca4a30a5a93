"""Which texts go through a model together: those of about the same length."""

from collections.abc import Iterator
from typing import NamedTuple

SHORTEST = 0.8
"""Of the longest of a batch: no more than a fifth of what is computed is padding."""


class Text(NamedTuple):
    """A conversation as the model reads it."""

    ids: tuple[int, ...]
    """Tokens, chat template and all."""
    response: int
    """The place of the response's first token, where the model tells them apart."""


def batches(texts: list[Text], tokens: int) -> Iterator[list[int]]:
    """Places of all texts, in groups of at most `tokens` tokens, padding included.

    The longest come first: what does not fit into memory is known at once. A text that is longer
    than `tokens` goes alone.
    """
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place].ids))
    batch: list[int] = []
    for place in order:
        longest = len(texts[batch[0]].ids) if batch else 0
        full = (len(batch) + 1) * longest > tokens
        if batch and (full or len(texts[place].ids) < SHORTEST * longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
