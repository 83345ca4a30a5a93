"""One reader against the others, and how probable it is that a label is wrong: from the votes of a
study into a release, and beside scorers on a leaderboard."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from decided import board_of, result
from pairwright.dataset import Layout, read_rows, write_rows
from pairwright.evaluate.release import Release, ReleaseRef
from pairwright.intervals import Interval
from pairwright.records import Pair
from pairwright_human_eval.public_study import read_public
from pairwright_human_eval.records import Verdict
from pairwright_human_eval.report.answers import Vote, abouts, answers_of
from pairwright_human_eval.report.label_errors import errors_by_pair
from pairwright_human_eval.report.people import PeopleAccuracy, people_accuracies
from pairwright_human_eval.subjects import outline_of
from released import PAIRS, released, rows, run_of
from small_studies import one, twin, violate, votes
from test_leaderboard import right_on
from test_leaderboard import run as run_leaderboard


def said(pair: Pair, choices: str) -> list[Verdict]:
    """The choices of annotators 1, 2, 3, ..."""
    return [
        votes(pair, choice, annotator=f"annotator-{n:02}")[0]
        for n, choice in enumerate(choices, start=1)
    ]


def counted(*given: tuple[Pair, str]) -> list[Vote]:
    subjects = [one(pair) for pair, _ in given]
    verdicts = [verdict for pair, choices in given for verdict in said(pair, choices)]
    return answers_of(abouts(map(outline_of, subjects)), verdicts, frozenset()).counted()


# One reader against the majority of the others


@pytest.mark.parametrize(
    ("choices", "points"),
    [
        ("+++", [1, 1, 1]),
        ("---", [1, 1, 1]),  # against the chosen response, and with one another
        ("++-", [0.5, 0.5, 0]),  # for the first two, the others are one against one
        ("+-=", [0, 0, 0.5]),
        ("+=?", [0.5, 0.5, 0.5]),  # nobody else has a preference, or one has and the reader has not
        ("++++-", [1, 1, 1, 1, 0]),
        ("++", [1, 1]),
    ],
)
def test_a_vote_counts_by_the_majority_of_the_others(choices: str, points: list[float]) -> None:
    (found,) = people_accuracies(counted((violate(1), choices)))
    assert found.accuracy.value == pytest.approx(sum(points) / len(points), abs=1e-6)
    assert found.accuracy.n == len(points)
    assert found.tied == points.count(0.5)


def test_votes_on_all_pairs_are_taken_together_and_dyads_are_the_clusters() -> None:
    found = people_accuracies(
        counted((violate(1), "+++"), (violate(2), "++-"), (violate(3), "+-="), (violate(4), "+"))
    )
    (people,) = found
    assert people.accuracy.value == 0.5  # 3 + 1 + 0.5 of 9; pair 4 has one reader alone
    assert (people.accuracy.n, people.pairs, people.accuracy.clusters) == (9, 3, 3)
    assert (people.annotators, people.tied, people.mode) == (3, 3, "violate")
    assert people.accuracy.low is not None
    assert people.accuracy.high is not None
    assert people.accuracy.low < 0.5 < people.accuracy.high


def test_modes_are_apart_and_both_halves_of_a_twin_are_one_cluster() -> None:
    asked, other = twin(1)
    subject = one(asked, other)
    verdicts = [*said(asked, "+++"), *said(other, "---")]
    own = answers_of(abouts([outline_of(subject)]), verdicts, frozenset()).counted()
    of_twins, of_pairs = people_accuracies([*counted((violate(2), "++-")), *own])[::-1]
    if of_twins.mode != "twin":
        of_twins, of_pairs = of_pairs, of_twins
    assert (of_twins.accuracy.value, of_twins.pairs, of_twins.accuracy.clusters) == (1, 2, 1)
    assert of_pairs.accuracy.value == pytest.approx(1 / 3, abs=1e-6)


def test_without_a_second_reader_there_is_no_figure() -> None:
    assert people_accuracies(counted((violate(1), "+"))) == ()
    assert people_accuracies([]) == ()


# The error of a label


def errors(*given: tuple[Pair, str]) -> dict[str, float]:
    subjects = [one(pair) for pair, _ in given]
    return errors_by_pair(counted(*given), abouts(map(outline_of, subjects)))


def test_a_label_is_probably_right_where_all_agree_and_wrong_where_all_say_the_other() -> None:
    given = [(violate(n), "+++") for n in range(30)] + [(violate(30), "---"), (violate(31), "???")]
    found = errors(*given)
    agreed = [found[pair.id] for pair, choices in given if choices == "+++"]
    assert max(agreed) < 0.01
    assert found[violate(30).id] > 0.99
    assert violate(31).id not in found


def test_the_fit_knows_who_errs() -> None:
    """Annotators 1 and 2 always agree; 3 and 4 answer at random. Two against two, the careful ones
    are believed."""
    noise = ["++", "--", "+-", "-+"]
    given = [(violate(n), f"++{noise[n % 4]}") for n in range(40)]
    found = errors(*given)
    against = [found[pair.id] for pair, choices in given if choices == "++--"]
    assert len(against) == 10
    assert max(against) < 0.05


def test_an_equal_label_is_an_error_of_the_chosen_response() -> None:
    found = errors(*[(violate(n), "+++") for n in range(20)], (violate(20), "==="))
    assert found[violate(20).id] > 0.99


# In a release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    return released(run_of(folder / "run", PAIRS[:12]), folder / "out").root


def test_a_release_has_the_row_of_people_and_the_error_of_each_label(release: Path) -> None:
    layout = Layout(release)
    public = read_public(layout)
    assert public
    assert {people.mode for people in public.study.people} == {"twin", "violate"}
    assert public.study.people == public.people
    assert {people.accuracy.value for people in public.people} == {1.0}
    found = {row.id: row.label_error for row in rows(layout)}
    assert found == {name: public.label_errors[name] for name in found}
    assert all(error is not None and 0 < error < 0.5 for error in found.values())


def test_what_is_evaluated_carries_the_row_of_people(release: Path) -> None:
    people = Release(release).ref.people
    assert {one.mode for one in people} == {"twin", "violate"}


def test_rows_of_an_older_release_are_read_without_an_error(release: Path, tmp_path: Path) -> None:
    every = [
        row.model_copy(
            update={
                "label_error": None,
                "rubric_aspects": tuple(
                    aspect.model_copy(update={"support": None, "delivery": None, "follows": None})
                    for aspect in row.rubric_aspects
                ),
            }
        )
        for row in rows(Layout(release))
    ]
    write_rows(tmp_path / "new.parquet", every)
    table = pq.read_table(tmp_path / "new.parquet")
    older = table.drop_columns(["label_error"])
    aspects = older.schema.get_field_index("rubric_aspects")
    fields = [
        field
        for field in older.schema.field(aspects).type.value_type
        if field.name not in ("support", "delivery", "follows")
    ]
    kind = pa.list_(pa.field("element", pa.struct(fields)))
    without = [
        [{field.name: aspect[field.name] for field in fields} for aspect in row]
        for row in older.column("rubric_aspects").to_pylist()
    ]
    older = older.set_column(
        aspects, pa.field("rubric_aspects", kind), pa.array(without, kind)
    ).replace_schema_metadata(None)
    pq.write_table(older, tmp_path / "old.parquet")
    assert list(read_rows(tmp_path / "old.parquet")) == every
    assert all("label_error" not in row.model_dump_json() for row in every)


# On the leaderboard

PEOPLE = PeopleAccuracy(
    mode="violate",
    accuracy=Interval(value=0.81, low=0.77, high=0.84, n=600, clusters=90),
    pairs=200,
    annotators=9,
    tied=120,
    simulated=False,
)


def ref(*people: PeopleAccuracy) -> ReleaseRef:
    return ReleaseRef(name="small-pairs", version="1.0.0", digest="b2:00", pairs=40, people=people)


def lines(output: str, word: str) -> Sequence[str]:
    return [line for line in output.splitlines() if word in line]


def test_people_are_below_the_scorers_and_not_ranked(tmp_path: Path) -> None:
    for name, wins in (("good", 36), ("bad", 12)):
        result(tmp_path, name, right_on(wins), release=ref(PEOPLE))
    board = board_of(tmp_path)
    assert board.people == (PEOPLE,)
    (ranking,) = board.rankings
    assert set(ranking.ranked) == {"good.profile", "bad.profile"}
    out = run_leaderboard(tmp_path)
    (row,) = lines(out.output, "people (not ranked)")
    assert "81.0 (77.0 to 84.0)" in row
    assert "600 votes" in row
    assert out.output.index("bad") < out.output.index("people (not ranked)")
    assert "One reader against the majority" in out.output or "one reader against" in out.output


def test_people_are_beside_scorers_that_see_the_posts_alone(tmp_path: Path) -> None:
    result(tmp_path, "good", right_on(36), condition="none", release=ref(PEOPLE))
    assert "people (" not in run_leaderboard(tmp_path).output


def test_simulated_people_say_so(tmp_path: Path) -> None:
    simulated = PEOPLE.model_copy(update={"simulated": True})
    result(tmp_path, "good", right_on(36), release=ref(simulated))
    assert lines(run_leaderboard(tmp_path).output, "people (simulated, not ranked)")


def test_results_of_older_versions_are_ranked_beside_those_with_people(tmp_path: Path) -> None:
    result(tmp_path, "old", right_on(20), release=ref())
    result(tmp_path, "new", right_on(30), release=ref(PEOPLE))
    assert board_of(tmp_path).people == (PEOPLE,)
    assert set(board_of(tmp_path).rankings[0].ranked) == {"old.profile", "new.profile"}
