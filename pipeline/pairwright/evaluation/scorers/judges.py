"""Generative judges: one compares two responses, always in both orders; one rates one response.

A judge's prompt begins with the data of the person: posts oldest first, question, aspects. So an
engine that caches prefixes computes it once for both orders and both responses. The wording is
the same in every condition: only the text between the tags changes. A judge that brings one
prompt of its own is asked with that, and neither with a system message nor with a schema.
"""

from collections.abc import Callable
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
from pairwright.evaluation.scorers.verdicts import JudgeVerdict, read_rating, read_verdict
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
