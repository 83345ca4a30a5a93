"""The end of every command is tried: here, or by the test that is named."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_train_planner import begun, check

import study
from pairwright.cli import answers
from pairwright.cli.training import print_rewards, print_training
from pairwright.training.planner_checkpoints import TrainingReport
from pairwright.workflows.annotation_server import RunningServer
from pairwright_human_eval.label_studio import projects as push
from pairwright_human_eval.label_studio.server import ServerAccount
from released import PAIRS, run_of
from stand_in import KEY, StandIn
from study import pairwright

TESTS = Path(__file__).parents[1]
TRIED_BY = {
    "init": "test_init_writes_a_folder_that_builds_as_it_stands",
    "doctor": "test_doctor_reads_a_recording",
    "build": "test_a_recording_answers_a_build_to_the_same_bytes",
    "status": "test_by_files_or_over_the_wire_the_same_replies_give_the_same_files",
    "show": "test_the_first_round_says_what_waits_and_writes_no_outcome_files",
    "audit": "test_a_run_is_audited_into_its_own_folder",
    "release": "test_trl_reads_one_conversational_prompt_for_each_question_of_a_user",
    "verify": "test_a_study_with_a_replacement_is_released_and_verified",
    "diff": "test_a_rebuilt_release_of_the_same_pairs_does_not_differ",
    "forget": "test_a_last_line_that_was_not_ended_is_kept",
    "evaluate": "test_of_twins_alone_the_usual_conditions_are_those_that_they_have",
    "leaderboard": "test_a_verdict_that_was_changed_with_its_checksum_is_found",
    "batch ingest": "test_by_files_or_over_the_wire_the_same_replies_give_the_same_files",
    "batch record": "test_the_command_says_what_it_wrote",
    "batch submit": "test_a_batch_that_failed_is_told_with_its_reason_and_its_requests_come_again",
    "batch poll": "test_a_round_that_the_run_has_gone_past_can_still_be_polled",
    "human plan": "test_without_a_pilot_the_plan_says_that_hours_are_those_of_reading",
    "human qualify": "test_people_qualify_on_a_server",
    "human export": "test_people_qualify_on_a_server",
    "human preview": "test_a_page_has_every_task_of_its_person_and_every_question",
    "human serve": "test_a_server_of_ones_own_runs_until_ctrl_c",
    "human push": "test_tasks_go_to_a_server_and_answers_come_back",
    "human status": "test_tasks_go_to_a_server_and_answers_come_back",
    "human pull": "test_tasks_go_to_a_server_and_answers_come_back",
    "human import": "test_a_file_with_a_single_task_of_the_study_is_taken_in",
    "human simulate": "test_simulating_a_second_time_answers_the_second_round_alone",
    "human report": "test_a_newcomer_gets_what_is_undone_and_nothing_is_done_twice",
    "human adjudicate": "test_the_second_round_loses_what_shows_the_answers",
    "human start": "test_tasks_go_to_a_server_and_answers_come_back",
    "human people": "test_time_and_pay_are_counted_and_who_has_finished_gets_a_code",
    "human replace": "test_a_newcomer_gets_what_is_undone_and_nothing_is_done_twice",
    "human withdraw": "test_the_second_round_loses_what_shows_the_answers",
    "train planner": "test_a_training_says_which_checkpoint_it_chose",
    "train score": "test_planners_are_compared_and_running_again_asks_nothing",
    "train export-rl": "test_an_export_has_the_same_bytes_each_time",
    "train reward-server": "test_a_server_of_rewards_says_what_it_scored",
    "train rl-outputs": "test_a_dump_of_verl_becomes_outputs_by_step",
    "downstream best-of-n": "test_a_scorer_that_agrees_with_the_judge_reaches_the_ceiling",
    "downstream judge-outputs": "test_outputs_are_judged_once_by_every_aspect",
    "downstream policy": "test_the_command_scores_guided_policies_and_their_parts",
    "downstream completions": "test_the_command_writes_in_every_condition_and_goes_on",
    "downstream correlate": "test_row_numbers_as_pandas_writes_them_are_ignored_and_that_is_said",
    "downstream certify": "test_the_command_prints_what_may_be_said",
}


def commands() -> Iterator[str]:
    """Every command, by all its words."""

    def below(group: Any, words: str) -> Iterator[str]:
        for name, one in group.commands.items():
            whole = f"{words} {name}".strip()
            yield from below(one, whole) if hasattr(one, "commands") else [whole]

    return below(study._commands(), "")


def test_the_end_of_every_command_is_tried() -> None:
    assert set(TRIED_BY) == set(commands())
    sources = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    assert {test for test in TRIED_BY.values() if f"\ndef {test}(" not in sources} == set()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A study that nobody has answered."""
    folder = run_of(tmp_path / "run", PAIRS[:3], study=False)
    assert pairwright("human", "export", folder, "--seed", 1).code == 0
    return folder


def ended(*arguments: object) -> str:
    done = pairwright("human", *arguments)
    assert done.code == 0, done.said
    return done.out


def test_people_qualify_on_a_server(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "people"
    said = ended("qualify", run, "--out", out, "--people", 2)
    steps = "".join(f"  pairwright human {step} {out}\n" for step in ("serve", "start", "people"))
    assert f"Next:\n{steps}Afterwards, with those who passed: pairwright human export" in said


def test_tasks_go_to_a_server_and_answers_come_back(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    monkeypatch.setattr(push, "SETTLE_S", 0.0)
    with StandIn() as server:
        said = ended("push", run, "--url", server.url)
        assert re.search(r"annotator-11 .*/projects/\d+/data\?labeling=1\n$", said)
        assert re.search(r"annotator-11 +rubric +\d+ +0 +0 +0\s*$", ended("status", run))
        assert "Next:\n  pairwright human report" in ended("pull", run)
        assert str(run / "human" / "start" / "annotator-01-") in ended("start", run)


def test_a_server_of_ones_own_runs_until_ctrl_c(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = ServerAccount(1, "lead@study", "lead-word", "token")

    def stop() -> int:
        raise KeyboardInterrupt

    server: Any = SimpleNamespace(
        url="http://127.0.0.1:1", account=account, data=run / "data", wait=stop
    )

    @contextmanager
    def served(*_: object, **__: object) -> Iterator[RunningServer]:
        links = {"annotator-01": {"quality": "http://127.0.0.1:1/1"}}
        yield RunningServer(server, {"annotator-01": account}, links)

    monkeypatch.setattr(answers, "serve_study", served)
    said = ended("serve", run)
    assert "  quality      http://127.0.0.1:1/1\n" in said
    assert said.endswith(f"Stopped. The answers are in {run / 'data'}.\n")


def test_a_training_says_which_checkpoint_it_chose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = check(30, 0.0).model_copy(update={"unreadable": 4})
    report = TrainingReport(begun=begun(), refused={}, checkpoints=(nothing,), chosen=30, losses=())
    done: Any = SimpleNamespace(report=report, merged=None, adapter=tmp_path / "adapter")
    print_training(done, tmp_path / "out")
    said = capsys.readouterr().err
    assert "No checkpoint wrote a plan that can be read" in said
    assert "checkpoint-30 is chosen" in said
    assert f"Serve {tmp_path / 'adapter'}\n" in said
    assert said.endswith(f"Open: {tmp_path / 'out' / 'report.html'}\n")


def test_a_server_of_rewards_says_what_it_scored(capsys: pytest.CaptureFixture[str]) -> None:
    health: Any = SimpleNamespace(
        errors={"too_long": 2}, failed={"timeout": 1}, scored=1_200, empty=3
    )
    print_rewards(health)
    assert capsys.readouterr().out == (
        "Stopped. 1,200 responses scored, 3 of them empty. 2 without a score: 2 too_long."
        " 1 request failed: 1 timeout.\n"
    )
