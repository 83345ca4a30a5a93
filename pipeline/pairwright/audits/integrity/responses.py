"""Responses that break off, and responses in another language than the question."""

import random
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pairwright import text
from pairwright.audits.read.source import ReadRow
from pairwright.audits.records import Check, Flag, LimitComparison
from pairwright.audits.row_check import RowCheck, clip
from pairwright.estimate import Estimate
from pairwright.intervals import MOST, exact

LAST = 300
"""Characters of a response's end that are looked at."""
PEERS = 2_000
"""Characters above the last item of a list in which other items are looked for."""
SHORT = 12
"""Words of a response up to which it needs no end of a sentence: `Paris`, `15 cm`. No limit on
tokens is so low."""
# Closing marks and markup may follow a sentence's end. Emoji may be followed by what joins them. A
# mark that begins a quotation elsewhere ends one in German, without a space before it. Thai and Lao
# have no mark at the end of a sentence, so of these nothing is said to break off.
_ENDED = re.compile(
    "[.!?:;\u2026\u3002\uff01\uff0e\uff1f\uff61\u061f\u06d4\u0589\u0964\u0965\u104a\u104b"
    "\u1362\u17d4\u17d5\u0e01-\u0e4e\u0e81-\u0ece\u301c\uff5e)\\]}>|`%\u00b0\u00b2\u00b3\u00b9"
    "\u2070-\u209f\u2600-\u27bf\U0001f300-\U0001faff\u300d\u300f\u3011\u300b\u3009\uff09]"
    "[\u201c\u2018\u00ab]?[\\s\"'\u00bb\u201d\u2019*_~\ufe0f\u200d$]*$"
)
_LISTED = re.compile(r"(?:[-*\u2022+|#>]|\d{1,3}[.)])\s*\S")
# Addresses, numbers, formulas and hashtags are whole without a mark.
_WHOLE_WORD = re.compile(
    r"\S*(?:://|www\.|@\w)\S*|[^\w\s]{0,2}\d[\d.,:/x\u00d7-]*\w{0,3}|\S*\$[^$\n]{1,200}\$|#\w+"
)
_QUOTED = re.compile(r".*[\"'\u201c\u2018\u00ab][^\"\n]{1,200}[\"'\u201d\u2019\u00bb][*_]*$")
# The same in German: opening marks elsewhere close a quotation here.
_GERMAN_QUOTED = re.compile(
    '.*(?:\u201e[^\u201e\n]{1,200}[\u201c"]|\u00bb[^\u00bb\n]{1,200}\u00ab|\u201a[^\u201a\n]{1,200}\u2018)[*_]*$'
)
_LABELLED = re.compile(r"[*_]{0,2}\w[^:\n]{0,40}:[*_]{0,2} \S.{0,60}$")
# Where a sentence cannot end, however short it is. `C++` and `A+` are whole.
_GOES_ON = re.compile(r"(?:[,(\u2013\u2014/&=]|\s\+|\w-)$")
_OPEN = frozenset(
    """
    a an the this these those my your his her its our their and or but nor so because although
    while if when where which who whose that than as of in on at by for from with without to into
    onto about between through during after before under over is are was were be been being has have
    had will would can could should may might must do does did not very more most it he she they we
    i you then there
    """.split()
)
# A line of a program or of markup.
_CODE = re.compile(
    r"\s{2,}\S|\t\S|.*(?:[;{}]|\)|\w\(.*|[\w\])]\s*(?:[-+*/|]?=|:=|->|=>|<-)\s*\S.*|</?\w+.*)$"
    r"|\s*(?:return|import|from|def|class|for|while|if|elif|else|print|var|let|const|end|fi|done"
    r"|pass|break|continue|SELECT|FROM|WHERE|GROUP|ORDER|END)\b"
)


def breaks_off(response: str) -> bool:
    """Whether a response ends where nothing ends: no sentence, list, code, table, verse, formula,
    address or signature, and no answer of few words."""
    if response.count("```") % 2:
        return True
    body = response.rstrip()
    if not body or _ENDED.search(body[-LAST:]):
        return False
    above, _, last = body.rpartition("\n")
    if len(last) <= LAST and _listed(last):  # A longer item is a paragraph.
        return _goes_on(last) or _unlike_its_peers(above)
    end = body[-LAST:]
    *before, last = [line for line in end.split("\n") if line.strip()]
    return not _whole(last, before, len(end) < LAST)


def _listed(line: str) -> bool:
    return _LISTED.match(line.lstrip()) is not None


def _goes_on(line: str) -> bool:
    return bool(_GOES_ON.search(line)) or line.split()[-1].strip("*_").lower() in _OPEN


def _unlike_its_peers(above: str) -> bool:
    """Whether all items in the lines above an item, two and more, end as sentences do."""
    peers = above[-PEERS:]
    if len(above) > PEERS:
        peers = peers.partition("\n")[2]  # What is cut off a line may begin as an item does.
    others = [line.rstrip() for line in peers.split("\n") if _listed(line)]
    return len(others) > 1 and all(map(_ENDED.search, others))


def _whole(last: str, before: list[str], all_of_it: bool) -> bool:
    """Whether a line without a mark at its end may be the last one."""
    words = last.split()
    if _WHOLE_WORD.fullmatch(words[-1]) or _QUOTED.match(last) or _GERMAN_QUOTED.match(last):
        return True
    # Of a program two of the last lines are code, and the very last one is.
    if _CODE.match(last) and any(map(_CODE.match, before[-4:])):
        return True
    if last.endswith("$") and last.count("$") % 2 == 0:
        return True
    if _goes_on(last):
        return False
    if all_of_it and not before and text.word_count(last) <= SHORT:
        return True
    if before and len(words) < 4 and words[0][0].isupper() and len(before[-1].split()) < 5:
        return True  # a signature
    named = last.rpartition(":")[2].split(",")  # a list in one line
    if len(named) > 2 and all(len(one.split()) <= 3 for one in named):
        return True
    # Of a verse most lines end without a mark.
    bare = [line for line in before if not _ENDED.search(line) and not _listed(line)]
    verse = len(before) >= 2 and len(bare) > len(before) / 2
    return verse or _title(last) or _LABELLED.match(last) is not None


def _title(line: str) -> bool:
    """Whether nearly every longer word has a capital: a headline, or the name of who signs."""
    long = [word for word in line.split() if len(word) > 3 and word[0].isalpha()]
    capital = sum(word[0].isupper() for word in long)
    return bool(long) and capital >= 0.8 * len(long) and (len(long) > 1 or len(line.split()) < 4)


LEAST_SHARE = 0.01
"""The share of rows with one broken side up to which the check passes: so few reveal no side."""


class Endings:
    """`breaks_off`: rows of which one side ends without a sentence's end and the other does not;
    it fails where that is the rejected side, or the chosen, more often than by chance.

    Counted by cluster: of those in which the two sides differ, the share in which the rejected
    side breaks off more often, with its exact interval. Without a difference it is one half.
    """

    names = ("breaks_off",)

    def __init__(self) -> None:
        self._check = RowCheck("breaks_off", limit=None, others=None, by_config=True)
        self._balance: defaultdict[str, Counter[int]] = defaultdict(Counter)
        """By configuration and cluster: rows whose rejected side breaks off, less those whose
        chosen side does."""
        self._sides: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, line: ReadRow) -> None:
        row = line.row
        sides = (("chosen", row.chosen), ("rejected", row.rejected))
        broken = [side for side, response in sides if breaks_off(response)]
        self._sides[row.config].update(broken)
        self._check.add(row, f"the {broken[0]} side breaks off" if len(broken) == 1 else None)
        if len(broken) == 1:
            more = 1 if broken == ["rejected"] else -1
            self._balance[row.config][hash(row.cluster)] += more

    def checks(self) -> Iterator[LimitComparison]:
        for check in self._check.checks() if self._sides else ():
            sides = self._sides[check.config]
            detail = (
                f"{sides['chosen']:,} chosen and {sides['rejected']:,} rejected sides break off;"
                " the share is that of clusters in which the rejected side does so more often"
            )
            differ = [net for net in self._balance[check.config].values() if net]
            yield EndingsComparison(
                check.model_copy(update={"limit": 0.5, "detail": detail}),
                sum(net > 0 for net in differ),
                len(differ),
            )


class EndingsComparison(NamedTuple):
    """The share of clusters in which the rejected side breaks off more often, against one half."""

    found: Check
    rejected: int
    clusters: int

    def settled(self, level: float) -> bool:
        """Where few rows break off, the check passes, whatever their sides."""
        return self._few or self._differs(level)

    def check(self, level: float) -> Check:
        fails = not self._few and self._differs(level)
        return self.found.model_copy(
            update={
                "status": "fail" if fails else "pass",
                "found": _share(self.rejected, self.clusters, level, n=self.found.count or 0),
            }
        )

    @property
    def _few(self) -> bool:
        return (self.found.count or 0) <= LEAST_SHARE * self.found.of

    def _differs(self, level: float) -> bool:
        if not self.clusters:
            return False
        low, high = exact(self.rejected, self.clusters, level)
        return not low <= 0.5 <= high


def _share(k: int, of: int, level: float, *, n: int) -> Estimate:
    """k of `of` clusters with its exact interval; without one where there are none."""
    if not of:
        return Estimate(value=None, low=None, high=None, n=n, clusters=0)
    low, high = exact(k, of, level)
    return Estimate(
        value=round(k / of, 6), low=round(low, 6), high=round(high, 6), n=n, clusters=of
    )


SAMPLE = 1000
"""Rows of a configuration: classifying each would take longer than the rest of the audit."""
LIMIT = 0.05
"""The share of rows that may differ: a classifier of 142 languages errs on some short texts."""
LEAST_LETTERS = 100
"""Letters that tell a language."""
LEAST_LETTERS_UNSPACED = 30
"""The same in a script without spaces, or of Korean: about as many words."""


class _SampledRow(NamedTuple):
    order: int
    row: str
    cluster: int
    own_words: str
    sides: tuple[str, str]


class Languages:
    """`other_language`: rows with a side in another language than the question and the posts, on a
    sample."""

    names = ("other_language",)

    def __init__(self) -> None:
        self._chance = random.Random(0)
        self._rows: Counter[str] = Counter()
        self._samples: defaultdict[str, list[_SampledRow]] = defaultdict(list)

    def add(self, line: ReadRow) -> None:
        """Reservoir sampling (Vitter 1985, algorithm R): every row has the same chance."""
        row, sample = line.row, self._samples[line.row.config]
        number = self._rows[row.config]
        self._rows[row.config] += 1
        place = number if number < SAMPLE else self._chance.randrange(number + 1)
        if place >= SAMPLE:
            return
        own_words = " ".join((row.question[:450], *(post.text[:100] for post in row.profile[:5])))
        sides = row.chosen[:200], row.rejected[:200]
        taken = _SampledRow(number, row.id, hash(row.cluster), own_words[:450], sides)
        sample[place : place + 1] = [taken]

    def checks(self) -> Iterator[Check | LimitComparison]:
        for config in sorted(self._samples):
            sample = sorted(self._samples[config])
            judged = [(one, detail) for one in sample if (detail := _detail(one)) is not None]
            wrong = [(one, detail) for one, detail in judged if detail]
            check = Check(
                family="integrity",
                name="other_language",
                config=config,
                status="note",
                count=len(wrong),
                of=len(judged),
                limit=LIMIT,
                detail=f"a sample of {len(sample):,} of {self._rows[config]:,} rows, of which "
                f"{len(judged):,} are long enough to detect a language",
                flags=tuple(Flag(row=one.row, detail=clip(detail)) for one, detail in wrong),
            )
            clusters = {one.cluster for one, _ in judged}
            yield LanguageComparison(check, len(clusters)) if judged else check


class LanguageComparison(NamedTuple):
    """The share of rows with a side in another language, against LIMIT, by its exact interval."""

    found: Check
    clusters: int

    def settled(self, level: float) -> bool:
        return self._settled(level, self.found.of)

    def check(self, level: float) -> Check:
        n = self.found.of
        share = _share(self._wrong, n, level, n=n).model_copy(update={"clusters": self.clusters})
        settled, least = self.settled(level), exact(self._wrong, n, level)[0]
        needed = None
        if not settled and self._settled(level, MOST):
            # The fewest rows that settle the same share.
            needed = bisect_left(
                range(MOST), True, lo=n, key=lambda rows: self._settled(level, rows)
            )
        status = "too_few" if not settled else "fail" if least > LIMIT else "pass"
        return self.found.model_copy(update={"status": status, "found": share, "needed": needed})

    @property
    def _wrong(self) -> int:
        return self.found.count or 0

    def _settled(self, level: float, n: int) -> bool:
        """Whether the interval of the same share of n rows lies on one side of the limit."""
        low, high = exact(self._wrong * n / self.found.of, n, level)
        return low > LIMIT or high <= LIMIT


def _detail(sampled: _SampledRow) -> str | None:
    """Which side is in which language; empty if all agree, None if it cannot be told, as of
    short texts."""
    sides = [side for side in sampled.sides if _enough(side)]
    if not sides or not _enough(sampled.own_words):
        return None
    language_asked = text.language(sampled.own_words, enough=450)
    spoken = {code for side in sides if (code := text.language(side))}
    if language_asked is None or not spoken:
        return None
    if spoken == {language_asked}:
        return ""
    return f"{', '.join(sorted(spoken))} on a question in {language_asked}"


def _enough(passage: str) -> bool:
    """Whether the letters of a passage are enough to tell its language."""
    letters = list(filter(str.isalpha, passage))
    unspaced = 0 if passage.isascii() else sum(map(text.is_character_run, letters))
    return (len(letters) - unspaced) / LEAST_LETTERS + unspaced / LEAST_LETTERS_UNSPACED >= 1
