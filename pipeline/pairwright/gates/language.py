"""Which language a text is in, with py3langid (97 languages, deterministic)."""

from functools import lru_cache

import py3langid

ENOUGH = 200
"""Characters that tell a language; classifying costs time for each one."""


def language(passage: str, enough: int = ENOUGH) -> str:
    """The ISO 639-1 code of the most likely language of a passage's beginning."""
    return _classify(passage[:enough])


@lru_cache(maxsize=4096)
def _classify(passage: str) -> str:
    code, _ = py3langid.classify(passage)
    return str(code)
