"""Settings in TOML: every mistake is named with its file, its key, and what to do. Those of a run
decide what a second run in the same folder may change."""

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.folder import RunFolder, to_toml
from pairwright.errors import ConfigError, InputError, StoreError
from pairwright.evaluation.settings import load_scorers
from pairwright.settings.config import Config, differences, essential, load
from pairwright.settings.domains import Domains, load_scales
from pairwright.training.planner_data import Training, load_settings
from pairwright.training.score_planners import PlanScoring
from scripted import settings

Load = Callable[[Path], object]
GOOD = """
modes = ["twin", "violate"]
words = 100

[source]
path = "histories.jsonl"

[endpoints.local]
base_url = "http://127.0.0.1:8000/v1"
model = "m"

[roles]
planner = "local"
generator = ["local"]
judge = "local"

[sampling.judge]
temperature = 0.0

[planner]
posts = 10

[twin]
margin = 0.3

[gates]
off = []

[budget]
max_calls = 1000
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.toml"


def told(path: Path, content: str, load: Load = load) -> str:
    """What a file is refused with, which begins with its name and ends with a remedy."""
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert caught.value.fix.strip()
    assert str(caught.value).endswith(caught.value.fix)
    return str(caught.value)


SERVER = 'base_url = "http://127.0.0.1:8000/v1"'


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_a_good_config_loads_with_defaults_for_the_rest(path: Path) -> None:
    path.write_text(GOOD, encoding="utf-8")
    config = load(path)
    assert config.modes == ("twin", "violate")
    assert (config.roles.all, config.planner.others, config.gated) == (("local",), 5, True)
    # A judge is one name, or several; and some settings only sound like keys.
    other = '\n[endpoints.other]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "other"\n'
    extra = 'extra = { eos_token = "<|end|>", prompt_cache_key = "", keys = "a", max_token = "9" }'
    for given, judges in (('["local"]', ("local",)), ('["local", "other"]', ("local", "other"))):
        text = changed('judge = "local"', f"judge = {given}") + other
        path.write_text(text.replace("[sampling.judge]", f"[sampling.judge]\n{extra}"))
        assert load(path).roles.judge == load(path).roles.all == judges
    # A byte order mark and Windows' line ends do no harm.
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load(path) == config


def test_a_key_of_a_table_keeps_the_defaults_of_the_others(path: Path) -> None:
    path.write_text(changed("[planner]", "[sampling.generator]\nseed = 3\n[planner]"), "utf-8")
    written = load(path).sampling.generator
    assert (written.temperature, written.max_tokens, written.seed) == (0.9, 400, 3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # No such key, at each level.
        ("words = 100", "word = 100", ["[word]", "no such key", "docs/config.md"]),
        ("off = []", "min_words = 81", ["80 words", "min_words is 81"]),
        # A key that is nearly a known one says which, also where that one is now missing.
        ('judge = "local"', 'jugde = "local"', ["[roles.jugde]", "Did you mean 'judge'?"]),
        ('judge = "local"', 'judge = "lokal"', ["there are: local.", "Did you mean 'local'?"]),
        ('path = "histories.jsonl"', 'path = "h.csv"\nformat = "posts"\ncolumns = {usr = "who"}',
         ["[source]", "[columns] names 'usr'", "user, text, created", "Did you mean 'user'?"]),
        # What must be there.
        ('[source]\npath = "histories.jsonl"', "", ["[source]", "required", "Add source"]),
        ('model = "m"', "", ["[endpoints.local.model]", "required", "Add endpoints.local.model"]),
        ("words = 100", "words = 99.5", ["[words]: 99.5 should be a valid integer"]),
        ('modes = ["twin", "violate"]', 'modes = "twin"', ["[modes]: 'twin' should be a list"]),
        # What does not go together.
        ('"twin", "violate"', '"twin", "twin"', ["[modes]", "twice"]),
        ("off = []", 'off = ["persona"]', ["[gates.off.0]", "'persona_talk'"]),
        ('base_url = "http://127.0.0.1:8000/v1"', "",
         ["[endpoints.local]", "base_url is required", "up to /v1"]),
        ("temperature = 0.0", "extra = {x = inf}", ["[sampling.judge.extra.x]", "finite"]),
        # An engine in this process has a model and no address.
        (SERVER, 'engine = "sglang"', ["[endpoints.local.engine]", "'http' or 'vllm'"]),
        (SERVER, f'{SERVER}\nengine = "vllm"', ["base_url does not go with engine = 'vllm'"]),
        (SERVER, 'engine = "vllm"\nvllm = {revision = "n"}',
         ["[endpoints.local.vllm]", "'revision' cannot be here"]),
        ("temperature = 0.0", "extra = {max_completion_tokens = 9}",
         ["[sampling.judge.extra]", "'max_completion_tokens' cannot be here"]),
    ],
)  # fmt: skip
def test_a_bad_config_is_named(path: Path, old: str, new: str, said: list[str]) -> None:
    message = told(path, changed(old, new))
    for words in said:
        assert words in message


ENDPOINT = '[endpoints.toy]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
SOURCE = '[source]\npath = "x.jsonl"\n'
TRAINING = f'model = "m"\n{SOURCE}[validation]\npath = "y.jsonl"\n'
SCORER = f'{ENDPOINT}[scorers.a]\nkind = "pairwise"\nendpoint = "toy"\n'
LIKELY = SCORER.replace("pairwise", "served-likelihood") + 'reward = "longer"\nbeta = 2.0\n'
PLANNER = f'{ENDPOINT}{SOURCE}[planners.a]\nendpoint = "toy"\n'
DOMAIN = 'name = "Garden"\nsubcategories = ["roses"]\nkinds = ["soil", "space"]\n'
SCALE = """[[scale]]
name = "correctness"
question = "Is it correct?"
anchors = [{ score = 1, text = "wrong" }, { score = 5, text = "right" }]
"""
load_scoring, load_training = (partial(load_settings, kind) for kind in (PlanScoring, Training))


def load_domain(path: Path) -> object:
    return Domains.load(path.parent)


def load_quality(path: Path) -> object:
    return load_scales(path.parent)


@pytest.mark.parametrize(
    ("load", "text", "old", "new", "said"),
    [
        (load_scorers, SCORER, "endpoint = ", "endpiont = ", ["[scorers.a.endpiont]",
                                                              "'endpoint'?"]),
        (load_scorers, SCORER, "pairwise", "pairwize", ["[scorers.a]", "'pairwise'?"]),
        (load_scorers, '[scorers.a]\nkind = "classifier"\nmodel = "m"\n', '"m"',
         '"m"\ndtype = "flaot32"', ["[scorers.a.dtype]", "'float32'?"]),
        (load_scoring, PLANNER, '"toy"\n', '"toy"\nwors = 9', ["[planners.a.wors]", "'words'?"]),
        (load_training, TRAINING, '"y.jsonl"', '"y.jsonl"\n[steps]\nmax_stps = 3',
         ["[steps.max_stps]", "'max_steps'?"]),
        (load_domain, DOMAIN, "kinds", "kind", ["[kind]", "'kinds'?"]),
        (load_domain, DOMAIN, '"soil", "space"', "", ["[kinds]", "at least 1"]),
        (load_quality, SCALE, "name = ", "nam = ", ["[scale.0.nam]", "'name'?"]),
        (load_quality, SCALE, SCALE, SCALE + SCALE, ["two scales have one name"]),
    ],
)  # fmt: skip
def test_any_other_file_is_told_in_the_same_way(
    tmp_path: Path, load: Load, text: str, old: str, new: str, said: list[str]
) -> None:
    name = "quality" if load is load_quality else "garden"
    message = told(tmp_path / f"{name}.toml", text.replace(old, new, 1), load)
    for words in said:
        assert words in message


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (GOOD + "words = ", "end of document"), (GOOD + "[source]\n", "line 31"),
        (changed("words = 100", "words = 100\nwords = 90"), "line 4"), ("{}", "line 1"),
        ("a = " + "[" * 100_000 + "]" * 100_000, "recursion"),
    ],
)  # fmt: skip
def test_what_is_not_toml_is_named_with_its_line(path: Path, content: str, line: str) -> None:
    message = told(path, content)
    assert "not TOML" in message
    assert line in message


# What may change between two runs of one folder


def resolved(**changes: Any) -> dict[str, Any]:
    return settings(**changes).model_dump(mode="json")


def endpoint(**changes: Any) -> dict[str, Any]:
    return {"local": {"base_url": "http://127.0.0.1:8000/v1", "model": "m", **changes}}


def test_what_decides_the_outcome_is_named_with_both_values_and_how_it_is_done_may_change() -> None:
    how = endpoint(
        base_url="http://a/v1", concurrency=8, timeout_s=5, api_key_env="KEY", price_in=1,
        price_out=2, attempts=10, token_parameter="max_completion_tokens",
    )  # fmt: skip
    changed = resolved(budget={"max_calls": 5, "max_cost": 1.0}, endpoints=how)
    assert resolved() != changed
    assert differences(essential(resolved()), essential(changed)) == []
    deciding = {"words": 80, "gates": {"off": ["parity"]}, "sampling": {"judge": {"seed": 4}}}
    after = resolved(**deciding, endpoints=endpoint(model="n", concurrency=9))
    assert differences(essential(resolved()), essential(after)) == [
        "endpoints.local.model: 'm' before, 'n' now",
        "gates.off: [] before, ['parity'] now",
        "sampling.judge.seed: 0 before, 4 now",
        "words: 100 before, 80 now",
    ]
    before, after = ({"local": {"vllm": flags}} for flags in ({"a": 1}, {"a": 1, "dtype": "half"}))
    assert differences(before, after) == ["local.vllm.dtype: None before, 'half' now"]


# The resolved config as a file


# A run folder


def prepare(folder: Path, config: Config, accept: bool = False, **content: Any) -> str:
    run = RunFolder(folder)
    run.make()
    return run.prepare(config, content, accept_changes=accept)


OLD = {"Home.toml": "b2:a", "Garden.toml": "b2:b", "Sea.toml": "b2:c", "scales": []}
NEW = {"Home.toml": "b2:a", "Garden.toml": "b2:x", "Air.toml": "b2:d", "scales": [{}]}


@pytest.mark.parametrize(
    ("before", "words", "after", "said"),
    [
        ({}, 90, {}, ["words: 100 before, 90 now"]),
        ({"prompts/plan.md": "b2:a"}, 100, {"prompts/plan.md": "b2:b"}, ["s/plan.md changed"]),
        (OLD, 100, NEW, ["Garden.toml changed", "Sea.toml is gone", "Air.toml is new"]),
    ],
    ids=("a key", "a prompt", "several files"),
)  # fmt: skip
def test_a_second_run_with_another_config_is_refused_and_names_what_differs(
    before: dict[str, Any], words: int, after: dict[str, Any], said: list[str], tmp_path: Path
) -> None:
    prepare(tmp_path, settings(), **before)
    file = tmp_path / "config.toml"
    kept = file.read_bytes()
    with pytest.raises(ConfigError) as caught:
        prepare(tmp_path, settings(words=words), **after)
    for one in (*said, str(file)):
        assert one in str(caught.value)
    assert "--accept-changes" in caught.value.fix
    assert "Home.toml" not in str(caught.value)
    assert "b2:" not in str(caught.value)
    assert file.read_bytes() == kept


def test_what_a_person_wrote_into_the_folder_stays_unless_the_config_names_it(
    tmp_path: Path,
) -> None:
    given = settings(release={"contact": "a@example.org"})
    prepare(tmp_path, given)
    run = RunFolder(tmp_path)
    saved = tomllib.loads(run.config.read_text("utf-8"))
    saved["release"] |= {"licence": "CC-BY-4.0", "contact": "here@example.org"}
    saved["human"] |= {"rule": "majority"}
    run.config.write_text(to_toml(saved), "utf-8")
    said = list[str]()
    for config in (given, settings(release={"contact": "a@example.org"}, human={"repeats": 0.1})):
        said.append(prepare(tmp_path, config))
        assert run.settings().release.licence == "CC-BY-4.0"
        assert run.settings().release.contact == "a@example.org"
        assert run.settings().human.rule == "majority"
    # Nothing of theirs goes without a word.
    assert "[release] contact was 'here@example.org' in" in said[0]
    assert "contact" not in said[1]


def test_a_folder_with_other_files_or_a_file_is_no_run_folder(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(StoreError, match="not a run folder"):
        prepare(tmp_path, settings())
    with pytest.raises(InputError, match=r"thesis\.tex: is a file, and a folder is wanted"):
        prepare(tmp_path / "thesis.tex", settings())
    assert (tmp_path / "thesis.tex").read_text() == "x"


KEYS = ["sk-proj-4f9Jq2LmZx81TtYv0aBc", "c0ffee1234567890c0ffee1234567890", "hf_AbCdEfGhIjKlMnOpQr"]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_for_a_variable_is_refused_and_not_repeated(path: Path, key: str) -> None:
    message = told(path, changed('model = "m"', f'model = "m"\napi_key_env = "{key}"'))
    assert "[endpoints.local.api_key_env]" in message
    assert "Revoke" in message
    assert key not in message


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("[sampling.judge.extra]",
         changed("[sampling.judge]", f'[sampling.judge]\nextra.auth = ["{KEYS[2]}"]')),
        ("[sampling.judge.extra]",
         changed("[sampling.judge]", '[sampling.judge]\nextra.api_key = "my-4f9-word"')),
        ("[sampling.judge.extra]",
         changed("[sampling.judge]", '[sampling.judge]\nextra.a.Auth-Token = "my-4f9-word"')),
        ("[endpoints.local]", changed("/v1", "/v1?api_key=my-4f9-word")),
        ("[endpoints.local]", changed("127.0.0.1:8000", "me:my-4f9-word@host")),
        ("[endpoints.local.vllm]", changed(SERVER, f'vllm.hf_token = "{KEYS[2]}"')),
    ],
)  # fmt: skip
def test_a_key_elsewhere_is_refused_and_not_repeated(path: Path, place: str, content: str) -> None:
    message = told(path, content)
    assert "looks like a key" in message or "a key belongs in `api_key_env`" in message
    assert place.removesuffix("]") in message
    assert "my-4f9-word" not in message
    assert KEYS[2] not in message


ROLES = GOOD.replace("[sampling.judge]\ntemperature = 0.0\n", "")
NO_ENDPOINTS = ROLES.replace(f'[endpoints.local]\n{SERVER}\nmodel = "m"\n', "")


@pytest.mark.parametrize(
    ("load", "text", "table"),
    [
        *((load, NO_ENDPOINTS, f'[endpoints.local]\nmodel = "m"\n{line}') for line in (
            "api_key_env = [KEY]", "api_key_env = {key = KEY}", "vllm = KEY", "base_url = KEY",
            "base_url = [KEY]", f"{SERVER}\nconcurrency = KEY", f"{SERVER}\nengine = KEY",
        )),
        (load, NO_ENDPOINTS, "[endpoints]\nlocal = KEY"),
        (load, f"endpoints = KEY\n{NO_ENDPOINTS}", ""),
        *((load, ROLES, f"[sampling.generator]\n{line}") for line in (
            "extra = KEY", "extra = [KEY]", "max_tokens = KEY",
        )),
        (load_scorers, "", f"{SCORER}sampling.extra = [KEY]"),
        (load_scorers, "", '[endpoints.m]\nmodel = "m"\napi_key_env = [KEY]'),
        (load_scorers, "", "[endpoints]\nm = KEY"),
        (load_scoring, "", f"{PLANNER}sampling.extra = KEY"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("key", [KEYS[0], "Bearer 4f9Jq2LmZx81Tt", "me:4f9-word@host/v1"])
def test_a_value_of_a_wrong_type_that_may_be_a_key_is_not_repeated(
    path: Path, load: Load, text: str, table: str, key: str
) -> None:
    message = told(path, f"{text}\n{table}".replace("KEY", f'"{key}"'), load)
    assert "Input should" in message or "this is not an address" in message
    assert "4f9" not in message
