"""What both kinds of generative judges have in common: what they are shown, and what is counted.

A judge's prompt begins with what is known of the person (posts oldest first, question, aspects), so
an engine that keeps prefixes computes it once for both orders and both responses. The wording is
the same in every condition: only what stands between the tags changes. A judge that brings one
prompt of its own is asked with that, and neither with a system message nor with a schema.
"""

from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

from pairwright.evaluate.scorers.seam import Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import Model, Reply, Unread, parse, schema_of
from pairwright.models.run import CallLog, Traced
from pairwright.records import Rejected
from pairwright.settings.prompt import Ask, Labelled, OwnPrompt, Prompts

R = TypeVar("R", bound=Reply)
T = TypeVar("T")


class Counted(NamedTuple):
    """A judge's model whose tokens are counted."""

    model: Model
    log: CallLog

    @classmethod
    def of(cls, model: Model) -> "Counted":
        log = CallLog()
        return cls(model.bound_to(Traced(model.llm, log)), log)

    @property
    def tokens(self) -> int:
        return self.log.prompt_tokens + self.log.completion_tokens


def ask_about(prompts: Prompts | OwnPrompt, name: str, shown: Shown, **values: Hashable) -> Ask:
    """A prompt about the person who asks."""
    posts = tuple(Labelled(f"p{n}", post.text) for n, post in enumerate(shown.posts, start=1))
    known = {"posts": posts, "question": shown.question, "aspects": shown.aspects, **values}
    if isinstance(prompts, OwnPrompt):
        return prompts.ask(**known)
    return prompts.ask(name, **known)


async def judged(
    model: Model,
    prompts: Prompts | OwnPrompt,
    ask: Ask,
    reply: type[R],
    of: Callable[[R], T],
    read: Callable[[str], T | Unread],
) -> T | Unscored:
    """What the judge says: by `of` where it replied with the JSON object that it is asked for, by
    `read` where it wrote something else. Raises CallFailed."""

    def understood(text: str) -> T | Unread:
        parsed = parse(text, reply)
        return read(text) if isinstance(parsed, str) else of(parsed)

    schema = None if isinstance(prompts, OwnPrompt) else schema_of(reply)
    answer = await model.understood(ask, schema, understood)
    if isinstance(answer, Rejected):
        return Unscored(answer.reason, answer.detail)
    return answer
