"""How probable it is that a label is wrong: from the votes of a study into a release."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright.dataset import Layout, read_rows, write_rows
from pairwright.records import Pair
from pairwright_human_eval.public_study import PublicStudy, read_public
from pairwright_human_eval.records import Verdict
from pairwright_human_eval.report.answers import Vote, abouts, answers_of, errors_by_pair
from pairwright_human_eval.subjects import outline_of
from released import PAIRS, released, rows, run_of
from small_studies import one, violate, votes


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
    return released(run_of(folder / "run", PAIRS[:6]), folder / "out").root


def test_a_release_has_the_error_of_each_label(release: Path) -> None:
    layout = Layout(release)
    public = read_public(layout)
    assert public
    found = {row.id: row.label_error for row in rows(layout)}
    assert found == {name: public.label_errors[name] for name in found}
    assert all(error is not None and 0 < error < 0.5 for error in found.values())


def test_a_study_that_an_older_version_published_is_read(release: Path) -> None:
    given = json.loads(Layout(release).study.read_text(encoding="utf-8"))
    older = {**given, "people": [{"mode": "twin", "annotators": 3}]}
    assert PublicStudy.model_validate(older) == PublicStudy.model_validate(given)


def test_rows_of_an_older_release_are_read_without_an_error(release: Path, tmp_path: Path) -> None:
    every = [
        row.model_copy(
            update={
                "label_error": None,
                "blind_preference": None,
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
    older = table.drop_columns(["label_error", "blind_preference", "own_vote"])
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
