"""The planner under test: it infers at evaluation time what this user expects."""

from typing import NamedTuple

from pairwright.evaluate.scorers.seam import PromptContent, Unscored
from pairwright.models import Model
from pairwright.records import Post, Rejected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import PlanRules
from pairwright.stages.plan import plan


class TestedPlanner(NamedTuple):
    """A planner's model with its prompt."""

    model: Model
    prompts: Prompts
    policy: PlanRules
    domains: Domains
    words: int

    async def shown(
        self, question: str, posts: tuple[Post, ...], domain: str
    ) -> PromptContent | Unscored:
        """The question with the aspects that the posts give; with none where they give none, which
        is an answer of the planner's. Raises CallFailed."""
        known = self.domains.by_key.get(domain)
        planned = await plan(
            question,
            posts,
            self.model,
            self.prompts,
            self.policy,
            kinds=known.kinds if known else (),
            words=self.words,
        )
        if isinstance(planned, Rejected):
            return Unscored(f"planner_{planned.reason}", planned.detail)
        return PromptContent(question, aspects=tuple(of.aspect for of in planned.aspects))
