"""What stands in the files that annotators see, and that a study is written whole or not at all."""

import base64
import json
import re
import shutil
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, files_of
from pairwright.errors import InputError, StoreError
from pairwright.records import Pair
from pairwright.settings.rules import PlanRules
from pairwright_human_eval.folder import HumanFolder, read_study, write_study
from pairwright_human_eval.records import KINDS, Kind, Task
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.tasks import BlindUnit, best_posts, blind_task
from pairwright_human_eval.units import outline_of, units_of
from released import run_of
from small_studies import (
    FILE,
    SCALES,
    SECRETS,
    Made,
    full_disk,
    mixed,
    one,
    posts,
    study_of,
    tell,
    twin,
    user_of,
    violate,
)
from study import pairwright

COMMON = ["task", "question", "response_a", "response_b"]
KEYS: dict[Kind, list[str]] = {
    "quality": COMMON,
    "preference": [*COMMON, "posts"],
    "rubric": [*COMMON, "posts", "narrative", "aspects"],
}
TELLING = (
    "chosen rejected violate twin mode strategy generator judge judged model score adherence seed"
    " expected purpose vote control attention repeat simulated planner"
    " origin confidence annotator dyad salt swapped round pair subject user item post_ids rubric"
).split()
"""Words that stand nowhere in a task, whose texts here hold none of them."""
TELLING_IN_FORMS = re.compile(
    r"chosen|rejected|violat|\btwin|\bmode\b|model|judge\b|generat|adheren|simulat|planner"
    r"|expected|purpose|attention|control|\bvote|@"
)
REPEATED: dict[str, Any] = {"repeats": 0.2}


@pytest.fixture(scope="module")
def made() -> Made:
    return study_of(mixed(30, 30, ["Home", "Garden"]), **REPEATED)


def public(folder: HumanFolder) -> dict[str, bytes]:
    """What annotators may see."""
    found = files_of(folder.path)
    return {name: text for name, text in found.items() if not name.startswith("private/")}


def export(run: Path, made: Made, **changes: Any) -> None:
    write_study(HumanFolder(run), made.study(**changes), made.all())


@pytest.fixture(scope="module")
def written(made: Made, tmp_path_factory: pytest.TempPathFactory) -> HumanFolder:
    """The study's files. Not to be changed."""
    run = tmp_path_factory.mktemp("written")
    export(run, made)
    return HumanFolder(run)


# Blind


def test_no_byte_of_what_annotators_see_tells_anything(made: Made, written: HumanFolder) -> None:
    shown = public(written)
    assert len(shown) == 1 + 3 + 3 * 9  # Guidelines, forms, tasks.
    forms = {f"labeling_config_{kind}.xml" for kind in KINDS}
    names = {path.name for path in written.path.iterdir()}
    assert names == {"tasks", "private", "guidelines.md", *forms}
    secrets = {*SECRETS.values(), *made.tasks}
    for unit in made.units:
        secrets |= {unit.id, outline_of(unit).dyad}
        for pair in unit.pairs:
            secrets |= {pair.id, pair.item_id, pair.user, *(post.id for post in pair.profile)}
            secrets |= {aspect.reason for aspect in pair.rubric.aspects}
    telling = re.compile(rf"\b({'|'.join(TELLING)})\b")
    for name, content in shown.items():
        if name == "guidelines.md":  # The same for every study.
            continue
        text = content.decode().lower()
        assert not [secret for secret in secrets if secret.lower() in text], name
        if name.endswith(".json"):
            assert not telling.search(text), name
            continue
        # What the scales themselves say, to every annotator and about either response.
        text = text.replace("cannot judge", "").replace("cannot_judge", "")
        for scale in SCALES:
            for said in (scale.question, *(anchor.text for anchor in scale.anchors)):
                text = text.replace(said.lower(), "")
        assert not TELLING_IN_FORMS.search(re.sub(r"(?s)<style>.*?</style>", "", text)), name


def rows(task: Task, name: str) -> list[dict[str, str]]:
    found = task.data.get(name, [])
    assert isinstance(found, list)
    return found  # type: ignore[return-value]


def column(task: Task, name: str, field: str = "text") -> list[str]:
    return [row[field] for row in rows(task, name)]


def test_a_task_shows_its_kind_s_texts_and_no_other(made: Made) -> None:
    assert {keyed.purpose for keyed in made.keyed(kind="preference")} == {"vote", "repeat"}
    assert len({task.data["task"] for task in made.all()}) == len(made.all())
    for task in made.all():
        assert list(task.data) == KEYS[task.keyed.kind]
        assert re.fullmatch(r"task-[0-9a-f]{16}", str(task.data["task"]))
        unit = made.by_id[task.keyed.unit]
        sides = [str(task.data["response_a"]), str(task.data["response_b"])]
        pair = next((p for p in unit.pairs if p.id == task.keyed.pair), None)
        roles = {"first": unit.asked.chosen, "second": unit.asked.rejected}
        if pair:
            roles = {"chosen": pair.chosen, "rejected": pair.rejected}
        assert sides == [f"<p>{roles[role]}</p>\n" for role in task.keyed.sides.values()]
        assert task.data["question"] == unit.asked.question
        text = json.dumps(task.data)
        others = {p.user for p in unit.pairs} - {pair.user if pair else ""}
        assert not [user for user in others if tell(user) in text]
        if task.keyed.kind != "rubric":
            assert "wants point" not in text
        elif pair:
            aspects = pair.rubric.aspects
            assert column(task, "aspects") == [aspect.aspect for aspect in aspects]
            assert column(task, "aspects", "quote") == [aspect.evidence for aspect in aspects]
            assert task.keyed.aspects == len(aspects)
            assert {*column(task, "posts")} == {aspect.evidence for aspect in aspects}


def with_rubric(pair: Pair, *aspects: dict[str, Any], **changes: Any) -> Pair:
    """The pair with changes of its aspects, in their order, and of their rubric."""
    changed = tuple(
        aspect.model_copy(update=update)
        for aspect, update in zip(pair.rubric.aspects, aspects, strict=True)
    )
    rubric = pair.rubric.model_copy(update={"aspects": changed, **changes})
    return pair.model_copy(update={"rubric": rubric})


def rubric_task_of(pair: Pair) -> Task:
    return blind_task(BlindUnit(7, one(pair), False), "rubric", pair, "ann", PlanRules())


@pytest.mark.parametrize("narrative", [["We have no oven, and my son cannot eat nuts."], []])
def test_a_rubric_task_of_other_aspects_shows_the_profile_and_the_narrative(
    narrative: list[str],
) -> None:
    """Such aspects name no posts, and some come without evidence."""
    profile = posts(user_of(1), 14)
    pair = violate(1, narrative="".join(narrative) or None, profile=profile)
    aspects = ({"post_ids": (), "evidence": evidence} for evidence in ("no oven", ""))
    task = rubric_task_of(with_rubric(pair, *aspects, origin="gold"))
    best = best_posts(pair, PlanRules())
    assert column(task, "posts") == [post.text for post in best]
    assert column(task, "narrative") == narrative
    assert column(task, "aspects", "quote") == ["no oven", "–"]


def test_hostile_texts_arrive_as_safe_html_and_visible_text() -> None:
    hidden = "<b>\u202eKEPT\u200b</b>\x07"
    profile = tuple(post.model_copy(update={"text": hidden}) for post in posts(user_of(1), 4))
    said = {"question": hidden, "narrative": hidden, "chosen": hidden, "rejected": f"{hidden}."}
    pair = with_rubric(violate(1, profile=profile, **said), *[{"aspect": hidden}] * 2)
    for task in study_of([pair], annotators=6).all():
        sides = {task.data["response_a"], task.data["response_b"]}
        assert sides == {render_markdown(hidden), render_markdown(f"{hidden}.")}
        shown = [str(task.data["question"])]
        for name, field in (
            ("posts", "text"),
            ("narrative", "text"),
            ("aspects", "text"),
            ("aspects", "quote"),
        ):
            shown += column(task, name, field)
        assert {*shown} == {"<b>KEPT</b>"}


# Units


def test_what_is_no_whole_unit_is_named() -> None:
    asked, partner = twin(1)
    changes: tuple[dict[str, str], ...] = (
        {"chosen": "Something else."},
        {"question": "Another question?"},
        {"chosen": asked.chosen, "rejected": asked.rejected},
    )
    halves = [[asked], [partner], [asked, partner, partner], [asked, asked], [partner, partner]]
    halves += [[asked, partner.model_copy(update=change)] for change in changes]
    for lines in halves:
        with pytest.raises(InputError, match=asked.twin_id) as refused:
            units_of([violate(2), *lines], FILE)
        assert refused.value.where == str(FILE)
        assert refused.value.fix
    with pytest.raises(InputError, match=f"the 2 lines of {violate(1).id}"):
        units_of([violate(1), violate(1)], FILE)


# Writing


def test_a_second_export_is_refused_and_nothing_is_touched(made: Made, tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    folder.private.mkdir(parents=True, mode=0o755)
    folder.private.chmod(0o755)
    export(tmp_path, made)
    assert stat.S_IMODE(folder.private.stat().st_mode) == 0o700
    before = files_of(tmp_path)
    for other in (made, study_of(mixed(5, 5))):
        with pytest.raises(InputError, match="a study was exported here") as refused:
            export(tmp_path, other)
        assert "Move" in refused.value.fix
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("name", ["preference.json", "key.jsonl", "study.json"])
def test_an_export_cut_short_is_no_study_and_is_made_whole_by_the_next(
    made: Made, written: HumanFolder, tmp_path: Path, name: str
) -> None:
    # Nothing is left of another export either.
    for before in (made, study_of(mixed(9, 9), annotators=12)):
        cut = tmp_path / f"{len(before.tasks)}"
        with full_disk(name), pytest.raises(StoreError, match="No space left"):
            export(cut, before)
        with pytest.raises(InputError, match="no study here") as refused:
            read_study(cut)
        assert f"pairwright human export {cut}" in refused.value.fix
        export(cut, made)
        assert files_of(cut) == files_of(written.run)


def test_a_release_is_named_as_one_where_a_run_is_asked_for(small_release: Path) -> None:
    with pytest.raises(InputError, match="This is a release"):
        read_study(small_release)


# Read back


HARMS: list[tuple[str, str, Callable[[bytes], bytes]]] = [
    ("study.json", "", lambda text: text[:-40]),
    ("study.json", "overlap", lambda text: text.replace(b'"overlap": 3', b'"overlap": "many"')),
    ("study.json", "sead|seed", lambda text: text.replace(b'"seed"', b'"sead"')),
    ("study.json", "", lambda text: b"\xff" + text),
    ("key.jsonl", r":\d+$", lambda text: text[:-40]),
    ("key.jsonl", r":\d+ \[kind\]$", lambda text: text.replace(b'"quality"', b'"quantity"', 1)),
    ("key.jsonl", ":1$", lambda text: b"<html>" + text),
    # A line was lost, or changed.
    ("key.jsonl", "", lambda text: b""),
    ("key.jsonl", "", lambda text: text[: text[:-1].rindex(b"\n") + 1]),
    ("key.jsonl", "", lambda text: text.replace(b'"a":"chosen"', b'"a":"rejected"', 1)),
]


@pytest.mark.parametrize(("name", "where", "harm"), HARMS)
def test_a_damaged_study_or_key_is_an_error_that_says_where(
    written: HumanFolder, tmp_path: Path, name: str, where: str, harm: Callable[[bytes], bytes]
) -> None:
    run = Path(shutil.copytree(written.run, tmp_path / "run"))
    path = HumanFolder(run).private / name
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(InputError) as refused:
        read_study(run)
    assert re.search(where, refused.value.where.partition(name)[2] or refused.value.where)
    assert name in refused.value.where
    assert "restore it from a copy" in refused.value.fix


# The command


SEED = ("--seed", 7)


@pytest.fixture
def study(tmp_path: Path) -> LiveStudy:
    return LiveStudy(run_of(tmp_path / "run", study=False))


def refused(study: LiveStudy, *said: str, options: tuple[object, ...] = ()) -> str:
    """Why an export is, of which nothing is written."""
    before = study.files()
    why = study.refused("export", *SEED, *options)
    assert not [part for part in said if part not in why], why
    assert study.files() == before
    return why


def test_it_says_what_a_study_can_show_and_what_to_do_next(
    study: LiveStudy, tmp_path: Path
) -> None:
    other = study.copy(tmp_path / "other")
    said = study.do("export", *SEED)
    other.do("export", *SEED)
    assert study.files() == other.files()
    about = {"rubric": "aspects"}
    for kind, n in Counter(keyed.kind for keyed in study.key.values()).items():
        assert re.search(rf"\b{n:,}\s{about.get(kind, kind)}\b", said), kind
    assert "11 annotators can verify 8 twins and 8 violate pairs. Each pair gets 3 votes" in said
    assert f"pairwright human push {study.run}" in said
    assert str(study.folder.guidelines) in said.replace("\n", "")
    assert len(said.splitlines()) <= 20
    assert "a study was exported here" in refused(study)


@pytest.mark.real
def test_the_secret_seed_is_in_no_file_outside_private(study: LiveStudy, tmp_path: Path) -> None:
    """Whoever has the seed can compute sides and purposes from the ids in the tasks."""
    out, live = tmp_path / "release", study
    simulate = "simulate --accuracy 0.95"
    commands = ("export", simulate, "report", "adjudicate", simulate, "report", "status")
    said = "".join(live.command(*command.split()).said for command in commands)
    done = pairwright("release", live.run, "--out", out, "--version", "0.1.0", "--trial")
    assert done.code == 0, done.said
    seed = read_study(live.run).fixed.seed
    encoded = [base64.b64encode(seed.to_bytes(16, order)) for order in ("little", "big")]
    spelled = {f"{seed}", f"{seed:x}", f"{seed:X}", *(of.decode().rstrip("=") for of in encoded)}
    assert f"{seed}" in live.folder.study.read_text(encoding="utf-8")
    looked = 0
    for path in (*live.run.rglob("*"), *out.rglob("*")):
        if path.is_file() and live.folder.private not in path.parents:
            content = path.read_bytes()
            assert not [text for text in spelled if text.encode() in content], path
            looked += 1
    assert looked > 40
    assert not [text for text in spelled if text in said + done.said]


def edited(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Changes the lines of a file of the run."""

    def edit(run: Path) -> None:
        lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (run / name).write_text("".join(change(lines)), encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (
            edited("pairs.jsonl", lambda lines: [*lines[:4], lines[4][:100] + "\n", *lines[5:]]),
            ("pairs.jsonl:5", "Build again"),
        ),
        (
            # Half of a twin.
            edited("pairs.jsonl", lambda x: [y for y in x if Pair.model_validate_json(y).asked]),
            ("lines of twin-", "pairs.jsonl", "Build again"),
        ),
        (edited("pairs.jsonl", lambda lines: []), ("holds no pair", "Build")),
        (lambda run: (run / "pairs.jsonl").unlink(), ("pairs.jsonl", "no such file")),
        (
            # A run of an older version.
            edited("config.toml", lambda x: [y.replace("content.scales", "content.s") for y in x]),
            ("scales", "Build again"),
        ),
        (shutil.rmtree, ("run",)),
    ],
)
def test_what_is_wrong_with_a_run_is_named(
    study: LiveStudy, harm: Callable[[Path], None], said: tuple[str, ...]
) -> None:
    harm(study.run)
    refused(study, *said)


@pytest.mark.real
def test_ids_and_sides_are_drawn_with_a_secret_that_is_kept(study: LiveStudy) -> None:
    study.do("export")
    first = study.key.keys()
    assert read_study(study.run).fixed.seed > 2**64, "short enough to be tried out"
    shutil.rmtree(study.folder.path)
    study.do("export")
    assert not study.key.keys() & first
