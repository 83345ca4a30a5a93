"""`pairwright human`, on a run of the fictional users with the double of a model."""

import base64
import json
import re
import shlex
import shutil
import stat
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_check_layout import MEASURES, area

from pairwright import assets
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.records import Pair
from pairwright_human_eval.attention import load_checks
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import config_hash, form_path
from pairwright_human_eval.records import KINDS, KeyedTask, aspect_id, pseudonyms, response_id
from pairwright_human_eval.study_files import FixedStudy, read_key, read_study
from pairwright_human_eval.subjects import file_hash, subjects_of
from pairwright_human_eval.tasks import Task, when
from small_studies import study_of
from study import VERIFIED, Done, Study, pairwright


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: 24 twins and 24 violate pairs. Not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    study = Study.make(folder / "study", **VERIFIED)
    done = study.build()
    assert done.code == 0, done.said
    return study.run


@pytest.fixture
def run(built: Path, tmp_path: Path) -> Path:
    """What of it an export reads, to be changed."""
    return copied(built, tmp_path / "run")


@pytest.fixture
def violates(tmp_path: Path) -> Path:
    """A small run of mode `violate` alone."""
    study = Study.make(tmp_path / "study", limit=8, modes=["violate"], **VERIFIED)
    done = study.build()
    assert done.code == 0, done.said
    return study.run


@pytest.fixture(scope="module")
def exported(built: Path, tmp_path_factory: pytest.TempPathFactory) -> HumanFolder:
    """A study of it with default options. Not to be changed."""
    folder = copied(built, tmp_path_factory.mktemp("exported") / "run")
    assert export(folder).code == 0
    return HumanFolder(folder)


def copied(built: Path, run: Path) -> Path:
    run.mkdir(parents=True)
    for name in ("config.toml", "pairs.jsonl", "calls.sqlite"):
        shutil.copy(built / name, run)
    return run


def export(run: Path, *options: object) -> Done:
    return pairwright("human", "export", run, "--seed", 7, *options)


def refused(done: Done, *said: str) -> str:
    """What went wrong, told on standard error with exit code 2 and without a traceback."""
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    for part in said:
        assert part in done.err
    return done.err


def files(run: Path) -> dict[str, bytes]:
    folder = HumanFolder(run).path
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def keep_lines(run: Path, keep: Any) -> None:
    lines = (run / "pairs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if keep(Pair.model_validate_json(line))]
    (run / "pairs.jsonl").write_text("".join(kept), encoding="utf-8")


# What it writes


def test_an_export_writes_tasks_forms_and_the_key(exported: HumanFolder) -> None:
    study, key = read_study(exported)
    assert (study.sampled, study.of, study.overlap, len(study.annotators)) == (48, 48, 3, 11)
    assert study.simulated_pairs
    assert study.pairs_hash == file_hash(exported.run / "pairs.jsonl")
    listed = 0
    for who in study.annotators:
        for kind in KINDS:
            for task in json.loads(exported.tasks(who, kind).read_bytes()):
                assert key[task["data"]["task"]].annotator == who
                listed += 1
    assert listed == len(key)
    for kind in KINDS:
        xml = form_path(exported, kind).read_text(encoding="utf-8")
        assert study.config_hashes[kind] == config_hash(xml)
    assert stat.S_IMODE(exported.private.stat().st_mode) == 0o700


def test_it_says_what_it_made_and_what_to_do_next(run: Path) -> None:
    done = export(run)
    assert done.code == 0
    key = read_study(HumanFolder(run)).key.values()
    counts = Counter(f"{keyed.kind}: {keyed.purpose}" for keyed in key)
    for name, n in counts.items():
        assert re.search(rf"{name} +{n:,}\n", re.sub(r" +\n", "\n", done.out)), name
    assert "simulated model" in done.out
    for command in ("serve", "push", "import", "simulate"):
        assert f"pairwright human {command} {run}" in done.out


@pytest.mark.real
def test_the_secret_seed_is_in_no_file_outside_private(built: Path, tmp_path: Path) -> None:
    """Whoever has the seed can compute sides and purposes from the ids in the tasks."""
    run, out = tmp_path / "run", tmp_path / "release"
    shutil.copytree(built, run)
    said = ""
    for command in (
        ("export", run),
        ("simulate", run, "--accuracy", "0.7"),
        ("report", run),
        ("adjudicate", run),
        ("simulate", run, "--accuracy", "0.7"),
        ("report", run),
        ("status", run),
    ):
        done = pairwright("human", *command)
        assert done.code == 0, done.said
        said += done.said
    done = pairwright("release", run, "--out", out, "--version", "0.1.0", "--trial")
    assert done.code == 0, done.said
    folder = HumanFolder(run)
    study = read_study(folder).study
    spelled = {f"{study.seed}", f"{study.seed:x}", f"{study.seed:X}"}
    spelled.add(base64.b64encode(study.seed.to_bytes(16, "big")).decode().rstrip("="))
    spelled.add(base64.b64encode(study.seed.to_bytes(16, "little")).decode().rstrip("="))
    assert f"{study.seed}" in folder.study.read_text(encoding="utf-8")
    looked = 0
    for path in (*run.rglob("*"), *out.rglob("*")):
        if path.is_file() and folder.private not in path.parents:
            content = path.read_bytes()
            assert not [text for text in spelled if text.encode() in content], path
            looked += 1
    assert looked > 60
    assert not [text for text in spelled if text in said + done.said]
    assert json.loads((folder.path / "report.json").read_bytes())["seed"] == 0


def test_no_byte_tells_an_annotator_anything_about_a_real_run(exported: HumanFolder) -> None:
    pairs = list(iterate_pairs(exported.run))
    secrets = {"simulated", "violate", "twin-", "pair-", "response-", "aspect-", "dyad-", "check-"}
    secrets |= {"annotator-", "adherence", "sha256", "\u202e", "\u200b"}
    for pair in pairs:
        secrets |= {pair.id, pair.item_id, pair.user, pair.draft.generator}
        secrets |= {str(pair.twin_id), str(pair.judge), response_id(pair.chosen)}
        secrets |= {post.id for post in pair.profile}
        secrets |= {response_id(pair.rejected), pair.rubric.user, pair.rubric.question_id}
        for aspect in pair.rubric.aspects:
            secrets |= {aspect_id(aspect.aspect), aspect.reason}
        for quality in pair.draft.quality.values():
            secrets.add(quality.reason)
        for adherence in pair.draft.adherence.values():
            secrets |= {score.reason for score in adherence.scores}
    secrets -= {"None", ""}
    fields = set(Pair.model_fields) - {"question", "narrative"}
    for name, content in files(exported.run).items():
        # The same for every run.
        if name.startswith("private/") or name in ("guidelines.md", "consent.md"):
            continue
        text = content.decode("utf-8")
        assert not [secret for secret in secrets if secret in text], name
        assert not [field for field in fields if f'"{field}"' in text], name
        assert not re.search(r"[\w.]+@[\w-]+\.\w+", text), name


def test_real_controls_and_aspects_show_what_they_should(exported: HumanFolder) -> None:
    pairs = {pair.id: pair for pair in iterate_pairs(exported.run)}
    twins = {s.id: s for s in subjects_of(pairs.values(), exported.run / "pairs.jsonl")}
    owner = {(when(p), p.text): pair.user for pair in pairs.values() for p in pair.profile}
    seen = Counter[str]()
    for keyed, data in tasks_of(exported):
        if keyed.pair is None:
            continue
        pair = pairs[keyed.pair]
        users = {owner[post["when"], post["text"]] for post in data["posts"]}
        seen[keyed.purpose] += 1
        if keyed.purpose == "wrong_profile":
            assert len(users) == 1
            assert not users & {half.user for half in twins[keyed.subject].pairs}
            assert pair.created is not None
            assert all(post["when"] <= pair.created[:10] for post in data["posts"])
        else:
            assert users == {pair.user}
        told = [pair.narrative] if keyed.purpose == "narrative" else []
        assert [row["text"] for row in data.get("narrative", [])] == told
    assert (seen["wrong_profile"], seen["narrative"]) == (12, 6)


def posts_shown(folder: HumanFolder, *, checks: bool) -> list[list[str]]:
    """The dates of the posts of every preference task that is a check, or that is none."""
    return [
        [post["when"] for post in data["posts"]]
        for keyed, data in tasks_of(folder)
        if keyed.kind == "preference" and (keyed.purpose == "attention") == checks
    ]


def test_checks_are_dated_like_other_preferences(exported: HumanFolder) -> None:
    for checks in (True, False):
        for dates in posts_shown(exported, checks=checks):
            assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in dates)


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, list[Task]]:
    """Preference tasks of the recorded demo, drawn with four seeds: checks, and others."""
    folder = tmp_path_factory.mktemp("recorded")
    assert pairwright("init", folder / "demo").code == 0
    built = folder / "run"
    assert pairwright("build", folder / "demo" / "pairwright.toml", "--run", built).code == 0
    pairs, found = list(iterate_pairs(built)), defaultdict[bool, list[Task]](list)
    checks = load_checks(assets.HUMAN_EVAL / "checks.toml")
    for seed in range(4):
        for tasks in study_of(pairs, seed=seed, checks=checks).tasks.values():
            for task in tasks:
                if task.keyed.kind == "preference":
                    found[task.keyed.purpose == "attention"].append(task)
    return found


def test_the_figures_say_how_far_sizes_tell_a_check(studies: dict[bool, list[Task]]) -> None:
    page = (assets.ROOT / "benchmarks" / "verification.md").read_text(encoding="utf-8")
    said = {
        name: float(found) for name, found in re.findall(r"^\| (.+?) \| (\.\d\d) \|", page, re.M)
    }
    assert (len(studies[True]), len(studies[False])) == (252, 408)
    assert {
        name: round(area(*([of(task) for task in studies[check]] for check in (True, False))), 2)
        for name, of in MEASURES.items()
    } == said


def tasks_of(folder: HumanFolder) -> list[tuple[KeyedTask, dict[str, Any]]]:
    fixed: FixedStudy = read_study(folder)
    return [
        (fixed.key[task["data"]["task"]], task["data"])
        for who in fixed.study.annotators
        for kind in KINDS
        for task in json.loads(folder.tasks(who, kind).read_bytes())
    ]


# Again


def test_the_same_run_makes_the_same_bytes(exported: HumanFolder, run: Path) -> None:
    assert export(run).code == 0
    assert files(run) == files(exported.run)


def test_exporting_again_changes_nothing_and_says_so(run: Path) -> None:
    assert "nothing has changed" not in export(run).out
    before = files(run)
    done = export(run)
    assert (done.code, files(run)) == (0, before)
    assert "nothing has changed" in done.out


@pytest.mark.real
@pytest.mark.parametrize(
    "options",
    [("--annotators", 12), ("--annotators", 12, "--overlap", 4), ("--sample", 20), ("--checks", 0)],
)
def test_other_options_over_a_study_are_refused(run: Path, options: tuple[object, ...]) -> None:
    export(run)
    before = files(run)
    refused(export(run, *options), "another study was exported here", "Move")
    assert files(run) == before


@pytest.mark.real
def test_other_pairs_or_another_rule_over_a_study_are_refused(run: Path, violates: Path) -> None:
    export(run)
    config = run / "config.toml"
    text = config.read_text(encoding="utf-8")
    assert 'rule = "unanimity"' in text
    config.write_text(text.replace('rule = "unanimity"', 'rule = "majority"'), encoding="utf-8")
    refused(export(run), "another study was exported here")
    config.write_text(text, encoding="utf-8")
    shutil.copytree(HumanFolder(run).path, HumanFolder(violates).path)
    refused(export(violates), "another study was exported here")


@pytest.mark.real
def test_a_newer_version_finds_its_study_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(run)
    monkeypatch.setattr("pairwright.workflows.tasks.__version__", "99.0")
    assert export(run).code == 0


# Options


def test_too_few_annotators_are_told_how_many_it_takes(run: Path, violates: Path) -> None:
    refused(export(run, "--annotators", 10), "take 11", "--annotators 11")
    assert not HumanFolder(run).path.exists()
    refused(export(violates, "--annotators", 6), "take 7", "--annotators 7")
    assert export(violates, "--annotators", 7).code == 0


def test_a_sample_is_of_subjects(run: Path) -> None:
    assert export(run, "--sample", 10).code == 0
    study, key = read_study(HumanFolder(run))
    assert (study.sampled, study.of) == (10, 48)
    assert len({k.subject for k in key.values() if k.kind == "quality"}) == 10
    halves = Counter(k.subject for k in key.values() if (k.kind, k.round) == ("quality", 1))
    assert set(halves.values()) == {3}


@pytest.mark.real
def test_a_share_of_checks_is_written_either_way(built: Path, tmp_path: Path) -> None:
    made = []
    for name, share in (("a", "10%"), ("b", "0.1")):
        folder = copied(built, tmp_path / name)
        assert export(folder, "--checks", share).code == 0
        made.append(files(folder))
    assert made[0] == made[1]
    none = copied(built, tmp_path / "none")
    assert export(none, "--checks", "0").code == 0
    assert "attention" not in {k.purpose for k in read_study(HumanFolder(none)).key.values()}


@pytest.mark.parametrize(
    "options",
    [
        ("--checks", "5"),
        ("--checks", "101%"),
        ("--checks", "-0.1"),
        ("--checks", "nan"),
        ("--checks", "many"),
        ("--checks", ""),
        ("--annotators", "0"),
        ("--annotators", "1000"),
        ("--overlap", "0"),
        ("--sample", "0"),
    ],
)
def test_an_option_that_cannot_be_is_refused(run: Path, options: tuple[str, str]) -> None:
    refused(export(run, *options), "Invalid value")
    assert not HumanFolder(run).path.exists()


def test_a_share_that_cannot_be_is_told_with_its_option(run: Path) -> None:
    refused(export(run, "--checks", "5"), "--checks")


def test_an_overlap_that_can_verify_nothing_is_refused(run: Path) -> None:
    fewer = "quality_votes = 1, rubric_votes = 1"
    refused(export(run, "--overlap", 1), f"write {fewer} under [human]", "1 answer to each")


# What is wrong with a run


def test_half_a_twin_is_named(run: Path) -> None:
    (gone, *_) = [pair for pair in iterate_pairs(run) if not pair.asked]
    keep_lines(run, lambda pair: pair.id != gone.id)
    refused(export(run), str(gone.twin_id), "pairs.jsonl", "Build again")
    assert not HumanFolder(run).path.exists()


def test_a_damaged_line_is_named(run: Path) -> None:
    path = run / "pairs.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:4], lines[4][:100] + "\n", *lines[5:]]), encoding="utf-8")
    refused(export(run), "pairs.jsonl:5", "Build again")
    assert not HumanFolder(run).path.exists()


Lines = list[str]


@pytest.mark.real
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [*lines[:-1], lines[-1].replace('"chosen":"', '"chosen":"By hand. ', 1)],
         r"line 72: pair-\w{16}: chosen\n"),
        (lambda lines: [*lines[:-1], lines[-1].replace('"id":"pair-', '"id":"pair-0', 1)],
         r"line 72: pair-0\w{16} is not of this build\n    pair-\w{16} is missing\n"),
        (lambda lines: [json.dumps(json.loads(lines[0])) + "\n", *lines[1:]],
         r"line 1: pair-\w{16}: laid out otherwise\n"),
        (lambda lines: [line for line in lines if '"mode":"twin"' in line],
         r"(?:pair-\w{16} is missing\n    ){5}and 19 others\n"),
        (lambda lines: lines[::-1], "the lines are in another order"),
    ],
)  # fmt: skip
def test_pairs_that_the_build_did_not_write_are_refused(
    run: Path, change: Callable[[Lines], Lines], said: str
) -> None:
    path = run / "pairs.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), encoding="utf-8")
    told = refused(export(run), "pairs.jsonl", "not what the build wrote", "build again")
    assert re.search(said, told), told
    assert not HumanFolder(run).path.exists()
    path.write_text("".join(lines), encoding="utf-8")
    assert export(run).code == 0


def test_without_the_build_s_calls_nothing_can_be_told(run: Path) -> None:
    (run / "calls.sqlite").unlink()
    refused(export(run), "calls.sqlite", "Restore the file")
    assert not HumanFolder(run).path.exists()


def test_a_run_without_pairs_is_told_so(run: Path) -> None:
    (run / "pairs.jsonl").write_text("", encoding="utf-8")
    refused(export(run), "holds no pair", "Build")


def test_what_is_no_run_is_told_so(run: Path, tmp_path: Path) -> None:
    refused(export(tmp_path / "nothing"), "nothing")
    (run / "pairs.jsonl").unlink()
    refused(export(run), "pairs.jsonl", "no such file")


def test_a_run_of_an_older_version_says_to_build_again(run: Path) -> None:
    config = run / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("[[content.scales", "[[content.skales"), encoding="utf-8")
    refused(export(run), "scales", "Build again")


def test_a_folder_s_name_is_no_markup(built: Path, tmp_path: Path) -> None:
    run = copied(built, tmp_path / "a [b] [/c]")
    done = export(run)
    assert done.code == 0
    # A title is broken over lines.
    assert "".join(str(HumanFolder(run).path).split()) in "".join(done.out.split())


def test_an_example_in_the_help_names_every_option(run: Path) -> None:
    done = pairwright("human", "export", "--help")
    assert done.code == 0
    for option in ("--annotators", "--overlap", "--sample", "--checks"):
        assert option in done.out
    assert "pairwright human export runs/first" in done.out


@pytest.mark.real
def test_ids_and_sides_are_drawn_with_a_secret_that_is_kept(run: Path) -> None:
    def ids() -> set[str]:
        return {line.task for line in read_key(HumanFolder(run).key)}

    pairwright("human", "export", run)
    first, secret = ids(), read_study(HumanFolder(run)).study.seed
    assert secret > 2**64, "short enough to be tried out"
    seen = b"".join(path.read_bytes() for path in (run / "human" / "tasks").rglob("*.json"))
    assert str(secret).encode() not in seen
    assert "nothing has changed" in pairwright("human", "export", run).out
    assert ids() == first
    shutil.rmtree(run / "human")
    pairwright("human", "export", run)
    assert not ids() & first


def test_it_says_how_long_reading_takes(run: Path) -> None:
    """The demo's preference tasks show some 950 words, which is four minutes."""
    done = export(run)
    found = re.findall(r"(\w+): (\d+) words in the median task, (\d+) s", done.out)
    assert [kind for kind, _, _ in found] == list(KINDS)
    for _, words, seconds in found:
        assert abs(int(words) / 238 * 60 - int(seconds)) < 1
    assert 850 <= int(found[1][1]) <= 1_050
    assert re.search(r"hours of reading each +\d\.\d to \d\.\d", done.out)
    assert "238 words a minute" in done.out
    assert "on a computer" in done.out
    assert str(HumanFolder(run).guidelines) in done.out


def test_quality_is_named_first(run: Path) -> None:
    simulated = ("export", "--seed", 7), ("simulate",), ("status",)
    for name, *options in simulated:
        out = pairwright("human", name, run, *options).out
        rows = re.findall(r"(?:tasks|verdicts|annotator-\d+) +(quality|preference|rubric)\b", out)
        first = list(dict.fromkeys(rows))
        assert first == list(KINDS), name


# Simulated annotators


@pytest.mark.real
def test_simulating_a_second_time_answers_the_second_round_alone(run: Path) -> None:
    def verdicts() -> set[str]:
        return set(HumanFolder(run).verdicts.read_text(encoding="utf-8").splitlines())

    export(run)
    tasks = len(read_study(HumanFolder(run)).key)
    assert f"Answered: {tasks} open tasks." in pairwright("human", "simulate", run, "--seed", 3).out
    first = verdicts()
    assert "Nothing is open" in pairwright("human", "simulate", run, "--accuracy", 1).out
    assert verdicts() == first
    assert "Tasks added" in pairwright("human", "adjudicate", run).out
    done = pairwright("human", "simulate", run, "--accuracy", 1, "--seed", 4)
    assert first < verdicts()
    added = [json.loads(line) for line in verdicts() - first]
    assert f"Answered: {len(added)} open task" in done.out
    assert {line["annotator"] for line in added} == set(pseudonyms(6, "adjudicator"))
    people = json.loads(HumanFolder(run).people.read_bytes())["found"]
    assert people["simulated:1"] == ["annotator-01"]
    assert people["simulated:12"] == ["adjudicator-01"]


@pytest.mark.real
def test_printed_commands_can_be_pasted(built: Path, tmp_path: Path) -> None:
    run = tmp_path / "a run"
    shutil.copytree(built, run)
    for command in ("export", "simulate", "report"):
        done = pairwright("human", command, run)
        assert done.code == 0, done.said
        for line in done.out.splitlines():
            if match := re.match(r"  pairwright (human .*)", line):
                assert str(run) in shlex.split(match[1], comments=True), line
    made = pairwright(
        "release", run, "--out", tmp_path / "a release", "--version", "1.0.0", "--trial"
    )
    assert made.code == 0, made.said
    (verify,) = re.findall(r"^  pairwright (verify .*)$", made.out, re.MULTILINE)
    name, release, *_ = shlex.split(verify)
    assert (name, release) == ("verify", str(tmp_path / "a release"))
    assert pairwright(*shlex.split(verify)).code == 0
