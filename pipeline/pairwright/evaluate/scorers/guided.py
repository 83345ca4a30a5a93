"""What reward-guided decoding prefers, as a scorer: a response's score under a policy that a reward
steers.

    s_u(y|x) = sum over t of [ log pi(y_t|x, y_<t) + r_u(x, y_<=t) / beta ]

Our reading of "policy accuracy" (arXiv 2512.23067, whose formula is not public). Two rewards are
well defined token by token: a language model's own r = log pi_r(y_t|x, y_<t), as in GenARM (arXiv
2410.08193), and a reward of whole responses, which counts at the last token and is 0 before, as
ARGS (arXiv 2402.01694) adds it to what is written so far. The normaliser of the guided policy at
each token is left out: it would take the reward of every word of the vocabulary.
"""

from typing import NamedTuple

from pairwright.errors import ConfigError
from pairwright.evaluate.scorers.language_model import LanguageModel, Told
from pairwright.evaluate.scorers.seam import Pointwise, Score, Unscored
from pairwright.evaluate.shown import Shown
from pairwright.models import together


class GuidedPolicy(NamedTuple):
    """A policy and what steers it, both shown the same."""

    where: str
    """For messages: its place in the file of scorers."""
    policy: LanguageModel
    reward: Pointwise
    beta: float

    async def score(self, shown: Shown, response: str) -> Score | Unscored:
        """s_u(y|x), or that over the number of tokens where the policy is read so.

        Raises CallFailed, and ConfigError where policy and reward, both language models, have
        other tokens.
        """
        told, reward = await together(
            self.policy.tokens(shown, response), self._reward(shown, response)
        )
        if isinstance(told, Unscored):
            return told
        if isinstance(reward, Unscored):
            return reward
        if isinstance(reward, Told):
            self._check(told, reward, response)
            value, read = reward.tokens.total, reward.read
        else:
            value, read = reward.value, reward.tokens
        divisor = len(told.tokens.ids) if self.policy.per_token else 1
        return Score((told.tokens.total + value / self.beta) / divisor, told.read + read)

    async def _reward(self, shown: Shown, response: str) -> Told | Score | Unscored:
        if isinstance(self.reward, LanguageModel):
            return await self.reward.tokens(shown, response)
        return await self.reward.score(shown, response)

    def _check(self, policy: Told, reward: Told, response: str) -> None:
        if policy.tokens.ids == reward.tokens.ids:
            return
        raise ConfigError(
            "policy and reward have different tokenizers, so no reward belongs to a token of the"
            f" policy: {len(policy.tokens.ids)} tokens and {len(reward.tokens.ids)} of the response"
            f" that begins {response[:40]!r}",
            where=self.where,
            fix="Take two models with one tokenizer, or a reward of whole responses"
            " (kind = 'classifier', 'served' or 'pointwise').",
        )
