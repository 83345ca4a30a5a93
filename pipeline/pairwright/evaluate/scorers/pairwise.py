"""A generative judge that compares two responses, always in both orders."""

from typing import Literal, NamedTuple

from pairwright.evaluate.scorers.judge import Counted, ask_about, judged
from pairwright.evaluate.scorers.seam import Place, Preference, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.evaluate.verdict import Verdict, read_verdict
from pairwright.models import Model, Reply, together
from pairwright.settings.prompt import OwnPrompt, Prompts

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

    async def prefer(self, shown: Shown, first: str, second: str) -> Preference | Unscored:
        """Raises CallFailed. Without a verdict in either order the pair has none."""
        judge = Counted.of(self.model)
        forward, backward = await together(
            self._verdict(judge.model, shown, first, second),
            self._verdict(judge.model, shown, second, first),
        )
        if isinstance(forward, Unscored):
            return forward
        if isinstance(backward, Unscored):
            return backward
        return Preference(_FORWARD[forward], _BACKWARD[backward], judge.tokens)

    async def _verdict(self, model: Model, shown: Shown, a: str, b: str) -> Verdict | Unscored:
        ask = ask_about(self.prompts, "prefer", shown, first=a, second=b)
        return await judged(
            model, self.prompts, ask, PreferReply, lambda reply: reply.verdict, read_verdict
        )
