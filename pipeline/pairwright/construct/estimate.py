"""Estimates the most calls and tokens of a build, by its config alone.

Calls are counted as if every question showed a personal signal and every draw were used, so a build
takes fewer. Tokens are rough: histories are measured (`text.token_estimate`), the rest of each
prompt and each reply is taken to be of the usual length.
"""

from collections import Counter
from itertools import islice
from typing import NamedTuple

from pairwright.construct.corpus import Corpus
from pairwright.construct.partners import Candidates
from pairwright.modes import MODES, need_partners
from pairwright.modes.rules import BuildRules
from pairwright.retrieve import selected
from pairwright.settings.rules import PlanRules
from pairwright.text import token_estimate

_TOKENS = {
    "plan": (900, 300), "plan_blind": (350, 90), "support": (900, 150), "match": (500, 120),
    "adherence": (800, 130), "quality": (700, 80), "compare": (900, 70),
    "choose": (600, 60), "write": (400, 140),
}  # fmt: skip
"""Tokens of a prompt without its history, and of its reply."""
_SAMPLE = 200
_INFERRED = {
    "gold": (),
    "planner": ("plan", "plan_blind", "write", "support", "match", "adherence"),
}
"""The calls for a rubric, by its source."""


class RoleEstimate(NamedTuple):
    """The most calls and tokens of one role."""

    role: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """0 where its endpoint has no price."""


class BuildEstimate(NamedTuple):
    """The most calls and tokens of a build, by role."""

    items: int
    roles: tuple[RoleEstimate, ...]


def estimate_calls(corpus: Corpus, rules: BuildRules, limit: int | None) -> BuildEstimate:
    """Calls, tokens and cost of a build from nothing, by role."""
    config, candidates = rules.config, Candidates(corpus, rules)
    items = range(len(corpus.entries[:limit]))
    if config.own_choices:
        return BuildEstimate(len(items), ())
    calls, drafts = Counter[str](), Counter[str]()
    for position in items:
        tried = candidates.of(corpus.item(position))
        calls.update(_INFERRED[config.aspects])
        calls["plan"] += len(tried.users)
        if tried.suited and need_partners(config.modes):
            # A question without a twin may give a placebo, which takes less.
            calls.update({"support": 1, "match": 1, "adherence": 1, "choose": 2})
            drafts.update({"write": 2, "adherence": 4, "quality": 2, "compare": 2})
        if any(MODES[mode].halves == 1 for mode in config.modes):
            drafts["write"] += 2
            if config.gated:
                calls["choose"] += 2
                drafts.update({"adherence": 2, "quality": 2, "compare": 2})
    drafts = Counter({purpose: n * config.draws for purpose, n in drafts.items()})
    reads, history = (
        "write" if config.paper_writers else "plan",
        _history_tokens(corpus, config.planner),
    )
    judged = ("adherence", "quality", "compare")
    asked = [
        ("planner", config.roles.planner, calls + drafts, ("plan", "plan_blind")),
        ("generator", config.roles.generator[0], calls + drafts, ("write",)),
        ("judge", config.roles.judge[0], calls + drafts, ("support", "match", *judged, "choose")),
        *(("judge", name, drafts, judged) for name in config.roles.judge[1:]),
    ]
    roles = []
    for role, name, counted, purposes in asked:
        endpoint, thinking = config.endpoints[name], config.endpoints[name].thinking_tokens or 0
        sent = sum(counted[p] * (_TOKENS[p][0] + history * (p == reads)) for p in purposes)
        received = sum(counted[p] * (_TOKENS[p][1] + thinking) for p in purposes)
        n, cost = sum(counted[p] for p in purposes), endpoint.cost(sent, received)
        roles.append(RoleEstimate(role, endpoint.model, n, sent, received, cost))
    return BuildEstimate(len(items), tuple(roles))


def _history_tokens(corpus: Corpus, planner: PlanRules) -> int:
    """The mean length of a history as a prompt shows it, over some of the items."""
    step = max(1, len(corpus) // _SAMPLE)
    items = [corpus.item(n) for n in islice(range(0, len(corpus), step), _SAMPLE)]
    shown = (selected(item.question, item.profile, planner) for item in items)
    tokens = sum(token_estimate(post.text) for posts in shown for post in posts)
    return round(tokens / max(1, len(items)))
