"""The conditions of an evaluation: what a scorer is shown of the person who asks.

Each condition is one record, with the function that makes its content. Everything else (what is
scored, the leaderboard and its plots) asks the record. A new condition is a name in
`ConditionName`, a function, and a record in `CONDITIONS`.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, NamedTuple, TypeVar

from pairwright.dataset import Row
from pairwright.evaluate.decision import NO_PROFILE, NO_RUBRIC, NO_STRANGER
from pairwright.evaluate.release import posts_of
from pairwright.evaluate.scorers.baselines import BASELINES
from pairwright.evaluate.scorers.scorer_protocols import PromptContent, Unscored
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.models import CONTEXT_LENGTH, Model
from pairwright.records import Rejected
from pairwright.retrieve import ranked, selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules, PlanRules
from pairwright.stages.planner import plan

T = TypeVar("T")
ConditionName = Literal["none", "profile", "planner", "rubric", "wrong-profile"]


class PlannerUnderTest(NamedTuple):
    """The planner under test: it infers at evaluation time what a user expects."""

    model: Model
    prompts: Prompts
    rules: PlanRules
    domains: Domains
    words: int


class ContentSources(NamedTuple):
    """What the content of the conditions of one evaluation is made from."""

    history: HistoryRules
    strangers: Strangers
    planner: PlannerUnderTest | None = None

    async def shown(self, row: Row, condition: ConditionName) -> PromptContent | Unscored:
        """What a scorer is shown of this row's user. Raises CallFailed."""
        return await CONDITIONS[condition].content(self, row)


class Condition(NamedTuple):
    """One condition: what it shows, and how its results are treated."""

    shows: str
    """What a scorer is shown, in a few words."""
    title: str
    """The heading of its tables on the leaderboard."""
    content: Callable[[ContentSources, Row], Awaitable[PromptContent | Unscored]]
    table: int
    """The place of its tables on the leaderboard, lowest first."""
    marker: str
    """Its mark in plots, as matplotlib names it."""
    colour: Literal["blue", "green", "grey", "orange", "red", "sky"]
    shows_posts: bool = False
    """Whether it shows posts, which [history] selects."""
    about_user: bool = False
    """Whether it shows something of the user who asks."""
    shown_to_people: bool = False
    """Whether annotators of a study see the same: their row is below its tables."""
    unranked: str = ""
    """Why its rows are not ranked; empty where they are."""
    compared_with: tuple[ConditionName, ...] = ()
    """The controls: its accuracy less theirs is its gain."""
    of_twins: bool = True
    """Whether twins are part of it."""
    needs: Literal["", "planner", "strangers"] = ""
    """What must be opened or drawn for it, beside the release's rows."""
    usual: bool = False
    """Whether it is evaluated where no condition is named."""
    baselines: tuple[str, ...] = ()
    """The baselines that belong into its tables."""

    @property
    def in_release(self) -> bool:
        """Whether the release holds its content, so that a file may have scores of it. Other
        content is drawn or inferred while an evaluation runs."""
        return not self.needs

    def applies(self, row: Row) -> bool:
        """Whether a row is part of it: twins have no wrong profile (see `wrong_profile`)."""
        return self.of_twins or row.mode != "twin"


async def _question_alone(_: ContentSources, row: Row) -> PromptContent | Unscored:
    return PromptContent(row.question)


async def _own_posts(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    return PromptContent(row.question, selected(row.question, own, sources.history))


async def _planned_aspects(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The aspects that the posts give; none where they give none, which is the planner's answer."""
    own, planner = posts_of(row), sources.planner
    if not own:
        return Unscored(NO_PROFILE)
    assert planner, "opened before the evaluation began"
    planned = await plan(
        row.question, own, planner.model, planner.prompts, planner.rules,
        guidance=planner.domains.guidance(row.domain), words=planner.words,
    )  # fmt: skip
    if isinstance(planned, Rejected):
        return Unscored(f"planner_{planned.reason}", planned.detail)
    return PromptContent(row.question, aspects=tuple(one.aspect for one in planned.aspects))


async def _own_aspects(_: ContentSources, row: Row) -> PromptContent | Unscored:
    if not row.answer_key:
        return Unscored(NO_RUBRIC)
    return PromptContent(row.question, aspects=tuple(one.aspect for one in row.answer_key))


async def _posts_of_stranger(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    posts = sources.strangers.instead_of(asker_of(row))
    if posts is None:
        detail = f"no stranger in {row.category!r} has posts older than the question"
        return Unscored(NO_STRANGER, detail)
    as_many = len(selected(row.question, own, sources.history))
    rules = sources.history.model_copy(update={"posts": as_many})
    return PromptContent(row.question, selected(row.question, posts, rules))


CONDITIONS: dict[ConditionName, Condition] = {
    "none": Condition(
        shows="the question alone",
        title="Shown the question alone",
        content=_question_alone,
        table=3,
        marker="s",
        colour="grey",
        usual=True,
        baselines=("longer", "constant"),  # With nothing shown, nothing overlaps.
    ),
    "profile": Condition(
        shows="the user's earlier posts",
        title="Shown the user's posts",
        content=_own_posts,
        table=1,
        marker="o",
        colour="blue",
        shows_posts=True,
        about_user=True,
        shown_to_people=True,
        compared_with=("none", "wrong-profile"),
        usual=True,
        baselines=tuple(BASELINES),
    ),
    "planner": Condition(
        shows="aspects that the planner under test infers from the posts",
        title="Shown the aspects that the planner under test infers",
        content=_planned_aspects,
        table=2,
        marker="D",
        colour="green",
        about_user=True,
        needs="planner",
        baselines=tuple(BASELINES),
    ),
    "rubric": Condition(
        shows="the pair's own aspects: a ceiling, for they are the answer key",
        title="Ceiling: shown the answer key",
        content=_own_aspects,
        table=5,
        marker="^",
        colour="sky",
        about_user=True,
        unranked="ceiling: it is shown the answer key",
    ),
    "wrong-profile": Condition(
        shows="the posts of another user, alike in category and length",
        title="Control: shown somebody else's posts",
        content=_posts_of_stranger,
        table=4,
        marker="X",
        colour="orange",
        shows_posts=True,
        unranked="control: it is shown somebody else's posts",
        of_twins=False,
        needs="strangers",
        usual=True,
    ),
}
"""The conditions by name, in the order of legends and of results."""
CONTROLS = tuple(
    name
    for name in CONDITIONS
    if any(name in condition.compared_with for condition in CONDITIONS.values())
)
"""The conditions that others are compared with."""


def usual_conditions(rows: Iterable[Row]) -> tuple[ConditionName, ...]:
    """The conditions that are evaluated where none is named, without those that no row is part
    of."""
    twins_alone = all(row.mode == "twin" for row in rows)
    return tuple(
        name
        for name, condition in CONDITIONS.items()
        if condition.usual and (condition.of_twins or not twins_alone)
    )


async def ask_fitting(
    shown: PromptContent,
    history: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> tuple[T | Unscored, PromptContent]:
    """Ask with all posts that are shown, and with fewer where that does not fit: a quarter leaves
    each time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    left = len(shown.posts)
    order = ranked(shown.question, shown.posts, history) if left > 1 else shown.posts
    while True:
        best = set(order[:left])
        fewer = shown._replace(posts=tuple(post for post in shown.posts if post in best))
        answer = await ask(fewer)
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or left <= 1:
            return answer, fewer
        left -= max(1, left // 4)
