"""Foils of rubric tasks: an aspect of another user, put among a user's own.

Beside every aspect stands a passage of the user's posts, and who does not weigh it nods to all of
them. A foil has such a passage, too, the nearest that there is; what people say of foils shows how
much their word on aspects is worth. A foil counts for no decision, and only the private key names
it. Some foils are true by accident: two users may want the same.
"""

import random
import re

from pairwright import text
from pairwright.records import Aspect, Pair, Post, content_id
from pairwright.retrieve import by_bm25

LOOKED_AT = 100
"""Pairs whose aspects a foil is chosen from."""
_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n+")


def foil_of(pair: Pair, others: list[Pair], share: float, seed: int) -> Aspect | None:
    """The foil of a pair's rubric tasks: of other users' aspects for other questions the one that
    is nearest to this question. `others` are pairs of the same domain; those of the pair's own
    category come first. None for the pairs that are not drawn, and where nothing fits."""
    chance = random.Random(content_id("foil", str(seed), pair.id))
    if chance.random() >= share:
        return None
    strangers = [
        other
        for other in chance.sample(others, min(len(others), LOOKED_AT))
        if other.user != pair.user and other.item_id != pair.item_id
    ]
    near = [other for other in strangers if other.category == pair.category]
    own = [aspect.aspect for aspect in pair.rubric.aspects]
    texts = {
        aspect.aspect: None
        for other in near or strangers
        for aspect in other.rubric.aspects
        if not any(text.near_duplicate(aspect.aspect, one) for one in own)
    }
    found = by_bm25(pair.question, tuple(Post(id="", text=wanted) for wanted in texts))
    return _with_passage(found[0].text, pair) if found else None


def _with_passage(wanted: str, pair: Pair) -> Aspect:
    """The aspect with the passage that is nearest to it, from where the own ones have theirs."""
    posts = pair.profile
    if not pair.rubric.inferable:
        posts = (Post(id="", text=pair.narrative),) if pair.narrative else ()
    passages = [
        post.model_copy(update={"text": passage})
        for post in posts
        for passage in _ENDS.split(post.text)
        if len(passage.split()) > 1
    ]
    if not passages or not any(aspect.evidence for aspect in pair.rubric.aspects):
        return Aspect(aspect=wanted, reason="", evidence="")
    best = by_bm25(wanted, tuple(passages))[0]
    named = (best.id,) if pair.rubric.inferable else ()
    return Aspect(aspect=wanted, reason="", evidence=best.text.strip(), post_ids=named)
