"""N-lets: one response, k users; a scorer that reads people picks the right one, others do not."""

import json
from pathlib import Path

import pytest

from own_choices import built_conversation
from pairwright import release
from pairwright.dataset import Row, RowPost
from pairwright.errors import InputError
from pairwright.evaluate.builders import BuildModel
from pairwright.evaluate.content import partners_of
from pairwright.evaluate.n_lets import NLetLine, NLetSources, n_let_figures, score_n_let
from pairwright.evaluate.n_lets.known_choices import KnownChoices
from pairwright.evaluate.n_lets.n_let import pick_share
from pairwright.evaluate.n_lets.report_page import rows as rows_of_page
from pairwright.evaluate.n_lets.report_page import warnings
from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.baselines import Baseline
from pairwright.evaluate.scorers.scorer_protocols import PromptContent, ResponseScore
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.notebook import run_async
from pairwright.settings.rules import HistoryRules
from pairwright.workflows.n_let_scoring import score_n_lets
from study import pairwright

TASTES = ("walnut", "saffron", "anchovy", "juniper", "tamarind", "sorrel", "miso", "fennel")


def rows() -> list[Row]:
    """A pair for each of eight users: the chosen response names what the user writes of."""
    return [
        Row(
            id=f"p{n}",
            question=f"What goes with rice number {n}?",
            chosen=f"Try {taste}.",
            rejected=f"Try {TASTES[(n + 1) % 8]}.",
            item_id=f"i{n}",
            mode="violate",
            domain="Home",
            category="cooking",
            user=f"u{n}",
            profile=tuple(
                RowPost(id=f"u{n}-{k}", text=f"Rice again, with {taste}, day {k}.")
                for k in range(3)
            ),
        )
        for n, taste in enumerate(TASTES)
    ]


class Reader:
    """A scorer that reads the person: does a post name the response's last word?"""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        return ResponseScore(
            float(any(response.split()[-1][:-1] in one.text for one in shown.posts))
        )


def sources(rows_of_release: list[Row], users: int) -> NLetSources:
    strangers = Strangers(map(asker_of, rows_of_release), 0)
    return NLetSources(users, HistoryRules(), strangers, partners_of(rows_of_release))


def lines(scorer: Reader | Baseline, users: int = 4) -> list[NLetLine]:
    rows_of_release = rows()

    async def every() -> list[NLetLine]:
        return [
            await score_n_let(row, scorer, sources(rows_of_release, users))
            for row in rows_of_release
        ]

    return run_async(every())


def test_a_scorer_that_reads_the_person_picks_them_by_their_own_response_alone() -> None:
    found = lines(Reader())
    (figures,) = n_let_figures(found)
    assert figures.chosen is not None
    assert figures.rejected is not None
    assert figures.gain is not None
    assert (figures.chosen.value, figures.chosen.n, figures.chosen.clusters) == (1.0, 8, 8)
    # By the other response nobody is picked, or the stranger whose it is.
    assert figures.rejected.value is not None
    assert figures.rejected.value <= 0.25
    gain = figures.gain
    assert (gain.value, gain.low, gain.high) == (0.875, 0.763282, 0.986718)
    assert all(len(line.chosen) == 4 for line in found)


def test_a_scorer_that_cannot_see_the_user_is_at_chance() -> None:
    (figures,) = n_let_figures(lines(Baseline("constant"), users=5))
    assert figures.chosen is not None
    assert figures.chosen.value == 0.2
    assert figures.gain is not None
    assert figures.gain.value == 0.0


def test_the_others_are_different_users_and_the_same_at_every_run() -> None:
    rows_of_release = rows()
    strangers = Strangers(map(asker_of, rows_of_release), 0)
    found = strangers.several(asker_of(rows_of_release[0]), 5)
    authors = [one.user for one in found]
    assert len(set(authors)) == 5
    assert "u0" not in authors
    assert found == Strangers(map(asker_of, reversed(rows_of_release)), 0).several(
        asker_of(rows_of_release[0]), 5
    )


def test_too_few_users_are_named_and_the_pair_is_part_of_no_figure() -> None:
    found = lines(Reader(), users=9)
    assert {line.unscored for line in found} == {"no_other_profile"}
    assert found[0].detail == "7 other users in 'cooking', and 8 are needed"
    (figures,) = n_let_figures(found)
    assert (figures.chosen, figures.apart) == (None, {"no_other_profile": 8})


def test_a_stranger_who_is_known_to_have_chosen_the_same_is_left_out() -> None:
    """Of seven others two took the same statement and two refused it; three did neither."""
    own, *others = [
        row.model_copy(update={"mode": "natural", "question": "Rice?", "chosen": "Yes",
                               "rejected": "No", "twin_id": None})
        for row in rows()
    ]  # fmt: skip
    taken, refused, unknown = others[:2], others[2:4], others[4:]
    known = [
        own,
        *taken,
        *(row.model_copy(update={"chosen": "No", "rejected": "Yes"}) for row in refused),
        *(row.model_copy(update={"chosen": "Other", "rejected": "Else"}) for row in unknown),
    ]
    # Different items, so that nobody is a partner.
    found_sources = sources(known, 4)._replace(choices=KnownChoices(known))
    line = run_async(score_n_let(own, Reader(), found_sources))
    assert (line.strangers, line.unknown) == (3, 1), "both who refused it come first"
    too_many = found_sources._replace(users=7)
    assert run_async(score_n_let(own, Reader(), too_many)).detail.startswith("5 other users")
    (figures,) = n_let_figures([line])
    assert (figures.strangers, figures.unknown) == (3, 1)


def test_a_scorer_of_the_builds_family_is_marked(small_release: Path, tmp_path: Path) -> None:
    done = score_n_lets(small_release, None, tmp_path / "out", users=3, names=["constant"])
    (one,) = done.scores.scorers
    builder = BuildModel(role="judge", model="acme/Rye-70B")
    scores = done.scores.model_copy(
        update={
            "release": done.scores.release.model_copy(update={"builders": (builder,)}),
            "scorers": (
                one.model_copy(
                    update={"scorer": ScorerRef(name="k", kind="judge", model="rye-8b")}
                ),
            ),
        }
    )
    assert next(iter(rows_of_page(scores)))[0] == "k (family of the build's judge)"
    assert any("Self-preference: k is family" in one for one in warnings(scores))


@pytest.mark.parametrize(
    ("scores", "share"), [((2.0, 1.0), 1.0), ((1.0, 1.0, 0.0), 0.5), ((0.0, 1.0), 0.0)]
)
def test_a_shared_highest_score_counts_in_part(scores: tuple[float, ...], share: float) -> None:
    assert pick_share(scores) == share


def test_the_command_writes_a_page_and_asks_nothing_twice(tmp_path: Path) -> None:
    release(built_conversation(tmp_path), tmp_path / "release", "1.0.0")
    out = tmp_path / "out"
    done = pairwright("downstream", "n-lets", tmp_path / "release", "--out", out, "--users", "4")
    assert done.code == 0
    printed = " ".join(done.out.split())
    constant = printed.partition("constant, Natural twins: ")[2]
    assert constant.startswith("right user of 4 picked in 25.0 % (21.2 to 29.2) by the chosen")
    assert "by the other response (chance 25.0 % each)" in constant
    assert "the release does not say what they chose" in printed
    assert "The dashed line is chance" in (out / "n_lets.html").read_text(encoding="utf-8")
    scores = json.loads((out / "n_lets.json").read_text(encoding="utf-8"))
    assert [one["scorer"]["name"] for one in scores["scorers"]] == [
        "longer", "constant", "overlap", "similarity",
    ]  # fmt: skip
    short = pairwright("downstream", "n-lets", tmp_path / "release", "--out", out, "--users", "99")
    assert short.code == 1, "no pair has 99 users"
    assert "longer: 0 of 0 pairs with 99 users have a score" in " ".join(short.said.split())
    with pytest.raises(InputError, match="1 users are too few"):
        score_n_lets(tmp_path / "release", None, out, users=1)
