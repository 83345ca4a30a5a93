"""People who judge the pairs of their own posts: out, filled in, in, reported, released."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from decided import decision
from live_study import LiveStudy
from pairwright.dataset import Layout, OwnVote, RowVotes
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.slices import own_slice
from pairwright.workflows.answers import count_answers
from pairwright.workflows.study import open_study
from pairwright_human_eval.people import read_roster
from pairwright_human_eval.records import LATER, OWN, KeyedTask
from pairwright_human_eval.report.own import OwnCounts, OwnFigures, own_figures
from pairwright_human_eval.study_files import read_own
from released import (
    DOMAINS,
    PAIRS,
    Answers,
    partner_of,
    placebo,
    question,
    released,
    rows,
    run_of,
)
from small_studies import user_of
from study import Done, pairwright
from tampering import Tampered, copy_of

PEOPLE = {user_of(n): f"person{n}@example.org" for n in range(5)} | {partner_of(0): "code-z"}
"""By user; the last is the partner of the first."""
VERDICTS, STUDY = "human/verdicts.jsonl", "human/study.json"
SEATS = [f"author-{n:02}" for n in range(1, 7)]
EVERYTHING = [
    pair for n in range(6) for of in (question, placebo) for pair in of(n, DOMAINS[n % 2])
]
"""A twin, a violate pair and a placebo of each of six questions."""


def people_file(folder: Path, lines: Iterable[str]) -> Path:
    path = folder / "people.csv"
    path.write_text("\n".join(("user,person", *lines)) + "\n", encoding="utf-8")
    return path


def seated(run: Path, people: dict[str, str] = PEOPLE, *options: object) -> Done:
    path = people_file(run.parent, (f"{user},{person}" for user, person in people.items()))
    sheets = ("--tool", "spreadsheet")
    return pairwright("human", "export", run, "--own", path, *sheets, *options)


@pytest.fixture
def new(tmp_path: Path) -> LiveStudy:
    """A run without a study."""
    return LiveStudy(run_of(tmp_path / "run", EVERYTHING, study=False))


def make_later_today(study: LiveStudy) -> None:
    own = read_own(study.folder)
    study.folder.own.write_text(own.model_copy(update={"later": date.today()}).model_dump_json())


def sheets_of(study: LiveStudy) -> set[str]:
    return {path.name for path in (study.folder.path / "spreadsheets").iterdir()}


def report_of(study: LiveStudy) -> Any:
    study.do("report")
    return json.loads((study.folder.path / "report.json").read_bytes())["own"]


def released_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def choose(task: KeyedTask) -> Answers:
    """Everybody's own response, the first of two others, and neither of two plain ones."""
    if task.expected is None:
        return {"preference": "equal"}
    return {"preference": "A" if task.purpose == "yoked" else task.expected}


def answer(study: LiveStudy, ends: Iterable[str] = ("", "-later")) -> None:
    names = [f"{seat}{end}" for seat in SEATS for end in ends]
    study.do(
        "import",
        *(
            study.fill(name, choose, out=study.run.parent / f"{name}.csv")
            for name in names
            if f"{name}.csv" in sheets_of(study)
        ),
    )


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    """Annotators and people of the data have answered everything. Not to be changed."""
    run = run_of(tmp_path_factory.mktemp("own") / "run", EVERYTHING)
    done = seated(run, PEOPLE, "--days", 0)
    assert done.code == 0, done.said
    study = LiveStudy(run)
    answer(study)
    return study


@pytest.fixture(scope="module")
def release(beside: LiveStudy) -> Layout:
    return released(beside.run, beside.run.parent / "release")


def test_everybody_gets_pairs_of_their_own_posts_and_yoked_ones(beside: LiveStudy) -> None:
    own = read_own(beside.folder)
    assert {own.seats[seat] for seat in SEATS} == set(PEOPLE)
    pairs = {pair.id: pair for pair in EVERYTHING}
    halves = {(pair.twin_id, pair.user) for pair in EVERYTHING}
    for seat, user in own.seats.items():
        tasks = {purpose: list[KeyedTask]() for purpose in ("own", "yoked", "repeat")}
        for task in (*beside.own(seat, OWN), *beside.own(seat, LATER)):
            tasks[task.purpose].append(task)
        asked = [pairs[str(task.pair)] for task in tasks["own"]]
        assert sorted((pair.mode, pair.user) for pair in asked) == [
            ("placebo", user), ("twin", user)
        ]  # fmt: skip
        (yoked,) = (pairs[str(task.pair)] for task in tasks["yoked"])
        assert (yoked.mode, yoked.asked, yoked.category) == ("twin", True, asked[0].category)
        assert (yoked.twin_id, user) not in halves
        assert yoked.question not in {pair.question for pair in asked}
        (once,) = (task for task in tasks["own"] if task.expected)
        (twice,) = tasks["repeat"]
        assert (twice.pair, twice.round, twice.a, twice.b) == (once.pair, LATER, once.b, once.a)


def test_what_people_see_is_question_and_responses_and_the_form_asks_for_no_more(
    beside: LiveStudy,
) -> None:
    form = (beside.folder.path / "labeling_config_preference_own.xml").read_text("utf-8")
    wanted = {"question", "response_a", "response_b"}
    assert set(re.findall(r"\$(\w+)", form)) == wanted
    assert "Imagine that you ask this question today." in form
    for seat in SEATS:
        for folder in ("own", "own-later"):
            path = beside.folder.path / folder / seat / "preference.json"
            for task in json.loads(path.read_bytes()):
                assert task["data"].keys() == wanted | {"task"}
    sheet = beside.sheet("author-01").read_text("utf-8-sig")
    assert "Imagine that you ask this question today." in sheet
    assert "Going only by these posts" not in sheet


def test_no_id_of_the_source_leaves_the_private_part(beside: LiveStudy, release: Layout) -> None:
    beside.do("report")
    beside.do("preview")
    for path, content in beside.files().items():
        if not path.startswith("private/"):
            assert not any(user.encode() in content for user in PEOPLE), path
    for file in release.root.rglob("*"):
        if file.is_file():
            assert not any(one.encode() in file.read_bytes() for one in PEOPLE.values()), file


def test_the_choices_are_in_the_report_with_intervals_by_person(beside: LiveStudy) -> None:
    report = report_of(beside)
    assert (report["people"], report["with_label"]["value"]) == (6, 1.0)
    for name, n in {"with_label": 6, "difference": 12, "others": 6, "retest": 6}.items():
        assert (report[name]["n"], report[name]["clusters"]) == (n, 6), name
    assert (report["equal"]["value"], report["equal_placebos"]["value"]) == (0.0, 1.0)
    assert report["ceiling"]["value"] == 1.0
    page = (beside.folder.path / "report.md").read_text("utf-8")
    assert "| own less yoked | 12 |" in page
    assert "| chosen again as before, 0 days later or more | 6 |" in page
    assert "18 of 18 twins and pairs" in page  # Own choices verify nothing, and refuse nothing.


def test_a_release_has_each_choice_in_its_row_and_counts_of_the_rest(
    beside: LiveStudy, release: Layout
) -> None:
    chose = {row.id: row.own_vote for row in rows(release) if row.own_vote}
    own = [t for t in beside.key.values() if t.purpose == "own"]
    assert chose == {t.pair: "chosen" if t.expected else "equal" for t in own}
    said = [json.loads(line) for line in release.verdicts.read_text("utf-8").splitlines()]
    assert {line["purpose"] for line in said if line["annotator"] in SEATS} == {"own"}
    people = released_json(beside.folder.people)["found"]
    assert people["spreadsheet:2001"] == ["author-01"]  # In both rounds.
    seats = {one["annotator"]: one for one in released_json(release.study)["annotators"]}
    yoked = seats["author-01"]["own"]["yoked"]
    assert yoked["chosen"] + yoked["rejected"] == 1
    assert "own" not in seats["annotator-01"]
    assert released_json(release.findings)["own"]["people"] == 6
    assert pairwright("verify", release.root).code == 0
    card = " ".join(release.card.read_text("utf-8").split())
    assert "6 people judged pairs of their own posts" in card
    assert "by the votes of 9 people" in card
    assert "Asked again 0 days later or more" in card
    audit = released_json(release.audit)["checks"]
    assert "own less yoked" in {one["config"] for one in audit if one["name"] == "own_votes"}


def _other_seat(bad: Tampered) -> None:
    """A second person's vote on a pair."""
    lines = bad.lines(VERDICTS)
    own = next(line for line in lines if line["purpose"] == "own")
    forged = {**own, "task": "task-ffffffffffffffff", "annotator": SEATS[0]}
    if own["annotator"] == SEATS[0]:
        forged["annotator"] = SEATS[1]
    bad.put(VERDICTS, [*lines, forged])


def _count(bad: Tampered, **counts: int) -> None:
    annotators = bad.one(STUDY)["annotators"]
    bad.json(STUDY, annotators=[
        one | ({"own": one["own"] | counts} if "own" in one else {}) for one in annotators
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda bad: bad.row("Home-twin", 1, own_vote="rejected"), "own_vote is"),
        (lambda bad: bad.row("Home-violate", 1, own_vote="chosen"), "own_vote is"),
        (lambda bad: bad.row("Home-placebo", 1, own_vote="chosen"), "own_vote is"),
        (lambda bad: bad.line(VERDICTS, _own(bad), round=1), "round is 1"),
        (lambda bad: bad.line(VERDICTS, _own(bad), purpose="yoked"), "purpose is yoked"),
        (_other_seat, "its user answered this"),
        (lambda bad: _count(bad, repeated=2), "counts that cannot be"),
        (lambda bad: _count(bad, with_others=2), "counts that cannot be"),
    ],
)
def test_a_release_whose_own_votes_were_changed_is_no_release(
    release: Layout, tmp_path: Path, damage: Callable[[Tampered], object], said: str
) -> None:
    bad = Tampered(copy_of(release.root, tmp_path / "bad"))
    damage(bad)
    bad.seal()
    done = pairwright("verify", bad.root)
    assert (done.code, said in done.said) == (1, True), done.said


def _own(bad: Tampered) -> int:
    return bad.number(VERDICTS, lambda line: line["purpose"] == "own")


def test_own_votes_on_what_annotators_were_not_asked_about_are_counted_and_not_released(
    new: LiveStudy,
) -> None:
    seated(new.run, PEOPLE, "--days", 0)
    new.do("export", "--annotators", 9, "--sample", 3, "--tool", "spreadsheet")
    answer(new, ("",))
    new.do("import", *(new.fill(f"annotator-{n:02}") for n in range(1, 10)))
    layout = released(new.run, new.run.parent / "release")
    asked = {keyed.subject for keyed in new.key.values() if keyed.round == 1}
    lines = [json.loads(line) for line in layout.verdicts.read_text("utf-8").splitlines()]
    assert {line["subject"] for line in lines if line["purpose"] == "own"} <= asked
    assert released_json(layout.findings)["own"]["with_label"]["n"] == 6
    assert pairwright("verify", layout.root).code == 0


def test_the_later_day_is_kept_and_who_was_given_a_sheet_gets_the_later_one(
    new: LiveStudy,
) -> None:
    later = date.today() + timedelta(days=14)
    assert f"asked again on {later}" in seated(new.run).out
    first = {f"{seat}.csv" for seat in SEATS}
    assert sheets_of(new) == first
    refused = new.refused("push", "--url", "http://127.0.0.1:9", "--round", 4)
    assert f"nobody is asked again before {later}" in refused
    # Another number of days changes nothing: the day is fixed.
    assert f"asked again on {later}" in seated(new.run, PEOPLE, "--days", 0).out
    make_later_today(new)
    new.do("export", "--own", new.run.parent / "people.csv")
    assert sheets_of(new) == first | {f"{seat}-later.csv" for seat in SEATS}


def test_simulated_people_wait_for_the_later_day_too(new: LiveStudy) -> None:
    seated(new.run)
    later = sum(keyed.round == LATER for keyed in new.key.values())
    for _ in range(2):
        said = new.do("simulate")
        assert f"before the day on which people are asked again: {later} tasks" in said
        assert "Nothing is open" not in said
    assert {verdict.round for verdict in new.verdicts} == {OWN}
    make_later_today(new)
    assert f"Answered: {later} open tasks" in new.do("simulate")
    assert "Nothing is open" in new.do("simulate")


def test_a_day_that_no_calendar_has_is_refused(new: LiveStudy) -> None:
    done = seated(new.run, PEOPLE, "--days", 10**9)
    assert (done.code, "--days" in done.err, "Traceback" in done.said) == (2, True, False)


def test_no_round_is_pushed_that_nobody_was_asked_for(tmp_path: Path) -> None:
    study = LiveStudy(run_of(tmp_path / "run", PAIRS))
    refused = study.refused("push", "--url", "http://127.0.0.1:9", "--round", 4)
    assert "No such file" not in refused


def test_people_are_asked_in_the_language_of_the_study(new: LiveStudy) -> None:
    assert seated(new.run, PEOPLE, "--language", "de").code == 0
    assert "another study" in new.refused("export", "--annotators", 9)
    new.do("export", "--annotators", 9, "--language", "de")
    for name in ("spreadsheets/author-01.csv", "labeling_config_preference_own.xml"):
        text = (new.folder.path / name).read_text("utf-8-sig")
        assert "Stellen Sie sich vor, Sie stellen diese Frage heute." in text
        assert "Kein Unterschied für mich" in text
    assert "Taking part" not in (new.folder.path / "own_consent.md").read_text("utf-8")


def test_people_join_later_and_annotators_too(new: LiveStudy) -> None:
    seated(new.run, dict(list(PEOPLE.items())[:3]))
    before = new.key
    moved = PEOPLE | {user_of(0): "moved@example.org"}
    assert "3 of them new" in seated(new.run, moved).out
    assert {*read_roster(new.folder).participants.values()} == {*moved.values()}
    assert "has another seat" in seated(new.run, {user_of(5): "moved@example.org"}).err
    assert before.items() <= new.key.items()
    answer(new)
    assert "No annotator was asked, so nothing is verified." in new.do("report")
    out = new.run.parent / "out"
    refused = pairwright("release", new.run, "--out", out, "--version", "1.0.0")
    assert (refused.code, "nobody has verified its pairs" in refused.err) == (2, True)
    new.do("export", "--annotators", 9)
    assert before.items() <= new.key.items()
    assert [*new.states().values()] == ["waiting"] * 18
    assert report_of(new)["people"] == 6


def test_who_withdraws_is_forgotten_and_not_seated_again(beside: LiveStudy, tmp_path: Path) -> None:
    study = beside.copy(tmp_path / "run")
    own = read_own(study.folder)
    seat = next(name for name, user in own.seats.items() if user == partner_of(0))
    assert "nobody else can do" in study.refused("replace", "code-z")
    said = study.do("withdraw", "code-z")
    assert "code-z" not in said
    assert "done by somebody else" not in said
    assert not any(verdict.annotator == seat for verdict in study.verdicts)
    assert b"code-z" not in b"".join(study.files().values())
    assert seat not in read_own(study.folder).seats
    again = seated(study.run)
    assert (again.code, "'code-z' has withdrawn" in again.err) == (2, True)
    assert report_of(study)["people"] == 5
    assert "nobody else can do" in study.refused("replace", seat)


def test_nobody_waits_for_the_answers_of_an_author_who_withdrew(
    new: LiveStudy, tmp_path: Path
) -> None:
    seated(new.run, PEOPLE, "--days", 0)
    seat = SEATS[-1]
    theirs = {name for name, keyed in new.key.items() if keyed.annotator == seat}
    late = new.fill(seat, choose, out=tmp_path / "late.csv")
    others = len(new.key) - len(theirs)
    new.do("withdraw", seat)
    assert seat not in new.do("status")
    assert re.search(rf"{seat} +withdrawn", new.do("people"))
    new.do("preview")
    assert not (new.folder.preview / f"{seat}.html").exists()
    assert "has withdrawn" in new.refused("import", late)
    assert new.do("simulate").count(f"Answered: {others} open tasks.") == 1
    with open_study(new.run) as opened:
        assert count_answers(opened).open_tasks == 0
    assert not {verdict.task for verdict in new.verdicts} & theirs


def test_of_who_is_forgotten_a_release_counts_nothing(beside: LiveStudy, tmp_path: Path) -> None:
    study = beside.copy(tmp_path / "run")
    seats = read_own(study.folder).seats
    seat = next(name for name, user in seats.items() if user == user_of(0))
    assert pairwright("forget", study.run, "--user", user_of(0)).code == 0
    study.do("report")
    layout = released(study.run, tmp_path / "release")
    counted = {one["annotator"] for one in released_json(layout.study)["annotators"]}
    assert {*seats} - counted == {seat}
    assert seat not in layout.verdicts.read_text("utf-8")
    assert released_json(layout.findings)["own"]["people"] == 5
    assert pairwright("verify", layout.root).code == 0


@pytest.mark.parametrize(
    ("lines", "where", "what"),
    [
        ([f"{user_of(0)},a", "nobody,b"], ":3", "'nobody' is not a user of this run"),
        ([f"{user_of(0)},a", f"{user_of(0)},b"], ":3", "is there twice"),
        ([f"{user_of(0)},a", f"{user_of(1)},a"], ":3", "'a' is there for two users"),
        (["user_900,a"], ":2", "'user_900' has no twin in this run"),
        ([f"{user_of(0)}"], ":2", "is not a user and a person"),
        ([f"{user_of(0)},"], ":2", "is not a user and a person"),
        ([f"{user_of(0)},author-01"], ":2", "cannot be the id of a person"),
        ([f"{user_of(1)},b", f"{user_of(0)},a\x07"], ":3", "'a\\x07' cannot be the id"),
        ([f'{user_of(0)},"a\nc"'], ":2", "'a\\nc' cannot be the id of a person"),
        ([f"{user_of(0)},a\u202ec"], ":2", "signs that do not print"),
        ([], "", "names nobody"),
    ],
)
def test_a_file_of_people_that_cannot_be_meant_is_refused(
    beside: LiveStudy, tmp_path: Path, lines: list[str], where: str, what: str
) -> None:
    path = people_file(tmp_path, lines)
    said = beside.refused("export", "--own", path)
    assert what in said
    assert f"people.csv{where}" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--annotators", 9), ("has no annotators",)),
        (("--sample", 3), ("has no annotators",)),
        (("--floor", 0.6), ("has no annotators",)),
        (("--language", "de"), ("--language", "--language en")),
        (("--seed", 7), ("--seed", "option out")),
    ],
)
def test_what_only_annotators_have_and_what_the_study_has_fixed_is_refused(
    beside: LiveStudy, tmp_path: Path, options: tuple[object, ...], said: tuple[str, ...]
) -> None:
    path = people_file(tmp_path, [f"{user_of(0)},person0@example.org"])
    refused = beside.refused("export", "--own", path, *options)
    assert not [part for part in said if part not in refused], refused


# Figures

OF_UNITS: dict[tuple[OwnVote | None, ...], str] = {
    ("chosen", "chosen"): "chosen by their users",
    ("chosen", None): "chosen by their users",
    ("chosen", "cannot_tell"): "chosen by their users",
    ("chosen", "equal"): "not chosen by a user",
    ("rejected", None): "not chosen by a user",
    ("cannot_tell", None): "",
    (None, None): "",
}


def test_a_board_has_the_twins_that_users_chose_themselves_apart() -> None:
    def unit(*votes: OwnVote | None) -> list[PairDecision]:
        return [decision(str(n), n, 1.0, 0.0, own_vote=vote) for n, vote in enumerate(votes)]

    assert {votes: own_slice(unit(*votes)) for votes in OF_UNITS} == OF_UNITS


def counts(own: tuple[int, int, int], yoked: tuple[int, int, int], repeats: int = 0) -> OwnCounts:
    """Of one person: choices for the chosen response, the other and no difference; of as many
    repeats 82 % are as before."""
    votes = [
        RowVotes(chosen=chosen, rejected=rejected, equal=equal, cannot_tell=0)
        for chosen, rejected, equal in (own, yoked, (0, 0, 0))
    ]
    return OwnCounts(
        twins=votes[0], yoked=votes[1], placebos=votes[2], repeats=repeats,
        repeated=repeats * 82 // 100, others=0, with_others=0,
    )  # fmt: skip


def figures(*people: OwnCounts, days: int = 14) -> OwnFigures:
    found = own_figures(people, days, simulated=False)
    assert found
    return found


@pytest.mark.parametrize(("days", "said"), [(0, "0 days"), (1, "1 day"), (14, "14 days")])
def test_days_are_counted_in_words(days: int, said: str) -> None:
    found = figures(counts((1, 0, 0), (1, 0, 0)), days=days)
    assert f"chosen again as before, {said} later or more" in dict(found.named())


@pytest.mark.parametrize(
    ("people", "difference"),
    [
        # Who takes whatever looks tailored; who calls what is not theirs equal; who knows it.
        ([counts((3, 0, 0), (3, 0, 0)), counts((2, 1, 0), (2, 1, 0))], 0.0),
        ([counts((2, 2, 0), (0, 0, 4)), counts((1, 1, 0), (0, 0, 2))], 0.0),
        ([counts((4, 0, 0), (2, 2, 0)), counts((4, 0, 0), (0, 0, 4))], 0.5),
    ],
)
def test_own_less_yoked_is_what_is_personal(people: list[OwnCounts], difference: float) -> None:
    assert figures(*people).difference.value == difference


def test_who_chooses_with_nine_in_ten_agrees_with_a_label_in_nine_of_ten() -> None:
    """Of two choices 82 of 100 are the same then."""
    found = figures(counts((9, 1, 0), (5, 5, 0), repeats=100))
    assert (found.retest.value, found.ceiling.value) == (0.82, 0.9)
