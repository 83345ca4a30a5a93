"""The leaderboard: what is distinguished, what is in which table, and what is refused."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm, permutation_test

from decided import (
    AHEAD,
    RELEASE,
    board_of,
    board_with,
    ends,
    judged,
    result,
    right_on,
    twin,
    twins,
    violate,
    without_score,
)
from hostile import HOSTILE
from pairwright.blind_preference import PreferenceFigure
from pairwright.errors import InputError
from pairwright.estimate import Estimate
from pairwright.evaluation.board import board as board_module
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.page import accuracies, board_notes, board_page
from pairwright.evaluation.board.ranking import SET_APART, group_letters
from pairwright.evaluation.board.sign_flips import sign_flip
from pairwright.evaluation.board.tables import figure_text, ranking_table
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import figures_of
from pairwright.evaluation.measure.figure import FIGURES, RULE, FigureKind, ScorerFigure
from pairwright.evaluation.release import BuildModel, build_ties
from pairwright.evaluation.results import PlannerVersion, ScorerRef
from pairwright.modes import Mode
from study import Done, pairwright

BLIND = ((1.0, 0.0), (-1.0, 0.0))
"""A twin by a scorer that cannot see the user."""
RIGHT = (AHEAD, AHEAD)


def run(*given: object) -> Done:
    return pairwright("leaderboard", *given)


def printed(*given: object) -> str:
    """What the command prints, in one line."""
    return " ".join(run(*given).said.split())


def markdown(board: Leaderboard) -> str:
    return board_page(board).markdown


def figure(board: Leaderboard, row: str, name: str, mode: Mode = "twin") -> ScorerFigure:
    found = board.entries[row].figure(name, mode)
    assert found
    return found


# The test of a difference


def test_without_clusters_and_ties_it_is_mcnemars_exact_test() -> None:
    for better, worse in ((9, 1), (5, 5), (30, 12), (400, 340), (3, 0)):
        differences = np.array([1.0] * better + [-1.0] * worse + [0.0] * 50)
        expected = binomtest(better, better + worse, 0.5).pvalue
        assert sign_flip(differences, np.arange(len(differences))) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_permutation_test_over_every_flip_of_clusters(seed: int) -> None:
    chance = np.random.default_rng(seed)
    clusters = chance.integers(0, 10, 60)
    differences = chance.choice([-1, -0.5, 0, 0.5, 1], 60, p=[0.1, 0.1, 0.4, 0.2, 0.2])
    sums = np.bincount(clusters, differences)
    every = permutation_test(
        (sums,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    # scipy doubles the smaller tail; the distribution of flips is symmetric, so that is the same.
    assert sign_flip(differences, clusters) == pytest.approx(min(1.0, every.pvalue))


def test_thousands_of_clusters_agree_with_the_normal_distribution() -> None:
    chance = np.random.default_rng(1)
    differences = chance.choice([-1, -0.5, 0, 0.5, 1], 9000, p=[0.2, 0.1, 0.37, 0.11, 0.22])
    clusters = np.arange(9000) // 3
    sums = np.bincount(clusters, differences)
    expected = 2 * norm.sf(abs(sums.sum()) / np.sqrt(sums @ sums))
    assert sign_flip(differences, clusters) == pytest.approx(expected, abs=0.01)


def test_a_p_is_never_0_and_of_even_clusters_1() -> None:
    # Clusters of one pair and of two: here a transform is in use.
    clusters = np.concatenate([np.arange(4000), np.arange(2000)])
    assert 0 <= sign_flip(np.ones(6000), clusters) < 1e-9
    assert 0 < sign_flip(np.ones(900), np.arange(900)) < 1e-200
    assert sign_flip(np.array([1.0, -1.0]), np.array([4, 4])) == 1
    assert sign_flip(np.zeros(3), np.arange(3)) == 1
    # One cluster can be flipped in two ways, and shows nothing.
    assert sign_flip(np.ones(50), np.zeros(50, np.intp)) == 1


# Groups


def test_rows_share_a_letter_just_when_they_were_not_told_apart() -> None:
    chance, rows = np.random.default_rng(0), list("pqrstuvw")
    pairs = list(itertools.combinations(rows, 2))
    for share in (0, 0.2, 0.5, 0.8, 1):
        apart = [pair for pair in pairs if chance.random() < share]
        found = group_letters(rows, apart)
        for a, b in pairs:
            assert bool(set(found[a].split()) & set(found[b].split())) == ((a, b) not in apart)
        assert found["p"].startswith("a")


def test_letters_overlap_where_only_the_ends_differ() -> None:
    assert group_letters(["x", "y", "z"], [("x", "z")]) == {"x": "a", "y": "a b", "z": "b"}
    assert group_letters(["x", "y"], []) == {"x": "a", "y": "a"}
    assert group_letters([], []) == {}
    many = [f"row-{n:02}" for n in range(30)]
    assert group_letters(many, itertools.combinations(many, 2))["row-29"] == "d2"


# The ranking


def test_rows_are_ranked_by_accuracy_and_grouped_by_what_can_be_told_apart(tmp_path: Path) -> None:
    board = board_with(tmp_path, best=right_on(38), good=right_on(36), poor=right_on(12))
    (ranking,) = board.rankings
    assert ranking.ranked == ("best.profile", "good.profile", "poor.profile")
    assert ranking.groups == {"best.profile": "a", "good.profile": "a", "poor.profile": "b"}
    by_pair = {(of.first, of.second): of for of in ranking.comparisons}
    step = by_pair["good.profile", "poor.profile"]
    assert (step.difference, step.n, step.clusters) == (0.6, 40, 40)
    assert step.p == pytest.approx(2 * 0.5**24, rel=1e-5)
    # Of 9,999 random flips none went as far: (0 + 1) / (9,999 + 1).
    ends = by_pair["best.profile", "poor.profile"]
    assert ends.adjusted == step.adjusted == 0.0001
    assert ranking.test
    assert (ranking.test.flips, ranking.test.exact, ranking.test.least) == (9_999, False, 0.0001)
    even = by_pair["best.profile", "good.profile"]
    assert even.p == 0.5
    assert even.adjusted == pytest.approx(0.5, abs=0.02)
    assert ranking.next_to("best.profile") == even
    assert ranking.next_to("poor.profile") is None


def test_all_tables_that_can_distinguish_rows_share_one_level(tmp_path: Path) -> None:
    """Alone p is .031; with a second table .062. A table of blind scorers has no share of it."""
    blind = twins([BLIND] * 8)
    board = board_with(tmp_path, a=[*blind, *right_on(16)], b=[*blind, *right_on(10)])
    of_twins, of_violate = board.rankings
    assert of_twins.groups == {"a.profile": "a", "b.profile": "a"}
    assert of_violate.comparisons[0].adjusted == pytest.approx(0.03125, abs=0.005)
    assert set(of_violate.groups.values()) == {"a", "b"}
    for name, wins in (("a", 30), ("b", 10)):
        result(tmp_path, name, [*blind, *right_on(wins)], "planner")
    board = board_of(tmp_path)
    by_condition = {one.condition: one for one in board.rankings if one.mode == "violate"}
    assert by_condition["profile"].comparisons[0].adjusted == pytest.approx(0.0625, abs=0.01)
    assert set(by_condition["profile"].groups.values()) == {"a"}
    assert set(by_condition["planner"].groups.values()) == {"a", "b"}
    assert "times the 2 tables that share 5 %" in board_page(board, brief=True).markdown


def test_a_figure_that_could_not_be_otherwise_has_no_interval(tmp_path: Path) -> None:
    """A scorer that cannot see the user is right on one half of whole twins by construction."""
    for name, kind in (("model", "dpo"), ("longer", "baseline")):
        for condition in ("none", "profile"):
            scorer = ScorerRef(name=name, kind=kind)
            result(tmp_path, name, twins([BLIND] * 20), condition, scorer=scorer)
    board = board_of(tmp_path)
    assert "n = 40 pairs of 20 dyads" in " ".join(board_notes(board))
    page = markdown(board).splitlines()
    assert sum("By identity: a scorer" in line for line in page) == 1
    shown = [[cell.strip() for cell in line.split("|")[1:5]] for line in page]
    identity = ["50.0 % (by identity)", "0.0 % (by identity)"]
    assert ["longer (baseline)", "a", *identity] in shown
    assert ["model", "a", *identity] in shown
    # With posts in view the model could have been right on more.
    assert any(row[:2] == ["model", "a"] and row[2].startswith("50.0 % (") for row in shown)
    # The same is true for Python, JSON, and for parts of the twins.
    board = Leaderboard.model_validate_json(board.model_dump_json())
    known = {name for name, kind in FIGURES.items() if kind.identity is not None}
    elsewhere = {
        "slice_accuracy", "source_accuracy", "placebo_flips", "net_right_flips", "gain"
    }  # fmt: skip
    for row in ("longer.profile", "longer.none", "model.none"):
        whole = [of for of in board.entries[row].figures if of.group in ("twin", "Home-twin")]
        assert {of.name for of in whole if of.by_identity} == known - elsewhere
        assert all(of.low is None for of in whole if of.name in known)
        own = figure(board, row, "accuracy")
        assert (own.value, own.low, own.high, own.n) == (0.5, None, None, 40)
    seeing = figure(board, "model.profile", "accuracy")
    assert not seeing.by_identity
    assert ends(seeing)[0] < 0.5
    # Nor could two of them have differed.
    (blind_rows,) = [one for one in board.rankings if one.condition == "none"]
    assert [(one.difference, one.low) for one in blind_rows.comparisons] == [(0.0, None)]


def test_gains_and_slices_of_what_cannot_see_the_user_have_no_interval(tmp_path: Path) -> None:
    for name in ("longer", "overlap"):
        result(tmp_path, name, twins([BLIND] * 20))
        result(tmp_path, name, twins([BLIND] * 20), "profile-without-evidence")
    board = board_of(tmp_path)
    gain = figure(board, "longer.profile", "gain over profile-without-evidence")
    assert (gain.value, gain.low, gain.by_identity) == (0.0, None, True)
    assert figure_text(gain) == "+0.0 (by identity)"
    figures = board.entries["longer.profile"].figures
    (part,) = [one for one in figures if one.name == "slice_accuracy"]
    assert (part.value, part.low, part.by_identity) == (0.5, None, True)


def test_a_difference_has_its_interval(tmp_path: Path) -> None:
    board = board_with(tmp_path, a=right_on(30), b=right_on(18))
    (compared,) = board.rankings[0].comparisons
    assert compared.difference == 0.3
    low, high = ends(compared)
    # 12 of 40 pairs come out otherwise, all one way (p < .001).
    assert 0.1 < low < 0.2
    assert 0.4 < high < 0.5
    shown = markdown(board)
    assert f"+30.0 ({100 * low:+.1f} to {100 * high:+.1f})" in shown
    assert "|  |" not in "".join(line for line in shown.splitlines() if "clusters" in line)


def test_twins_of_one_dyad_are_one_cluster(tmp_path: Path) -> None:
    def of_dyads(right: int) -> list[PairDecision]:
        both = [twin(n, (float(n < right), 0.5), AHEAD, cluster=f"dyad-{n // 2}")
                for n in range(20)]  # fmt: skip
        return list(itertools.chain(*both))

    first, *others = of_dyads(6)
    board = board_with(tmp_path, all=of_dyads(20), few=[without_score(first), *others])
    (ranking,) = board.rankings
    (comparison,) = ranking.comparisons
    assert ranking.mode == "twin"
    assert (comparison.n, comparison.clusters) == (40, 10)
    # Seven dyads of two twins each differ, and the one with a half that has no score.
    assert comparison.p == comparison.adjusted == pytest.approx(2 * 0.5**8)
    coverage = figure(board, "few.profile", "coverage")
    assert (coverage.value, coverage.n) == (0.95, 20)


SHORT = [*right_on(37, 37), *(violate(n, None) for n in range(37, 40))]


@pytest.mark.parametrize(
    ("condition", "changes", "decisions", "why"),
    [
        pytest.param("planner", {"self_agreement": True}, right_on(30), "self-agreement", id="own"),
        pytest.param("rubric", {}, right_on(30), "answer key", id="oracle"),
        pytest.param("wrong-profile", {}, right_on(30), "control", id="wrong-profile"),
        pytest.param("profile", {}, SHORT, "92.5%", id="short"),
        pytest.param("profile", {}, [violate(n, None) for n in range(40)], "no pair has a score",
                     id="unscored"),
    ],
)  # fmt: skip
def test_what_is_no_competitor_is_shown_and_not_ranked(
    tmp_path: Path, condition: ConditionName, changes: Any, decisions: Any, why: str
) -> None:
    result(tmp_path, "other", decisions, condition, **changes)
    result(tmp_path, "plain", right_on(20), condition)
    board = board_of(tmp_path)
    (ranking,) = board.rankings
    assert f"other.{condition}" not in ranking.ranked
    assert why in ranking.unranked[f"other.{condition}"]
    assert "other" in markdown(board)


def test_a_table_that_can_tell_nothing_apart_says_what_it_takes(tmp_path: Path) -> None:
    board = board_with(tmp_path, good=right_on(5, 5), poor=right_on(0, 5))
    (ranking,) = board.rankings
    assert ranking.test
    assert ranking.test.least == 0.0625
    told = "The least p that 5 clusters of pairs can give is 0.062; it takes 6 or more."
    assert told in markdown(board)
    told = "the least p that two of 2 rows can have with 5 clusters is 0.062"
    assert told in run(tmp_path).said
    board = board_with(tmp_path, good=right_on(6, 6), poor=right_on(0, 6))
    assert board.rankings[0].groups == {"good.profile": "a", "poor.profile": "b"}


def test_a_scorer_that_leaves_out_what_it_gets_wrong_gains_nothing(tmp_path: Path) -> None:
    left_out = [*right_on(80, 95), *(violate(n, None) for n in range(95, 100))]
    board = board_with(tmp_path, honest=right_on(82, 100), picky=left_out[::-1])
    (ranking,) = board.rankings
    assert ranking.ranked == ("honest.profile", "picky.profile")
    (comparison,) = ranking.comparisons
    assert comparison.n == 100
    assert comparison.difference == pytest.approx(2 / 100)
    assert "| 80.0 % (" in markdown(board)
    assert "| 84.2 % (" in markdown(board)


def test_a_judge_with_a_position_bias_is_flagged_before_any_number(tmp_path: Path) -> None:
    biased = [judged(n, "chosen", "rejected") for n in range(40)]
    result(tmp_path, "judge", biased, "none")
    fair = [judged(n, "chosen", "chosen") for n in range(40)]
    board = board_with(tmp_path, judge=biased, fair=fair)
    (flagged,) = [of for of in board_page(board).opening if "Position bias" in of]
    assert flagged.startswith("Position bias of judge, the share")
    assert "condition profile, pairs of mode violate, 100.0 % (91." in flagged
    assert flagged.count("n = 40") == 2
    assert "Position bias of judge" in printed(tmp_path)


def test_costs_are_of_tokens_in_and_out_and_of_prices_where_there_are_any(tmp_path: Path) -> None:
    tokens: dict[str, Any] = {"tokens": 48_000, "prompt_tokens": 40_000, "completion_tokens": 8_000}
    result(tmp_path, "priced", right_on(30), cost=0.5, **tokens)
    result(tmp_path, "free", right_on(20), **tokens)
    told = markdown(board_of(tmp_path))
    assert "| priced.profile | 1,000 in, 200 out | 12.50 |" in told
    assert "| free.profile | 1,000 in, 200 out |  |" in told


@pytest.mark.real
def test_the_markdown_page_stays_short_whatever_is_ranked(tmp_path: Path) -> None:
    folder, out = tmp_path / "results", tmp_path / "board"
    chance = np.random.default_rng(0)
    conditions: tuple[ConditionName, ...] = ("none", "profile", "wrong-profile", "rubric")
    for n, condition in itertools.product(range(27), conditions):
        drawn = [((chance.normal(), 0.0), (chance.normal(), 0.0)) for _ in range(12)]
        halves = [] if condition == "wrong-profile" else twins(drawn)
        pairs = [violate(k, chance.normal()) for k in range(20)]
        result(folder, f"scorer-{n:02}", [*halves, *pairs], condition)
    assert run(folder, "--out", out).code == 0
    told = (out / "leaderboard.md").read_text()
    assert len(told.splitlines()) < 150
    assert told.count("| scorer-07 |") == 2
    assert "Every two ranked rows" in (out / "leaderboard.html").read_text()


def test_a_profile_has_its_gains_where_the_controls_were_evaluated(tmp_path: Path) -> None:
    result(tmp_path, "seeing", right_on(20), "none")
    result(tmp_path, "seeing", right_on(25), "wrong-profile")
    entries = board_with(tmp_path, seeing=right_on(35), alone=right_on(30)).entries
    found = {of.name: of.value for of in entries["seeing.profile"].gains if of.group == "violate"}
    assert found == {"gain over none": 0.375, "gain over wrong-profile": 0.25}
    assert entries["alone.profile"].gains == entries["seeing.none"].gains == ()


def test_twins_have_no_wrong_profile_and_that_is_no_difference(tmp_path: Path) -> None:
    result(tmp_path, "one", right_on(20), "wrong-profile")
    board = board_with(tmp_path, one=[*twins([RIGHT] * 5), *right_on(30)])
    assert [(of.mode, of.condition) for of in board.rankings] == [
        ("twin", "profile"), ("violate", "profile"), ("violate", "wrong-profile"),
    ]  # fmt: skip


def test_a_control_is_compared_on_the_twins_that_are_part_of_it(tmp_path: Path) -> None:
    """Of 20 twins 12 are right whole; two have no cited posts, and of these one half is wrong."""
    control = twins([((0.5, 0.5), (0.5, 0.5))] * 20)
    for place in (0, 38):
        control[place] = without_score(control[place], "no_cited_posts")
    result(tmp_path, "reader", control, "profile-without-evidence")
    own = twins(((float(n < 12), 0.5), (1.0, 0.5)) for n in range(20))
    board = board_with(tmp_path, reader=own)
    gain = figure(board, "reader.profile", "gain over profile-without-evidence")
    # Of the 18 twins that are left 11 are right in both halves, and 7 in one.
    assert (gain.n, gain.clusters) == (36, 18)
    assert gain.value == pytest.approx((22 + 7) / 36 - 0.5, abs=1e-6)
    assert ends(gain)[0] > 0.1
    apart = {ranking.condition: ranking.apart for ranking in board.rankings}
    reasons = {"no_cited_posts": 2, "other_half_not_part": 2}
    assert apart == {"profile": {}, "profile-without-evidence": reasons}
    sentence = (
        "Pairs that are not part of this condition, and are not counted: 2 no_cited_posts,"
        " 2 other_half_not_part."
    )
    assert sentence in board_page(board).html
    assert sentence in printed(tmp_path)


GENERATOR = "Qwen/Qwen2.5-72B-Instruct"
BUILDERS = (
    BuildModel(role="generator", model=GENERATOR),
    BuildModel(role="judge", model="org/Referee-70B"),
)
BUILT = RELEASE.model_copy(update={"builders": BUILDERS})


def test_a_scorer_that_built_the_release_is_marked_and_set_apart(tmp_path: Path) -> None:
    models = {"late": "qwen-reward", "own": "referee-70b", "akin": "maker/Skywork-qwen-RM",
              "free": "maker/other-8b", "hidden": "reward-8b"}  # fmt: skip
    for right, (name, model) in enumerate(models.items(), start=29):
        scorer = ScorerRef(name=name, kind="pairwise", model=model)
        result(tmp_path, name, right_on(right), release=BUILT, scorer=scorer)
    board = board_of(tmp_path)
    (ranking,) = board.rankings
    assert ranking.ranked == ("hidden.profile", "free.profile")
    assert set(ranking.unranked.values()) == {SET_APART}
    # Below the ranking, and above what is not ranked for another reason.
    assert board.rows(ranking)[2:] == ("akin.profile", "own.profile", "late.profile")
    assert [row[1] for row in ranking_table(board, ranking).rows] == ["a", "a", *["apart"] * 3]
    assert all({one.first, one.second} <= {*ranking.ranked} for one in ranking.comparisons)
    for page in (board_page(board), board_page(board, brief=True)):
        first_cells = {line.split(" | ")[0] for line in page.markdown.splitlines()}
        assert first_cells >= {
            "| own (the build's judge)", "| akin (family of the build's generator)",
            "| late (family of the build's generator)", "| free",
        }  # fmt: skip
    html, said = " ".join(board_page(board).html.split()), printed(tmp_path)
    assert "Self-preference: akin is family of the build's generator (the generator was" in html
    assert "own is the build's judge (the judge was org/Referee-70B). A model prefers" in html
    assert f"The pairs were written by {GENERATOR}. The pairs were judged by" in html
    assert "No name tells the family of hidden:" in html
    assert "No name tells the family of hidden:" in said
    assert "with “qwen” in both names" in html
    assert "own (the build's judge)" in said
    ties = json.loads(board.model_dump_json())["entries"]["akin.profile"]["build_ties"]
    assert ties == [{"role": "generator", "model": GENERATOR, "word": "qwen"}]


@pytest.mark.parametrize(
    ("own", "builder", "words"),
    [
        # A kind of model, or its publisher
        ("deepseek-ai/deepseek-coder-33b", "Qwen/Qwen2.5-Coder-32B", []),
        ("unsloth/Llama-3-8B", "unsloth/Qwen3-8B", []),
        ("TheBloke/Llama-2-7B", "TheBloke/Mistral-7B", []),
        ("my-open-judge", "open-mistral-7b", []),
        ("model-english-v1", "english-llm", []),
        ("instruct-code-math", "other-code", []),
        ("runs/reward-a", "runs/judge-b", []),
        ("outputs/checkpoint-500", "/scratch/other/checkpoint-1200", []),
        ("results/final_merged", "epoch-3/best-final", []),
        # Words that any model may have in its name
        ("toy-judge", GENERATOR, []),
        ("/data/qwen/reward-model-8b", GENERATOR, []),
        ("Instruct-70B", "org/Referee-70B", []),
        ("", GENERATOR, []),
        # Families
        ("/data/models/qwen2-rm", GENERATOR, ["qwen"]),
        ("yield-9b", "Yi-34B-Chat", []),
        *((own, "01-ai/Yi-34B-Chat", ["yi"])
          for own in ("01-ai/Yi-1.5-9B", "runs/yi_6b-reward", "/data/Yi-6B", "yi")),
    ],
)  # fmt: skip
def test_a_family_is_told_by_the_word_that_names_a_series(
    own: str, builder: str, words: list[str]
) -> None:
    found = build_ties((own,), (BuildModel(role="judge", model=builder),))
    assert [tie.word for tie in found] == words


def test_baselines_are_marked_and_missing_ones_are_named_with_the_command(tmp_path: Path) -> None:
    board = board_with(tmp_path, model=right_on(30), overlap=right_on(25))
    assert board.missing == {"profile": ("longer", "constant", "similarity")}
    told = markdown(board)
    assert "overlap (baseline)" in told
    assert "pairwright evaluate RELEASE --out RESULTS --condition profile --scorer longer" in told
    found = dict.fromkeys(("longer", "constant", "similarity"), right_on(20))
    assert board_with(tmp_path, **found).missing == {}


def test_a_split_is_said_and_what_is_missing_comes_with_the_same_options(tmp_path: Path) -> None:
    result(tmp_path, "a", right_on(30), "none", split="test")
    result(tmp_path, "a", right_on(30), split="test", history="b2:other")
    told = markdown(board_of(tmp_path))
    assert "Only the split test was scored." in told
    assert "RESULTS --split test --condition none" in told
    assert "RESULTS --scorers FILE.toml --split test --condition profile" in told


def test_a_comparing_judge_stands_beside_a_reward_model(tmp_path: Path) -> None:
    verdicts = [judged(n, "chosen", "chosen" if n % 4 else "rejected") for n in range(40)]
    board = board_with(tmp_path, judge=verdicts, model=right_on(40))
    (ranking,) = board.rankings
    assert ranking.ranked == ("model.profile", "judge.profile")
    (comparison,) = ranking.comparisons
    # Ten ties against ten right: ten halves.
    assert comparison.difference == 0.125
    assert comparison.p == pytest.approx(2 * 0.5**10, rel=1e-5)
    assert "| swap consistency | violate | judge.profile | 75.0 % (" in markdown(board)
    assert "| swap consistency | violate | model.profile" not in markdown(board)


LINE = "| calibration error | violate | one.profile |"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"table": "ranking"}, "| 12.5 % (10.0 to 15.0) |"),
        ({"table": "ranking", "interval": False}, "| 12.5 % |"),
        ({"table": "ranking", "percent": False}, "| 0.125 (0.100 to 0.150) |"),
        ({"table": "judges", "percent": False}, f"{LINE} 0.125 (0.100 to 0.150) | 40 |"),
        ({"table": "calibration"}, f"{LINE} 12.5 % (10.0 to 15.0) | 40 |"),
    ],
)
def test_an_entry_is_all_that_a_new_figure_needs_to_be_on_page_and_in_json(
    changes: dict[str, Any], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = FigureKind(meaning="made up", **changes)
    monkeypatch.setitem(FIGURES, "calibration_error", kind)
    own = ScorerFigure(
        name="calibration_error", mode="violate", group="violate", value=0.125, low=0.1, high=0.15,
        n=40, clusters=40,
    )  # fmt: skip
    monkeypatch.setattr(board_module, "figures_of", lambda given: (*figures_of(given), own))
    board = board_with(tmp_path, one=right_on(30))
    page = markdown(board)
    assert line in page
    assert "| calibration error | made up |" in page
    heads = [row for row in page.splitlines() if row.startswith("| scorer |")]
    found = [head for head in heads if head.endswith("| ties | calibration error |")]
    assert bool(found) == (kind.table == "ranking")
    assert '"calibration_error"' in board.model_dump_json()


# What is refused


def changed(name: str, value: object) -> Callable[[Path], None]:
    """The second result with one value of its summary changed."""
    first, _, rest = name.partition(".")

    def write(folder: Path) -> None:
        path = folder / "b.profile.json"
        about = json.loads(path.read_text())
        about[first] = about[first] | {rest: value} if rest else value
        path.write_text(json.dumps(about))

    return write


def line(number: int, **changes: object) -> Callable[[Path], None]:
    """The second result with one line changed."""

    def write(folder: Path) -> None:
        path = folder / "b.profile.jsonl"
        lines = path.read_text().splitlines()
        lines[number] = json.dumps(json.loads(lines[number]) | changes)
        path.write_text("\n".join(lines) + "\n")

    return write


def cut(folder: Path) -> None:
    path = folder / "b.profile.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


CONTRADICTIONS: dict[str, tuple[Callable[[Path], object], str]] = {
    "digest": (changed("release.digest", "b2:11"), "b2:11"),
    "version": (changed("release.version", "1.1.0"), "small-pairs 1.1.0"),
    "name": (changed("release.name", "others"), "others 1.0.0"),
    "limit": (changed("limit", 10), "the first 10 subjects"),
    "split": (changed("split", "test"), "split test"),
    "twice": (changed("scorer.name", "a"), "in condition profile is in"),
    "fewer pairs": (lambda of: result(of, "b", right_on(20, 39)), "has no pair pair-39"),
    "another pair": (lambda of: result(of, "b", right_on(20, 41)), "has the pair pair-40"),
    "cluster": (line(3, cluster="user-9"), "pair-3 has cluster 'user-9', and 'user-3' in"),
    "mode": (line(3, mode="twin"), "pair-3 has mode 'twin'"),
    "votes": (line(3, vote_share=0.5), "vote_share 0.5, and None"),
    "history": (changed("history", "b2:1"), "by another [history]"),
}
"""What the second result may say that the first denies."""
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "unknown key": (changed("release.people", []), "release.people"),
    "path in a name": (changed("scorer.name", "../b"), "not a scorer's name"),
    "no condition": (changed("condition", "all"), "condition"),
    "scored": (changed("scored", 39), "b.profile.json says 39"),
    "pairs": (changed("pairs", 41), "b.profile.json says 41"),
    "cut off": (cut, "39 pairs"),
    "no lines": (
        lambda of: (of / "b.profile.jsonl").unlink(),
        "is not there, and b.profile.json was written for it",
    ),
    "not JSON": (lambda of: (of / "b.profile.json").write_text("{"), "b.profile.json"),
    "a pair twice": (line(3, id="pair-4"), "the pair pair-4 is there twice"),
    "NaN": (line(3, chosen=float("nan")), ".jsonl:4 [chosen]"),
    "text for a number": (line(3, chosen="much"), ".jsonl:4 [chosen]"),
    "no score": (line(3, chosen=None), "39 pairs have a score"),
    "another score": (line(3, chosen=9.0), "not the file that b.profile.json was written for"),
    "a judge says both": (line(3, orders=["both", "first"]), ".jsonl:4 [orders.0]"),
}
"""What is wrong with the second result alone."""


@pytest.mark.parametrize("case", [*CONTRADICTIONS, *BROKEN])
def test_results_that_cannot_stand_together_are_refused_by_name(tmp_path: Path, case: str) -> None:
    result(tmp_path, "a", right_on(30))
    result(tmp_path, "b", right_on(20))
    spoil, what = (CONTRADICTIONS | BROKEN)[case]
    spoil(tmp_path)
    with pytest.raises(InputError) as error:
        board_of(tmp_path)
    assert what in str(error.value)
    assert "b.profile.json" in error.value.where
    assert error.value.fix
    if case in CONTRADICTIONS:
        assert str(tmp_path / "a.profile.json") in error.value.what


def test_results_of_other_scorers_seeds_and_histories_are_refused(tmp_path: Path) -> None:
    other = ScorerRef(name="rm", kind="classifier", revision="abc")
    result(tmp_path / "names", "rm", right_on(20), "none", scorer=other)
    with pytest.raises(InputError, match="scorer rm has revision None, and 'abc' in"):
        board_with(tmp_path / "names", rm=right_on(30))
    for seed, name in enumerate(("a", "b")):
        result(tmp_path / "seeds", name, right_on(30), "wrong-profile", seed=seed)
    with pytest.raises(InputError, match="by another seed"):
        board_of(tmp_path / "seeds")
    dodged = [*right_on(30, 39), violate(39, None, unscored="no_profile")]
    with pytest.raises(InputError, match="pair pair-39 does not have something to show") as error:
        board_with(tmp_path / "shown", a=right_on(30), b=dodged)
    assert "a.profile.jsonl" in error.value.what


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results"):
        board_of(tmp_path)
    with pytest.raises(InputError, match="no such file or folder"):
        board_of(tmp_path / "absent")
    path = result(tmp_path, "a", right_on(30))
    with pytest.raises(InputError, match=r"a\.profile\.jsonl: is not a SCORER\.CONDITION\.json\n"):
        board_of(path.with_suffix(".jsonl"))
    with pytest.raises(InputError, match="no pair is in any"):
        board_with(tmp_path, a=[])


@pytest.mark.parametrize("place", ["board", "board/of/mine"])
def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path, place: str) -> None:
    (tmp_path / "board").write_text("mine")
    result(tmp_path / "results", "a", right_on(30))
    done = run(tmp_path / "results", "--out", tmp_path / place)
    assert done.code == 2
    assert f"{tmp_path / 'board'}: is a file, and a folder is wanted" in done.err
    assert (tmp_path / "board").read_text() == "mine"


# What is shown


@pytest.mark.usefixtures("composed")
def test_the_command_prints_the_table_and_writes_all_reports(tmp_path: Path) -> None:
    folder, out = tmp_path / "results", tmp_path / "board"
    halves = twins([RIGHT] * 10)
    board = board_with(folder, good=[*halves, *right_on(38)], poor=[*halves, *right_on(12)])
    done = run(folder, "--out", out)
    assert done.code == 0, done.said
    assert "95.0 % (83.5 to 98.6)" in done.said
    assert RULE in " ".join(done.said.split())
    assert "No results of the baselines longer" in done.said
    found = json.loads((out / "leaderboard.json").read_text())
    assert found["rankings"][1]["groups"] == {"good.profile": "a", "poor.profile": "b"}
    assert Leaderboard.model_validate(found) == board
    told = (out / "leaderboard.md").read_text()
    assert "| good | a | 95.0 % (83.5 to 98.6) |" in told
    assert "n = 40 pairs" in told
    assert RULE in told
    html = (out / "leaderboard.html").read_text()
    assert html.count("<svg") == 4
    assert "<script" not in html


@pytest.mark.usefixtures("drawn")
def test_what_is_not_ranked_has_hollow_marks_and_a_long_legend_two_lines(tmp_path: Path) -> None:
    """The answer key and the control as well: the caption says it of all marks."""

    def marks(condition: ConditionName) -> int:
        board = board_of(result(tmp_path, condition, right_on(30), condition))
        return accuracies(board, "violate").svg.count("fill: var(--paper)")

    assert marks("rubric") == marks("wrong-profile") == marks("profile") + 1
    shown: tuple[ConditionName, ...] = (
        "none", "profile", "profile-without-evidence", "evidence-only", "planner", "rubric",
    )  # fmt: skip
    board = board_of(*(result(tmp_path, "a", right_on(8, 8), condition) for condition in shown))
    svg = accuracies(board, "violate").svg
    # In one line six names are wider than the plot, which cuts them off.
    lines = {re.findall(rf'<text[^>]* y="([0-9.]+)"[^>]*>{name}</text>', svg)[0] for name in shown}
    assert len(lines) == 2


def test_a_limit_a_trial_and_an_unknown_builder_are_the_first_thing_said(tmp_path: Path) -> None:
    trial = RELEASE.model_copy(update={"trial": True})
    result(tmp_path, "a", right_on(30), limit=7, release=trial)
    box = board_page(board_of(tmp_path)).opening[0]
    assert "is a trial" in box
    assert "first 7 subjects" in box
    model = ScorerRef(name="a", kind="dpo", model="maker/a")
    result(tmp_path, "a", right_on(30), scorer=model)
    assert "No result names the models that built" in board_page(board_of(tmp_path)).opening[0]
    result(tmp_path, "a", right_on(30), scorer=model, release=BUILT)
    assert "the models that built" not in markdown(board_of(tmp_path))


def test_taking_and_avoiding_the_better_answer_stand_beside_the_table(tmp_path: Path) -> None:
    share = Estimate(value=0.1, low=0.02, high=0.33, n=20, clusters=20)
    lean = PreferenceFigure(mode="violate", share=share, unmeasured=1)
    known = RELEASE.model_copy(update={"preferences": (lean,)})
    board = board_of(result(tmp_path, "a", right_on(30), release=known))
    said = "taking the better answer is right in 10 %, and always avoiding it in 90 %"
    for text in (
        board_page(board).html, board_page(board, brief=True).markdown,
        " ".join(board_notes(board)),
    ):  # fmt: skip
        assert said in text
    assert said not in board_page(board_with(tmp_path, a=right_on(30))).html


def test_the_page_has_one_box_at_most_and_open_tables_of_five_columns(tmp_path: Path) -> None:
    trial = RELEASE.model_copy(update={"trial": True})
    conditions: tuple[ConditionName, ...] = ("profile", "none", "rubric")
    for condition, (name, wins) in itertools.product(conditions, (("judge", 30), ("other", 20))):
        decisions = [*twins([RIGHT] * 10), *right_on(wins)]
        result(tmp_path, name, decisions, condition, limit=7, release=trial)
    board = board_of(tmp_path)
    for page in (board_page(board), board_page(board, brief=True)):
        opened = re.sub(r"<details>.*?</details>", "", page.markdown, flags=re.DOTALL)
        assert opened.count("\n> ") == 1
        heads = [line for line in opened.splitlines() if line.startswith("| ---")]
        assert len(heads) >= 2
        assert all(line.count("|") <= 6 for line in heads)


def test_the_same_results_give_the_same_bytes_in_any_order_and_number(tmp_path: Path) -> None:
    paths = [result(tmp_path, name, right_on(n)) for name, n in (("a", 30), ("b", 30), ("c", 9))]
    one, other = board_of(*paths), board_of(*reversed(paths))
    assert board_page(one).html == board_page(other).html
    # Its plots are drawn of these alone, in this order.
    assert one.model_dump_json() == other.model_dump_json()
    # A file that is named twice counts once.
    assert board_of(tmp_path, paths[0], tmp_path / "." / paths[0].name) == one


def test_hostile_names_are_shown_as_they_are_and_do_nothing(tmp_path: Path) -> None:
    # Files hold no halves of surrogate pairs.
    nasty = [text.encode("utf-8", "replace").decode() for text in HOSTILE] + ["\x1b[2JKEPT"]
    decisions = [violate(n, 1.0, config=text) for n, text in enumerate(nasty)]
    release = RELEASE.model_copy(update={"name": "\x1b[2J<script>KEPT"})
    planner = PlannerVersion(model="\x1b[2J<script>|PLANNER", revision=None, prompt="b2:0")
    for name in ("a", "b"):
        kind, model, revision, settings = (" ".join(nasty[n::4]) for n in range(4))
        scorer = ScorerRef(name=name, kind=kind, model=model, revision=revision, settings=settings)
        result(tmp_path, name, decisions, "planner", scorer=scorer, release=release,
               planner=planner)  # fmt: skip
    page, done = board_page(board_of(tmp_path)), run(tmp_path)
    assert done.code == 0
    assert page.html.count("KEPT") > 10 * len(nasty)
    for text in nasty:
        assert "<" not in text or text not in page.html
    assert "<script" not in page.html
    for told in (page.html, page.markdown, done.said):
        assert "PLANNER" in told
        assert "\x1b" not in told
