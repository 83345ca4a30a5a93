"""Pairs of any origin as rows: releases, runs, the official schema, and plain files of others."""

import csv
import importlib
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import Dataset, write_lines

from audited import jsonl, lines, opened, read, refused
from pairwright import lines as records
from pairwright.errors import InputError
from pairwright.pairs import Choice, Layout, Part, Row, RowAspect, row_of, write_rows
from pairwright.pairs.layout import SCHEMA, read_rows
from pairwright.records import Pair, content_id, pseudonym
from pairwright.sources import Problems
from small_studies import decided, one, twin, violate, votes, well
from tampering import Damage, dropped, halved, replaced

PLAIN = {"prompt": "Which?", "chosen": "This one.", "rejected": "That one."}
OFFICIAL = {
    "id": "q1",
    "question": "Which?",
    "profile": [{"id": "p1", "text": "I like this.", "category": "Art"}],
    "rubric_aspects": [{"aspect": "This.", "evidence": "like this", "reason": "Said so."}],
    "narrative": "The long story.",
    "category": "Art",
    "chosen": "This one.",
    "rejected": "That one.",
}
PART = Part("Home-violate", "test").path


def rows(given: object, *columns: str) -> list[Row]:
    return [each.row for each in lines(given, *columns)]


def release(root: Path, **splits: tuple[Pair, ...]) -> Path:
    for split, pairs in splits.items():
        by_config: dict[str, list[Row]] = {}
        for row in map(row_of, pairs):
            by_config.setdefault(row.config, []).append(row)
        for config, found in by_config.items():
            write_rows(root / Part(config, split).path, found)
    Layout(root).manifest.write_text("{}", encoding="utf-8")
    Layout(root).provenance.write_text('{"version": "1.2.3"}', encoding="utf-8")
    return root


def run(folder: Path, *pairs: Pair) -> Path:
    folder.mkdir()
    (folder / "config.toml").write_text("", encoding="utf-8")
    records.write_lines(folder / "pairs.jsonl", pairs)
    return folder


# Releases and runs


def test_a_release_gives_its_rows_with_their_splits_as_often_as_asked(tmp_path: Path) -> None:
    folder = release(tmp_path / "mine", test=(violate(1),), validation=twin(2))
    source = opened(folder)
    about = (source.kind, source.name, source.version, source.total)
    assert about == ("release", "mine", "1.2.3", 3)
    twins = Part("Home-twin", "validation").path
    places = [("validation", f"{twins}:1"), ("validation", f"{twins}:2"), ("test", f"{PART}:1")]
    expected = list(zip(places, map(row_of, (*twin(2), violate(1))), strict=True))
    assert [((each.split, each.where), each.row) for each in lines(folder)] == expected
    assert list(source) == [row for _, row in expected]


def test_only_the_rows_that_are_asked_for_are_given_and_a_bad_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = release(tmp_path / "mine", test=twin(1), validation=(violate(2),))
    for given in (built, run(tmp_path / "run", *twin(1), violate(2))):
        picked = opened(given).pick(lambda id, twin: (id, twin) == (violate(2).id, None))
        assert [row.id for row in picked] == [violate(2).id]
        picked = opened(given).pick(lambda _, name: name == twin(1)[0].twin_id)
        assert [row.id for row in picked] == [pair.id for pair in twin(1)]
    monkeypatch.setattr(records, "BATCH", 2)
    values = [row_of(violate(n)).model_dump() for n in range(3)]
    values[2]["question"] = None
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(values, schema=SCHEMA), path)
    with pytest.raises(InputError) as caught:
        list(read_rows(path, lambda id, _: id == values[2]["id"]))
    assert caught.value.where == f"{path}:3 [question]"


BOUND = json.dumps({"version": "1.2.3", "info": {"licence": 5}})
DAMAGED: list[tuple[Callable[..., Path], Damage, str]] = [
    (release, dropped("manifest.json"), "manifest.json"),
    (release, dropped("stated.json"), "stated.json: No such file"),
    (release, replaced("stated.json", "{}"), "stated.json [version]: Field required"),
    (release, replaced("stated.json", BOUND), "[info.licence]"),
    (release, halved(PART), "test-00000-of-00001.parquet"),
    (run, replaced("config.toml", "[release\n"), "config.toml: cannot be read"),
    (run, replaced("pairs.jsonl", '{"id": "2"}\n'), "pairs.jsonl:1"),
    (run, dropped("pairs.jsonl"), "nor a run that ended, with a pairs.jsonl"),
]


@pytest.mark.parametrize(("made", "damage", "message"), DAMAGED)
def test_a_damaged_release_or_run_is_refused_and_so_are_maps(
    made: Callable[..., Path], damage: Damage, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    release(folder, test=(violate(1),)) if made is release else run(folder, violate(1))
    assert "a release or a run" in refused(folder, "chosen=rejected")
    damage(folder)
    assert message in refused(folder)


def test_halves_of_a_twin_in_a_run_know_of_each_other(tmp_path: Path) -> None:
    asked, other = twin(1)
    folder = run(tmp_path / "run", asked, other, violate(2))
    first, second, alone = rows(folder)
    assert opened(folder).kind == "run"
    assert (first, second) == (row_of(asked, partner=other.user), row_of(other, partner=asked.user))
    assert first.dyad == second.dyad != alone.dyad
    assert not first.verified


def test_decisions_mark_what_is_verified_and_count_its_votes(tmp_path: Path) -> None:
    """What simulated annotators say verifies nothing."""
    good, bad, simulated, never, no_votes = (violate(n) for n in range(5))
    folder = run(tmp_path / "run", good, bad, simulated, never, no_votes)
    decisions = [
        decided(one(pair), [*votes(pair, said, source=source), *well(one(pair))])
        for pair, said, source in (
            (good, "+++", "a.json"), (bad, "--+", "a.json"), (simulated, "+++", "simulated-a.json"),
            (no_votes, "", "a.json"),
        )
    ]  # fmt: skip
    records.write_lines(folder / "human" / "decisions.jsonl", decisions)
    (folder / "config.toml").write_text('[release]\nlicence = "CC0-1.0"\n', encoding="utf-8")
    found = rows(folder)
    states = [(row.verified, row.simulated, row.votes and row.votes.chosen) for row in found]
    without = (False, False, None)
    assert states == [(True, False, 3), (False, False, 1), (False, True, 3), without, without]
    told = refused(folder / "pairs.jsonl", "options=a", "chosen=b")
    assert "Name the run folder itself" in told, "before all else"
    assert found[3] == row_of(never, licence="CC0-1.0"), "of posts whose address does not imply one"


# Plain rows


def check_official(row: Row) -> None:
    found = row.model_dump(mode="json")
    for name, given in OFFICIAL.items():
        if isinstance(given, list):
            assert [{key: one[key] for key in given[0]} for one in found[name]] == given
        else:
            assert found[name] == given
    assert (row.item_id, row.mode, row.user, row.verified) == ("q1", None, None, False)


def test_the_official_schema_is_read_whatever_file_it_is_in(tmp_path: Path) -> None:
    """Also with a list stored by columns."""
    file = tmp_path / "official.parquet"
    pq.write_table(pa.Table.from_pylist([OFFICIAL]), file)
    by_columns = {"id": ["p1"], "text": ["I like this."], "category": ["Art"]}
    turned = jsonl(tmp_path / "a.jsonl", OFFICIAL | {"profile": by_columns})
    for given in (file, jsonl(tmp_path / "official.jsonl", OFFICIAL), turned):
        (row,) = rows(given)
        check_official(row)


def test_a_plain_row_gets_an_id_of_its_content(tmp_path: Path) -> None:
    first, second = rows(jsonl(tmp_path / "plain.jsonl", PLAIN, PLAIN | {"id": 7}))
    assert first.id == content_id("row", "Which?", "This one.", "That one.")
    assert (second.id, second.item_id, first.config) == ("7", "7", "")


def said(*texts: str) -> list[dict[str, str]]:
    roles = "user", "assistant"
    return [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


ODD = " <b>=1+1</b>\u200b\n"
BEFORE = "Human: Hello\n\nAssistant: Hi: what\nis it?\n\nHuman: Which?"
PLAY = "Human: Knock, knock.\n\nAssistant: Who is there?"
TALK: dict[str, Any] = {
    "conversations": [{"from": "human", "value": "Which?"}],
    "chosen": {"from": "gpt", "value": "This."}, "rejected": {"from": "gpt", "value": "That."},
}  # fmt: skip
TRANSCRIPT = {
    "chosen": "Human: Which?\n\nAssistant: This.", "rejected": "Human: Which?\n\nAssistant: That.",
}  # fmt: skip
SIDES: dict[str, object] = {"question": "Which?", "chosen": "This.", "rejected": "That."}
URL = "https://cooking.stackexchange.com/q/1"
COOK = {"id": "p", "text": "I cook.", "source_url": URL, "created": "2015-01-01"}
READ: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, object]]] = {
    "odd texts": (PLAIN | {"chosen": ODD}, (), {"chosen": ODD}),
    "a user": (PLAIN | {"user": "ann@example.test"}, (), {"user": pseudonym("ann@example.test")}),
    "nobody": (PLAIN | {"user": "[deleted]"}, (), {"user": None}),
    "a column left alone": (PLAIN | {"created": "a while"}, ("created=",), {"created": None}),
    "mapped columns": (
        {"ask": "Which?", "better": "This.", "chosen": "No.", "bad": "That."},
        ("prompt=ask", "chosen=better", "rejected=bad"), SIDES,
    ),
    "messages whose last is the response": (
        {"chosen": said("Which?", "This."), "rejected": said("Which?", "That.")}, (), SIDES
    ),
    "a prompt of several messages": (
        {"prompt": said("Hello", "Hi", "Which?"),
         "chosen": [{"role": "assistant", "content": "This."}],
         "rejected": [{"from": "gpt", "value": "That."}]}, (),
        SIDES | {"question": "user: Hello\n\nassistant: Hi\n\nuser: Which?"},
    ),
    "a conversation with one message a side": (TALK, (), SIDES),
    "a transcript of one question": (TRANSCRIPT, (), SIDES),
    "a transcript with an empty answer": (
        {"chosen": f"\n\n{BEFORE}\n\nAssistant: This.\n\nOr that.",
         "rejected": f"\n\n{BEFORE}\n\nAssistant:"}, (),
        {"question": BEFORE, "chosen": "This.\n\nOr that.", "rejected": ""},
    ),
    "an id that is a word for nothing": (
        PLAIN | {"id": "null", "user": "None", "narrative": "n/a", "category": "NaN"}, (),
        {"id": "null", "user": None, "narrative": None, "category": ""},
    ),
    "aspects by columns, and none that is missing": (
        PLAIN | {"rubric_aspects": {"aspect": ["n/a", "Quiet."], "reason": ["None", "null"]}}, (),
        {"rubric_aspects": (RowAspect(aspect="Quiet."),)},
    ),
    "no columns": (PLAIN | {"profile": {}, "rubric_aspects": {}}, (),
                   {"profile": (), "rubric_aspects": ()}),
    "a play beside a prompt": (PLAIN | {"chosen": PLAY}, (), {"chosen": PLAY}),
    "a history of messages": (PLAIN | {"history": said("I cook.", "Good.", "And bake.")}, (),
                              {"posts": ["I cook.", "And bake."]}),
    "licences that are stated": (
        PLAIN | {"profile": [COOK | {"licence": "CC-BY-SA-4.0"}, COOK,
                             COOK | {"created": None, "licence": "MIT"}],
                 "source_url": URL, "created": "2020-01-01", "licence": "CC0-1.0"}, (),
        {"licences": ["CC-BY-SA-4.0", "CC-BY-SA-3.0", "MIT"], "licence": "CC0-1.0"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", READ)
def test_a_plain_row_is_read(what: str, tmp_path: Path) -> None:
    given, columns, expected = READ[what]
    (row,) = rows(jsonl(tmp_path / "a.jsonl", given), *columns)
    found = {name: getattr(row, name, None) for name in expected}
    of_posts = {"posts": [post.text for post in row.profile],
                "licences": [post.licence for post in row.profile]}  # fmt: skip
    assert found | {name: of_posts[name] for name in of_posts if name in expected} == expected


RELEASED = row_of(violate(1)).model_dump(mode="json")
BAD: list[tuple[dict[str, Any], dict[str, Any] | bytes, str]] = [
    (PLAIN, {"prompt": "Which?", "chosen": "This."}, "missing_column"),
    (PLAIN, PLAIN | {"chosen": said("Which?")}, "ends_with_user"),
    (PLAIN, PLAIN | {"chosen": []}, "no_messages"),
    (PLAIN, PLAIN | {"chosen": ["a", 5], "rejected": ["c", "d"]}, "wrong_type"),
    (PLAIN, PLAIN | {"chosen": None}, "empty_value"),
    (PLAIN, PLAIN | {"chosen": "half a \ud83d character"}, "lone_surrogate"),
    (PLAIN, PLAIN | {"profile": [{"id": "1", "text": 5}]}, "wrong_type"),
    (PLAIN, PLAIN | {"profile": [{"role": "user", "parts": ["I cook."]}]}, "wrong_type"),
    (PLAIN, PLAIN | {"rubric_aspects": {"aspect": ["a", "b"], "reason": ["c"]}}, "wrong_type"),
    (PLAIN, PLAIN | {"created": "someday"}, "bad_time"),
    (PLAIN, b"{broken", "bad_json"),
    (PLAIN, b'{"prompt": "\xff"}', "invalid_utf8"),
    (RELEASED, RELEASED | {"chosen": 5}, "not_a_row"),
    (RELEASED, RELEASED | {"chosen": "half a \ud83d"}, "lone_surrogate"),
]


@pytest.mark.parametrize(("sound", "bad", "reason"), BAD)
def test_what_cannot_be_read_is_named_by_its_line_and_ends_nothing(
    tmp_path: Path, sound: dict[str, Any], bad: dict[str, Any] | bytes, reason: str
) -> None:
    write_lines(tmp_path / "a.jsonl", sound, bad, sound)
    found, (lost,) = read(tmp_path / "a.jsonl")
    assert (len(found), lost.where, lost.reason) == (2, "a.jsonl:2", reason)
    assert lost.detail


def sheet(file: Path, *records: tuple[str, ...]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as written:
        writer = csv.writer(written, delimiter="\t" if file.suffix == ".tsv" else ",")
        writer.writerows([tuple(PLAIN), *records])
    return file


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (("Which?", "a"), "ragged_row"),
        *((("Which?", cell, cell), "bad_cell") for cell in (
            "['one' 'two'\n 'three']", "[{'role': 'user'} {'role': 'assistant'}]", "['it's' 'so']",
            "['a'], ['b']",
        )),
    ],
)  # fmt: skip
def test_so_is_a_record_of_a_sheet(tmp_path: Path, bad: tuple[str, ...], reason: str) -> None:
    """Lists as numpy writes them have no commas: Python would join their texts."""
    found, (lost,) = read(sheet(tmp_path / "a.csv", ("Which?", "a", "b"), bad))
    assert (len(found), lost.where, lost.reason) == (1, "a.csv:3", reason)


# Files and forms that others publish


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_rows_are_read_from_sheets_but_not_from_a_folder(tmp_path: Path, suffix: str) -> None:
    answer, file = 'A "quoted", long\nanswer.', tmp_path / f"train{suffix}"
    sheet(file, ("Which?", answer, "b"), tuple(PLAIN.values()))
    first, second = lines(file)
    assert (first.row.chosen, second.row.chosen) == (answer, "This one.")
    assert (first.split, first.row.domain, first.where) == ("", "", f"{file.name}:2")
    assert f"Name one file: {file.name}." in refused(tmp_path)
    inner = run(tmp_path / "run", violate(1))
    assert f"Name what is in it: {inner}." in refused(tmp_path)


@pytest.mark.parametrize("write", [json.dumps, repr])
def test_lists_in_cells_are_read_as_in_json(tmp_path: Path, write: Callable[[object], str]) -> None:
    texts, (asked, answered), other = ["two", "one\nme@example.org"], said("Which?", "a"), "b"
    file = sheet(
        tmp_path / "a.csv",
        ("Which?", write(["one, or so"]), write(texts)),
        (write([asked]), write([asked, answered]), write(said("Which?", other))),
        ("Which?", write(answered), other),
    )
    found = [(row.question, row.chosen, row.rejected) for row in rows(file)]
    listed = [("Which?", "one, or so", text) for text in texts]
    assert found == [*listed, *[("Which?", "a", "b")] * 2]


@pytest.mark.parametrize(
    ("chosen", "rejected"),
    [('["one"]', "one"), ("[1, 2]", "[3]"), ("[see below]", "[note] so"), ('{"a": 1}', "{}")],
)
def test_texts_that_begin_with_brackets_stay(tmp_path: Path, chosen: str, rejected: str) -> None:
    (row,) = rows(sheet(tmp_path / "a.csv", ("Which?", chosen, rejected)))
    assert (row.chosen, row.rejected) == (chosen, rejected)


def test_each_right_response_is_paired_with_each_wrong_one(tmp_path: Path) -> None:
    row = {"id": 7, "prompt": "Which?", "chosen": ["a", "b"], "rejected": ["c", "d"]}
    one = {"prompt": "Which?", "chosen": "a", "rejected": ["b", "c", "d"]}
    found = lines(jsonl(tmp_path / "a.jsonl", row, one))
    assert [(of.row.id, of.where, of.row.chosen + of.row.rejected) for of in found[:4]] == [
        (f"7[{n}][{m}]", f"a.jsonl:1 chosen[{n}] rejected[{m}]", "ab"[n] + "cd"[m])
        for n in range(2)
        for m in range(2)
    ]
    assert {(of.row.item_id, of.choice) for of in found[:4]} == {("7", Choice("a.jsonl:1", 4, 2))}
    assert [(of.where, of.row.chosen, of.row.rejected) for of in found[4:]] == [
        (f"a.jsonl:2 rejected[{n}]", "a", wrong) for n, wrong in enumerate("bcd")
    ]
    assert len({of.row.id for of in found}) == 7
    assert {of.choice for of in found[4:]} == {Choice("a.jsonl:2", 4)}


# Files of no use


@pytest.mark.parametrize(
    ("row", "columns", "messages"),
    [
        ({"input": "Which?", "output_1": "a"}, (),
         ("a.jsonl:1", "'input', 'output_1'", "--column", "first, second and label")),
        (PLAIN, ("better=chosen",), ("there is no 'better'",)),
        (PLAIN, ("chosen=a", "chosen=b"), ("given twice",)),
        (PLAIN, ("chosen=prompt", "label=chosen"), ("chosen, label are of several forms",)),
        (PLAIN, ("category=topic",), ("no column 'topic' for category", "'prompt', 'chosen'")),
        (PLAIN, ("rejected=rejectd",), ("Did you mean 'rejected'?",)),
        (PLAIN, ("--label left=a",), ("WHAT is one of first, second",)),
        (PLAIN, ("first=prompt", "second=chosen", "--label first", "--label second=2"),
         ("without values",)),
    ],
)  # fmt: skip
def test_a_file_or_a_map_without_meaning_is_refused(
    tmp_path: Path, row: dict[str, Any], columns: tuple[str, ...], messages: tuple[str, ...]
) -> None:
    told = refused(jsonl(tmp_path / "a.jsonl", row), *columns)
    assert not [message for message in messages if message not in told]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"prompt,chosen,rejected\n", "holds no rows"),
        ("a.csv", b"prompt;chosen;rejected\nsch\xf6n;a;b\n", "in Excel: save as CSV UTF-8"),
        ("a.jsonl.gz", b"prompt", "unknown kind of file '.gz'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_of_no_use_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert message in refused(tmp_path / name)


@pytest.mark.real
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_rows_are_not_held(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a{suffix}"
    many = [PLAIN | {"chosen": "word " * 1000, "id": n} for n in range(4000)]
    if suffix == ".jsonl":
        jsonl(file, *many)
    else:
        pq.write_table(pa.Table.from_pylist(many), file)
    tracemalloc.start()
    try:
        assert sum(1 for _ in opened(file)) == 4000
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


# Hugging Face ids, on stand-ins for the Hub and its clients


Asked = list[tuple[str, str, str | None]]


def hub(monkeypatch: pytest.MonkeyPatch, configs: dict[str, Any], folder: Path | None) -> Asked:
    """Stand-ins for a dataset, or for a release in this folder; gives what they are asked."""
    asked: Asked = []

    def giving(what: str, answer: object) -> Callable[..., object]:
        def ask(name: str, *, revision: str | None, repo_type: str = "") -> object:
            asked.append((name, what, revision))
            return answer

        return ask

    def load_dataset(name: str, config: str, revision: str | None) -> Any:
        asked.append((name, config, revision))
        return configs[config]

    files = giving("files", ["manifest.json", PART] if folder else ["README.md"])
    hub, names = SimpleNamespace(list_repo_files=files), giving("configs", [*configs])
    clients = SimpleNamespace(HfApi=lambda: hub, snapshot_download=giving("snapshot", folder))
    datasets = SimpleNamespace(get_dataset_config_names=names, load_dataset=load_dataset)
    monkeypatch.setitem(sys.modules, "huggingface_hub", clients)
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    return asked


def test_every_split_of_a_dataset_of_the_hub_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    configs = {"Art": {"test": Dataset([OFFICIAL])}, "Music": {"train": Dataset([OFFICIAL] * 2)}}
    asked = hub(monkeypatch, configs, None)
    source = opened("org/name@abc")
    assert (source.kind, source.name, source.total) == ("plain", "org/name@abc", 3)
    found = list(source.read(Problems()))
    splits = [(one.row.config, one.split) for one in found]
    assert splits == [("Art", "test"), ("Music", "train"), ("Music", "train")]
    check_official(found[0].row)
    assert asked == [("org/name", of, "abc") for of in ("files", "configs", "Art", "Music")]


def test_a_release_on_the_hub_is_read_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = hub(monkeypatch, {}, release(tmp_path / "snapshot", test=(violate(1),)))
    source = opened("org/name@abc")
    assert asked == [("org/name", "files", "abc"), ("org/name", "snapshot", "abc")]
    assert (source.kind, source.name, source.version) == ("release", "org/name@abc", "1.2.3")
    assert list(source) == [row_of(violate(1))]
    assert "a release or a run" in refused("org/name", "chosen=a")


@pytest.mark.real
def test_datasets_itself_gives_those_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real `datasets` on a local folder; only what asks the Hub stands in."""
    datasets = importlib.import_module("datasets")
    load, names = datasets.load_dataset, datasets.get_dataset_config_names
    jsonl(tmp_path / "data" / "test.jsonl", OFFICIAL)
    local = str(tmp_path / "data")

    def load_dataset(name: str, config: str, revision: str | None) -> object:
        return load(local, config, cache_dir=str(tmp_path / "cache"))

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda name, revision: names(local))
    monkeypatch.setattr("huggingface_hub.HfApi.list_repo_files", lambda *_, **__: ["test.jsonl"])
    source = opened("org/name")
    (found,) = source.read(Problems())
    assert (source.kind, source.total, found.split) == ("plain", 1, "test")
    check_official(found.row)
