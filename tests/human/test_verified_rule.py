"""What a verified pair proves, from the answers to the release: the rule that a study stored, the
answers on aspects in the rows, and the answer key that follows from them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright import assets
from pairwright.construct.folder import RunFolder, to_toml
from pairwright.dataset import Layout, Row, RowDelivery, RowSupport, content_digest
from pairwright.errors import Difference
from pairwright.evaluation.outputs import ReleaseQuestions
from pairwright.releases.verify.release import verify_release
from pairwright.settings.rules import LATER_LIMITS
from pairwright.workflows.decision_report import decide
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.subjects import Subject
from released import PAIRS, Answers, released, right, rows, run_of, written
from study import VERIFIED, Study, pairwright
from tampering import Tampered, copy_of

SOME = PAIRS[:6]
LATER = ("support", "delivery", "follows")
"""What aspects of format 2 do not have."""
"""Two twins and two violate pairs."""
Change = Callable[[KeyedTask, Answers], Answers]


def changed(change: Change) -> Callable[[KeyedTask, Subject | None], Answers]:
    """The answers of people who would verify everything, changed."""
    usual = right()
    return lambda task, subject: change(task, usual(task, subject) or {})


def delivered_by_other(task: KeyedTask, ticks: Answers) -> Answers:
    """Only the rejected response delivers."""
    other = {"A": "B", "B": "A"}[task.expected or "A"]
    return {k: other if k.startswith("delivered") else v for k, v in ticks.items()}


def second_refuted(_: KeyedTask, ticks: Answers) -> Answers:
    """Nobody finds the second aspect supported, and nobody finds it delivered."""
    refuted = {"support_1": "no", "delivered_1": "neither"}
    return ticks | (refuted if "support_1" in ticks else {})


def table(run: Path) -> dict[str, Any]:
    return RunFolder(run).saved()


def put(run: Path, saved: dict[str, Any]) -> None:
    RunFolder(run).config.write_text(to_toml(saved), encoding="utf-8")


def aged(run: Path) -> Path:
    """The run as a version exported it that had no such limits."""
    study = HumanFolder(run).study
    stored = json.loads(study.read_bytes())
    stored["policy"] = without(stored["policy"])
    study.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
    saved = table(run)
    put(run, saved | {"human": without(saved["human"])})
    return run


def without(rule: dict[str, Any]) -> dict[str, Any]:
    assert rule.keys() >= LATER_LIMITS
    return {name: value for name, value in rule.items() if name not in LATER_LIMITS}


def states(run: Path) -> set[str]:
    return {decision.state for decision in decide(run).decisions.values()}


# The rule is the study's


@pytest.mark.real
def test_an_older_study_is_decided_by_the_rule_that_it_stored(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SOME, answer=changed(delivered_by_other))
    assert states(run) == {"refused"}
    assert states(aged(run)) == {"verified"}
    report = (run / "human/report.md").read_text(encoding="utf-8")
    assert "THE RULE WAS CHANGED" not in report
    assert "| quality_gap | none | none |" in report


def test_building_again_gives_an_older_study_no_new_limit(tmp_path: Path) -> None:
    run = aged(run_of(tmp_path / "run", SOME, answer=changed(delivered_by_other)))
    folder = RunFolder(run)
    config, content = folder.settings(), table(run)["content"]
    folder.prepare(config, {k: content[k] for k in ("source", "scales")}, accept_changes=False)
    assert not table(run)["human"].keys() & LATER_LIMITS
    assert states(run) == {"verified"}


def test_a_limit_that_somebody_writes_into_an_older_study_decides_and_is_told(
    tmp_path: Path,
) -> None:
    run = aged(run_of(tmp_path / "run", SOME, answer=changed(delivered_by_other)))
    saved = table(run)
    put(run, saved | {"human": saved["human"] | {"delivered": 0.51}})
    found = decide(run)
    assert {d.reasons for d in found.decisions.values()} == {("rubric: aspects_undelivered",)}
    assert [(c.name, c.fixed, c.in_force) for c in found.report.head.changes] == [
        ("delivered", "none", "0.51")
    ]


def test_the_report_says_reasons_in_words(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SOME, answer=changed(delivered_by_other))
    decide(run)
    report = (run / "human/report.md").read_text(encoding="utf-8")
    said = "too few of the supported aspects are delivered by the chosen response alone"
    assert f"| refused | {said} | 4 of 4: 100 % (51 to 100) |" in report


def test_status_shows_what_the_last_report_decided(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SOME, answer=changed(delivered_by_other))
    assert "decisions of the last report" not in pairwright("human", "status", run).out
    decide(run)
    said = " ".join(pairwright("human", "status", run).out.split())
    assert "decisions of the last report refused twins 2 refused violate pairs 2" in said
    assert "too few of the supported aspects are delivered by the chosen response alone" in said


# Rows and answer key


def refuted(tmp_path: Path) -> Layout:
    run = run_of(tmp_path / "run", SOME, answer=changed(second_refuted))
    return written(run, tmp_path / "release")


def test_a_row_has_what_people_said_of_each_aspect(tmp_path: Path) -> None:
    for row in rows(refuted(tmp_path)):
        first, second = row.rubric_aspects
        assert first.support == RowSupport(clearly=3, plausibly=0, no=0, contradicted=0)
        assert first.delivery == RowDelivery(chosen=3, rejected=0, both=0, neither=0, cannot_tell=0)
        assert second.support == RowSupport(clearly=0, plausibly=0, no=3, contradicted=0)
        assert second.delivery == RowDelivery(
            chosen=0, rejected=0, both=0, neither=3, cannot_tell=0
        )


def test_the_answer_key_is_the_supported_aspects(tmp_path: Path) -> None:
    found = rows(refuted(tmp_path))
    for row in found:
        assert row.answer_key == row.rubric_aspects[:1]
    for question in ReleaseQuestions(found).own:
        (row,) = (row for row in found if row.id == question.pair)
        assert question.aspects == (row.rubric_aspects[0].aspect,)


def test_without_a_study_all_aspects_are_the_answer_key(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SOME, study=False)
    for row in rows(written(run, tmp_path / "release", trial=True)):
        assert row.answer_key == row.rubric_aspects
        assert {aspect.support for aspect in row.rubric_aspects} == {None}


def test_what_people_said_is_no_part_of_what_the_build_made(tmp_path: Path) -> None:
    for row in rows(refuted(tmp_path)):
        unasked = tuple(
            aspect.model_copy(update={"support": None, "delivery": None})
            for aspect in row.rubric_aspects
        )
        assert row.model_copy(update={"rubric_aspects": unasked}).content == row.content


# Releases of before


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verified")
    # No judge of that version was asked for a choice without a tie.
    pairs = [
        pair.model_copy(update={"draft": pair.draft.model_copy(update={"blind_preference": None})})
        for pair in SOME
    ]
    return released(aged(run_of(folder / "run", pairs)), folder / "release").root


def test_a_release_of_an_older_study_verifies(release: Path) -> None:
    stored = json.loads((release / "human/study.json").read_bytes())
    assert not {*stored["policy"], *stored["fixed"]} & LATER_LIMITS
    assert verify_release(release).rows == 6


def as_format_2(bad: Tampered) -> None:
    """As releases were before rows had answers on aspects."""
    for path in sorted((bad.root / "data").rglob("*.parquet")):
        found = pq.read_table(path).drop_columns(["label_error", "blind_preference"])
        kept = [[_before(aspect) for aspect in row] for row in found["rubric_aspects"].to_pylist()]
        place = found.schema.get_field_index("rubric_aspects")
        entry = found.schema.field("rubric_aspects").type.value_type
        older = pa.struct([part for part in entry if part.name not in LATER])
        type_ = pa.list_(pa.field("element", older))
        column = pa.array(kept, type=type_)
        changed = found.set_column(place, pa.field("rubric_aspects", type_), column)
        pq.write_table(changed, path, compression="zstd")
    bad.json("stated.json", format=2)
    audited = bad.one("audit/audit.json")
    digest = content_digest(rows(bad.layout))
    bad.json("audit/audit.json", source=audited["source"] | {"digest": digest})
    bad.seal(derived=True)


def _before(aspect: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in aspect.items() if name not in LATER}


def test_a_release_of_format_2_is_read_and_verifies(release: Path, tmp_path: Path) -> None:
    bad = Tampered(copy_of(release, tmp_path / "copy"))
    as_format_2(bad)
    found: list[Row] = rows(bad.layout)
    assert {aspect.support for row in found for aspect in row.rubric_aspects} == {None}
    assert all(row.answer_key == row.rubric_aspects for row in found)
    assert verify_release(bad.root).rows == 6


def test_an_answer_that_was_changed_is_found(release: Path, tmp_path: Path) -> None:
    bad = Tampered(copy_of(release, tmp_path / "copy"))

    def kinder(found: list[Row]) -> list[Row]:
        first, *others = found[0].rubric_aspects
        more = RowSupport(clearly=9, plausibly=0, no=0, contradicted=0)
        told = (first.model_copy(update={"support": more}), *others)
        return [found[0].model_copy(update={"rubric_aspects": told}), *found[1:]]

    bad.rows("Home-violate", kinder)
    bad.seal()
    with pytest.raises(Exception, match=r"support is RowSupport\(clearly=9"):
        verify_release(bad.root)


def test_which_rule_was_fixed_before_the_first_answer_is_not_derived(
    release: Path, tmp_path: Path
) -> None:
    digest = verify_release(release).digest
    bad = Tampered(copy_of(release, tmp_path / "copy"))
    stored = json.loads((bad.root / "human/study.json").read_bytes())
    weaker = {name: stored[name] | {"votes": 2} for name in ("policy", "fixed")}
    bad.json("human/study.json", **weaker)
    bad.seal(derived=True)
    with pytest.raises(Difference):
        verify_release(bad.root, digest)
    said = " ".join(verify_release(bad.root).not_compared)
    assert "the study's rule with the one that was fixed at its export" in said
    assert "the study's rule" not in " ".join(verify_release(release, digest).not_compared)
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "by the word of those who made the release" in card.replace("\n", " ")


def test_the_verdict_of_the_audit_is_the_first_sentence_of_the_card(release: Path) -> None:
    card = (release / "README.md").read_text(encoding="utf-8")
    first = card.split("\n# ", 1)[1].split("\n\n", 2)[1]
    assert first.startswith("The audit of this release ")
    assert "checks that are held to a limit" in first


# The paper's setting


@pytest.mark.real
def test_the_papers_setting_can_be_verified(tmp_path: Path) -> None:
    """Gold aspects name no posts: their tasks show the posts ranked best, and are answered."""
    study = Study.make(tmp_path / "study", preset="paper", planner__retrieval="bm25", **VERIFIED)
    shutil.copy(assets.EXAMPLES / "recorded" / "gold.jsonl", study.folder / "histories.jsonl")
    del study.settings["modes"]
    study.change()
    run = study.run
    for command in (
        ("build", study.config, "--run", run),
        ("human", "export", run, "--seed", 0),
        ("human", "simulate", run),
    ):
        assert pairwright(*command).code == 0
    tasks = [
        row["data"]
        for path in sorted((run / "human/tasks").glob("*/rubric.json"))
        for row in json.loads(path.read_bytes())
    ]
    assert tasks
    assert all(task["posts"] and task["aspects"] for task in tasks)
    assert "verified" in states(run)
    found = rows(written(run, tmp_path / "release", "0.1.0", trial=True))
    assert found
    assert all(row.answer_key and row.aspects_origin == "gold" for row in found)
