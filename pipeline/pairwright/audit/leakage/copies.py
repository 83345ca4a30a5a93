"""Responses that copy: words of the rubric, or words of their own profile."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import ClassVar

from pairwright import text
from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck
from pairwright.dataset import Row
from pairwright.modes import is_own_choice

RUBRIC_LEAK = CheckDefinition(
    family="leakage",
    name="rubric_leak",
    title="Quotes the rubric",
    why="A scorer that is shown the aspects can find the side that quotes them without "
    "understanding either answer.",
    todo="Draw these responses again, and keep the narrative and the aspects' wording out of "
    "what the writer may repeat.",
)


class RubricLeak:
    """`rubric_leak`: a run of words of an aspect, its evidence or the narrative that the question
    does not hold, or a whole aspect. The build's gate refuses any, so a release has none."""

    definitions: ClassVar[Definitions] = (RUBRIC_LEAK,)

    def __init__(self) -> None:
        self._check = RowCheck(
            RUBRIC_LEAK, limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has aspects or a narrative",
        )  # fmt: skip
        self._sides: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Row) -> None:
        sources = [
            part
            for one in row.rubric_aspects
            for part in (one.aspect, *text.passages(one.evidence))
            if part
        ]
        # People may quote what they chose in the reason for it, which no scorer is shown.
        sources += [row.narrative] if row.narrative and not is_own_choice(row.mode) else []
        if not sources:
            return
        sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
        # Few sources have so many words in a row, and few aspects all of theirs, that the responses
        # hold anywhere; the test is quick.
        known = frozenset().union(*map(text.words, sides.values()))
        near = [source for source in (one[:TEXT] for one in sources) if _near(source, known)]
        question = row.question[:TEXT]
        aspects = [
            one.aspect for one in row.rubric_aspects if known.issuperset(text.words(one.aspect))
        ]
        leaks = {
            side: run
            for side, response in sides.items()
            if (run := near and text.shared_span(response, near, question, text.QUOTED_WORDS))
            or (run := aspects and text.find_whole_aspect(response, aspects, question))
        }
        self._sides[row.config].update(leaks.keys())
        self._check.add(row, "; ".join(f'{side}: "{run}"' for side, run in leaks.items()))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks(
            {
                config: f"in the chosen side of {sides['chosen']:,}, in the rejected of "
                f"{sides['rejected']:,}"
                for config, sides in self._sides.items()
            }
        )


def _near(source: str, known: frozenset[str]) -> bool:
    """Whether a source has as many consecutive words that are known as a quotation has."""
    return _IN_A_ROW in bytes(map(known.__contains__, text.words(source)))


_IN_A_ROW = b"\1" * text.QUOTED_WORDS


POST_RUN = 13
"""Consecutive words that count as copied, as in `corpus_overlap`."""
SHORT_RUN = 8
"""The least run: in a response of fewer than twice `POST_RUN` words, half of its words count."""
CHARACTERS = 20
"""The length from which a response that is in a post as a whole counts as copied, however few its
words: some scripts have no spaces between words."""


RESPONSE_IN_PROFILE = CheckDefinition(
    family="leakage",
    name="response_in_profile",
    title="A response copies the user's own post",
    why="A scorer that finds the copied words picks that side, and has understood neither what the "
    "user wants nor the answer.",
    todo="Draw these responses again from question and aspects; the writer should never see "
    "the posts.",
)


class CopiedResponses:
    """`response_in_profile`: a side that repeats a run of words of a post of its row's profile,
    which the question does not hold."""

    definitions: ClassVar[Definitions] = (RESPONSE_IN_PROFILE,)

    def __init__(self) -> None:
        self._check = RowCheck(
            RESPONSE_IN_PROFILE, limit=0.0, others=OTHERS, by_config=True,
            nothing="no row has a profile",
        )  # fmt: skip
        self._sides: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Row) -> None:
        if not row.profile:
            return
        sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
        copied = _find_copies(sides, row)
        self._sides[row.config].update(copied.keys())
        self._check.add(row, "; ".join(f"{side}: {detail}" for side, detail in copied.items()))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks(
            {
                config: f"in the chosen side of {sides['chosen']:,}, in the rejected of "
                f"{sides['rejected']:,}; {POST_RUN} words in a row, or half of a shorter response"
                for config, sides in self._sides.items()
            }
        )


def _find_copies(sides: dict[str, str], row: Row) -> dict[str, str]:
    """What each side repeats, without the words themselves, since posts hold personal data."""
    runs = {side: _run(response) for side, response in sides.items()}
    # Few posts have so many consecutive words that the responses hold anywhere; the test is quick.
    known = frozenset().union(*map(text.words, sides.values())).__contains__
    row_of = b"\1" * min(runs.values())
    copied: dict[str, str] = {}
    for number, post in enumerate(row.profile, 1):
        passage = post.text[:TEXT]
        near = row_of in bytes(map(known, text.words(passage)))
        for side, response in sides.items():
            if side in copied:
                continue
            if _is_whole_copy(response, passage, row.question):
                copied[side] = f"all of it is in post {number} of its profile"
            elif near and text.shared_span(response, [passage], row.question[:TEXT], runs[side]):
                copied[side] = f"{runs[side]} words in a row are in post {number} of its profile"
    return copied


def _run(response: str) -> int:
    own = len(text.words(response)) * POST_RUN // text.run_length(response, POST_RUN)
    return min(POST_RUN, max(SHORT_RUN, own // 2))


def _is_whole_copy(response: str, passage: str, question: str) -> bool:
    own = response.strip()
    return len(own) >= CHARACTERS and own in passage and own not in question
