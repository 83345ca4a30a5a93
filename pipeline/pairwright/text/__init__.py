"""Words, stems, runs and languages of texts, for retrieval, gates, sources and audits. No other
code splits a text into words.

scripts.py      words of any script, their number and that of tokens
languages.py    the language of a text; by language what is supported, and the function words
overlap.py      content words and runs of words that two texts share
forms.py        a text without what no reader sees, and a quote to be found in it
"""

from pairwright.text.forms import (
    bare_quote,
    canonical,
    normalised,
    number_of,
    passages,
    visible,
)
from pairwright.text.languages import LANGUAGES, STOPWORDS, WORD_LENGTHS, language, language_of
from pairwright.text.overlap import (
    QUOTED_WORDS,
    echo,
    find_question,
    find_whole_aspect,
    holds_run,
    jaccard,
    near_duplicate,
    shared_span,
    spans,
    stemmer,
    terms,
    terms_of,
    words_with,
)
from pairwright.text.scripts import (
    is_character_run,
    run_length,
    token_estimate,
    word_count,
    words,
    words_of,
)

__all__ = [
    "LANGUAGES", "QUOTED_WORDS", "STOPWORDS", "WORD_LENGTHS", "bare_quote", "canonical", "echo",
    "find_question", "find_whole_aspect", "holds_run", "is_character_run", "jaccard",
    "language", "language_of", "near_duplicate", "normalised", "number_of", "passages",
    "run_length", "shared_span", "spans", "stemmer", "terms", "terms_of", "token_estimate",
    "visible", "word_count", "words", "words_of", "words_with",
]  # fmt: skip
