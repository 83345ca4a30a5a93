"""Which language a text is in, with py3langid (97 languages, deterministic)."""

from functools import lru_cache

import py3langid


@lru_cache(maxsize=4096)
def language(passage: str) -> str:
    """The ISO 639-1 code of the most likely language."""
    code, _ = py3langid.classify(passage)
    return str(code)
