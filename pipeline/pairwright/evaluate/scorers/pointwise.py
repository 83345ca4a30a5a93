"""A generative judge that rates one response at a time."""

from typing import Annotated, Literal, NamedTuple

from pairwright.evaluate.rating import read_rating
from pairwright.evaluate.scorers.judge import Counted, ask_about, judged
from pairwright.evaluate.scorers.seam import Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import WHOLE_NUMBER, Model, Reply
from pairwright.settings.prompt import OwnPrompt, Prompts


class RateReply(Reply):
    reason: str
    score: Annotated[Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


class RatingJudge(NamedTuple):
    """One judge, bound to what answers for it."""

    model: Model
    prompts: Prompts | OwnPrompt

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """A whole number from 1 to 10. Raises CallFailed."""
        judge = Counted.of(self.model)
        ask = ask_about(self.prompts, "rate", shown, response=response)
        score = await judged(
            judge.model, self.prompts, ask, RateReply, lambda reply: reply.score, read_rating
        )
        if isinstance(score, Unscored):
            return score
        return Score(float(score), judge.tokens)
