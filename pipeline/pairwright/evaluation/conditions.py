"""The conditions of an evaluation: what a scorer is shown of the person who asks.

Each condition is one record, with the function of `content.py` that makes its content. Everything
else (what is scored, the leaderboard and its plots) asks the record. A new condition is a name in
`ConditionName`, a function, and a record in `CONDITIONS`; where a release may have nothing to show
in it, the reason is one of `NOTHING_TO_SHOW` in `scorers/scorer.py`.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, NamedTuple

from pairwright.evaluation import content
from pairwright.evaluation.content import ContentSources
from pairwright.evaluation.scorers.scorer import PromptContent, Unscored
from pairwright.modes import halves_of, label_of
from pairwright.pairs import Row

ConditionName = Literal[
    "none",
    "profile",
    "profile-without-evidence",
    "evidence-only",
    "planner",
    "rubric",
    "wrong-profile",
]


class Condition(NamedTuple):
    """One condition: what it shows, and how its results are treated."""

    shows: str
    """What a scorer is shown, in a few words."""
    title: str
    """The heading of its tables on the leaderboard."""
    content: Callable[[ContentSources, Row], Awaitable[PromptContent | Unscored]]
    """Makes what a scorer is shown of a row's user. Raises CallFailed."""
    table: int
    """The place of its tables on the leaderboard, lowest first."""
    marker: str
    """Its mark in plots, as matplotlib names it."""
    colour: Literal["blue", "green", "grey", "orange", "red", "sky"]
    shows_posts: bool = False
    """Whether it shows posts, which [history] selects."""
    about_user: bool = False
    """Whether it shows something of the user who asks."""
    unranked: str = ""
    """Why its rows are not ranked; empty where they are."""
    compared_with: tuple[ConditionName, ...] = ()
    """The controls: its accuracy less theirs is its gain."""
    not_twins: bool = False
    """Whether twins are no part of it."""
    uses_rubric: bool = False
    """Whether what it shows depends on the rubric. Users' own choices and placebos have none."""
    gains_on_twins: bool = False
    """Whether a gain over it is computed on twins, too. Without the user accuracy on twins is one
    half, so a gain over such a condition would say no more than the accuracy does."""
    needs: Literal["", "planner", "strangers"] = ""
    """What it needs beside the release's rows."""
    default: bool = False
    """Whether it is evaluated where no condition is named."""

    @property
    def in_release(self) -> bool:
        """Whether the release holds its content, so that a file may have scores of it. Other
        content is drawn or inferred while an evaluation runs."""
        return not self.needs

    def applies(self, mode: str | None) -> bool:
        """Whether pairs of a mode are part of it. Placebos have no rubric, and no user of theirs
        is known to prefer another response than the other user."""
        if self.uses_rubric and label_of(mode) != "chosen":
            return False
        return not (self.not_twins and halves_of(mode) == 2)


CONDITIONS: dict[ConditionName, Condition] = {
    "none": Condition(
        shows="the question alone",
        title="Shown the question alone",
        content=content.question_alone,
        table=3,
        marker="s",
        colour="grey",
        default=True,
    ),
    "profile": Condition(
        shows="the user's earlier posts",
        title="Shown the user's posts",
        content=content.own_posts,
        table=1,
        marker="o",
        colour="blue",
        shows_posts=True,
        about_user=True,
        compared_with=("none", "wrong-profile", "profile-without-evidence", "evidence-only"),
        default=True,
    ),
    "profile-without-evidence": Condition(
        shows="the user's posts without those that the rubric cites",
        title="Control: shown the posts that the rubric does not cite",
        content=content.uncited_posts,
        table=4,
        marker="v",
        colour="red",
        shows_posts=True,
        about_user=True,
        unranked="control: the posts that the rubric cites are taken out",
        gains_on_twins=True,
        uses_rubric=True,
    ),
    "evidence-only": Condition(
        shows="the posts that the rubric cites, and no others",
        title="Control: shown only the posts that the rubric cites",
        content=content.cited_posts,
        table=5,
        marker="P",
        colour="green",
        shows_posts=True,
        about_user=True,
        unranked="control: it is shown only the posts that the rubric cites",
        gains_on_twins=True,
        uses_rubric=True,
    ),
    "planner": Condition(
        shows="aspects that the planner under test infers from the posts",
        title="Shown the aspects that the planner under test infers",
        content=content.planned_aspects,
        table=2,
        marker="D",
        colour="green",
        about_user=True,
        needs="planner",
    ),
    "rubric": Condition(
        shows="the pair's own aspects, which are the answer key",
        title="Shown the answer key",
        content=content.own_aspects,
        table=8,
        marker="^",
        colour="sky",
        about_user=True,
        unranked="it is shown the answer key",
        uses_rubric=True,
    ),
    "wrong-profile": Condition(
        shows="the posts of another user, alike in category and length",
        title="Control: shown somebody else's posts",
        content=content.posts_of_stranger,
        table=7,
        marker="X",
        colour="orange",
        shows_posts=True,
        unranked="control: it is shown somebody else's posts",
        not_twins=True,
        needs="strangers",
        default=True,
    ),
}
"""The conditions by name, in the order of legends and of results."""


def default_conditions(rows: Iterable[Row]) -> tuple[ConditionName, ...]:
    """The conditions that are evaluated where none is named and that some row is part of."""
    modes = {row.mode for row in rows}
    return tuple(
        name
        for name, condition in CONDITIONS.items()
        if condition.default and any(map(condition.applies, modes))
    )
