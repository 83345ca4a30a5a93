"""What a verified pair proves, from the answers to the release: the rule that a study stored, the
answers on aspects in the rows, and the answer key that follows from them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

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
from pairwright_human_eval.public_study import PublicStudy, read_public
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.study_files import read_study, read_tasks
from pairwright_human_eval.subjects import Subject
from released import PAIRS, Answers, released, right, rows, run_of, written
from study import VERIFIED, Study, pairwright
from tampering import Tampered, copy_of

SOME = PAIRS[:6]
"""Two twins and two violate pairs."""
LATER = ("support", "delivery", "follows")
"""What aspects of format 2 do not have."""
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


def aged(run: Path) -> Path:
    """The run as a version exported it that had no such limits."""
    study, folder = HumanFolder(run).study, RunFolder(run)
    stored, saved = json.loads(study.read_bytes()), folder.saved()
    for rules, name in ((stored, "policy"), (saved, "human")):
        rules[name] = {key: rules[name][key] for key in rules[name].keys() - LATER_LIMITS}
    study.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
    folder.config.write_text(to_toml(saved), encoding="utf-8")
    return run


def states(run: Path) -> set[str]:
    return {decision.state for decision in decide(run).decisions.values()}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study by whose answers only the rejected responses deliver. Not to be changed."""
    return run_of(
        tmp_path_factory.mktemp("asked") / "run", SOME, answer=changed(delivered_by_other)
    )


@pytest.fixture
def run(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "run"))


def test_the_report_and_status_say_reasons_in_words(run: Path) -> None:
    assert "decisions of the last report" not in pairwright("human", "status", run).out
    assert states(run) == {"refused"}
    said = "too few of the supported aspects are delivered by the chosen response alone"
    report = (run / "human/report.md").read_text(encoding="utf-8")
    assert f"| refused | {said} | 4 of 4: 100 % (51 to 100) |" in report
    shown = " ".join(pairwright("human", "status", run).out.split())
    assert "decisions of the last report" in shown
    assert "refused single pairs 2 refused twins 2" in shown
    assert said in shown


def test_an_older_study_is_decided_by_the_rule_that_it_stored(run: Path) -> None:
    folder = RunFolder(aged(run))
    # Building again gives it no new limit.
    config, content = folder.settings(), folder.saved()["content"]
    folder.prepare(config, {k: content[k] for k in ("source", "scales")}, accept_changes=False)
    saved = folder.saved()
    assert not saved["human"].keys() & LATER_LIMITS
    assert states(run) == {"verified"}
    report = (run / "human/report.md").read_text(encoding="utf-8")
    assert "THE RULE WAS CHANGED" not in report
    assert "| quality_gap | none | none |" in report
    # A limit that somebody writes into it decides and is told.
    human = saved["human"] | {"delivered": 0.51}
    folder.config.write_text(to_toml(saved | {"human": human}), encoding="utf-8")
    found = decide(run)
    assert {d.reasons for d in found.decisions.values()} == {("rubric: aspects_undelivered",)}
    assert [(c.name, c.fixed, c.in_force) for c in found.report.head.changes] == [
        ("delivered", "none", "0.51")
    ]


def test_a_row_has_what_people_said_of_each_aspect_and_the_supported_ones_as_key(
    tmp_path: Path,
) -> None:
    made = run_of(tmp_path / "run", SOME, answer=changed(second_refuted))
    found = rows(written(made, tmp_path / "release"))
    none = dict.fromkeys(RowDelivery.model_fields, 0)
    for row in found:
        first, second = row.rubric_aspects
        assert first.support == RowSupport(clearly=3, plausibly=0, no=0, contradicted=0)
        assert first.delivery == RowDelivery(**none | {"chosen": 3})
        assert second.support == RowSupport(clearly=0, plausibly=0, no=3, contradicted=0)
        assert second.delivery == RowDelivery(**none | {"neither": 3})
        assert row.answer_key == (first,)
        # It is no part of what the build made.
        unasked = tuple(
            aspect.model_copy(update={"support": None, "delivery": None})
            for aspect in row.rubric_aspects
        )
        assert row.model_copy(update={"rubric_aspects": unasked}).content == row.content
    for question in ReleaseQuestions(found).own:
        (row,) = (row for row in found if row.id == question.pair)
        assert question.aspects == (row.rubric_aspects[0].aspect,)


def test_without_a_study_all_aspects_are_the_answer_key(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SOME, study=False)
    for row in rows(written(run, tmp_path / "release", trial=True)):
        assert row.answer_key == row.rubric_aspects
        assert {aspect.support for aspect in row.rubric_aspects} == {None}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    folder = tmp_path_factory.mktemp("verified")
    # No judge of that version was asked for a choice without a tie.
    pairs = [
        pair.model_copy(update={"draft": pair.draft.model_copy(update={"blind_preference": None})})
        for pair in SOME
    ]
    return released(aged(run_of(folder / "run", pairs)), folder / "release")


@pytest.fixture
def bad(release: Layout, tmp_path: Path) -> Tampered:
    return Tampered(copy_of(release.root, tmp_path / "copy"))


def test_a_release_has_the_rule_and_the_errors_of_its_study(release: Layout) -> None:
    """One as it was before the rule had later limits and named who took part."""
    public = read_public(release)
    assert public
    stored = json.loads(release.study.read_bytes())
    assert not {*stored["policy"], *stored["fixed"]} & LATER_LIMITS
    named = stored | {"people": [{"mode": "twin", "annotators": 3}]}
    assert PublicStudy.model_validate(named) == PublicStudy.model_validate(stored)
    errors = {row.id: row.label_error for row in rows(release)}
    assert errors == {name: public.label_errors[name] for name in errors}
    assert all(error is not None and 0 < error < 0.5 for error in errors.values())
    first = release.card.read_text(encoding="utf-8").split("\n# ", 1)[1].split("\n\n", 2)[1]
    assert first.startswith("The audit of this release ")
    assert "checks that are held to a limit" in first


def as_format_2(bad: Tampered) -> None:
    """As releases were before rows had answers on aspects."""
    for path in sorted((bad.root / "data").rglob("*.parquet")):
        found = pq.read_table(path).drop_columns(["label_error", "blind_preference", "own_vote"])
        place = found.schema.get_field_index("rubric_aspects")
        entry = found.schema.field("rubric_aspects").type.value_type
        parts = [part for part in entry if part.name not in LATER]
        type_ = pa.list_(pa.field("element", pa.struct(parts)))
        kept = [
            [{part.name: aspect[part.name] for part in parts} for aspect in row]
            for row in found["rubric_aspects"].to_pylist()
        ]
        column = pa.array(kept, type=type_)
        changed = found.set_column(place, pa.field("rubric_aspects", type_), column)
        pq.write_table(changed, path, compression="zstd")
    bad.json("stated.json", format=2)
    audited = bad.one("audit/audit.json")
    digest = content_digest(rows(bad.layout))
    bad.json("audit/audit.json", source=audited["source"] | {"digest": digest})
    bad.seal(derived=True)


def test_a_release_of_format_2_is_read_and_verifies(bad: Tampered) -> None:
    as_format_2(bad)
    found = rows(bad.layout)
    assert {aspect.support for row in found for aspect in row.rubric_aspects} == {None}
    assert all(row.answer_key == row.rubric_aspects for row in found)
    assert {row.label_error for row in found} == {None}
    assert not [row for row in found if "label_error" in row.model_dump_json()]
    assert verify_release(bad.root).rows == 6


def test_an_answer_that_was_changed_is_found(bad: Tampered) -> None:
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
    release: Layout, bad: Tampered
) -> None:
    verified = verify_release(release.root)
    assert verified.rows == 6
    not_said = "the study's rule with the one that was fixed at its export"
    stored = bad.one("human/study.json")
    weaker = {name: stored[name] | {"votes": 2} for name in ("policy", "fixed")}
    bad.json("human/study.json", **weaker)
    bad.seal(derived=True)
    assert not_said in " ".join(verify_release(bad.root).not_compared)
    with pytest.raises(Difference):
        verify_release(bad.root, verified.digest)
    held = verify_release(release.root, verified.digest)
    assert "the study's rule" not in " ".join(held.not_compared)
    card = release.card.read_text(encoding="utf-8")
    assert "by the word of those who made the release" in card.replace("\n", " ")


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
    key = [keyed for keyed in read_study(HumanFolder(run)).key.values() if keyed.kind == "rubric"]
    tasks = read_tasks(HumanFolder(run), key).values()
    assert tasks
    assert all(task["posts"] and task["aspects"] for task in tasks)
    assert "verified" in states(run)
    found = rows(written(run, tmp_path / "release", "0.1.0", trial=True))
    assert found
    assert all(row.answer_key and row.aspects_origin == "gold" for row in found)
