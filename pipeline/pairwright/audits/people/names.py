"""Kinds of personal data and findings of them; handles, and names that people give or sign with.
Other names would need a language model.

Every pattern of this package starts at the edge of a word and repeats a bounded number of times,
so that a text costs at most some dozens of steps for each character.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pairwright import text as words


class Finding(NamedTuple):
    """Personal data in a text: `text[start:end]`."""

    kind: str
    """The name of its kind's check."""
    start: int
    end: int


class DataKind(NamedTuple):
    """One kind of personal data."""

    name: str
    """The name of its check."""
    find: Callable[[str], Iterator[Finding]]
    """Everything of this kind in a text."""
    fails: bool = False
    """Whether a row that holds it fails the check: by it anybody can reach or rob a person, or pass
    for one. The other kinds are public names, often of somebody famous: they are noted and
    logged."""
    needs_digits: bool = False
    """Whether a text without a digit cannot hold it."""
    covers: str = ""
    """What is looked for, where that is less than the check's title says."""


def mask(text: str, finding: Finding) -> str:
    """A finding as a report may show it: its first character and its form."""
    own = text[finding.start : finding.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])


_BEFORE = re.compile(r"[\w.,+/$\u20ac\u00a3-]")


def starts_alone(text: str, start: int) -> bool:
    """Whether what begins at `start` is not part of a longer number or name. This is checked after
    a match, because a pattern that begins with a look back is slow."""
    return start == 0 or not _BEFORE.match(text, start - 1)


_HANDLE = re.compile(
    r"(?<![\w@.+/\\{}-])@(?P<at>[A-Za-z_][A-Za-z0-9_]{2,29})(?![\w@({/=:]|[.-]\w)"
    r"|(?<![\w/.])/?u/(?P<slash>[A-Za-z0-9_-]{3,20})(?![\w/-])"
)
# What follows an @ in code, style sheets and bibliographies, and idioms.
_NOBODY = frozenset(
    """
    override param return returns property import media page charset keyframes include mixin
    extend article book inproceedings misc techreport phdthesis staticmethod classmethod
    dataclass test before after autowired component entity deprecated see since throws todo
    home work here all everyone channel least most anyone someone
    """.split()
)
UPPER = (
    "A-Z\u00c0-\u00d6\u00d8-\u00de\u0104\u0106\u010c\u010e\u0118\u011a\u0130\u0141\u0143\u0147\u0150\u0158\u015a"
    "\u015e\u0160\u0164\u016e\u0170\u0179\u017b\u017d\u0410-\u042f"
)
"""Capitals of European alphabets, for a class of characters."""
_PART = rf"[{UPPER}][\w'\u2019-]{{1,30}}"
_MORE = rf"(?: (?:[{UPPER}]\.|v[ao]n(?: de[rn]?)?|de(?: la)?|d[aiu]|la|el|al|bin|{_PART})){{0,3}}"
_CALLED = re.compile(
    rf"\b(?:[Mm]y|MY)(?: full| real| first| last)? name(?:'s|\u2019s| is)"
    rf" (?P<name>{_PART}(?: {_PART}){{0,3}})"
    r"|\b(?:[Ii]ch hei(?:\u00df|ss)e|[Mm]ein Name ist|[Jj]e m['\u2019]appelle|[Mm]e llamo"
    r"|[Mm]i chiamo|[Nn]azywam si\u0119|[Mm]am na imi\u0119|[Jj]ag heter|[Ii]k heet|[Mm]e chamo)"
    rf" (?P<other>{_PART}{_MORE})"
)
_CALLED_WORDS = frozenset(
    "name name's heisse m'appelle llamo chiamo nazywam imi\u0119 heter heet chamo".split()
)
"""Without one of these words there is no such phrase; the same of `_SIGNED_WORDS`."""
# A first name and a last one; behind a greeting one is enough. "I am Legend" is a film.
_INTRODUCED = re.compile(
    rf"(?:[Ii]['\u2019]m|[Ii] am|(?P<thing>[Tt]his is)) (?P<name>{_PART}{_MORE})(?![\w'\u2019-])"
)
_INTRODUCED_MARKS = ("'m ", "\u2019m ", "I am ", "i am ", "his is ")
_GREETING = re.compile(
    r"\b(?:hi|hello|hey|greetings)(?: there| all| everyone| folks| everybody)?[,.!:]? ?"
    r"[\u2013\u2014-]? ?$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab_*\w]\Z")
_VALEDICTION = (
    r"(?:(?:(?:[Kk]ind|[Bb]est|[Ww]arm)(?:est)? )?(?:[Rr]egards|[Ww]ishes)|[Bb]est|[Cc]heers"
    r"|[Tt]hanks(?: in advance| a lot| so much| again| for [^\n]{3,40}?)?"
    r"|[Tt]hank you(?: in advance| so much| very much)?|[Ss]incerely(?: yours)?|[Ll]ove"
    r"|[Yy]ours(?: truly| sincerely| faithfully)?|[Rr]espectfully|[Aa]ll the best|[Tt]ake care"
    r"|[Gg]reetings|[Mm]it freundlichen Gr\u00fc\u00dfen|[Vv]iele Gr\u00fc\u00dfe"
    r"|[Cc]ordialement|[Ss]aludos|[Pp]ozdrawiam|[Ss]igned)"
)
_SIGNED = re.compile(
    rf"(?:^|\n|[.!?] )[ \t>*_]{{0,4}}{_VALEDICTION}[ \t]?[,.!:\u2013\u2014-]{{0,3}}"
    r"(?P<gap>\s{1,4})"
    rf"[~\u2013\u2014-]{{0,2}} ?(?P<name>{_PART}{_MORE})[.!]?[ \t*_]{{0,4}}(?=\n|$)"
    rf"|\n[ \t]{{0,4}}(?:[~\u2013\u2014]|--)[ \n]{{0,2}}"
    rf"(?P<dash>{_PART}{_MORE})[.!]?\s{{0,4}}$"
)
_TAIL = 300
"""Characters of a text's end in which it is signed."""
_SIGNED_WORDS = frozenset(
    """
    regards wishes best cheers thank thanks sincerely love yours respectfully care greetings
    gr\u00fcssen gr\u00fcsse cordialement saludos pozdrawiam signed
    """.split()
)
_DASHES = ("\n~", "\n--", "\u2013", "\u2014")
# Capitalised words that are what somebody is, not who.
_NOT_A_NAME = frozenset(
    """
    african american arab argentinian armenian asian australian austrian belgian brazilian british
    bulgarian canadian catholic chilean chinese christian colombian croatian czech danish dutch
    egyptian english estonian european filipino finnish french german greek hindu hispanic hungarian
    indian indonesian iranian iraqi irish israeli italian jamaican japanese jewish kenyan korean
    latin latina latino latvian lebanese lithuanian malaysian mexican moroccan muslim nigerian
    norwegian orthodox pakistani persian peruvian polish portuguese protestant romanian russian
    scottish serbian sikh singaporean slovak slovenian spanish swedish swiss syrian taiwanese thai
    turkish ukrainian vietnamese welsh monday tuesday wednesday thursday friday saturday sunday
    january february april june july august september october november december god king queen
    president doctor professor captain iron spider bat super man woman linux windows mac python
    java android apple google everyone everybody guys folks team internet reddit sir madam world
    edit update note ps
    """.split()
)


def handles(text: str) -> Iterator[Finding]:
    if "@" in text or "u/" in text:
        for match in _HANDLE.finditer(text):
            if (match["at"] or "").lower() not in _NOBODY:
                yield Finding("handle", *match.span())


def stated_names(text: str) -> Iterator[Finding]:
    """What people say they are called, how they introduce themselves, and what they sign with."""
    own = words.words(text)
    if not _CALLED_WORDS.isdisjoint(own):
        for match in _CALLED.finditer(text):
            yield Finding("stated_name", *match.span("name" if match["name"] else "other"))
    if any(map(text.__contains__, _INTRODUCED_MARKS)):
        for match in _INTRODUCED.finditer(text):
            before = text[max(0, match.start() - 30) : match.start()]
            greeted = _GREETING.search(before)
            if match["thing"] and not greeted:
                continue
            enough = 1 if greeted else 2
            if not _QUOTED.search(before) and _is_person(match["name"], enough):
                yield Finding("stated_name", *match.span("name"))
    start = max(0, len(text) - _TAIL)
    signed = not _SIGNED_WORDS.isdisjoint(own) or any(map(text[start:].__contains__, _DASHES))
    for match in _SIGNED.finditer(text, start) if signed else ():
        group = "name" if match["name"] else "dash"
        # "Thanks, Jane" on one line speaks to Jane.
        enough = 1 if group == "dash" or "\n" in match["gap"] else 2
        if _is_person(match[group], enough):
            yield Finding("stated_name", *match.span(group))


def _is_person(name: str, enough: int) -> bool:
    """Whether so many words are there, and none is an ordinary word that a capital was put to."""
    parts = name.split()
    plain = {part.lower().strip("'\u2019") for part in parts}
    ordinary = plain & (_NOT_A_NAME | words.STOPWORDS - _NAMES_TOO)
    return len(parts) >= enough and not ordinary and not name.isupper()


_NAMES_TOO = frozenset(("may", "will"))


NAMES = (DataKind("handle", handles), DataKind("stated_name", stated_names))
