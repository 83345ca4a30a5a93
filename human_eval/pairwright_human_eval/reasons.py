"""The reasons of decisions in words."""

REASONS = {
    "preference: cannot_tell": "too many could not tell whom which response fits",
    "preference: for_the_other": "most preferred the rejected response",
    "preference: about_equal": "most found both responses about equal for this user",
    "preference: not_unanimous": "too many did not prefer the chosen response",
    "preference: no_majority": "no answer has a majority",
    "preference: one_not_for_it": "one vote is not for the chosen response",
    "preference: adjudicated": "too many in the second round did not prefer the chosen response",
    "rubric: aspects_unsupported": "most found too few of the aspects in what the user wrote",
    "rubric: aspects_undelivered": (
        "too few of the supported aspects are delivered by the chosen response alone"
    ),
    "rubric: aspect_contradicted": "too many found an aspect contradicted by what the user wrote",
}
"""By reason; `reason_in_words` has those that name a scale."""


def reason_in_words(reason: str) -> str:
    """A reason of a decision as a sentence without its full stop; empty for one that needs none."""
    part, _, what = reason.partition(": ")
    if part == "quality_gap":
        return f"one response is better than the other on {what} by more than the rule lets pass"
    if part == "quality" and " " not in what:
        return f"a response is too poor on {what}"
    return REASONS.get(reason, "")
