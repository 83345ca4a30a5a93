"""The embedded judge: it counts which words two texts have in common."""

import re

from pairwright.models.simulated.chance import pick
from pairwright.models.simulated.reading import Prompt, tagged
from pairwright.models.simulated.statements import content
from pairwright.records import FULL_ADHERENCE
from pairwright.text import jaccard, terms, word_count

_REFUSAL = re.compile(r"\b(?:i'm sorry|i am sorry|i can't help|i cannot help|as an ai)\b", re.I)
_ANCHOR = re.compile(r"^(\d+) = ", re.MULTILINE)


def adherence(prompt: Prompt) -> list[dict[str, object]]:
    """For each aspect, how much of its content the response holds; six tenths are all."""
    held = terms(prompt.first("response"))
    question_terms = terms(prompt.question)
    verdicts: list[dict[str, object]] = []
    for number, aspect in enumerate(prompt.aspects, start=1):
        # Words of the question are in any answer to it, so they show nothing.
        wanted = (content(aspect) - question_terms) or content(aspect)
        shared = sorted(wanted & held)
        share = len(shared) / len(wanted) if wanted else 0.0
        score = min(FULL_ADHERENCE, int(share * FULL_ADHERENCE / 0.6))
        words = ", ".join(shared) if shared else "no word of this aspect"
        reason = f"The response has {words}."
        verdicts.append({"number": number, "reason": reason, "score": score})
    return verdicts


def support(prompt: Prompt) -> list[dict[str, object]]:
    """Whether the posts of each case hold at least half of its aspect's content."""
    verdicts: list[dict[str, object]] = []
    for number, case in prompt.every("case"):
        aspect = tagged(case, "aspect", most=1)
        wanted = content(aspect[0][1]) if aspect else frozenset()
        held = frozenset[str]().union(*(terms(post) for _, post in tagged(case, "post")))
        shared = sorted(wanted & held)
        carried = bool(wanted) and len(shared) / len(wanted) >= 0.5
        words = ", ".join(shared) if shared else "no word of the aspect"
        verdict = "carried" if carried else "far_fetched"
        reason = f"The posts have {words}."
        verdicts.append({"number": int(number), "reason": reason, "verdict": verdict})
    return verdicts


def match(prompt: Prompt) -> list[dict[str, object]]:
    """For each aspect, the lists in which one shares half of all content."""
    lists = [
        (int(number), [set(content(text)) for _, text in tagged(block, "aspect")])
        for number, block in prompt.every("list")
    ]
    verdicts: list[dict[str, object]] = []
    for number, aspect in enumerate(prompt.aspects, start=1):
        own = set(content(aspect))
        sharing = [n for n, others in lists if any(jaccard(own, other) >= 0.5 for other in others)]
        reason = "Shares most of its words with those lists." if sharing else "In no list."
        verdicts.append({"number": number, "reason": reason, "found_in": sharing})
    return verdicts


def quality(prompt: Prompt) -> dict[str, object]:
    """For each scale a reason, then a score between its outer anchors."""
    response = prompt.first("response")
    level, reason = _level(prompt.question, response)
    scores: dict[str, object] = {}
    for name, wording in prompt.every("scale"):
        anchors = [int(anchor) for anchor in _ANCHOR.findall(wording)] or [1, 5]
        bonus = 1 if level == 4 and pick(3, name, response) == 0 else 0
        steps = (level + bonus - 1) / 4 * (max(anchors) - min(anchors))
        scores[name] = {"reason": reason, "score": min(anchors) + round(steps)}
    return scores


def compare(prompt: Prompt) -> dict[str, object]:
    """A tie, unless one response is clearly worse by the measure of `quality`."""
    responses = dict(prompt.every("response"))
    first, second = (_level(prompt.question, responses.get(name, ""))[0] for name in "AB")
    verdict = "tie" if abs(first - second) < 2 else "A" if first > second else "B"
    reason = "Both answer it about equally well." if verdict == "tie" else "The other falls short."
    return {"reason": reason, "verdict": verdict}


def choose() -> dict[str, object]:
    """The first, so that over both orders neither response is ahead."""
    return {"reason": "Both answer it about equally well.", "choice": "A"}


def prefer(prompt: Prompt) -> dict[str, object]:
    """The response that has more words of what is shown of the person. For one prompt in three the
    first place is worth a word, so that not all verdicts survive the other order."""
    responses = dict(prompt.every("response"))
    first, second = (len(_fitting(prompt, responses.get(name, ""))) for name in "AB")
    lead = first - second + (pick(3, *responses.values()) == 0)
    verdict = "tie" if lead == 0 else "A" if lead > 0 else "B"
    return {"reason": f"A has {first} of this person's words, B {second}.", "verdict": verdict}


def rate(prompt: Prompt) -> dict[str, object]:
    """1 to 4 by the measure of `quality`, and up to 6 for words of what is shown of the person."""
    response = prompt.first("response")
    level, reason = _level(prompt.question, response)
    fitting = len(_fitting(prompt, response))
    reason = f"{reason} It has {fitting} of this person's words."
    return {"reason": reason, "score": level + min(6, fitting)}


def _fitting(prompt: Prompt, response: str) -> frozenset[str]:
    """Words that the response shares with the posts and aspects that are shown, and which the
    question does not have."""
    known = frozenset[str]().union(
        *(terms(text) for _, text in prompt.every("post")), *map(content, prompt.aspects)
    )
    return (known & terms(response)) - terms(prompt.question)


def _level(question: str, response: str) -> tuple[int, str]:
    question_terms = terms(question)
    if not response or _REFUSAL.search(response[:200]):
        return 1, "It does not answer."
    if question_terms and not question_terms & terms(response):
        return 2, "It has no word of the question."
    if word_count(response) < 40:
        return 3, "It is on the question, but short."
    return 4, "It stays with the question and says something of use."
