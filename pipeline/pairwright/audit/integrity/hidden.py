"""Characters that nobody sees and every scorer reads."""

import re
from collections import Counter
from collections.abc import Iterator

from pairwright.audit.found import OTHERS, Found
from pairwright.audit.integrity.texts import every_text
from pairwright.audit.records import Check
from pairwright.dataset import Row

# Joiners hold emoji and the letters of Persian or Hindi together, and marks of direction stand in
# texts of both directions: there they are part of the writing. Between two
# words a hard space has no work to do; beside marks, numbers and abbreviations it has.
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufefc"
_JOINED = "\u0600-\u0dff\u1000-\u109f\u1780-\u17ff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_HIDDEN = re.compile(
    "(?P<zero_width_space>[\u200b\u2060\u180e])"
    f"|(?P<zero_width_joiner>(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}]))"
    "|(?P<soft_hyphen>\u00ad)"
    "|(?P<change_of_direction>[\u202a-\u202e\u2066-\u2069])"
    f"|(?P<mark_of_direction>[\u200e\u200f](?![^\n]{{0,80}}[{_RIGHT_TO_LEFT}])"
    f"(?<![{_RIGHT_TO_LEFT}].))"
    "|(?P<tag_character>(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f])"
    "|(?P<hard_space>(?<=[^\\W\\d_]|[,;])[\u00a0\u2000-\u2006\u202f](?=[^\\W\\d_])"
    "|[\u00a0\u202f](?=[ \u00a0\u202f]|$))"
)

# Quick to look for, and most texts have none of them.
_ANY = re.compile(
    "[\u00a0\u00ad\u180e\u2000-\u2006\u200b-\u200f\u202a-\u202f\u2060-\u2069\U000e0001-\U000e007f]"
)


def hidden(passage: str) -> Iterator[re.Match[str]]:
    """Each hidden character, or run of them, by its kind (`lastgroup`)."""
    return _HIDDEN.finditer(passage) if _ANY.search(passage) else iter(())


class HiddenCharacters:
    """`hidden_characters`: rows whose question or sides hold invisible characters or hard spaces.
    Posts are as their users left them: those with some are told, and decide nothing."""

    def __init__(self) -> None:
        self._found = Found("integrity", "hidden_characters", limit=OTHERS, others=OTHERS)
        self._kinds: Counter[str] = Counter()
        self._known: dict[int, str | None] = {}
        self._posts = 0

    def add(self, row: Row) -> None:
        said: str | None = None
        posts = False
        for name, passage in every_text(row):
            kind = self._hidden(passage)
            if kind is None:
                continue
            if name in ("question", "chosen", "rejected"):
                self._kinds[kind] += said is None
                said = said or f"{kind.replace('_', ' ')} in {name}"
            else:
                posts = True
        self._posts += posts
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        of = [f"{kind.replace('_', ' ')} {n:,}" for kind, n in self._kinds.most_common()]
        if self._posts:
            of.append(f"{self._posts:,} rows have some in posts or aspects, which decides nothing")
        yield from self._found.checks("; ".join(of))

    def _hidden(self, passage: str) -> str | None:
        if passage.isascii():
            return None
        key = hash(passage)
        if key not in self._known:
            found = next(hidden(passage), None)
            self._known[key] = found.lastgroup if found else None
        return self._known[key]
