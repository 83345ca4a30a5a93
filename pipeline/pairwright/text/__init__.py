"""Words, stems, runs and languages of texts, for retrieval, gates, sources and audits. No other
code splits a text into words.

scripts.py      words of any script and their number: between spaces, or runs of characters
languages.py    the language of a text, and what is supported in each language
stems.py        stems and content words, by language
stopwords.py    function words
runs.py         runs of words that two texts share
forms.py        invisible characters, and forms in which equal texts are equal
"""

from pairwright.text.forms import canonical, find_hidden, normalised, number_of, passages, visible
from pairwright.text.languages import LANGUAGES, language, language_of
from pairwright.text.runs import (
    QUOTED_WORDS,
    WHOLE_WORDS,
    find_whole_aspect,
    holds_run,
    near_duplicate,
    shared_span,
    spans,
)
from pairwright.text.scripts import opening, run_length, space_scripts, word_count, words
from pairwright.text.stems import WordCache, jaccard, stem, stemmer, terms, terms_of
from pairwright.text.stopwords import STOPWORDS

__all__ = [
    "LANGUAGES", "QUOTED_WORDS", "STOPWORDS", "WHOLE_WORDS", "WordCache", "canonical",
    "find_hidden", "find_whole_aspect", "holds_run", "jaccard", "language", "language_of",
    "near_duplicate", "normalised", "number_of", "opening", "passages", "run_length", "shared_span",
    "space_scripts", "spans", "stem", "stemmer", "terms", "terms_of", "visible", "word_count",
    "words",
]  # fmt: skip
