"""Controls of a study: subjects that are also shown with a stranger's posts, or the narrative.

A control takes the seats that ask about aspects, so a control subject gets no rubric answers and
is not verified in this study: that is what the controls cost.
"""

import random

from pairwright.records import Pair, Post, content_id
from pairwright_human_eval.records import Purpose
from pairwright_human_eval.subjects import Subject

LOOKED_AT = 300
"""Pairs that a stranger is chosen from."""

Controls = dict[str, Purpose]


def draw_controls(
    subjects: list[Subject], wrong_profile: float, narrative: float, seed: int
) -> Controls:
    """Subjects by id that are controls, a share of each sort, drawn by content."""
    order = sorted(subjects, key=lambda s: content_id("control", str(seed), s.id))
    strangers = round(wrong_profile * len(order))
    controls: Controls = {subject.id: "wrong_profile" for subject in order[:strangers]}
    told = [subject for subject in order[strangers:] if subject.asked.narrative]
    for subject in told[: round(narrative * len(order))]:
        controls[subject.id] = "narrative"
    return controls


def stranger(pair: Pair, subject: Subject, others: list[Pair]) -> tuple[Post, ...]:
    """Another user's posts for a control: older than the question, and about as many.

    `others` are pairs of the same domain. Empty where none of those looked at fits.
    """
    users = {half.user for half in subject.pairs}
    chance = random.Random(content_id("stranger", pair.id))
    fitting = []
    for other in chance.sample(others, min(len(others), LOOKED_AT)):
        if other.user in users:
            continue
        posts = tuple(post for post in other.profile if _older(post, pair))
        if len(posts) >= min(2, len(pair.profile)):
            fitting.append(posts)
    return min(fitting, key=lambda posts: abs(len(posts) - len(pair.profile)), default=())


def _older(post: Post, pair: Pair) -> bool:
    if pair.question.lower() in post.text.lower():
        return False
    return pair.created is None or post.created is None or post.created < pair.created
