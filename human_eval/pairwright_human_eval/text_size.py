"""How large a text is, in what a reader sees at a glance."""

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pairwright.text import word_count

SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s|$)|[。！？]")
_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}|[-*+>]|\d+[.)])[ \t]+|[*`|#]", re.MULTILINE)
Sizes = NDArray[np.float64]
"""Shape (..., 3): characters, words, sentences."""


@lru_cache(maxsize=8192)
def size_of(text: str) -> Sizes:
    """Shape (3,), read-only, without list marks, bold marks and the like."""
    text = _MARKUP.sub("", text)
    sizes = [len(text), word_count(text), len(SENTENCE_END.findall(text))]
    found: Sizes = np.array(sizes, dtype=float)
    found.flags.writeable = False
    return found


def distance(sizes: Sizes, target: Sizes) -> Sizes:
    """How far sizes are from a target, shape (...): Euclidean, of the logarithms of characters, of
    characters a word and, twice each, of words and of words a sentence."""
    off = np.log((sizes + 1) / (np.maximum(target, 0) + 1))
    characters, words, sentences = off[..., 0], off[..., 1], off[..., 2]
    a_word, a_sentence = characters - words, words - sentences
    found: Sizes = np.sqrt(characters**2 + 2 * words**2 + a_word**2 + 2 * a_sentence**2)
    return found
