"""Write the reference pages of docs/ from the code: those that PAGES names.

    .venv/bin/python docs/generate.py            # write them
    .venv/bin/python docs/generate.py --check    # exit 1 and name those that are stale

What a page says about a key, a command or a rule stands beside that key, command or rule in the
code. The pages are a function of the code: no times, no order but the code's.
"""

import inspect
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel, Strict
from pydantic.fields import FieldInfo

# Read when the help is laid out, so before typer is imported.
os.environ.update(COLUMNS="80", TERM="dumb", NO_COLOR="1")

from typer.main import get_command

from pairwright import cli
from pairwright.audit.catalogue import COMPARED, PARTS
from pairwright.audit.records import Definitions
from pairwright.evaluate.scorers.spec import (
    OutputJudge,
    Planner,
    Policy,
    ScorerHistory,
    Scorers,
    Spec,
)
from pairwright.models.simulated import Defects
from pairwright.records import GoldAspect, Post
from pairwright.settings.config import PRESETS, Budget, Config, Roles, SamplingByRole, essential
from pairwright.settings.endpoints import DECIDING, OPERATIONAL, Endpoint, Sampling
from pairwright.settings.rules import (
    GateRules,
    HumanRules,
    PlanRules,
    ReleaseInfo,
    SourceRules,
    TwinRules,
)
from pairwright.sources import items, markup, posts, problems, tables
from pairwright.sources.opening import _FLAT, _OPENERS
from pairwright.sources.problems import REMEDIES
from pairwright.sources.stackexchange import histories, titles
from pairwright.train.plan_score.spec import FilePlanner, PlanScoring, PromptedPlanner
from pairwright.train.plan_score.spec import MatchEmbedding as PlanEmbedding
from pairwright.train.plan_score.spec import MatchJudge as PlanJudge
from pairwright.train.planner.settings import Lora, Selection, Steps, Training
from pairwright.train.planner.settings import TrainingHistory as TrainingHistory

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/generate.py from the code. After a change there run `make docs`. -->"

# The tables of a config in the order of the page, and how their headings are written.
TABLES: dict[str, tuple[str, type[BaseModel]]] = {
    "source": ("source", SourceRules),
    "endpoints": ("endpoints.NAME", Endpoint),
    "roles": ("roles", Roles),
    "sampling": ("sampling.ROLE", Sampling),
    "planner": ("planner", PlanRules),
    "twin": ("twin", TwinRules),
    "gates": ("gates", GateRules),
    "human": ("human", HumanRules),
    "release": ("release", ReleaseInfo),
    "budget": ("budget", Budget),
}
# What the models leave unsaid about their keys.
UNSAID = {
    "modes": 'kinds of pairs; `"twin"` needs `aspects = "planner"`',
    "planner": "endpoint that infers aspects, and reads narratives",
    "generator": "endpoint that writes responses, or a list of them",
    "judge": "endpoint that judges adherence, quality and support, and matches aspects",
}
# Types that are too long to spell out.
KINDS = {"off": "list of gates, by their [names](run.md#the-gates)"}
FILE_KINDS = {
    ".json": "one array of objects",
    ".jsonl": "one object a line",
    ".csv": "commas, the first line names the columns",
    ".tsv": "tabs, the first line names the columns",
    ".parquet": "one row a row, profiles as nested lists",
}
ITEM_FIELDS = {
    "id": "unique in the file",
    "user": "whose question it is; where no row has one, every item is a user of its own",
    "question": "the question",
    "narrative": "the user's own long explanation; only extraction of aspects reads it",
    "category": "decides the domain; `default_category` can stand in for it",
    "created": "time of the question; posts that are not older are refused",
    "source_url": "address of the question",
    "profile": "list of earlier posts, each an object",
    "rubric_aspects": 'list of gold aspects, each an object; used by `aspects = "gold"`',
}
POST_FIELDS = {
    "id": "unique in its profile",
    "text": "the post, with its title in front if it has one",
    "category": "category of the post",
    "created": "time of the post",
    "source_url": "address of the post",
    "kind": "kind of post, such as `question`, `answer` or `review`; stays in the run folder",
}
ASPECT_FIELDS = {
    "aspect": "what the user expects in an answer",
    "reason": "why",
    "evidence": "the passage that says so",
}


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
    if stale and "--check" in sys.argv[1:]:
        print(f"stale: {', '.join(stale)}. Run `make docs`.", file=sys.stderr)
        return 1
    return 0


# ---- scorers_keys.md -------------------------------------------------------------------------


def scorers_page() -> str:
    return _page(
        "# The file of scorers, key by key",
        "`pairwright evaluate`, `pairwright train reward-server` and the commands of `pairwright"
        " downstream` (but `correlate`) take it as `--scorers FILE.toml`; [scorers.md](scorers.md)"
        " shows examples. `prompts`, `prompt`, `path` and `folder` are relative to the file's"
        " folder, a model's folder to where the command is run.",
        "## Keys outside tables",
        _fields(Scorers, ["prompts", "seed"]),
        "## [endpoints.NAME]",
        "As in a build's [configuration](config.md#endpointsname).",
        *_scorer_sections(),
    )


def _scorer_sections() -> Iterator[str]:
    for kind in get_args(get_args(Spec)[0]):
        name = get_args(kind.model_fields["kind"].annotation)[0]
        yield f'## [scorers.NAME] with kind = "{name}"'
        yield inspect.getdoc(kind) or ""
        yield _fields(kind, [key for key in kind.model_fields if key not in ("kind", "sampling")])
        if "sampling" in kind.model_fields:
            yield _SAMPLED
    for heading, table in (("planner", Planner), ("judge", OutputJudge), ("policy", Policy)):
        yield f"## [{heading}]"
        yield inspect.getdoc(table) or ""
        yield _fields(table, [key for key in table.model_fields if key != "sampling"])
        yield _SAMPLED
    yield "## [history]"
    yield inspect.getdoc(ScorerHistory) or ""
    yield _fields(ScorerHistory, list(ScorerHistory.model_fields))


_SAMPLED = "`sampling` is a table as a build's [`sampling.judge`](config.md#samplingrole)."

# ---- train_keys.md ---------------------------------------------------------------------------


def train_page() -> str:
    return _page(
        "# Training and comparing planners, key by key",
        "The files of `pairwright train planner` and `pairwright train score`; `docs/train.md`"
        " shows both. Paths are relative to the file's folder, a model's folder to where the"
        " command is run.",
        "## train planner: keys outside tables",
        _fields(Training, [key for key in Training.model_fields if f"[{key}]" not in TRAINING]),
        *_tables_of(TRAINING),
        "## train score: keys outside tables",
        _fields(PlanScoring, ["prompts", "rubrics", "seed"]),
        "`[source]` is as a build's [`[source]`](config.md#source), `[endpoints.NAME]` as a build's"
        " [endpoints](config.md#endpointsname).",
        *_tables_of(COMPARING),
        _SAMPLED,
    )


def _tables_of(tables: Mapping[str, type[BaseModel]]) -> Iterator[str]:
    for heading, table in tables.items():
        yield f"## {heading}"
        if table is SourceRules:
            yield "As a build's [`[source]`](config.md#source)."
            continue
        yield inspect.getdoc(table) or ""
        beside = ("kind", "sampling")
        yield _fields(table, [key for key in table.model_fields if key not in beside])


TRAINING: dict[str, type[BaseModel]] = {
    "[source]": SourceRules,
    "[validation]": SourceRules,
    "[history]": TrainingHistory,
    "[lora]": Lora,
    "[steps]": Steps,
    "[selection]": Selection,
}
COMPARING: dict[str, type[BaseModel]] = {
    '[planners.NAME] with kind = "endpoint"': PromptedPlanner,
    '[planners.NAME] with kind = "plans"': FilePlanner,
    "[judge]": PlanJudge,
    "[embedding]": PlanEmbedding,
}

# ---- config.md -------------------------------------------------------------------------------


def config_page() -> str:
    return _page(
        "# The configuration",
        "A run is configured by one TOML file. This page lists every key; a key that is not here"
        " is an error that names it. Paths are relative to the file's folder. A default of none"
        " means that the key is absent; TOML has no way to write it. API keys never stand in the"
        " file: `api_key_env` names the environment variable that holds one, and what looks like a"
        " key there, or among the flags and further fields of a model, is refused and not"
        " repeated.",
        "`pairwright init DIR` writes a file to start from. Complete files for both presets are in"
        " [regenerate.md](regenerate.md).",
        "## Keys outside tables",
        _fields(Config, [k for k in Config.model_fields if k not in TABLES]),
        "Required tables: `[source]`, `[roles]` and one `[endpoints.NAME]` for each name that the"
        " roles use.",
        *_table_sections(),
        "## Presets",
        "A preset is a set of defaults under the rest of the file: what the file says wins, key by"
        ' key. `"pairwright"` changes nothing. `"paper"` is the same as writing:',
        f"```toml\n{_preset(PRESETS['paper'])}\n```",
        "## What may differ when a run goes on",
        "A run folder keeps the resolved configuration, with hashes of prompts, rubrics and"
        " source. A second run in the folder must agree with it, or be given `--accept-changes`."
        " Free to change at any time, because they do not decide what comes out:",
        f"- in `[endpoints.NAME]`: {', '.join(f'`{key}`' for key in sorted(OPERATIONAL))}\n"
        "- in `[endpoints.NAME.vllm]`: all flags but"
        f" {', '.join(f'`{flag}`' for flag in sorted(DECIDING))}\n"
        "- endpoints that no role names\n" + "\n".join(f"- {name}" for name in _free()),
    )


def _table_sections() -> Iterator[str]:
    for key, (heading, model) in TABLES.items():
        yield f"## [{heading}]"
        yield inspect.getdoc(model) or ""
        yield _sampling() if key == "sampling" else _fields(model, list(model.model_fields))


def _fields(model: type[BaseModel], names: Sequence[str]) -> str:
    rows = []
    for name in names:
        field = model.model_fields[name]
        default = "required" if field.is_required() else _toml(field.default)
        rows.append((f"`{name}`", _kind(name, field), default, _meaning(name, field)))
    return _table(("key", "type", "default", "meaning"), rows)


def _sampling() -> str:
    """The defaults differ by role, so they have a column each."""
    roles = SamplingByRole()
    names = list(SamplingByRole.model_fields)
    rows = []
    for name, field in Sampling.model_fields.items():
        defaults = [_toml(getattr(getattr(roles, role), name)) for role in names]
        rows.append((f"`{name}`", _kind(name, field), *defaults, _meaning(name, field)))
    heads = ("key", "type", *names, "meaning")
    return f"ROLE is {', '.join(names[:-1])} or {names[-1]}.\n\n{_table(heads, rows)}"


def _meaning(name: str, field: FieldInfo) -> str:
    return field.description or UNSAID[name]


def _preset(changes: dict[str, Any], table: str = "") -> str:
    lines = [f"\n[{table}]"] if table else []
    for key, value in changes.items():
        inner = isinstance(value, dict)
        lines.append(_preset(value, key) if inner else f"{key} = {json.dumps(value)}")
    return "\n".join(lines)


def _free() -> list[str]:
    """Keys outside tables, and whole tables, that decide nothing."""
    endpoint = {"base_url": "simulated", "model": "m"}
    roles = {"planner": "e", "generator": "e", "judge": "e"}
    stub = {"source": {"path": "x"}, "endpoints": {"e": endpoint}, "roles": roles}
    resolved = Config.model_validate(stub).model_dump(mode="json")
    free = [name for name in resolved if name not in essential(resolved)]
    return [f"the table `[{name}]`" if name in TABLES else f"`{name}`" for name in free]


def _kind(name: str, field: FieldInfo) -> str:
    return KINDS.get(name) or _either(_types(field.annotation)) + _bounds(field.metadata)


def _types(annotation: Any) -> list[str]:
    """An annotation in words: one entry for each kind of value that it takes."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return [words for part in inner if part is not type(None) for words in _types(part)]
    if origin is Literal:
        return [f"`{json.dumps(value)}`" for value in inner]
    if origin is Annotated:
        (kind,), (field,) = _types(inner[0]), inner[1:]
        return [kind + _bounds(field.metadata).replace(",", "", 1)]
    if origin is tuple:
        return [f"list of {_either(_types(inner[0]))}"]
    if origin is dict:
        return ["table"]
    names = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}
    return [names[annotation]]


def _either(options: list[str]) -> str:
    return " or ".join(part for part in (", ".join(options[:-1]), options[-1]) if part)


def _bounds(constraints: Sequence[object]) -> str:
    return "".join(map(_bound, constraints)).replace(", at least 0, at most 1", ", 0 to 1")


def _bound(constraint: object) -> str:
    match constraint:
        case Strict():
            return ""
        case Ge():
            return f", at least {constraint.ge}"
        case Gt():
            return f", more than {constraint.gt}"
        case Le():
            return f", at most {constraint.le}"
        case Lt():
            return f", less than {constraint.lt}"
        case MinLen():
            return f", at least {constraint.min_length}"
    raise TypeError(f"no words for {constraint!r}")


def _toml(value: object) -> str:
    return "none" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


# ---- commands.md -----------------------------------------------------------------------------


def commands_page() -> str:
    cli._register()
    cli.app.rich_markup_mode = None
    group: Any = get_command(cli.app)
    context = group.make_context("pairwright", [], resilient_parsing=True)
    sections = ["# Commands", "What `--help` says, at 80 columns.", *_helps("pairwright", context)]
    defects = [
        (f"`{kind}`", field.description or "") for kind, field in Defects.model_fields.items()
    ]
    sections += [
        "## Defects that `pairwright simulate` plants",
        "A rate goes from 0 to 1: the share of requests that it strikes.",
        _table(("kind", "meaning"), defects),
    ]
    return _page(*sections)


def _helps(name: str, context: Any) -> Iterator[str]:
    """A command's help, and that of every command it groups."""
    yield _help(name, context)
    for part, command in getattr(context.command, "commands", {}).items():
        yield from _helps(f"{name} {part}", type(context)(command, context, part))


def _help(name: str, context: Any) -> str:
    lines = context.command.get_help(context).strip().splitlines()
    text = "\n".join(line.rstrip() for line in lines)
    return f"## {name}\n\n```text\n{text}\n```"


# ---- sources.md ------------------------------------------------------------------------------


DUMP = f"""\
## From a Stack Exchange dump

Stack Exchange publishes what people wrote on each of its sites as an archive of XML files, one
site each. Unpack it into a folder of the site's name, such as `cooking.stackexchange.com/`, and
name the folder. Two files are read: `Posts.xml`, and `Comments.xml` with `comments = true`. They
are streamed: memory holds one user's posts at a time, and a temporary file on disk (in
`SQLITE_TMPDIR`, or the system's temporary folder) holds the rest.

A whole `pairwright.toml`; `pairwright init` writes the folder `rubrics`:

```toml
modes = ["twin", "violate"]
rubrics = "rubrics"

[source]
format = "stackexchange"
path = "cooking.stackexchange.com"
targets = 3          # of each user's latest questions, or "all"
min_posts = 4        # earlier posts that an item needs
comments = true      # Comments.xml lies beside Posts.xml

[roles]
planner = "local"
generator = ["local"]
judge = "local"

[endpoints.local]
base_url = "http://127.0.0.1:8000/v1"
model = "Qwen/Qwen3-32B"
```

`pairwright build pairwright.toml --run runs/cooking --dry-run` reads it, prints what was refused
and why, and sends no call.

**What is asked, and what is history.** A question is asked by its title; its text is the
narrative. The history is what the user wrote before it, oldest first: questions (title and
text), answers and comments, each with its `kind`. An answer or a comment begins with the title
of the question that it is about, so that it can be read alone; that line is another person's. A
closed question, and one whose title cannot be answered without the text below it, is not asked
and stays in the history. A title is taken for one of these if it points at something (`this
circuit`, `the following`, `my code`, `the picture`), or has fewer than {titles.MIN_TERMS} words
with content; `What is a doppio?` passes. The rules are for English titles. A text is the last
version of a post: what its author added later is in it.

**How a post is read.** HTML becomes text, the texts of links stay, entities are decoded. A block
of more than {markup.CODE_LINES} lines of code becomes `[code, 24 lines]`, an image `[image]` or
`[image: what it shows]`, a quoted line begins with `> `, a raised character with `^`. Formulas
stay as their authors wrote them, in TeX.

**Addresses and licences.** The name of the folder or archive tells the site; where it does not,
set `site = "cooking.stackexchange.com"`. Each post gets its address on the site (`/q/`, `/a/`,
`/posts/comments/` and its number), and a release derives the licence from address and date as
[Stack Exchange states it](https://stackoverflow.com/help/licensing): CC BY-SA 2.5 before
2011-04-08, 3.0 before 2018-05-02, then 4.0. A user is `cooking.stackexchange.com/users/12`, as
`pairwright forget` takes it.

**Categories.** The category is the site: `cooking`, `stackoverflow`. It must be in a domain:
`subcategories` or `also` of a file in the rubrics folder. Partners of twins are sought within a
category. On a large site most people share no topic: `category_by = "tag"` makes the category
`cooking/bread`, by the one of a question's tags that most questions of the site have; the domain
stays that of the site. The tags of every item are kept in `items.jsonl` of the run folder.

**Accepted answers and votes.** `items.jsonl` also lists the answers that each question got
(`answers`: address, user, time, votes, whether the asker accepted it), without their text. No
prompt shows them, and no release holds them.

**Who is left out.** Posts of deleted accounts and of the community, wikis and tags' pages,
comments of fewer than {histories.COMMENT_TERMS} words with content. A question that was moved to
another site is closed in a dump; one that was moved to this site cannot be told from others.
Each case is counted by a rule of [the list below](#rules).

The files are taken for hostile: a document type or an entity in one is refused before it is read
on (the parser is the standard library's expat), and so is a row of more than {
    tables.LONGEST // 1_000_000
} MB."""


def sources_page() -> str:
    return _page(
        "# Sources",
        "What `[source]` can read, and what is done with rows that are not as they should be. The"
        " keys of the table are in [config.md](config.md#source); how to bring your own data is in"
        " [extend.md](extend.md).",
        "## Files",
        _table(
            ("file", "rows", '`format = "items"`', '`format = "posts"`'),
            [
                (f"`{suffix}`", FILE_KINDS[suffix], "no" if suffix in _FLAT else "yes", "yes")
                for suffix in _OPENERS
            ]
            + [
                (
                    "`org/name`, `org/name@revision`",
                    "a dataset of the Hugging Face Hub (extra `hub`), one `config` and `split`",
                    "yes",
                    "yes",
                )
            ],
        ),
        'A dump of a Stack Exchange site is read with `format = "stackexchange"`: see'
        " [below](#from-a-stack-exchange-dump).",
        "Text is UTF-8, with or without a byte order mark. Empty, `NULL`, `None`, `NaN` and `N/A`"
        " cells are missing ones. A time is ISO 8601 (UTC where it names no offset), or seconds or"
        " milliseconds since 1970; a date such as 03/04/2015 is refused, because it has two"
        " readings.",
        "## Rows that are items",
        "LaMP-QA's schema. Further fields, such as the `chosen` and `rejected` of Personalized"
        " RewardBench, are left alone.",
        _table(
            ("field", "", "meaning"),
            [(f"`{n}`", _needed(n, items.required), text) for n, text in ITEM_FIELDS.items()],
        ),
        "A post of `profile`:",
        _schema(POST_FIELDS, Post, ["id", "text"]),
        "An entry of `rubric_aspects`:",
        _schema(ASPECT_FIELDS, GoldAspect, ["aspect"]),
        "## Rows that are posts",
        "One post a row, in any order. A user's latest post becomes the question: its title, or"
        " else its first line or sentence if that has at most 200 characters. Its text becomes the"
        " narrative, and the strictly earlier posts become the profile. With `targets` more of the"
        " user's latest posts become items, each with the posts from before it. Each column can be"
        " renamed in `[source]`; a renamed column has to be there.",
        _post_columns(),
        DUMP,
        "## Rules",
        "A row or post that cannot be used is refused, or repaired, by one of these rules, and"
        " reading goes on. Each case is a line of `source_problems.jsonl` in the run folder"
        f" ({', '.join(f'`{name}`' for name in problems.SourceProblem.model_fields)});"
        " the counts are in `manifest.json`. A file that cannot be used at all, or of which not one"
        " row is left, is an error with exit code 2.",
        *_rules(),
    )


def _schema(fields: dict[str, str], model: type[BaseModel], required: Sequence[str]) -> str:
    if set(fields) != set(model.model_fields):
        raise ValueError(f"say what the fields of {model.__name__} are")
    rows = [(f"`{n}`", "required" if n in required else "", text) for n, text in fields.items()]
    return _table(("field", "", "meaning"), rows)


def _needed(name: str, required: Callable[[SourceRules], list[str]]) -> str:
    if name in required(SourceRules(path="", default_category="any")):
        return "required"
    return "required, or `default_category`" if name in required(SourceRules(path="")) else ""


def _post_columns() -> str:
    rows = []
    for key, field in SourceRules.model_fields.items():
        about, _, meaning = (field.description or "").partition("posts: ")
        if not about and meaning:
            rows.append((f"`{key}`", _needed(key, posts.required), meaning))
    return _table(("key and default name", "", "meaning"), rows)


def _rules() -> Iterator[str]:
    for heading, reasons in _grouped_reasons():
        yield f"### {heading}"
        rows = [
            (f"`{reason}`", problems.REASONS[reason], REMEDIES.get(reason, ""))
            for reason in reasons
        ]
        yield _table(("reason", "rule", "what to do"), rows)


def _grouped_reasons() -> list[tuple[str, list[str]]]:
    """The keys of REASONS under the comments that group them in the code."""
    groups: list[tuple[str, list[str]]] = []
    source = inspect.getsource(problems)
    for line in source[source.index("REASONS = {") :].partition("\n}")[0].splitlines():
        stripped = line.strip()
        if stripped.startswith("# "):
            groups.append((stripped.removeprefix("# "), []))
        elif groups and stripped.startswith('"'):
            reason = stripped.split('"')[1]
            if reason in problems.REASONS:
                groups[-1][1].append(reason)
    found = [reason for _, reasons in groups for reason in reasons]
    if found != list(problems.REASONS):
        raise ValueError("REASONS is no longer grouped by comments")
    return groups


# ---- Markdown --------------------------------------------------------------------------------


# ---- checks.md -------------------------------------------------------------------------------


def checks_page() -> str:
    return _page(
        "# The checks of an audit",
        "What `pairwright audit` looks for, as its report says it. [audit.md](audit.md) has how"
        " checks are decided.",
        f"An estimate decides these, all of them together: {', '.join(map(_code, COMPARED))}."
        " Every other check counts rows against a limit, or is a note.",
        *(_checks(name, definitions) for name, definitions in PARTS.items()),
    )


def _code(name: str) -> str:
    return f"`{name}`"


def _checks(name: str, definitions: Definitions) -> str:
    rows = [[f"`{one.name}`", one.title, f"{one.why} {one.todo}"] for one in definitions]
    table = _table(["check", "finds", "why it matters, and what to do"], rows)
    return f"## {name}\n\n{table}"


# ---- all pages -------------------------------------------------------------------------------


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([title, NOTE, *(part for part in parts if part)]) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in r)} |" for r in lines)


PAGES: dict[str, Callable[[], str]] = {
    "config.md": config_page,
    "scorers_keys.md": scorers_page,
    "train_keys.md": train_page,
    "checks.md": checks_page,
    "commands.md": commands_page,
    "sources.md": sources_page,
}

if __name__ == "__main__":
    sys.exit(main())
