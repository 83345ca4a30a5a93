"""Copies within a row: responses that quote the rubric or the profile, profiles that hold the
question, and posts that are later than it.
"""

from functools import lru_cache

from pairwright import text
from pairwright.audits.checks import TEXT, row_check
from pairwright.modes import label_of
from pairwright.pairs import Row
from pairwright.times import is_older


@row_check
def rubric_leak(row: Row) -> str | None:
    """A run of words of an aspect, its evidence or the narrative that the question does not hold,
    or a whole aspect. The build's gate refuses any, so a release has none."""
    sources = [
        part
        for one in row.rubric_aspects
        for part in (one.aspect, *text.passages(one.evidence))
        if part
    ]
    # People may quote what they chose in the reason for it, which no scorer is shown.
    sources += [row.narrative] if row.narrative and label_of(row.mode) != "given" else []
    if not sources:
        return None
    sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
    # Few sources have as many consecutive words as a quotation, and few aspects all of theirs, that
    # the responses hold anywhere; the test is quick.
    known = _words_of_both(*sides.values())
    near = [
        source[:TEXT]
        for source in sources
        if _IN_A_ROW in bytes(map(known.__contains__, text.words(source[:TEXT])))
    ]
    question = row.question[:TEXT]
    aspects = [one.aspect for one in row.rubric_aspects if known.issuperset(text.words(one.aspect))]
    leaks = {
        side: run
        for side, response in sides.items()
        if (run := near and text.shared_span(response, near, question, text.QUOTED_WORDS))
        or (run := aspects and text.find_whole_aspect(response, aspects, question))
    }
    return "; ".join(f'{side}: "{run}"' for side, run in leaks.items())


_IN_A_ROW = b"\1" * text.QUOTED_WORDS


# Two checks ask for the same row.
@lru_cache(maxsize=1)
def _words_of_both(chosen: str, rejected: str) -> frozenset[str]:
    return frozenset().union(text.words(chosen), text.words(rejected))


POST_RUN = 13
"""Consecutive words that count as copied."""
SHORT_RUN = 8
"""The least run: in a response of fewer than twice `POST_RUN` words, half of its words count."""
CHARACTERS = 20
"""The length from which a response that is in a post as a whole counts as copied, however few its
words: some scripts have no spaces between words."""


@row_check
def response_in_profile(row: Row) -> str | None:
    """A side that repeats a run of words of a post of its row's profile, which the question does
    not hold."""
    if not row.profile:
        return None
    sides = {"chosen": row.chosen[:TEXT], "rejected": row.rejected[:TEXT]}
    least = {side: _run(response) for side, response in sides.items()}
    # Few posts have so many consecutive words that the responses hold anywhere; the test is quick.
    known = _words_of_both(*sides.values()).__contains__
    in_a_row = b"\1" * min(least.values())
    # What each side repeats, without the words themselves, since posts hold personal data.
    copied: dict[str, str] = {}
    for number, post in enumerate(row.profile, 1):
        passage = post.text[:TEXT]
        near = in_a_row in bytes(map(known, text.words(passage)))
        for side, response in sides.items():
            if side in copied:
                continue
            own = response.strip()
            if len(own) >= CHARACTERS and own in passage and own not in row.question:
                copied[side] = f"all of it is in post {number} of its profile"
            elif near and text.shared_span(response, [passage], row.question[:TEXT], least[side]):
                copied[side] = f"{least[side]} words in a row are in post {number} of its profile"
    return "; ".join(f"{side}: {detail}" for side, detail in copied.items())


def _run(response: str) -> int:
    """The words in a row that count as copied into a response, fewer in a short one."""
    own = len(text.words(response)) * POST_RUN // text.run_length(response, POST_RUN)
    return min(POST_RUN, max(SHORT_RUN, own // 2))


@row_check
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


@row_check
def later_post(row: Row) -> str | None:
    """Posts that are not older than the question."""
    time = row.created
    dated = [(n, post.created) for n, post in enumerate(row.profile, 1) if post.created]
    if time is None or not dated:
        return None
    late = (
        f"post {n} is of {written}, the question of {time}"
        for n, written in dated
        if not is_older(written, time)
    )
    return next(late, "")
