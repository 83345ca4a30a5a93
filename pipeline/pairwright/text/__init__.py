"""Words, stems, runs and languages of texts: what retrieval, gates, sources and audits all measure
with. Nothing else cuts a text into words.

scripts.py      words and how many there are, of any script: between spaces, or runs of characters
languages.py    which language a text is in, and what is known of languages
stems.py        stems and content words, by language
stopwords.py    function words
runs.py         runs of words that two texts share
forms.py        a text without what no reader sees
"""

from pairwright.text.forms import canonical, normalised, number_of, passages, visible
from pairwright.text.languages import LANGUAGES, language, language_of
from pairwright.text.runs import (
    QUOTED_WORDS,
    WHOLE_WORDS,
    holds_run,
    near_duplicate,
    quoted_whole,
    shared_span,
    spans,
)
from pairwright.text.scripts import apart, opening, run_length, word_count, words
from pairwright.text.stems import Remembered, echo, jaccard, stem, stemmer, terms, terms_of
from pairwright.text.stopwords import STOPWORDS

__all__ = [
    "LANGUAGES", "QUOTED_WORDS", "STOPWORDS", "WHOLE_WORDS", "Remembered", "apart", "canonical",
    "echo", "holds_run", "jaccard", "language", "language_of", "near_duplicate", "normalised",
    "number_of", "opening", "passages", "quoted_whole", "run_length", "shared_span", "spans",
    "stem", "stemmer", "terms", "terms_of", "visible", "word_count", "words",
]  # fmt: skip
