"""Function words: they carry no topic, so overlaps leave them out. They are in stopwords.toml."""

import re
import tomllib
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_name("stopwords.toml").read_text(encoding="utf-8"))
FURTHER = {code: frozenset(listed.split()) for code, listed in _TABLES["words"].items()}
"""By language, what the lists of bm25s lack; of English all."""
STOPWORDS = FURTHER["en"]

_RUNS: dict[str, list[str]] = {name: listed.split() for name, listed in _TABLES["runs"].items()}
_FUNCTION_CHARACTERS = frozenset("".join(_RUNS["characters"]))
_FUNCTION_RUNS = frozenset(_RUNS["chinese"] + _RUNS["korean"])
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]+")


def carries_nothing(gram: str) -> bool:
    """Whether a run of characters has only function words. Japanese writes its endings and
    particles in hiragana, so a run in hiragana alone counts as one of them, too."""
    return (
        _FUNCTION_CHARACTERS.issuperset(gram)
        or gram in _FUNCTION_RUNS
        or _HIRAGANA.fullmatch(gram) is not None
    )
