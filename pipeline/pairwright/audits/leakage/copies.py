"""Copies within a row: responses that quote the rubric or the profile, profiles that hold the
question, and posts that are later than it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable

from pairwright import text
from pairwright.audits.row_check import OTHERS, TEXT, Details, remembering_check, row_check
from pairwright.dataset import Row
from pairwright.modes import is_own_choice
from pairwright.sources.fields import is_older, time_text


class _Sides(defaultdict[str, Counter[str]]):
    """How often each side was found, by configuration."""

    def __init__(self) -> None:
        super().__init__(Counter)


def _by_side(more: str = "") -> Callable[[_Sides], Details]:
    def details(sides: _Sides) -> Details:
        return {
            config: f"in the chosen side of {own['chosen']:,}, in the rejected of"
            f" {own['rejected']:,}{more}"
            for config, own in sides.items()
        }

    return details


@remembering_check(
    "rubric_leak",
    _Sides,
    limit=0.0,
    others=OTHERS,
    by_config=True,
    nothing="no row has aspects or a narrative",
    details=_by_side(),
)
def rubric_leak(row: Row, found: _Sides) -> str | None:
    """A run of words of an aspect, its evidence or the narrative that the question does not hold,
    or a whole aspect. The build's gate refuses any, so a release has none."""
    sources = [
        part
        for one in row.rubric_aspects
        for part in (one.aspect, *text.passages(one.evidence))
        if part
    ]
    # People may quote what they chose in the reason for it, which no scorer is shown.
    sources += [row.narrative] if row.narrative and not is_own_choice(row.mode) else []
    if not sources:
        return None
    sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
    # Few sources have so many words in a row, and few aspects all of theirs, that the responses
    # hold anywhere; the test is quick.
    known = frozenset().union(*map(text.words, sides.values()))
    near = [source for source in (one[:TEXT] for one in sources) if _near(source, known)]
    question = row.question[:TEXT]
    aspects = [one.aspect for one in row.rubric_aspects if known.issuperset(text.words(one.aspect))]
    leaks = {
        side: run
        for side, response in sides.items()
        if (run := near and text.shared_span(response, near, question, text.QUOTED_WORDS))
        or (run := aspects and text.find_whole_aspect(response, aspects, question))
    }
    found[row.config].update(leaks.keys())
    return "; ".join(f'{side}: "{run}"' for side, run in leaks.items())


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


@remembering_check(
    "response_in_profile",
    _Sides,
    limit=0.0,
    others=OTHERS,
    by_config=True,
    nothing="no row has a profile",
    details=_by_side(f"; {POST_RUN} words in a row, or half of a shorter response"),
)
def response_in_profile(row: Row, found: _Sides) -> str | None:
    """A side that repeats a run of words of a post of its row's profile, which the question does
    not hold."""
    if not row.profile:
        return None
    copied = _find_copies({"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}, row)
    found[row.config].update(copied.keys())
    return "; ".join(f"{side}: {detail}" for side, detail in copied.items())


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


@row_check(
    "target_in_profile", limit=0.0, others=OTHERS, by_config=True, nothing="no row has a profile"
)
def target_in_profile(row: Row) -> str | None:
    """A post that repeats the question, or question and narrative, by the rule that a build leaves
    posts out by: four fifths of the shorter text's runs of three words."""
    if not row.profile:
        return None
    question, narrative = row.question[:TEXT], (row.narrative or "")[:TEXT]
    details = (
        f"post {number} of its profile repeats the {part}"
        for number, post in enumerate(row.profile, 1)
        if (part := text.find_question(post.text[:TEXT], question, narrative))
    )
    return next(details, "")


def _undated(counts: Counter[str]) -> str:
    undated, posts = counts["undated"], counts["posts"]
    if not undated:
        return ""
    return (
        f"{undated:,} of {posts:,} posts have no time, and their questions have one: nothing tells"
        " whether these are older"
    )


@remembering_check(
    "later_post",
    Counter[str],
    limit=0.0,
    others=0.0,
    nothing="no row says when question and posts were written",
    details=_undated,
)
def later_post(row: Row, counts: Counter[str]) -> str | None:
    """A post that is not older than the question."""
    time = row.created
    if time is None:
        return None
    dated = [(n, post.created) for n, post in enumerate(row.profile, 1) if post.created]
    counts["posts"] += len(row.profile)
    counts["undated"] += sum(not post.created for post in row.profile)
    if not dated:
        return None
    late = ((n, written) for n, written in dated if not is_older(written, time))
    asked = time_text(time)
    return next(
        (f"post {n} is of {time_text(written)}, the question of {asked}" for n, written in late), ""
    )
