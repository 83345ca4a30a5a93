"""Responses that break off. Where one side does so more often, that reveals the side."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pairwright import text
from pairwright.audit.read.source import ReadRow
from pairwright.audit.records import Check, LimitComparison
from pairwright.audit.row_check import RowCheck
from pairwright.estimate import Estimate
from pairwright.intervals import exact

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
    if _WHOLE_WORD.fullmatch(words[-1]) or _quoted(last) or _code(last, before):
        return True
    if last.endswith("$") and last.count("$") % 2 == 0:
        return True
    if _goes_on(last):
        return False
    if all_of_it and not before and text.word_count(last) <= SHORT:
        return True
    if before and len(words) < 4 and words[0][0].isupper() and len(before[-1].split()) < 5:
        return True  # a signature
    return _title(last) or _items(last) or _LABELLED.match(last) is not None or _verse(before)


def _quoted(line: str) -> bool:
    """Whether a line ends in a quotation."""
    return bool(_QUOTED.match(line) or _GERMAN_QUOTED.match(line))


def _title(line: str) -> bool:
    """Whether nearly every longer word has a capital: a headline, or the name of who signs."""
    long = [word for word in line.split() if len(word) > 3 and word[0].isalpha()]
    capital = sum(word[0].isupper() for word in long)
    return bool(long) and capital >= 0.8 * len(long) and (len(long) > 1 or len(line.split()) < 4)


def _items(line: str) -> bool:
    """Whether a line names things, with commas between."""
    items = line.rpartition(":")[2].split(",")
    return len(items) > 2 and all(len(item.split()) <= 3 for item in items)


def _code(last: str, before: list[str]) -> bool:
    """Whether the last lines are those of a program: two of them are, and the last one is."""
    return bool(_CODE.match(last)) and any(map(_CODE.match, before[-4:]))


def _verse(before: list[str]) -> bool:
    """Whether most lines above end without a mark, too."""
    bare = [line for line in before if not _ENDED.search(line) and not _listed(line)]
    return len(before) >= 2 and len(bare) > len(before) / 2


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
        self._found: dict[str, RowCheck] = {}
        self._balance: dict[str, defaultdict[int, int]] = {}
        self._sides: dict[str, dict[str, int]] = {}

    def add(self, line: ReadRow) -> None:
        row = line.row
        config = row.config
        if config not in self._found:
            self._found[config] = RowCheck("breaks_off", limit=None, others=None, by_config=True)
            self._balance[config] = defaultdict(int)
            self._sides[config] = {"chosen": 0, "rejected": 0}
        broken = {"chosen": breaks_off(row.chosen), "rejected": breaks_off(row.rejected)}
        for side, yes in broken.items():
            self._sides[config][side] += yes
        one = [side for side, yes in broken.items() if yes]
        detail = f"the {one[0]} side breaks off" if len(one) == 1 else None
        self._found[config].add(row, detail)
        if detail:
            self._balance[config][hash(row.cluster)] += 1 if one == ["rejected"] else -1

    def checks(self) -> Iterator[LimitComparison]:
        for config in sorted(self._found):
            (check,) = self._found[config].checks()
            sides = " and ".join(f"{n:,} {side}" for side, n in self._sides[config].items())
            differ = [net for net in self._balance[config].values() if net]
            yield EndingsComparison(
                check.model_copy(
                    update={
                        "limit": 0.5,
                        "detail": f"{sides} sides break off; the share is that of clusters in which"
                        " the rejected side does so more often",
                    }
                ),
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
        low, high = self._ends(level)
        fails = not self._few and self._differs(level)
        return self.found.model_copy(
            update={
                "status": "fail" if fails else "pass",
                "found": Estimate(
                    value=round(self.rejected / self.clusters, 6) if self.clusters else None,
                    low=None if low is None else round(low, 6),
                    high=None if high is None else round(high, 6),
                    n=self.found.count or 0,
                    clusters=self.clusters,
                ),
            }
        )

    @property
    def _few(self) -> bool:
        return (self.found.count or 0) <= LEAST_SHARE * self.found.of

    def _differs(self, level: float) -> bool:
        low, high = self._ends(level)
        return low is not None and high is not None and not low <= 0.5 <= high

    def _ends(self, level: float) -> tuple[float, float] | tuple[None, None]:
        return exact(self.rejected, self.clusters, level) if self.clusters else (None, None)
