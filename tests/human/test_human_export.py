"""What stands in the files that annotators see, and that a study is written whole or not at all."""

import base64
import json
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from live_study import LiveStudy, files_of
from pairwright.errors import InputError, StoreError
from pairwright.records import Aspect
from pairwright.settings.rules import PlanRules
from pairwright_human_eval.folder import read_study
from pairwright_human_eval.records import KINDS, Data
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.study import export_tasks
from pairwright_human_eval.tasks import BlindUnit, best_posts, blind_task
from pairwright_human_eval.units import units_of
from released import PAIRS
from small_studies import FILE, full_disk, one, posts, twin, user_of, violate
from study import pairwright

UNITS = {unit.id: unit for unit in units_of(PAIRS, FILE)}


@pytest.fixture
def bare(study: LiveStudy) -> LiveStudy:
    """The run before the export."""
    shutil.rmtree(study.folder.path)
    return study


def export(study: LiveStudy, annotators: int = 9) -> None:
    export_tasks(study.run, annotators=annotators, seed=5, tool="spreadsheet")


# Blind


def test_a_task_shows_its_kind_s_texts_and_no_other(exported_sheets: LiveStudy) -> None:
    """Every text and name of every task file is accounted for. Forms, sheets and repeats are in
    tests of their study."""
    key, shown = exported_sheets.key, dict[str, Data]()
    names = [f"annotator-0{n}" for n in range(1, 10)]
    tasks = {f"tasks/{who}/{kind}.json" for who in names for kind in KINDS}
    expected = {*tasks, "guidelines.md", *(f"labeling_config_{kind}.xml" for kind in KINDS)}
    expected |= {f"spreadsheets/{who}.csv" for who in names}
    files = exported_sheets.files()
    assert {name for name in files if not name.startswith("private/")} == expected
    for name in tasks:
        for row in json.loads(files[name]):
            assert [*row] == ["data"]
            shown[row["data"]["task"]] = row["data"]
    for keyed in key.values():
        unit = UNITS[keyed.unit]
        pair = next((p for p in unit.pairs if p.id == keyed.pair), unit.asked)
        roles = {"first": unit.asked.chosen, "second": unit.asked.rejected}
        roles |= {"chosen": pair.chosen, "rejected": pair.rejected}
        a, b = (f"<p>{roles[role]}</p>\n" for role in keyed.sides.values())
        about = {"task": keyed.task, "question": unit.asked.question}
        data: Data = {**about, "response_a": a, "response_b": b}
        aspects = pair.rubric.aspects
        cited = [post for post in pair.profile for one in aspects if post.id in one.post_ids]
        posts = best_posts(pair, PlanRules()) if keyed.kind == "preference" else cited
        if keyed.kind != "quality":
            rows = [(post.created or "", post.text) for post in posts]
            data["posts"] = [{"when": when[:10], "text": text} for when, text in rows]
        if keyed.kind == "rubric":
            own = [{"text": one.aspect, "quote": one.evidence} for one in aspects]
            data |= {"narrative": [], "aspects": own}  # type: ignore[dict-item]
        assert list(shown[keyed.task].items()) == list(data.items())
        assert re.fullmatch(r"task-[0-9a-f]{16}", keyed.task)


HIDDEN, KEPT = "<b>\u202eKEPT\u200b</b>\x07", "<b>KEPT</b>"


@pytest.mark.parametrize("narrative", [HIDDEN, None])
def test_aspects_of_the_data_come_with_profile_and_narrative_and_every_text_is_visible(
    narrative: str | None,
) -> None:
    """Such aspects name no posts, and some come without evidence."""
    profile = tuple(
        post.model_copy(update={"text": f"{post.text} {HIDDEN}"}) for post in posts(user_of(1), 14)
    )
    texts = {"question": HIDDEN, "chosen": HIDDEN, "rejected": f"{HIDDEN}."}
    aspects = tuple(Aspect(aspect=HIDDEN, reason="", evidence=of) for of in (HIDDEN, ""))
    pair = violate(1, narrative=narrative, profile=profile, **texts)
    gold = pair.rubric.model_copy(update={"aspects": aspects, "origin": "gold"})
    pair = pair.model_copy(update={"rubric": gold})
    shown = blind_task(BlindUnit(7, one(pair), False), "rubric", pair, "ann", PlanRules()).data
    best = [(post.created or "", post.text) for post in best_posts(pair, PlanRules())]
    assert shown == {
        "task": shown["task"],
        "question": KEPT,
        "response_a": render_markdown(HIDDEN),
        "response_b": render_markdown(f"{HIDDEN}."),
        "posts": [{"when": at[:10], "text": text.replace(HIDDEN, KEPT)} for at, text in best],
        "narrative": [{"text": KEPT}] if narrative else [],
        "aspects": [{"text": KEPT, "quote": KEPT}, {"text": KEPT, "quote": "–"}],
    }


def test_what_is_no_whole_unit_is_named() -> None:
    asked, partner = twin(1)
    halves = [[asked], [partner], [asked, partner, partner], [asked, asked], [partner, partner]]
    for change in (
        {"chosen": "Something else."},
        {"question": "Another question?"},
        {"chosen": asked.chosen, "rejected": asked.rejected},
    ):
        halves.append([asked, partner.model_copy(update=change)])
    for lines in (*halves, [violate(1), violate(1)]):
        name = lines[0].twin_id or lines[0].id
        with pytest.raises(InputError, match=f"the {len(lines)} lines of {name}") as refused:
            units_of([violate(2), *lines], FILE)
        assert refused.value.where == str(FILE)
        assert refused.value.fix


# Whole or not at all


@pytest.mark.parametrize("name", ["preference.json", "key.jsonl", "study.json"])
@pytest.mark.parametrize("people", [9, 12])
def test_an_export_cut_short_is_no_study_and_is_made_whole_by_the_next(
    exported_sheets: LiveStudy, bare: LiveStudy, name: str, people: int
) -> None:
    """Nothing is left of another export either."""
    with full_disk(name), pytest.raises(StoreError, match="No space left"):
        export(bare, people)
    with pytest.raises(InputError, match="no study here") as refused:
        read_study(bare.run)
    assert f"pairwright human export {bare.run}" in refused.value.fix
    export(bare)
    assert bare.files() == exported_sheets.files()
    assert stat.S_IMODE(bare.folder.private.stat().st_mode) == 0o700


def test_a_second_export_is_refused_and_a_release_is_named_as_one(
    study: LiveStudy, small_release: Path
) -> None:
    before = files_of(study.run)
    said = study.refused("export", "--annotators", 12)
    assert "a study was exported here" in said
    assert "Move" in said
    assert files_of(study.run) == before
    with pytest.raises(InputError, match="This is a release"):
        read_study(small_release)


Harm = Callable[[bytes], bytes]


def replaced(old: bytes, new: bytes, most: int = -1) -> Harm:
    return lambda text: text.replace(old, new, most)


HARMS: list[tuple[str, str, Harm]] = [
    ("study.json", "", lambda text: text[:-40]),
    ("study.json", "sead|seed", replaced(b'"seed"', b'"sead"')),
    ("key.jsonl", r":\d+ \[kind\]$", replaced(b'"quality"', b'"quantity"', 1)),
    ("key.jsonl", ":1$", lambda text: b"<html>" + text),
    # A line was lost, or changed.
    ("key.jsonl", "", lambda text: text[: text[:-1].rindex(b"\n") + 1]),
    ("key.jsonl", "", replaced(b'"a":"chosen"', b'"a":"rejected"', 1)),
]


@pytest.mark.parametrize(("name", "where", "harm"), HARMS)
def test_a_damaged_study_or_key_is_an_error_that_says_where(
    study: LiveStudy, name: str, where: str, harm: Harm
) -> None:
    path = study.folder.private / name
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(InputError) as refused:
        read_study(study.run)
    assert re.search(where, refused.value.where.partition(name)[2] or refused.value.where)
    assert name in refused.value.where
    assert "restore it from a copy" in refused.value.fix


@pytest.mark.parametrize(
    ("name", "harm", "said"),
    [
        ("pairs.jsonl", lambda text: text[:-100], (r"pairs\.jsonl:24", "Build again")),
        ("pairs.jsonl", lambda text: text[text.index(b"\n") + 1 :],
         ("lines of twin-", r"pairs\.jsonl", "Build again")),
        ("pairs.jsonl", lambda text: b"", ("holds no pair", "Build")),
        ("pairs.jsonl", lambda text: None, (r"pairs\.jsonl", "no such file")),
        # A run of an older version.
        ("config.toml", replaced(b"content.scales", b"content.s"), ("scales", "Build again")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_run_is_named(
    bare: LiveStudy, name: str, harm: Callable[[bytes], bytes | None], said: tuple[str, ...]
) -> None:
    path = bare.run / name
    content = harm(path.read_bytes())
    path.unlink() if content is None else path.write_bytes(content)
    why = bare.refused("export", "--seed", 5)
    assert all(re.search(part, why) for part in said), why
    assert not bare.folder.path.exists()


@pytest.mark.real
def test_the_seed_is_a_secret_that_is_in_no_file_outside_private(
    bare: LiveStudy, tmp_path: Path
) -> None:
    """Whoever has the seed can compute sides and purposes from the ids in the tasks."""
    bare.do("export")
    first, out = bare.key.keys(), tmp_path / "release"
    shutil.rmtree(bare.folder.path)
    simulate = "simulate --accuracy 0.95"
    commands = ("export", simulate, "report", "adjudicate", simulate, "report", "status")
    said = "".join(bare.command(*command.split()).said for command in commands)
    done = pairwright("release", bare.run, "--out", out, "--version", "0.1.0", "--trial")
    assert done.code == 0, done.said
    assert not bare.key.keys() & first
    seed = read_study(bare.run).fixed.seed
    assert seed > 2**64, "short enough to be tried out"
    encoded = [base64.b64encode(seed.to_bytes(16, order)) for order in ("little", "big")]
    spelled = {f"{seed}", f"{seed:x}", f"{seed:X}", *(of.decode().rstrip("=") for of in encoded)}
    assert f"{seed}" in bare.folder.study.read_text(encoding="utf-8")
    files = {**files_of(bare.run), **files_of(out), "said": (said + done.said).encode()}
    public = {name: x for name, x in files.items() if not name.startswith("human/private/")}
    assert len(public) > 40
    for name, content in public.items():
        assert not [text for text in spelled if text.encode() in content], name
