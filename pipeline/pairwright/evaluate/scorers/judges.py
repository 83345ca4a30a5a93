"""Generative judges: one compares two responses, always in both orders; one rates one response.

A judge's prompt begins with what is known of the person (posts oldest first, question, aspects), so
an engine that keeps prefixes computes it once for both orders and both responses. The wording is
the same in every condition: only the text between the tags changes. A judge that brings one
prompt of its own is asked with that, and neither with a system message nor with a schema.
"""

from collections.abc import Callable, Hashable
from typing import Annotated, Literal, NamedTuple, TypeVar

from pairwright.evaluate.replies import Verdict, read_rating, read_verdict
from pairwright.evaluate.scorers.scorer_protocols import (
    Place,
    Preference,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.models import WHOLE_NUMBER, Model, Reply, Unread, parse, schema_of, together
from pairwright.models.run import CallLog, Traced
from pairwright.records import Rejected
from pairwright.settings.prompt import OwnPrompt, Prompts
from pairwright.settings.prompt_variables import Ask, Labelled

R = TypeVar("R", bound=Reply)
T = TypeVar("T")


class MeteredModel(NamedTuple):
    """A judge's model whose tokens are counted."""

    model: Model
    log: CallLog

    @classmethod
    def around(cls, model: Model) -> "MeteredModel":
        log = CallLog()
        return cls(model.bound_to(Traced(model.llm, log)), log)

    @property
    def tokens(self) -> int:
        """Tokens that were read and written."""
        return self.log.prompt_tokens + self.log.completion_tokens


def ask_about(
    prompts: Prompts | OwnPrompt, name: str, shown: PromptContent, **values: Hashable
) -> Ask:
    """A prompt about the person who asks."""
    posts = tuple(Labelled(f"p{n}", post.text) for n, post in enumerate(shown.posts, start=1))
    known = {"posts": posts, "question": shown.question, "aspects": shown.aspects, **values}
    if isinstance(prompts, OwnPrompt):
        return prompts.ask(**known)
    return prompts.ask(name, **known)


async def ask_judge(
    model: Model,
    prompts: Prompts | OwnPrompt,
    ask: Ask,
    reply: type[R],
    value_of: Callable[[R], T],
    read: Callable[[str], T | Unread],
) -> T | Unscored:
    """What the judge says: by `of` where it replied with the JSON object that it is asked for, by
    `read` where it wrote something else. Raises CallFailed."""

    def understood(text: str) -> T | Unread:
        parsed = parse(text, reply)
        return read(text) if isinstance(parsed, str) else value_of(parsed)

    schema = None if isinstance(prompts, OwnPrompt) else schema_of(reply)
    answer = await model.understood(ask, schema, understood)
    if isinstance(answer, Rejected):
        return Unscored(answer.reason, answer.detail)
    return answer


_FORWARD: dict[Verdict, Place] = {"A": "first", "B": "second", "tie": "tie"}
_BACKWARD: dict[Verdict, Place] = {"A": "second", "B": "first", "tie": "tie"}


class PreferReply(Reply):
    reason: str
    verdict: Literal["A", "B", "tie"]


class ComparingJudge(NamedTuple):
    """One judge, bound to what answers for it.

    Both orders are asked, so which of them is called the first decides nothing. The two halves of a
    twin hold the same responses: without a history they are the same two calls.
    """

    model: Model
    prompts: Prompts | OwnPrompt

    async def prefer(self, shown: PromptContent, first: str, second: str) -> Preference | Unscored:
        """The judge's verdicts in both orders; a pair without one of them has no verdict. Raises
        CallFailed."""
        judge = MeteredModel.around(self.model)
        forward, backward = await together(
            self._verdict(judge.model, shown, first, second),
            self._verdict(judge.model, shown, second, first),
        )
        if isinstance(forward, Unscored):
            return forward
        if isinstance(backward, Unscored):
            return backward
        return Preference(_FORWARD[forward], _BACKWARD[backward], judge.tokens)

    async def _verdict(
        self, model: Model, shown: PromptContent, a: str, b: str
    ) -> Verdict | Unscored:
        ask = ask_about(self.prompts, "prefer", shown, first=a, second=b)
        return await ask_judge(
            model, self.prompts, ask, PreferReply, lambda reply: reply.verdict, read_verdict
        )


class RateReply(Reply):
    reason: str
    score: Annotated[Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


class RatingJudge(NamedTuple):
    """One judge, bound to what answers for it."""

    model: Model
    prompts: Prompts | OwnPrompt

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """A whole number from 1 to 10. Raises CallFailed."""
        judge = MeteredModel.around(self.model)
        ask = ask_about(self.prompts, "rate", shown, response=response)
        score = await ask_judge(
            judge.model, self.prompts, ask, RateReply, lambda reply: reply.score, read_rating
        )
        if isinstance(score, Unscored):
            return score
        return ResponseScore(float(score), judge.tokens)
