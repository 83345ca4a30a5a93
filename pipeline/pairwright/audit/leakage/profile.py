"""Responses that copy a post of their own profile."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from pairwright import text
from pairwright.audit.found import OTHERS, TEXT, Found
from pairwright.audit.records import Check
from pairwright.dataset import Row

RUN = 13
"""Words in a row that are taken to be copied, as in `corpus_overlap`."""
SHORT = 8
"""Of a response of fewer than twice `RUN` words half is enough, and never fewer words than this."""
CHARACTERS = 20
"""Length of a response from which all of it in a post is taken to be copied, however few words it
has: some scripts put no space between words."""


class ResponseInProfile:
    """`response_in_profile`: a side that repeats a run of words of a post of its row's profile,
    which the question does not hold."""

    def __init__(self) -> None:
        self._found = Found(
            "leakage", "response_in_profile", limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has a profile",
        )  # fmt: skip
        self._sides: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Row) -> None:
        if not row.profile:
            return
        sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
        copied = _copied(sides, row)
        self._sides[row.config].update(copied.keys())
        self._found.add(row, "; ".join(f"{side}: {said}" for side, said in copied.items()))

    def checks(self) -> Iterator[Check]:
        yield from self._found.checks(
            {
                config: f"in the chosen side of {of['chosen']:,}, in the rejected of "
                f"{of['rejected']:,}; {RUN} words in a row, or half of a shorter response"
                for config, of in self._sides.items()
            }
        )


def _copied(sides: dict[str, str], row: Row) -> dict[str, str]:
    """By side what it repeats, without the words themselves: posts hold personal data."""
    runs = {side: _run(response) for side, response in sides.items()}
    # Few posts have so many words in a row that the responses hold anywhere; that is quick to see.
    known = frozenset().union(*map(text.words, sides.values())).__contains__
    row_of = b"\1" * min(runs.values())
    copied: dict[str, str] = {}
    for number, post in enumerate(row.profile, 1):
        passage = post.text[:TEXT]
        near = row_of in bytes(map(known, text.words(passage)))
        for side, response in sides.items():
            if side in copied:
                continue
            if _whole(response, passage, row.question):
                copied[side] = f"all of it stands in post {number} of its profile"
            elif near and text.shared_span(response, [passage], row.question[:TEXT], runs[side]):
                copied[side] = f"{runs[side]} words in a row stand in post {number} of its profile"
    return copied


def _run(response: str) -> int:
    return min(RUN, max(SHORT, len(text.words(response)) // 2))


def _whole(response: str, passage: str, question: str) -> bool:
    own = response.strip()
    return len(own) >= CHARACTERS and own in passage and own not in question
