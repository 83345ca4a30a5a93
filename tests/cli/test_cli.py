"""The commands as a person meets them: what they print, write, send, and end with."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import web

from endpoint import Asked, Endpoint, double, fail, in_thread
from model_double import task_of
from pairwright import assets
from pairwright.cli import command_tree
from pairwright.cli.command import COMMANDS
from pairwright.models.store import Store
from pairwright.text import passages
from study import KEY_VARIABLE, OUTCOMES, Done, Study, pairwright

ITEMS = 8
UNITS = 2 * ITEMS
KEY = "sk-test-0123456789abcdefghij"


@dataclass(frozen=True)
class Built:
    """A finished run, and the endpoint that answered it and still does."""

    study: Study
    done: Done
    endpoint: Endpoint
    calls: int


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Twins must be perfect here, so some are kept and some are refused by their judged margin."""
    with in_thread(double()) as endpoint:
        study = Study.make(
            tmp_path_factory.mktemp("cli") / "study", endpoint.url, limit=ITEMS, twin__margin=0.9
        )
        done = study.build()
        assert done.code == 0, done.said
        yield Built(study, done, endpoint, endpoint.n)


@pytest.fixture
def copied(built: Built, tmp_path: Path) -> Study:
    """The finished run, to go on in or to do harm to; the endpoint counts from 0."""
    built.endpoint.forget()
    return built.study.copy(tmp_path / "study")


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder but the lock, byte for byte."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def histories(study: Study) -> list[Any]:
    """The rows of the source."""
    text = (study.folder / "histories.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def write_histories(study: Study, rows: list[Any]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (study.folder / "histories.jsonl").write_text(text, encoding="utf-8")


CHOICES = assets.EXAMPLES / "choices" / "choices.csv"


def table(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_init_configures_a_build_of_own_posts(tmp_path: Path) -> None:
    post = "{}{},I bake bread number {} on one flame.,2024-0{}-01,How do I bake loaf {}?"
    rows = [post.format("ab"[u], u, n, n, n) for u in range(2) for n in range(1, 5)]
    file = table(tmp_path, "forum.csv", "author,body,created,title", *rows)
    columns = ("--column", "user=author", "--column", "text=body")
    done = pairwright("init", tmp_path / "own", "--posts", file, *columns)
    assert done.code == 0, done.err
    config = tmp_path / "own" / "pairwright.toml"
    written = config.read_text(encoding="utf-8")
    assert (written.count("TO DO"), "TO DO: write the address and the name" in written) == (1, True)
    done = pairwright("build", config, "--run", tmp_path / "run", "--batch")
    assert done.code == 3, done.err
    assert "from 2 questions" in done.said
    assert "no domain" not in done.said


def test_init_configures_natural_twins_of_own_choices_and_build_takes_columns(
    tmp_path: Path,
) -> None:
    lines = CHOICES.read_text(encoding="utf-8").splitlines()
    file = table(tmp_path, "log.csv", lines[0].replace("user", "who"), *lines[1:])
    done = pairwright("init", tmp_path / "own", "--choices", file, "--column", "user=who")
    assert done.code == 0, done.err
    config, run = tmp_path / "own" / "pairwright.toml", tmp_path / "run"
    done = pairwright("build", config, "--run", run)
    assert (done.code, "replies stored" in done.said) == (0, False)
    assert ": users who chose the reverse have other partners; the first at log.csv:" in done.said
    assert '"reason":"not_paired"' in (run / "source_problems.jsonl").read_text(encoding="utf-8")
    table(tmp_path, "log.csv", lines[0].replace("user", "person"), *lines[1:])
    done = pairwright("build", config, "--run", tmp_path / "again")
    assert (done.code, "no column who" in done.err) == (2, True)
    done = pairwright("status", tmp_path / "again")
    assert "it stopped while it read the source" in done.said
    renamed = ("build", config, "--run", tmp_path / "again", "--column", "user=person")
    assert pairwright(*renamed).code == 0
    assert (tmp_path / "again" / "pairs.jsonl").read_bytes() == (run / "pairs.jsonl").read_bytes()


def test_files_and_tables_of_a_build_account_for_every_unit(built: Built) -> None:
    built.study.assert_whole(UNITS)
    counts = built.study.manifest["counts"]
    assert counts["kept"]["twin"] * counts["kept"]["violate"] * len(counts["dropped"]) > 0
    assert built.study.manifest["calls"]["n"] == built.calls
    assert set(built.endpoint.by_identity.values()) <= {1}
    said = " ".join(built.done.out.split())
    assert len(built.done.out.splitlines()) <= 15
    twins = sum(one["n"] for one in counts["dropped"] if one["mode"] == "twin")
    each = built.study.manifest["for_each_pair"]
    for text in (
        f"{sum(counts['pairs'].values())} pairs from {ITEMS} questions",
        f"twins {counts['kept']['twin']} of {counts['kept']['twin'] + twins}",
        f"{built.calls:,} replies stored, {built.calls:,} of them by this command. Per pair: ",
        f"{each['prompt_tokens']:,.0f} prompt and {each['completion_tokens']:,.0f} reply tokens.",
    ):
        assert text in said
    rows = [line.split() for line in pairwright("status", built.study.run).out.splitlines()]
    assert ["of", "items", "twin", str(ITEMS)] in rows
    assert ["calls", "all", f"{built.calls:,}"] in rows
    as_json = pairwright("status", built.study.run, "--json")
    assert (as_json.code, json.loads(as_json.out)) == (0, built.study.manifest)


def test_a_finished_build_sends_nothing_again_with_or_without_limit(
    built: Built, copied: Study
) -> None:
    before = everything(copied.run)
    assert copied.build().code == 0
    after = everything(copied.run)
    for name in (*OUTCOMES, "config.toml", "items.jsonl", "source_problems.jsonl"):
        assert after[name] == before[name], name
    whole = copied.outcomes()
    assert copied.build("--limit", 3).code == 0
    copied.assert_whole(6)
    assert copied.build().code == 0
    assert copied.outcomes() == whole
    assert built.endpoint.n == 0


def test_an_accepted_threshold_asks_only_of_what_it_now_keeps(built: Built, copied: Study) -> None:
    before = everything(copied.run)
    copied.change(twin__margin=0.3, served__revision="another")
    done = copied.build()
    assert done.code == 2
    for said in ("twin.margin: 0.9 before, 0.3 now", "endpoints.served.revision: None before"):
        assert said in done.err
    for said in ("--accept-changes", str(copied.run / "config.toml")):
        assert said in done.err
    assert everything(copied.run) == before
    assert built.endpoint.n == 0
    del copied.settings["endpoints"]["served"]["revision"]
    copied.change()
    assert copied.build("--accept-changes").code == 0
    # A unit may keep another draft now: only what comes after that gate is asked of it.
    assert {task_of(asked.body) for asked in built.endpoint.asked} == {"choose", "quality"}
    copied.assert_whole(UNITS)
    kept = copied.manifest["counts"]["kept"]
    assert kept["twin"] > built.study.manifest["counts"]["kept"]["twin"]
    assert copied.manifest["config"]["twin"]["margin"] == 0.3
    assert copied.build().code == 0, "what was accepted is the config from now on"


def test_refused_rows_are_told_with_the_remedy_by_build_and_status(tmp_path: Path) -> None:
    with in_thread(double()) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url)
        rows = histories(study)[:5]
        rows[0]["category"], rows[1]["category"], rows[2]["created"] = (
            "chess",
            "knots",
            "03/04/2023",
        )
        write_histories(study, rows)
        done = study.build()
        status = pairwright("status", study.run)
    for said in (done.said, status.said):
        assert "note: 'chess' is in no domain's file: its domain is Other" in said
        assert "'chess' (1), 'knots' (1)" in said
        assert "To place it, add it to `also` in a file of rubrics/" in said.replace("\n", " ")
        assert (
            "refused 1: no readable time; the first at histories.jsonl:3: created '03/04/2023'"
            in said
        )
        assert "Write times as 2024-03-01" in said


def test_a_second_run_asks_only_for_what_failed_and_the_key_stands_in_no_file_and_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the endpoint repeats it in an error that `show` prints."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = Study.make(tmp_path / "s", "", limit=4, served__api_key_env=KEY_VARIABLE)
    failing = fail(400, f"I can not [read] this [/b] with key {KEY} and header 'Bearer {KEY}'.")
    question, otherwise = histories(study)[1]["question"], double()

    async def broken(asked: Asked) -> web.StreamResponse:
        return await (failing if question in json.dumps(asked.body) else otherwise)(asked)

    with in_thread(broken) as endpoint:
        study.change(served__base_url=endpoint.url)
        done = study.build()
        assert done.code == 1
        answered = {one for one in endpoint.by_identity if question not in one}
        assert {a.headers["Authorization"] for a in endpoint.asked} == {f"Bearer {KEY}"}
    study.assert_whole(8)
    failed = study.failed()
    assert len({row["unit"].partition(":")[2] for row in failed}) == 1
    shown = pairwright("show", study.run, failed[0]["unit"])
    assert f"{failed[0]['unit']}: failed" in shown.out
    assert "http_400: I can not [read] this [/b]" in shown.out
    assert KEY not in done.said + shown.said
    for name, data in everything(study.folder).items():
        assert KEY.encode() not in data, name
    with in_thread(double()) as endpoint:
        study.change(served__base_url=endpoint.url)
        assert study.build().code == 0
        assert endpoint.n > 0
        assert answered.isdisjoint(endpoint.by_identity)
        assert set(endpoint.by_identity.values()) == {1}
    study.assert_whole(8)
    assert study.failed() == []


def test_a_refusal_ends_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    async def until_the_key_expires(asked: Asked) -> web.StreamResponse:
        return await (double() if asked.number < 40 else fail(401, "expired"))(asked)

    with in_thread(until_the_key_expires) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS, served__concurrency=2)
        assert study.build("--limit", 1).code == 0
        first = study.outcomes()
        done = study.build()
    assert done.code == 2
    assert "[endpoints.served]" in done.err
    assert "expired" in done.err
    assert endpoint.n <= 44
    with closing(Store(study.run / "run.sqlite", writing=False)) as store:
        assert store.totals().calls == 40
    assert study.outcomes() == first
    assert "not finished" in pairwright("status", study.run).out


def test_show_gives_the_whole_lineage_of_a_pair_and_each_call(built: Built) -> None:
    pair = next(p for p in built.study.rows("pairs.jsonl") if p["mode"] == "violate")
    done = pairwright("show", built.study.run, pair["id"], "--all")
    assert done.code == 0
    flat = re.sub(r"[\s│]+", " ", done.out)
    for text in (pair["question"], pair["chosen"], pair["rejected"]):
        assert re.sub(r"\s+", " ", text) in flat
    for aspect in pair["rubric"]["aspects"]:
        assert aspect["aspect"] in flat
        assert all(re.sub(r"\s+", " ", one) in flat for one in passages(aspect["evidence"]))
    for gate in pair["draft"]["gates"]:
        assert gate["gate"] in flat
    for name in ("plan", "write_adhering", "adherence", "quality", "compare"):
        assert re.search(rf"{name} b2:[0-9a-f]{{40}}", flat)
    key = re.search(r"write_adhering (b2:\w+)", done.out)
    assert key
    done = pairwright("show", built.study.run, key[1])
    assert done.code == 0
    flat = re.sub(r"[\s│]+", " ", done.out)
    assert pair["question"] in flat
    assert re.sub(r"\s+", " ", pair["chosen"]) in flat
    assert re.search(r"reply \(stop, \d+ \+ \d+ tokens\)", flat)


def test_show_finds_twins_units_items_and_refusals(built: Built) -> None:
    twin = next(p for p in built.study.rows("pairs.jsonl") if p["mode"] == "twin")
    refused = next(r for r in built.study.rows("dropped.jsonl") if not r["kept"])
    unit = f"twin:{twin['item_id']}"
    for wanted in (twin["twin_id"], unit, twin["item_id"]):
        done = pairwright("show", built.study.run, wanted)
        assert done.code == 0
        assert f"{unit}: kept" in done.out
        assert "Response 2" in done.out
    assert len(pairwright("show", built.study.run).out.splitlines()) == UNITS
    done = pairwright("show", built.study.run, "pair-0000")
    assert (done.code, "lists" in done.err) == (2, True)
    done = pairwright("show", built.study.run, refused["unit"])
    assert done.code == 0
    assert f"{refused['unit']}: dropped" in done.out
    assert refused["dropped"]["reason"] in done.out
    assert len(re.findall(r"refused by", done.out)) >= len(refused["dropped"]["drafts"])


def test_show_survives_texts_that_look_like_markup(tmp_path: Path, built: Built) -> None:
    study = Study.make(tmp_path / "s", built.endpoint.url, limit=2)
    items = histories(study)
    for item in items:
        item["user"] = f"[/red]{item['user']}\\"
        item["question"] += " [bold] or [/]? \\" + 200 * " and then"
        item["profile"][0]["text"] += " [link=x]{{ question }}[/link] \\"
    write_histories(study, items)
    done = study.build()
    assert done.code == 0, done.said
    assert len(done.out.splitlines()) <= 15, "a long question is cut"
    for row in (*study.rows("pairs.jsonl"), *study.rows("dropped.jsonl")):
        unit = f"{row['mode']}:{row['item_id']}"
        shown = pairwright("show", study.run, unit)
        assert shown.code == 0
        assert "[/red]" in shown.out
        assert "[bold] or [/]?" in shown.out


def test_help_names_every_command_and_the_exit_codes() -> None:
    done = pairwright("--help")
    assert done.code == 0
    listed = re.findall(r"^  (\S+)", done.out.partition("Commands:\n")[2], re.MULTILINE)
    assert {words.split()[0] for words in COMMANDS} <= set(listed)
    assert "130" in done.out
    assert "Did you mean 'best-of-n'?" in pairwright("downstream", "best-of", "x").err


def test_an_interrupt_that_ends_a_command_at_once_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pairwright.cli.command._run", Mock(side_effect=KeyboardInterrupt))
    done = pairwright("status", "run")
    assert (done.code, done.out) == (130, "")
    assert done.err.startswith("Stopped. Every finished call is stored")


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_explains_its_options_and_has_examples_that_it_takes(words: str) -> None:
    done = pairwright(*words.split(), "-h")
    assert (done.code, done.out) == (0, pairwright(*words.split(), "--help").out)
    about, _, examples = done.out.partition("Examples:\n")
    assert "Raises" not in about
    command: Any = command_tree()
    for word in words.split():
        command = command.commands[word]
    assert [one.name for one in command.params if not one.help] == []
    own = [line for line in examples.splitlines() if f"pairwright {words} " in line]
    assert own, "no example of this command"
    for line in own:
        given = shlex.split(line.partition(f"pairwright {words} ")[2].partition(" &&")[0])
        command.make_context(words, given)


MISTAKES = (
    ("biuld x", "error: No such command 'biuld'. Did you mean 'build'?", "`pairwright --help`"),
    ("build run.toml", "error: Missing option '--run'.", "pairwright build --help"),
    ("build run.toml --run r --limit 0", "Invalid value for '--limit': '0' should be", "--help"),
    ("build nix.toml --run r", "error: nix.toml: no such file", "pairwright init DIR"),
    ("build . --run r", "error: .: cannot be read: Is a directory", "pairwright init DIR"),
    ("build run.toml --run r", "error: run.toml [mode]: there is no such key", "'modes'?"),
    ("build away.toml --run r", "nowhere.csv", "no such file", "path"),
    ("init .", "error: .: exists and is not an empty folder", "the name of a new folder"),
    ("init own --choices posts.csv", "no column user, question, option_a, option_b, choice"),
    ("init own --choices votes.csv", "not one usable row", "`choice` is '7'"),
    ("init own --posts notes.txt", "unknown kind of file '.txt'"),
    ("init own --posts posts.csv", "no column user, text, created\nhint: It has: author, body.",
     "--column user=author"),
    ("init own --posts posts.csv --choices posts.csv", "does not go with --posts"),
    ("init own --column user=author", "Give one of --posts FILE and --choices FILE"),
    ("status nix", "error: nix: no such folder", "given as --run"),
    ("human report .", "error: human: no study here", "run"),
    ("audit nix.csv", "error: nix.csv: no such file or folder", "Check the path", "ORG/NAME"),
    ("audit posts.csv", "error: posts.csv:2:", "--column chosen=better"),
    ("audit posts.csv --column chose=body", "there is no 'chose'", "Did you mean 'chosen'?"),
    ("audit broken.jsonl", "error: broken.jsonl:1: ", "JSON", "one object a line"),
    ("release nix --out r --version 1.0.0", "error: nix: no such", "--run"),
    ("release . --out r --version one", "one", "1.0.0"),
    ("leaderboard nix", "error: nix: no such file or folder", "pairwright evaluate"),
    ("doctor nix.toml", "error: nix.toml: no such file"),
)  # fmt: skip


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    table(folder, "run.toml", 'mode = ["twin"]')
    source = 'source = { format = "choices", path = "nowhere.csv" }'
    table(folder, "away.toml", 'modes = ["natural"]', source)
    table(folder, "posts.csv", "author,body", "a,b")
    table(folder, "votes.csv", "user,question,option_a,option_b,choice", "u,Why?,Tea.,Milk.,7")
    table(folder, "broken.jsonl", '{"question": "Why?"')
    (folder / "notes.txt").touch()
    return folder


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case[0])
def test_a_mistake_is_an_error_that_names_the_value_with_one_hint(
    mistaken: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, ...]
) -> None:
    monkeypatch.chdir(mistaken)
    words, *said = case
    before = everything(mistaken)
    done = pairwright(*words.split())
    assert (done.code, done.out, everything(mistaken)) == (2, "", before)
    assert not (mistaken / "own").exists(), "init leaves no folder"
    assert re.search(r"error: .*\nhint: ", done.err, re.DOTALL)
    assert [text for text in said if text not in done.err] == [], done.err
