"""What a build will cost: by its config, without a call, and by a pilot.

Of a dry run, calls are counted as if every item were carried to its end: `first_draft` if each
first draft is accepted, `at_most` if every draw is used. Items that show no personal signal cost
less. Prompt tokens are measured on rendered prompts (`text.token_estimate`); reply lengths are
assumed.

A pilot is a run on a part of the users, or on other users like them. It tells what no dry run can:
how many items show a signal, find a partner and pass the gates. Users are drawn, not items, because
the items of one user succeed and fail together.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import islice
from typing import NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import Corpus, all_units, first_items
from pairwright.construct.manifest import target_mode
from pairwright.construct.outcomes import iterate_outcomes
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.records import Item, Mode
from pairwright.retrieve import selected
from pairwright.settings.config import Config
from pairwright.settings.prompt_variables import Message, Numbered, SupportPrompt, label_texts
from pairwright.stages.planner import MAX_PLANNED
from pairwright.text import token_estimate

# Assumed reply tokens: three aspects, one sentence of reason for each.
_REPLY_TOKENS = {
    "plan": 300, "plan_blind": 90, "support": 150, "match": 120, "narrative": 250,
    "adherence": 130, "quality": 80, "compare": 70, "choose": 60, "write": 140,
}  # fmt: skip
_SAMPLE = 200
_ASPECT = "x" * 80


class RoleEstimate(NamedTuple):
    """What one role would be asked."""

    role: str
    endpoint: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """The cost with no token from a cache."""
    cached_tokens: int
    """Prompt tokens of histories that were sent before: the most that an endpoint's cache gives."""
    cost_with_cache: float
    """The cost with all of these from the cache."""


class BuildEstimate(NamedTuple):
    items: int
    units: int
    first_draft: list[RoleEstimate]
    at_most: list[RoleEstimate]


def estimate_calls(corpus: Corpus, rules: BuildRules, limit: int | None) -> BuildEstimate:
    """Calls, tokens and cost of a build from nothing, by role."""
    config = rules.config
    work = list(all_units(corpus, config.modes, config.modes, first_items(corpus, limit)))
    if config.own_choices:
        return BuildEstimate(items=len(work), units=len(work), first_draft=[], at_most=[])
    once: Counter[str] = Counter()
    redrawn: Counter[str] = Counter()
    tried = {u.item: corpus.tried.get(corpus.entries[u.item].id) for u in work}
    twins = {u.item for u in work if u.mode == "twin" and (users := tried[u.item]) and users.suited}
    rubric_calls = {
        "gold": (),
        "narrative": ("narrative",),
        "planner": ("plan", "plan_blind", "write", "support", "match", "adherence"),
    }[config.aspects]
    for users in tried.values():
        once.update(rubric_calls)
        once["plan"] += len(users.users) if users and config.aspects == "planner" else 0
    for unit in work:
        match unit.mode:
            case "violate":
                # With a twin on the same question, the adhering side is made only once.
                own = 1 if config.gated and unit.item in twins else 2
                redrawn["write"] += own
                if config.gated:
                    redrawn.update({"adherence": own, "quality": own, "compare": 2})
                    once["choose"] += 2
            case "twin":
                if unit.item in twins:
                    # The partner's plan is one of those that the asker's rubric is held against.
                    once.update({"support": 1, "match": 1, "adherence": 1, "choose": 2})
                    redrawn.update({"write": 2, "adherence": 4, "quality": 2, "compare": 2})
            case "decoy":
                # Of every question a signal is assumed: it gives a twin, or else a decoy.
                if unit.item not in twins:
                    once.update({"support": 1, "choose": 2})
                    redrawn.update({"write": 2, "adherence": 4, "quality": 2, "compare": 2})
            case "placebo":
                # Only where nothing else is built of a question is it taken for one without.
                if config.modes == ("placebo",):
                    once.update({"plan": 1, "choose": 2})
                    redrawn.update({"write": 2, "quality": 2, "compare": 2})
            case "survey" | "natural" | "accepted":
                pass
            case _:
                assert_never(unit.mode)
    sizes = _prompt_tokens(corpus, rules)
    most = once + Counter({purpose: n * config.draws for purpose, n in redrawn.items()})
    return BuildEstimate(
        items=len({u.item for u in work}),
        units=len(work),
        first_draft=_lines(once + redrawn, redrawn, sizes, config, len(corpus)),
        at_most=_lines(most, most - once, sizes, config, len(corpus)),
    )


def _prompt_tokens(corpus: Corpus, rules: BuildRules) -> dict[str, float]:
    """Mean prompt tokens by purpose: plan prompts as rendered, the others around texts of
    the usual length. `history` is what posts take of a plan prompt."""
    step = max(1, len(corpus) // _SAMPLE)
    items = [corpus.item(p) for p in islice(range(0, len(corpus), step), _SAMPLE)]
    answer = "x" * (6 * rules.config.words)
    aspects = tuple(Numbered(n, _ASPECT) for n in range(MAX_PLANNED))
    cases = tuple(SupportPrompt(n, _ASPECT, ("x" * 500,)) for n in range(3))
    ask, words, question = rules.prompts.ask, rules.config.words, _ASPECT
    rendered = {
        "plan_blind": ask("plan_blind", question=question, max_aspects=2 * MAX_PLANNED),
        "support": ask("support", question=question, cases=cases),
        "match": ask("match", question=question, aspects=aspects, lists=()),
        "narrative": ask("narrative", question=question, narrative=answer, max_aspects=4),
        "adherence": ask("adherence", question=question, response=answer, aspects=aspects),
        "quality": ask("quality", question=question, response=answer, scales=rules.scales),
        "compare": ask(
            "compare", question=question, first=answer, second=answer, scales=rules.scales
        ),
        "choose": ask("choose", question=question, first=answer, second=answer),
        "write": ask(
            "write_adhering", question=question, aspects=(_ASPECT,) * 3, faults=(), words=words
        ),
    }
    sizes = {name: _tokens(m.content for m in a.messages) for name, a in rendered.items()}
    plans = [_tokens(m.content for m in _plan_prompt(i, rules)) for i in items]
    sizes["plan"] = sum(plans) / max(1, len(plans))
    shown = [selected(i.question, i.profile, rules.config.planner) for i in items]
    sizes["history"] = sum(_tokens(p.text for p in posts) for posts in shown) / max(1, len(shown))
    return sizes


def _plan_prompt(item: Item, rules: BuildRules) -> tuple[Message, ...]:
    shown = selected(item.question, item.profile, rules.config.planner)
    values: dict[str, Hashable] = {
        "posts": label_texts(post.text for post in shown),
        "question": item.question,
        "words": rules.config.words,
    }
    if rules.config.paper_writers:
        return rules.prompts.ask("paper_expected", aspects=(_ASPECT,) * 3, **values).messages
    values |= rules.guidance(item)._asdict()
    return rules.prompts.ask("plan", max_aspects=MAX_PLANNED, **values).messages


def _tokens(texts: Iterable[str]) -> float:
    return sum(map(token_estimate, texts))


def _lines(
    calls: Counter[str],
    of_drafts: Counter[str],
    sizes: dict[str, float],
    config: Config,
    histories: int,
) -> list[RoleEstimate]:
    """One line a role: planner, generator (its first endpoint's price), judge; and one for each
    further judge, who is asked of drafts alone. `histories` is the number of different ones that a
    planner may read."""
    # In the paper's setting it is the writers that read the history.
    if config.paper_writers:
        sizes = sizes | {"write": sizes["plan"]}
    roles = config.roles
    draft_purposes = ("adherence", "quality", "compare")
    asked = [
        ("planner", roles.planner, calls, ("plan", "plan_blind", "narrative")),
        ("generator", roles.generator[0], calls, ("write",)),
        ("judge", roles.judge, calls, ("support", "match", *draft_purposes, "choose")),
        *(("judge", name, of_drafts, draft_purposes) for name in roles.further_judges),
    ]
    lines = []
    for role, name, calls, purposes in asked:
        endpoint = config.endpoints[name]
        sent = round(sum(calls[p] * sizes.get(p, 0) for p in purposes))
        thinking = endpoint.thinking_tokens or 0
        received = sum(calls[p] * (_REPLY_TOKENS[p] + thinking) for p in purposes)
        n = sum(calls[p] for p in purposes)
        again = max(0, calls["plan"] - histories) if role == "planner" else 0
        cached = round(again * sizes["history"])
        lines.append(
            RoleEstimate(
                role, name, endpoint.model, n, sent, received,
                cost=endpoint.cost(sent, received),
                cached_tokens=cached,
                cost_with_cache=endpoint.cost(sent, received, cached),
            )
        )  # fmt: skip
    return lines


DRAWS = 4000
QUANTITIES = ("items", "kept", "calls", "prompt_tokens", "completion_tokens", "cost")


class Expected(NamedTuple):
    """One quantity of a build, with its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    """Infinite where a draw of the pilot's users may have kept nothing."""


class PilotEstimate(NamedTuple):
    """What a build is expected to take and to give."""

    mode: Mode
    """Whose units are counted as kept: twins, or pairs where no twins are built."""
    users: int
    items: int
    kept: int
    """Those of the pilot, by which it is estimated."""
    given: str
    """The quantity that is fixed: `kept` or `items`."""
    expected: tuple[Expected, ...]
    simulated: bool


class Pilot(NamedTuple):
    """What each user of a pilot took and gave; a user is the one who asked."""

    mode: Mode
    figures: npt.NDArray[np.float64]
    """Shape (users, quantities), in the order of `QUANTITIES`."""
    simulated: bool

    def expect(self, *, kept: int | None = None, items: int | None = None) -> PilotEstimate:
        """What so many kept units, or so many items, will take: a ratio of sums over users, and
        the percentiles of that ratio over bootstrap draws of users (Efron 1979).

        Raises InputError where nothing of the pilot can be divided by.
        """
        given, n = ("kept", kept) if kept is not None else ("items", items)
        by = QUANTITIES.index(given)
        total = self.figures.sum(axis=0)
        users = len(self.figures)
        if not n or not total[by]:
            raise InputError(
                f"the pilot has {'kept nothing' if given == 'kept' else 'no items that ended'}",
                where="--pilot",
                fix="Build more items in it first: --limit N with a larger N.",
            )
        draws = np.random.default_rng(0).multinomial(users, np.full(users, 1 / users), size=DRAWS)
        sums = draws @ self.figures
        # By hand, so that no draw without a kept unit makes a warning.
        ratios = np.full_like(sums, np.inf)
        np.divide(sums, sums[:, [by]], out=ratios, where=sums[:, [by]] > 0)
        low, high = np.percentile(ratios, (2.5, 97.5), axis=0, method="inverted_cdf")
        return PilotEstimate(
            self.mode, users, int(total[0]), int(total[1]), given,
            tuple(
                Expected(name, *(float(n * x) for x in (total[k] / total[by], low[k], high[k])))
                for k, name in enumerate(QUANTITIES)
                if name != given
            ),
            self.simulated,
        )  # fmt: skip


def read_pilot(store: Store, config: Config) -> Pilot:
    """Read what each user of a run took and gave, by the prices of `config`.

    Calls count for the user whose question they are about; a call that two questions share counts
    for the first. Raises InputError where no unit has ended.
    """
    mode = target_mode(config.modes)
    prices = {endpoint.model: endpoint for endpoint in reversed(config.endpoints.values())}
    by_user: dict[str, dict[str, float]] = {}
    items, keys, simulated = set[str](), set[str](), False
    for outcome in iterate_outcomes(store):
        counts = by_user.setdefault(outcome.user, dict.fromkeys(QUANTITIES, 0))
        simulated |= outcome.simulated
        if outcome.mode == mode:
            counts["kept"] += outcome.kind == "kept"
        if outcome.item_id not in items:
            items.add(outcome.item_id)
            counts["items"] += 1
        for call in outcome.calls:
            if call.key in keys or (used := store.used_by(call.key)) is None:
                continue
            keys.add(call.key)
            model, tokens = used
            sent, received = tokens.prompt_tokens, tokens.completion_tokens
            price = (
                prices[model].cost(sent, received, tokens.cached_tokens) if model in prices else 0
            )
            for name, n in zip(QUANTITIES[2:], (1, sent, received, price), strict=True):
                counts[name] += n
    if not by_user:
        raise InputError(
            "no unit of it has ended",
            where=store.path.parent,
            fix="Name a run folder that was built.",
        )
    figures = [[user[name] for name in QUANTITIES] for _, user in sorted(by_user.items())]
    return Pilot(mode, np.array(figures, dtype=float), simulated)


def kept_word(mode: Mode) -> str:
    """What is counted as kept, as in `twins`."""
    return f"{mode}s" if MODES[mode].halves > 1 else "pairs"
