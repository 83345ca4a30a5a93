"""Content defects: replies made wrong on purpose, each named in `planted`."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from pairwright.models.simulated.chance import pick, share
from pairwright.models.simulated.defects import Defects
from pairwright.models.simulated.phrases import topics
from pairwright.models.simulated.planner import plan, plan_blind
from pairwright.models.simulated.reading import Prompt
from pairwright.models.simulated.statements import sentences
from pairwright.models.simulated.writer import answer, over_long
from pairwright.text import words

REFUSAL = "I'm sorry, but I can't help with that."
LEAKED_WORDS = 6
COPIED_WORDS = 8
MOST_ASPECTS = 4
# An e-mail address, two capitalised words inside a sentence, a number of several digits.
_PARTICULAR = re.compile(
    r"\b[\w.]+@\w+\.\w+|(?<=[a-z] )[A-Z][a-z]+ [A-Z][a-z]+|\b[1-9]\d+[1-9]{2}\b"
)
CHOSEN = ("write_adhering", "paper_expected")
FOR_A_PERSON = ("sample", "complete")
"""Tasks whose prompt shows posts: what they call for is inferred."""
REJECTED = ("write_omitting", "write_contradicting", "paper_avoided")


class PlantedReply(NamedTuple):
    """A reply's text, and the defects in it."""

    text: str
    planted: tuple[str, ...] = ()


class Memory:
    """The posts of the first history a plan was made from, for the latest questions.

    Writers never see a profile, so only with this can an answer copy from one.
    """

    def __init__(self, questions: int = 2000) -> None:
        self._questions = questions
        self._posts: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, question: str, posts: Sequence[str]) -> None:
        if question not in self._posts:
            self._posts[question] = tuple(posts)
            if len(self._posts) > self._questions:
                self._posts.popitem(last=False)

    def posts(self, question: str) -> tuple[str, ...]:
        return self._posts.get(question, ())


def planted_reply(prompt: Prompt, defects: Defects, memory: Memory) -> PlantedReply:
    """The answer of a writing task, with the defects that strike it."""
    if defects.strikes("refusal", prompt.digest):
        return PlantedReply(REFUSAL, ("refusal",))
    aspects = _inferred(prompt) if prompt.task in FOR_A_PERSON else prompt.aspects
    serve = aspects if prompt.task in (*CHOSEN, *FOR_A_PERSON) else []
    planted: list[str] = []
    also: list[str] = []
    swap = "violated_chosen" if serve else "adhering_rejected"
    if aspects and defects.strikes(swap, prompt.digest):
        serve = [] if serve else aspects
        planted.append(swap)
    for kind, sentence in (
        ("leaked_rubric", _aspect_to_quote(aspects)),
        ("repeated_aspects", _words_of(serve)),
        ("copied_profile", _post_to_copy(prompt, memory)),
        ("copied_particular", _particular_to_copy(prompt, memory)),
        ("persona_talk", _persona(prompt)),
    ):
        if sentence and defects.strikes(kind, prompt.digest):
            also.append(sentence)
            planted.append(kind)
    text = answer(
        prompt.question,
        serve,
        limit=prompt.words,
        seed=prompt.seed,
        variant=f"{prompt.task} {aspects}",
        also=tuple(also),
    )
    if defects.strikes("over_long", prompt.digest):
        text = over_long(text, prompt.words)
        planted.append("over_long")
    return PlantedReply(text, tuple(planted))


def _inferred(prompt: Prompt) -> list[str]:
    """About half of what the posts give, another half for another seed."""
    aspects = plan(prompt.question, [text for _, text in prompt.every("post")], MOST_ASPECTS)
    return [
        aspect.aspect
        for aspect in aspects
        if share(aspect.aspect, prompt.seed, prompt.question) < 0.5
    ]


def spoil(prompt: Prompt, aspects: list[dict[str, Any]], defects: Defects) -> tuple[str, ...]:
    """Spoil aspects in place: a generic one last, an invented quote first."""
    planted = []
    if aspects and defects.strikes("generic_aspect", prompt.digest):
        aspects[-1]["aspect"] = plan_blind(prompt.question, 1)[0]
        planted.append("generic_aspect")
    if aspects and defects.strikes("aspect_without_evidence", prompt.digest):
        invented = "as was remarked elsewhere in quite other words"
        if isinstance(aspects[0]["evidence"], str):  # Of a narrative.
            aspects[0]["evidence"] = invented
        else:
            aspects[0]["evidence"][0]["passage"] = invented
        planted.append("aspect_without_evidence")
    return tuple(planted)


def _aspect_to_quote(aspects: list[str]) -> str:
    longest = max(aspects, key=lambda aspect: len(words(aspect)), default="")
    return f"{longest.rstrip('. ')}." if len(words(longest)) >= LEAKED_WORDS else ""


def _words_of(aspects: list[str]) -> str:
    """Every word of the aspects backwards, so that no run of them survives."""
    listed = dict.fromkeys(reversed([word for aspect in aspects for word in words(aspect)]))
    return f"Think of {', '.join(listed)}." if listed else ""


def _posts(prompt: Prompt, memory: Memory) -> Sequence[str]:
    return [text for _, text in prompt.every("post")] or memory.posts(prompt.question)


def _particular_to_copy(prompt: Prompt, memory: Memory) -> str:
    particulars = [
        particular
        for post in _posts(prompt, memory)
        for particular in _PARTICULAR.findall(post)
        if particular not in prompt.question
    ]
    return (
        f"Much depends on {particulars[pick(len(particulars), prompt.digest)]} here."
        if particulars
        else ""
    )


def _post_to_copy(prompt: Prompt, memory: Memory) -> str:
    fit = [
        sentence.strip()
        for post in _posts(prompt, memory)
        for sentence in sentences(post)
        if COPIED_WORDS <= len(words(sentence)) <= 30
    ]
    return fit[pick(len(fit), prompt.digest)] if fit else ""


def _persona(prompt: Prompt) -> str:
    one, _ = topics(prompt.question)
    return (
        f"As someone who has been busy with {one}, you will see why this matters.",
        f"Given your interest in {one}, this should come easily.",
    )[pick(2, prompt.digest)]
