"""What the pages of a release say where the label is the user's own choice: nothing was written,
planned or judged by a model, and nobody verified anything.

The sentences are plain text: a page escapes them. All pairs of a release are such pairs, or none.
"""

from collections.abc import Iterator

from pairwright.modes import has_own_choices
from pairwright.release.summary import Summary

PAIR = (
    "A pair is one question, what one user wrote or chose before, and two responses: the user took"
    " the chosen one and refused the rejected one. There is no rubric: the column rubric_aspects is"
    " empty, and nothing says why the user chose so but, where the source has it, the user's own"
    " reason in the column narrative."
)
LABEL = (
    "The label is the user's own choice. No annotator was asked, and the column verified is false:"
    " what a stranger would guess is no better evidence of a choice than the choice."
)
GAP = (
    "It measures whether a scorer of responses can tell what a given person took of two, with each"
    " response taken by one person and refused by another."
)
HOW = "No model had a part in these pairs. Who chose what, and which users were coupled, is below."
RESPONSES = (
    "The responses are texts of the source too, and have the licence that its maker states for them"
)


def made_of_choices(summary: Summary) -> bool:
    """Whether the pairs of a release are users' own choices."""
    return has_own_choices(config.mode for config in summary.configs)


def uses() -> Iterator[str]:
    """What such pairs are for."""
    yield (
        "Measuring whether a reward model or judge prefers, of two responses to one question, the"
        " one that a given user took, when it is shown what that user wrote or chose before."
    )
    yield (
        "Holding scorers that do well on pairs that models wrote to people's own choices: a scorer"
        " that reads people should do well on both."
    )


MISUSE = (
    "Judging which response is correct or better: each was taken by one user and refused by"
    " another."
)


def sensitive() -> Iterator[str]:
    """Of personal information, beside what holds of all histories."""
    yield (
        "A choice says what a person is for or against. On many topics that is a political or"
        " another sensitive view, stated by the person and tied to the pseudonym."
    )


def biases() -> Iterator[str]:
    """Whom and what such pairs favour."""
    yield (
        "Only users are here of whose choices another user took the reverse. People who agree with"
        " everybody, or were asked what nobody else was, are not."
    )
    yield (
        "All responses are people's texts as the source has them, with its topics and its"
        " moderation."
    )


def preparation(units: int) -> Iterator[str]:
    """What was done to the material."""
    yield (
        "Users were coupled so that each of the two took what the other refused; a user has one"
        " partner. What repeats a response, and earlier choices of the same question or of one of"
        " the responses, is left out of a history; very long texts are cut."
    )
    yield f"No response was written, changed or scored: {units:,} natural twins were made."
