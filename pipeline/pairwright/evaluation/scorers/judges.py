"""Generative judges: one compares two responses, always in both orders; one rates one response.

A judge's prompt begins with the data of the person: posts oldest first, question, aspects. So an
engine that caches prefixes computes it once for both orders and both responses. The wording is
the same in every condition: only the text between the tags changes. A judge that brings one
prompt of its own is asked with that, and neither with a system message nor with a schema.

A free text says its result in one of few forms, and at its end: a JSON object, a mark such as
`[[A]]`, or a last line that is the result alone or names it ("Verdict: A"). No further
statement may follow a mark, and two marks that differ do not count. A text in no form is `Unread`
and never guessed: to take a verdict out of sentences is to judge once more.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import Field

from pairwright.evaluation.scorers.scorer import (
    Choice,
    Preference,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.evaluation.session import (
    InFolder,
    Opened,
    OpenScorer,
    ScorerSession,
    canonical,
    ref_of,
)
from pairwright.models import (
    WHOLE_NUMBER,
    CallLog,
    Model,
    Reply,
    Unread,
    parse,
    together,
)
from pairwright.records import Dropped, Record
from pairwright.settings.endpoints import Sampling
from pairwright.settings.prompt import OWN, SCORING, Prompts, PromptTemplate, label_texts

T = TypeVar("T")
JudgeVerdict = Literal["A", "B", "tie"]


class PreferReply(Reply):
    reason: str
    verdict: Literal["A", "B", "tie"]


class RateReply(Reply):
    reason: str
    score: Annotated[Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


class _BoundJudge(NamedTuple):
    """A judge, bound to the model that answers for it."""

    model: Model
    prompts: Prompts | PromptTemplate

    async def ask(
        self,
        name: str,
        shown: PromptContent,
        reply: type[Reply],
        read: Callable[[str], T | Unread],
        **responses: str,
    ) -> tuple[T | Unscored, int]:
        """Ask the judge about responses, and return its result and the tokens read and written. The
        result is the last field of the requested JSON object, or that of `read` for other text.
        Raises CallFailed."""
        log = CallLog()
        model, posts = self.model.with_log(log), label_texts(post.text for post in shown.posts)
        known = {"posts": posts, "question": shown.question, "aspects": shown.aspects, **responses}

        def understood(text: str) -> T | Unread:
            parsed = parse(text, reply)
            if isinstance(parsed, Unread):
                return read(text)
            value: T = getattr(parsed, list(reply.model_fields)[-1])
            return value

        kind = None if isinstance(self.prompts, PromptTemplate) else reply
        answer = await model.ask(self.prompts.ask(name, **known), understood, kind)
        if isinstance(answer, Dropped):
            return Unscored(answer.reason, answer.detail), log.tokens
        return answer, log.tokens


class ComparingJudge(_BoundJudge):
    """A judge that compares.

    Both orders are asked, so which of them is called the first decides nothing. The two halves of a
    twin hold the same responses: without a history they are the same two calls.
    """

    async def prefer(self, shown: PromptContent, chosen: str, rejected: str) -> Preference:
        """The judge's verdicts in both orders. Raises CallFailed."""

        async def verdict(first: Choice, second: Choice) -> tuple[Choice | Unscored, int]:
            responses = {"chosen": chosen, "rejected": rejected}
            found: tuple[JudgeVerdict | Unscored, int] = await self.ask(
                "prefer", shown, PreferReply, read_verdict,
                first=responses[first], second=responses[second],
            )  # fmt: skip
            said, tokens = found
            names: dict[JudgeVerdict, Choice] = {"A": first, "B": second, "tie": "tie"}
            return said if isinstance(said, Unscored) else names[said], tokens

        (forward, tokens), (backward, more) = await together(
            verdict("chosen", "rejected"), verdict("rejected", "chosen")
        )
        return Preference(forward, backward, tokens + more)


class RatingJudge(_BoundJudge):
    """A judge that rates."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """A whole number from 1 to 10. Raises CallFailed."""
        score, tokens = await self.ask("rate", shown, RateReply, read_rating, response=response)
        return score if isinstance(score, Unscored) else ResponseScore(float(score), tokens)


class Judge(Record):
    """A generative judge: pairwise compares two responses, in both orders; pointwise rates one."""

    kind: Literal["pairwise", "pointwise"]
    endpoint: str = Field(description="name of a table of [endpoints]")
    prompt: InFolder | None = Field(
        None, description="a prompt file of your own, relative to this file's folder; none: ours"
    )
    sampling: Sampling = Sampling()

    def open(self, name: str, session: ScorerSession) -> OpenScorer:
        """Connect it. Raises ConfigError and InputError."""
        (endpoint, client), prompts = session.client(self.endpoint), session.prompts
        asked: Prompts | PromptTemplate = prompts
        decides: dict[str, object] = {"sampling": self.sampling.model_dump()}
        if self.prompt is not None:
            needed = OWN["prefer" if self.kind == "pairwise" else "rate"]
            asked = PromptTemplate.read(Path(self.prompt), needed)
            decides["prompt"] = asked.hash
        else:
            decides["structured"] = endpoint.structured
            used = sorted({"history", *SCORING})
            decides["prompts"] = {one: prompts.hashes[one] for one in used}
        judge = ComparingJudge if self.kind == "pairwise" else RatingJudge
        scorer = judge(Model(client, endpoint, self.sampling), asked)
        ref = ref_of(name, self.kind, endpoint.model, endpoint.revision, canonical(decides))
        return Opened(scorer, ref, endpoint.concurrency, (client,))


# Reading a judge's free text

_NOUN = r"(?:response|answer|output|option|assistant)"
_VERDICT_NAMES = (
    r"(?:(?:final|overall) )?(?:verdict|result|winner|decision|judge?ment|choice|preference|answer)"
    r"|(?:preferred|better|best|chosen|winning) (?:response|answer|output|option)"
)
_SCORE_NAMES = r"(?:(?:final|overall|total) )?(?:score|rating|grade|verdict|result|answer)"
_ONE = re.compile(rf"(?:the )?(?:{_NOUN} )?(?P<letter>[ab]|first|second)(?: {_NOUN}| one)?")
_NUMBERED = re.compile(rf"{_NOUN} (?P<letter>[12])")
_TIES = frozenset({"tie", "a tie", "tied", "draw", "a draw", "equal"})
# Judges of arenas compare: "A>>B", "A=B".
_COMPARED = re.compile(r"([ab]) ?(>{1,3}|<{1,3}|=) ?([ab])")
_SCORE = re.compile(r"(\d{1,3})(?: ?(?:/|out of) ?10)?")

_BRACKETS = re.compile(r"\[\[([^\[\]]*)\]\]")
# `\text{` and its like, the tags and the marks that judges put around a result.
_AROUND = re.compile(
    r"\\(?:boxed|text|textbf|mathrm|mathbf) ?\{|</?(?:verdict|answer|result|score|rating)>"
    r"|[*_`\"'\u201c\u201d(){}\[\]]",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder(strict=False)


def read_verdict(text: str) -> JudgeVerdict | Unread:
    """The verdict of a whole reply, or why it has none."""
    marked = _marked(text)
    verdict = _verdict_of(_plain(_result(text, _VERDICT_NAMES))) if marked is None else marked
    return verdict or _unread("no verdict", text)


# What takes a mark back, or only supposes it.
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|would|could|might|may|initial|initially|previous|at first)\b"
    r"|(?:\b(?:not|never|neither|than|of)|n['\u2019]t|cannot)(?:\W+\w+){0,2}\W*$"
)
_BETTER = re.compile(rf"{_NOUN} ([ab])(?= is (?:\w+ )?better\b| wins\b)")
_AGAIN = re.compile(
    r"(?:(?:for|as|since|meaning|because) )?(?:it is |it's |they are )?(?:a )?"
    rf"(?:(?P<tie>tie|tied|draw)|{_NOUN} (?P<letter>[ab])(?: is (?:\w+ )?better| wins)?)"
)


def _marked(text: str) -> JudgeVerdict | Literal[""] | None:
    """The verdict of the marks of a text, such as `[[A>B]]`; empty where they say none, and None
    where the text has no mark or is JSON."""
    text = text.strip().lower()
    body = text.removesuffix("```").rstrip()
    # In double brackets, as MT-Bench asks for it, and in them alone, C is the tie.
    named_in = [(mark, _plain(mark[1])) for mark in _BRACKETS.finditer(text)]
    said = [(mark, "tie" if name == "c" else _verdict_of(name)) for mark, name in named_in]
    found = [(mark, verdict) for mark, verdict in said if verdict]
    if not found or text.startswith(("{", "```")) or body.endswith("}"):
        return None
    last, verdict = found[-1]
    before = re.split(r"[.!?]\s|\n", text[: last.start()])[-1]
    named = {_letter(name) for name in _BETTER.findall(before)}
    behind = _plain(text[last.end() :].lstrip(":,;- "))
    if len({one for _, one in found}) > 1 or _SUPPOSED.search(before) or named - {verdict}:
        return ""
    if behind:
        again = _AGAIN.fullmatch(behind)
        if not again or ("tie" if again["tie"] else _letter(again["letter"])) != verdict:
            return ""
    return verdict


def read_rating(text: str) -> int | Unread:
    """The score of a whole reply, or why it has none."""
    match = _SCORE.fullmatch(_plain(_result(text, _SCORE_NAMES)))
    if match is None or not 1 <= int(match[1]) <= 10:
        return _unread("no score from 1 to 10", text)
    return int(match[1])


def _result(text: str, names: str) -> str:
    """The result at the end of a text, in lower case; empty if the end has no result."""
    text = text.strip()
    body = text.removesuffix("```").rstrip()
    if body.endswith("}") and (data := _last_object(body)) is not None:
        values = {
            "" if isinstance(value, list | dict) else str(value).lower()
            for key, value in data.items()
            if re.fullmatch(names, key.replace("_", " ").strip().lower())
        }
        return values.pop() if len(values) == 1 else ""
    if text.startswith(("{", "```")):
        return ""  # An object without its end: what is in it is part of a reason.
    line = text[text.rfind("\n") + 1 :].strip().lower()
    if line.startswith("#") or line.endswith(":"):
        return ""  # A heading.
    return re.sub(rf"^(?:my |the )?(?:{names})(?:\s*[:=]| is:?)\s*", "", _plain(line))


def _last_object(text: str) -> dict[str, object] | None:
    """The JSON object that ends a text, whatever is in it."""
    at = text.find("{")
    while at >= 0:
        data, end = dict[str, object](), at + 1
        with suppress(ValueError, RecursionError):
            data, end = _DECODER.raw_decode(text, at)
        if end == len(text):
            return data
        at = text.find("{", end)
    return None


def _plain(text: str) -> str:
    """A text without the marks around a result or at its end, in single spaces."""
    return " ".join(_AROUND.sub("", text).split()).rstrip(" .!")


def _verdict_of(value: str) -> JudgeVerdict | None:
    if value in _TIES:
        return "tie"
    if match := _COMPARED.fullmatch(value):
        first, sign, second = match.groups()
        if first == second:
            return None
        if sign == "=":
            return "tie"
        return _letter(first if sign[0] == ">" else second)
    named = _ONE.fullmatch(value) or _NUMBERED.fullmatch(value)
    return _letter(named["letter"]) if named else None


def _letter(name: str) -> JudgeVerdict:
    return "A" if name in ("a", "1", "first") else "B"


def _unread(what: str, text: str) -> Unread:
    head = " ".join(text.split())[:200]
    return Unread(f"{what} in: {head}" if head else "an empty reply")
