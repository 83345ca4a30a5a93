"""Foils: aspects of other users among a user's own in rubric tasks, and by what they could be told.

Beside every aspect stand passages of the user's posts, and who does not weigh them nods to all of
them. A foil has such passages, too, the nearest that there are, as many and as long as one of the
pair's own aspects has; what people say of foils shows how much their word on aspects is worth. A
foil counts for no decision, and only the private key names it. Some foils are true by accident: two
users may want the same.
"""

import math
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scipy.stats import rankdata

from pairwright import text
from pairwright.records import Aspect, Pair, Post, content_id
from pairwright.retrieve import by_bm25
from pairwright.text import passages, word_count
from pairwright_human_eval.tasks import NO_PASSAGE, Task

FOIL_CANDIDATES = 100
"""Pairs whose aspects a foil is chosen from."""
NEAR_POSTS = 10
"""Posts, those nearest to a foil, that its passages are chosen from."""
ALIKE = 1.25
"""Two passages are of like length up to this ratio of their words."""
_PARTS = re.compile(r"[^.!?。！？,;:\n]+(?:[.!?。！？,;:]+|$|(?=\n))")
"""Parts of sentences."""
_STOPS = tuple(".!?。！？")
_ASKS = re.compile("[?？]")
_MOST_PARTS = 8
"""Of one passage."""


class _Passage(NamedTuple):
    """Some parts of a post that follow each other in one line."""

    post: str
    start: int
    end: int
    text: str

    def meets(self, other: "_Passage") -> bool:
        return self.post == other.post and self.start < other.end and other.start < self.end


def foil_of(pair: Pair, others: list[Pair], share: float, seed: int) -> Aspect | None:
    """The foil of a pair's rubric tasks: of other users' aspects for other questions the one that
    is nearest to this question. `others` are pairs of the same domain; those of the pair's own
    category come first. None for the pairs that are not drawn or have no aspects, and where nothing
    fits."""
    chance = random.Random(content_id("foil", str(seed), pair.id))
    if chance.random() >= share or not pair.rubric.aspects:
        return None
    strangers = [
        other
        for other in chance.sample(others, min(len(others), FOIL_CANDIDATES))
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
    return _with_passages(found[0].text, pair, chance) if found else None


def _with_passages(wanted: str, pair: Pair, chance: random.Random) -> Aspect:
    """The aspect with passages from where the own aspects have theirs: as many as one of these that
    is drawn, and of like length; of those that are, the nearest to the aspect."""
    like = passages(chance.choice(pair.rubric.aspects).evidence)
    ranked = _ranked(wanted, pair)
    shown = [one for aspect in pair.rubric.aspects for one in passages(aspect.evidence)]
    # A passage that stands beside another aspect would be known again.
    fresh = [one for one in ranked if not any(one.text in own or own in one.text for own in shown)]
    chosen: list[_Passage] = []
    for example in sorted(like, key=word_count, reverse=True):
        for left in (fresh, ranked):
            free = [one for one in left if not any(one.meets(other) for other in chosen)]
            if free:
                chosen.append(_fitting(free, example))
                break
    chance.shuffle(chosen)
    named = dict.fromkeys(one.post for one in chosen) if pair.rubric.inferable else ()
    evidence = "\n".join(one.text for one in chosen)
    return Aspect(aspect=wanted, reason="", evidence=evidence, post_ids=tuple(named))


def _fitting(ranked: list[_Passage], example: str) -> _Passage:
    """The first that asks or tells, begins, ends and is as long as the example does."""
    whole = example.endswith(_STOPS)

    def unlike(one: _Passage) -> tuple[bool, bool, bool, float]:
        ratio = abs(math.log(word_count(one.text) / word_count(example)))
        return (
            bool(_ASKS.search(one.text)) != bool(_ASKS.search(example)),
            one.text[:1].isupper() != example[:1].isupper(),
            whole and not one.text.endswith(_STOPS),
            max(0.0, ratio - math.log(ALIKE)),
        )

    found = min(ranked, key=unlike)
    return found if whole else found._replace(text=found.text.rstrip(".!?。！？,;:"))


def _ranked(wanted: str, pair: Pair) -> list[_Passage]:
    """The passages of the posts, or of the narrative, by how near they are to the aspect."""
    posts = by_bm25(wanted, pair.profile)[:NEAR_POSTS]
    if not pair.rubric.inferable:
        posts = (Post(id="", text=pair.narrative),) if pair.narrative else ()
    found = [one for post in posts for one in _passages_of(post)]
    if not found:
        return []
    order = by_bm25(wanted, tuple(Post(id=str(n), text=one.text) for n, one in enumerate(found)))
    return [found[int(one.id)] for one in order]


def _passages_of(post: Post) -> Iterator[_Passage]:
    start = 0
    for line in post.text.splitlines(keepends=True):
        parts = [match.span() for match in _PARTS.finditer(line)]
        for n, (first, _) in enumerate(parts):
            for _, last in parts[n : n + _MOST_PARTS]:
                words = line[first:last].strip()
                if word_count(words) > 1:
                    yield _Passage(post.id, start + first, start + last, words)
        start += len(line)


class FoilSigns(NamedTuple):
    """By what foils could be told from the aspects beside them."""

    foils: int
    aspects: int
    signs: dict[str, float]
    """By name the AUC, the probability that a foil has more of it than an aspect; a tie is half."""


def foil_signs(tasks: Iterable[Task]) -> FoilSigns | None:
    """The signs of the foils of these tasks, each foil and aspect once however many people are
    asked about it; None without a foil."""
    values: dict[tuple[str | None, str], dict[str, float]] = {}
    foils: dict[tuple[str | None, str], bool] = {}
    for task in tasks:
        if not task.keyed.foils:
            continue
        rows = task.data["aspects"]
        assert isinstance(rows, list)
        for n, (row, name) in enumerate(zip(rows, task.keyed.aspects, strict=True)):
            assert isinstance(row, dict)
            quote = "" if row["quote"] == NO_PASSAGE else str(row["quote"])
            about = task.keyed.pair, name
            foils[about] = name in task.keyed.foils
            values[about] = {
                "passages beside it": len(passages(quote)),
                "words of these passages": word_count(quote),
                "questions in these passages": len(_ASKS.findall(quote)),
                "words of the aspect": word_count(str(row["text"])),
                "place among the aspects": n / max(1, len(rows) - 1),
            }
    if not foils:
        return None
    are_foils, signs = list(foils.values()), list(values.values())
    found = {name: area([one[name] for one in signs], are_foils) for name in signs[0]}
    return FoilSigns(sum(are_foils), len(are_foils) - sum(are_foils), found)


def area(values: Sequence[float], positive: Sequence[bool]) -> float:
    """The area under the ROC curve of a rule that calls the larger of two values positive; a tie is
    half. Raises ZeroDivisionError where all are positive, or none is."""
    ranks, n = rankdata(values), sum(positive)
    above = sum(rank for rank, one in zip(ranks, positive, strict=True) if one)
    return float(above - n * (n + 1) / 2) / (n * (len(positive) - n))
