"""What the pages of a release say where the label is the user's own choice: nothing was written,
planned or judged by a model, and nobody verified anything.

The sentences are plain text: a page escapes them. All pairs of a release are such pairs of one
mode, or none.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pairwright.answer_traits import Trait
from pairwright.estimate import Estimate
from pairwright.modes import is_own_choice
from pairwright.records import Mode
from pairwright.release.summary import Summary


class OwnChoiceWords(NamedTuple):
    """What is said of the own choices of one mode."""

    pair: str
    """What a pair is."""
    gap: str
    how: str
    """How the pairs were made."""
    items: str
    """What the source holds of each item."""
    responses: str
    """Of their licence, before its name."""
    uses: tuple[str, ...]
    misuse: str
    sensitive: tuple[str, ...]
    """Of personal information, beside what holds of all histories."""
    biases: tuple[str, ...]
    """Whom and what such pairs favour."""
    preparation: str
    """What was done to the material."""
    units: str
    """What was made without a change, after its number."""


LABEL = (
    "The label is the user's own choice. No annotator was asked, and the column verified is false:"
    " what a stranger would guess is no better evidence of a choice than the choice."
)
_HELD_TO_PEOPLE = (
    "Holding scorers that do well on pairs that models wrote to people's own choices: a scorer"
    " that reads people should do well on both."
)
_BEFORE = "wrote or chose before"
_ANY_TIME = "wrote in the same conversation or source, before or after the choice"
NATURAL = OwnChoiceWords(
    pair=(
        f"A pair is one question, what one user {_BEFORE}, and two responses: the user"
        " took the chosen one and refused the rejected one. There is no rubric: the column"
        " rubric_aspects is empty, and nothing says why the user chose so but, where the source has"
        " it, the user's own reason in the column narrative."
    ),
    gap=(
        "It measures whether a scorer of responses can tell what a given person took of two, with"
        " each response taken by one person and refused by another."
    ),
    how=(
        "No model had a part in these pairs. Who chose what, and which users were coupled, is"
        " below."
    ),
    items="natural twins, each a question with what two users chose and their histories",
    responses=(
        "The responses are texts of the source too, and have the licence that its maker states for"
        " them"
    ),
    uses=(
        "Measuring whether a reward model or judge prefers, of two responses to one question, the"
        f" one that a given user took, when it is shown what that user {_BEFORE}.",
        _HELD_TO_PEOPLE,
    ),
    misuse=(
        "Judging which response is correct or better: each was taken by one user and refused by"
        " another."
    ),
    sensitive=(
        "A choice says what a person is for or against. On many topics that is a political or"
        " another sensitive view, stated by the person and tied to the pseudonym.",
    ),
    biases=(
        "Only users are here of whose choices another user took the reverse. People who agree with"
        " everybody, or were asked what nobody else was, are not.",
        "All responses are people's texts as the source has them, with its topics and its"
        " moderation.",
    ),
    preparation=(
        "Users were coupled so that each of the two took what the other refused; a user has one"
        " partner. What repeats a response, and earlier choices of the same question or of one of"
        " the responses, is left out of a history; very long texts are cut."
    ),
    units="natural twins were made",
)
NATURAL_AT_ANY_TIME = NATURAL._replace(
    pair=NATURAL.pair.replace(_BEFORE, _ANY_TIME),
    uses=tuple(use.replace(_BEFORE, _ANY_TIME) for use in NATURAL.uses),
)
"""Where nothing tells whether a history is older than the choice."""
ACCEPTED = OwnChoiceWords(
    pair=(
        "A pair is one question, what the user who asked it wrote before, and two answers that"
        " people published: the user accepted the chosen one, and the rejected one has as many"
        " votes or more and about the same length. There is no rubric: the column rubric_aspects"
        " is empty. The column response_sources says where both are"
        " from."
    ),
    gap=(
        "It measures whether a scorer of responses can tell which of two answers the person who"
        " asked accepted, beyond what votes and length tell."
    ),
    how="No model had a part in these pairs. How a match was found is below.",
    items="questions, each with its user's posts, the answer that the user accepted and its match",
    responses=(
        "The responses are answers of the source. attribution.csv has the address and licence of"
        " each; beside those, the licence that the maker states for them is"
    ),
    uses=(
        "Measuring what a reward model or judge gains by a user's history at telling which of two"
        " answers that user accepted: the same scorer without the history beside it.",
        _HELD_TO_PEOPLE,
    ),
    misuse=(
        "Judging which answer is correct or better: that one user accepted an answer says neither."
    ),
    sensitive=(
        "A pair says whose help a person took, on a day, at an address that anyone can open.",
    ),
    biases=(
        "Only users are here who accept answers, on questions with several, of which another is as"
        " popular as theirs and as long. Most questions are not like that.",
        "All responses are people's texts as the source has them, with its topics and its"
        " moderation.",
    ),
    preparation=(
        "Of each question the accepted answer was held against its match: of the other answers with"
        " as many votes or more, the nearest in length, if the longer one has at most 1.5 times the"
        " words of the shorter one and is not nearly the same. Answers by the user who asked are"
        " left out. Posts that are not older than the question are left out; very long texts are"
        " cut."
    ),
    units="pairs were made",
)
_PICKS: dict[Trait, str] = {
    "votes": "the answer with more votes",
    "words": "the longer answer",
    "time": "the earlier answer",
}
WORDS: dict[Mode, OwnChoiceWords] = {"natural": NATURAL, "accepted": ACCEPTED}


def own_choice_words(summary: Summary) -> OwnChoiceWords | None:
    """What is said of a release whose labels are users' own choices; None of others."""
    words = words_of_modes(config.mode for config in summary.configs)
    return NATURAL_AT_ANY_TIME if words is NATURAL and summary.untimed_choices else words


def words_of_modes(modes: Iterable[str]) -> OwnChoiceWords | None:
    """The same of a build with these modes."""
    own = {mode for mode in modes if is_own_choice(mode)}
    return next((words for mode, words in WORDS.items() if mode in own), None)


def trait_sentences(summary: Summary) -> Iterator[str]:
    """What else tells which answer was accepted, with n and interval."""
    for figure in summary.traits:
        share = figure.share
        ends = (
            "no interval"
            if share.low is None or share.high is None
            else f"{100 * share.low:.0f} to {100 * share.high:.0f}"
        )
        yield (
            f"Picking {_PICKS[figure.trait]} is right in {100 * (share.value or 0.0):.0f} %"
            f" ({ends}) of {share.n:,} pairs, a tie counting one half. Far from one half, on either"
            " side, it tells much of the label without the user."
        )


def time_sentences(summary: Summary) -> Iterator[str]:
    """What is not known of the order of histories and questions or choices."""
    if summary.undated_posts:
        yield (
            f"{summary.undated_posts:,} of {summary.posts:,} posts have no time, and their"
            " questions or other posts of their users have one: nothing tells whether they are"
            " older."
        )
    if summary.untimed_choices:
        yield (
            f"Of {summary.untimed_choices:,} of {summary.rows:,} pairs the source does not say when"
            " the user chose: their histories may hold what was written after the choice."
        )
    if found := summary.younger_posts:
        yield (
            f"In {_percent(found)} of {found.n:,} pairs of {found.clusters:,} couples at least one"
            " post is younger than both responses. The user may have chosen before writing it."
        )


def moderation_sentences(repaired: Mapping[str, int]) -> Iterator[str]:
    """What moderators of the source had taken out, and histories hold all the same; `repaired`
    counts rows of the source by reason."""
    if n := repaired.get("taken_out_post"):
        yield (
            f"Moderators of the source had taken out {n:,} statements of the authors whose choices"
            " were read. Those among them that are in a history here are published again."
        )


def neighbour_sentences(summary: Summary) -> Iterator[str]:
    """How far users' choices follow from those of others, with n and interval."""
    if found := summary.neighbours:
        yield (
            f"The choices of others tell {_percent(found)} of {found.n:,} pairs of"
            f" {found.clusters:,} couples: those who choose like the user elsewhere lean more to"
            " what the user took; equal leanings count one half. It is a point of comparison for"
            " scorers, who see texts alone, and not the most that can be reached."
        )


def _percent(found: Estimate) -> str:
    """A share and its interval."""
    value, low, high = (
        None if x is None else f"{100 * x:.1f}" for x in (found.value, found.low, found.high)
    )
    return f"{value} % ({'no interval' if None in (low, high) else f'{low} to {high}'})"


def preparation(words: OwnChoiceWords, units: int) -> Iterator[str]:
    """What was done to the material."""
    yield words.preparation
    yield f"No response was written, changed or scored: {units:,} {words.units}."
