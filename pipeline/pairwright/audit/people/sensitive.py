"""Rows on subjects that can harm people when others know of them.

The special categories of the GDPR (article 9) and what courts deal with (article 10), as far as
LaMP-QA's subcategories and a short list of words show them.
"""

from collections import Counter

from pairwright import text
from pairwright.audit.row_check import TEXT, remembering_check
from pairwright.dataset import Row

CATEGORIES = {
    "health": ("health", "fitness"),
    "religion": ("buddhism", "christianity", "hermeneutics", "hinduism", "islam", "judaism"),
    "law": ("law",),
    "politics": ("politics",),
    "family": ("interpersonal", "parenting"),
    "origin": ("expatriates", "genealogy"),
    "money": ("money",),
}
WORDS = {
    "health": """
        abortion alcoholic antidepressant anxiety autism autistic bipolar cancer chemotherapy
        dementia depressed depression diabetes diabetic diagnosed disability disabled hiv illness
        insulin medication miscarriage overdose pregnancy pregnant psychiatrist psychotherapy
        schizophrenia suicidal suicide symptoms therapist
        """,
    "religion": """
        atheist baptised baptism bible buddhist catholic christian church hindu imam islam islamic
        jewish judaism mosque muslim pastor priest protestant quran rabbi sabbath synagogue torah
        """,
    "law": """
        arrested attorney convicted court custody defendant felony jail lawsuit lawyer parole
        plaintiff prison probation sued
        """,
    "politics": """
        communist conservatives democrats election fascist liberals nazi parliament republicans
        senator socialist voted
        """,
    "sexuality": """
        bisexual erection gay genitals heterosexual homosexual intercourse lesbian masturbation
        orgasm porn pornography rape sexual sexuality sexually transgender
        """,
}
LEAST_WORDS = 2
"""The least number of words of a list in one text: a single one is often a figure of speech."""
_COVERED = (
    "only English words are looked for, and two of one list are needed in one text, or a category "
    "of LaMP-QA: other languages and single words are not found"
)
_GROUP_OF = {name: group for group, names in CATEGORIES.items() for name in names}
_WORDS = {group: frozenset(words.split()) for group, words in WORDS.items()}
_ANY = frozenset().union(*_WORDS.values())


class _Groups:
    """The groups of the rows read so far."""

    def __init__(self) -> None:
        self.rows: Counter[str] = Counter()
        self.by_text: dict[int, frozenset[str]] = {}
        """By a text's hash."""

    def details(self) -> str:
        counts = sorted(self.rows.items(), key=lambda item: (-item[1], item[0]))
        found = ", ".join(f"{group} {n:,}" for group, n in counts)
        return "; ".join(filter(None, (found, _COVERED)))


@remembering_check("sensitive", _Groups, limit=None, others=None, details=_Groups.details)
def sensitive(row: Row, seen: _Groups) -> str:
    """A note of how many rows there are, by group."""
    categories = (row.category, *(post.category for post in row.profile))
    groups = {_GROUP_OF[name.lower()] for name in categories if name.lower() in _GROUP_OF}
    for passage in (row.question, row.narrative or "", *(post.text for post in row.profile)):
        key = hash(passage)
        if key not in seen.by_text:
            seen.by_text[key] = sensitive_groups(passage)
        groups |= seen.by_text[key]
    seen.rows.update(groups)
    return ", ".join(sorted(groups))


def sensitive_groups(passage: str) -> frozenset[str]:
    """The groups of subjects to which the words of a text belong."""
    words = _ANY.intersection(text.words(passage[:TEXT]))
    return _NONE if len(words) < LEAST_WORDS else _groups(words)


_NONE: frozenset[str] = frozenset()


def _groups(words: frozenset[str]) -> frozenset[str]:
    return frozenset(group for group, own in _WORDS.items() if len(own & words) >= LEAST_WORDS)
