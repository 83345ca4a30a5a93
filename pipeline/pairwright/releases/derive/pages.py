"""The pages of a release: README.md, which is the dataset card that the Hugging Face Hub shows,
DATASHEET.md, LICENSE.md and CHANGELOG.md.

Every value that a template shows is taken as untrusted and escaped, without a filter to forget;
only what these functions return is Markdown already.

The datasheet has the seven sections of Gebru et al. (2021), Datasheets for Datasets, CACM 64(12).
What the run can say answers them; the rest is what the makers wrote, or "Not stated."
"""

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache

import jinja2
from pydantic import JsonValue

from pairwright import text as words
from pairwright.dataset.address import stack_exchange_host
from pairwright.dataset.parquet import schema_of
from pairwright.modes import MODES, is_twin
from pairwright.pages.markdown import escape_inline
from pairwright.records import FULL_ADHERENCE
from pairwright.releases.derive import build_summary, study_summary
from pairwright.releases.derive.audit_summary import baseline_rows
from pairwright.releases.derive.context import ReleaseContext
from pairwright.releases.derive.sentences import HERE, Sentences, own_choice_words
from pairwright.releases.primary import Erratum, Version

# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = (
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
)  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"


NOT_STATED = "Not stated."
MOST_COLUMNS = 5


class Markdown(str):
    """Text that goes onto a page as it is."""


def dataset_card(release: ReleaseContext) -> str:
    """Write the whole README.md."""
    primary, summary, build = release.primary, release.summary, release.build
    columns = [(name, column_texts()[name]) for name in schema_of(summary.mode_fields).names]
    prompts = build.prompts if build.has_models else {}
    baselines = baseline_rows(release.audit) if release.audit else []
    failed = release.audit.failed if release.audit else ()
    own = primary.provenance.info.citation.strip()
    return yaml_header(release) + page(
        "card.md.jinja",
        **_shared(release),
        # Both are made of the few characters that a path may have; they go into blocks of code.
        first=Markdown(summary.parts[0].config),
        split=Markdown(summary.parts[0].split),
        meanings=[mode.meaning for mode in MODES.values() if mode.name in _modes(release)],
        configs=_configs(release),
        columns=table(("column", "what it holds"), columns, left=2),
        models=_table_or_none(("role", "model", "sampling"), build_summary.model_rows(build)),
        funnel=_table_or_none(("mode", "stage", "of all items"), build_summary.funnel_rows(build)),
        stages=_table_or_none(
            ("mode", "outcome", "stage", "reason", "n"),
            [(n.mode, n.outcome, n.stage, n.reason, f"{n.units:,}") for n in release.units],
        ),
        prompts=_table_or_none(("prompt", "hash"), sorted(prompts.items())),
        failed=_table_or_none(
            ("family", "check that failed", "configuration"),
            [(check.family, check.name, check.config or "all") for check in failed],
        ),
        baselines=table(baselines[0], baselines[1:]) if baselines else None,
        licences=table(
            ("licence", "posts"), [(name, f"{n:,}") for name, n in summary.licences.items()]
        ),
        errata=_errata(primary.errata),
        citation=code(own or bibtex_entry(release), "bibtex"),
    )


def datasheet(release: ReleaseContext) -> str:
    """Write the whole DATASHEET.md."""
    units, summary = release.primary.units, release.summary
    models = build_summary.model_rows(release.build)
    return page(
        "datasheet.md.jinja",
        **_shared(release),
        models=points(f"{role}: {model} ({sampling})" for role, model, sampling in models),
        addressed=summary.posts - summary.hosts.get("none", 0),
        hosts=", ".join(
            f"{'no address' if name == 'none' else name} {n:,}" for name, n in summary.hosts.items()
        ),
        categories=", ".join(f"{name or 'none'} {n:,}" for name, n in summary.categories.items()),
        kept=sum(unit.outcome == "kept" for unit in units),
        units=len(units),
    )


def licence_page(release: ReleaseContext) -> str:
    """Write the whole LICENSE.md."""
    counts, own = release.summary.licences, release.primary.provenance.info.own_licence
    names = {name: "none known" if name == "unknown" else name for name in [*counts, own] if name}
    texts = {named: address for name, named in names.items() if (address := _address(name))}
    return page(
        "licence.md.jinja",
        **_shared(release),
        counts=table(
            ("licence of the post", "posts"),
            [(names[name], f"{n:,}") for name, n in counts.items()],
        ),
        # Addresses of this file's making, of ids of a few characters: links, where others are text.
        texts=Markdown("\n".join(f"- {name}: <{address}>" for name, address in texts.items())),
        stack_exchange=any(map(stack_exchange_host, release.summary.hosts)),
    )


def changelog(release: ReleaseContext) -> str:
    """Write the whole CHANGELOG.md: changes by version, the newest first, and known errors."""
    return page(
        "changelog.md.jinja",
        release=release,
        versions=[(version, _changes(version)) for version in reversed(release.primary.history)],
        errata=_errata(release.primary.errata),
    )


@cache
def column_texts() -> dict[str, str]:
    """What each column of data/*.parquet holds."""
    texts: dict[str, str] = tomllib.loads((HERE / "columns.toml").read_text(encoding="utf-8"))
    known = {"{modes}": " or ".join(MODES), "{most}": str(FULL_ADHERENCE)}
    for name, text in texts.items():
        for mark, value in known.items():
            text = text.replace(mark, value)
        texts[name] = text
    return texts


def bibtex_entry(release: ReleaseContext) -> str:
    """A BibTeX entry that names exactly this release."""
    return (
        f"@misc{{{release.name},\n  title = {{{release.name}}},\n"
        f"  version = {{{release.version}}},\n  note = {{Canary {release.canary}}}\n}}"
    )


def _shared(release: ReleaseContext) -> dict[str, object]:
    """What card, datasheet and licence page show alike."""
    info, say = release.primary.provenance.info, Sentences(release)
    return {
        "release": release, "info": info, "summary": release.summary, "audit": release.audit,
        "study": release.study, "say": say, "own": own_choice_words(release.summary),
        "human": _study_tables(release, say), "languages": ", ".join(info.languages),
        "twins": any(map(is_twin, _modes(release))),
    }  # fmt: skip


def _modes(release: ReleaseContext) -> set[str]:
    return {config.mode for config in release.summary.configs}


def _study_tables(release: ReleaseContext, say: Sentences) -> dict[str, Markdown] | None:
    """What people were asked and said, by section; None where nobody was asked."""
    study, findings = release.study, release.findings
    if study is None or findings is None:
        return None
    agreed = ("question", "answers on items", "annotators", "agreement", "Krippendorff's alpha")
    preferred = ("preference votes", "votes", "chosen, of choices", "chosen, of all votes")
    return {
        "protocol": points(say("protocol")),
        "states": table(
            study_summary.state_head(findings, study), study_summary.state_rows(findings)
        ),
        "by_chance": points([*say("label_error"), *say("by_chance")]),
        "agreement": table(
            agreed,
            [
                (question, f"{answers} on {items}", *figures)
                for question, items, answers, *figures in study_summary.agreement_rows(findings)
            ],
        ),
        "preferred": table(preferred, study_summary.preference_rows(findings)),
        "besides": points(say("judged")),
    }


def _errata(errata: Iterable[Erratum]) -> Markdown | None:
    """Known errors, in the order of errata.jsonl; None where there is none."""
    rows = [(each.pair, each.versions, each.what, each.mended or "not yet") for each in errata]
    return _table_or_none(("pair", "in versions", "what is wrong", "mended"), rows)


def _changes(version: Version) -> Markdown | None:
    rows = [(each.config, each.what, each.reason, f"{each.pairs:,}") for each in version.changes]
    return _table_or_none(("configuration", "pairs", "because", "n"), rows)


def _configs(release: ReleaseContext) -> Markdown:
    summary = release.summary
    splits = {
        config.config: ", ".join(
            f"{part.split} {part.rows:,}" for part in summary.parts if part.config == config.config
        )
        for config in summary.configs
    }
    head = (
        "configuration", "pairs by split", "pairs", "twins or single pairs", "users",
        "posts a user", "aspects", "words, chosen", "words, rejected",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            each.config, splits[each.config], f"{each.rows:,}", f"{each.subjects:,}",
            f"{each.users:,}", f"{each.posts:.1f}", f"{each.aspects:.1f}",
            f"{each.words_chosen:.0f}", f"{each.words_rejected:.0f}",
        )
        for each in summary.configs
    ]  # fmt: skip
    whole = (f"{summary.rows:,}", f"{summary.subjects:,}", f"{summary.users:,}")
    return table(head, [*rows, ("all", "", *whole, "", "", "", "")], left=2)


def _table_or_none(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markdown | None:
    """A table of words whose last column may hold numbers; None without rows."""
    numbers = head[-1] == "n"
    return table(head, rows, left=len(head) - numbers) if rows else None


def yaml_header(release: ReleaseContext) -> str:
    """The YAML that opens a dataset card, with its two lines of dashes: what the Hugging Face Hub
    and `datasets` read.

    Values are written as JSON, which is YAML too. They are names that are checked before they
    become paths, or words of this file: no text of a pair or a configuration is among them.

    preference/ is not a configuration here: `datasets` (5.2) reads all configurations of a card
    with the reader that suits the first, and the others are Parquet.
    """
    licences, summary = _on_the_hub(release), release.summary
    values: dict[str, JsonValue] = {
        "pretty_name": f"{release.name} {release.version}",
        "license": licences[0] if len(licences) == 1 else list[JsonValue](licences),
    }
    if languages := release.primary.provenance.info.languages:
        values["language"] = list[JsonValue](languages)
    if "other" in licences:
        link = release.layout.inside(release.layout.licences)
        values |= {"license_name": "see-license-md", "license_link": link}
    values |= {
        "task_categories": ["text-ranking", "text-generation"],
        "size_categories": [
            next((name for limit, name in _SIZES if summary.rows < limit), _LARGEST)
        ],
        "tags": [
            "preference", "personalization", "reward-models", "evaluation",
            *(["trial-no-benchmark"] if release.trial else []),
        ],
    }  # fmt: skip
    configs = [
        {
            "config_name": config.config,
            "data_files": [
                {"split": part.split, "path": part.path}
                for part in summary.parts
                if part.config == config.config
            ],
        }
        for config in summary.configs
    ]
    lines = [f"{name}: {json.dumps(value)}" for name, value in values.items()]
    listed = [f"- {json.dumps(config)}" for config in configs]
    return "\n".join(["---", *lines, "configs:", *listed, "---"]) + "\n"


def _on_the_hub(release: ReleaseContext) -> list[str]:
    """Ids as the Hugging Face Hub writes them, of the posts and of what was made from them; `other`
    for those that it does not list or nobody states."""
    all_ = {*release.summary.licences, *_own_licence(release)}
    names = {
        name.lower().removesuffix("-1.0") if name == "ODC-By-1.0" else name.lower()
        for name in all_
        if name in _ON_THE_HUB
    }
    rest = all_ - set(_ON_THE_HUB)
    return [*sorted(names), *(["other"] if rest or not names else [])]


def licence_addresses(release: ReleaseContext) -> list[str]:
    """Each licence's text on spdx.org, or else its name; this release's own page for what has none
    that is known."""
    own_page = release.layout.inside(release.layout.licences)
    urls = (
        own_page if name == "unknown" else _address(name) or " ".join(visible(name).split())
        for name in (*release.summary.licences, *_own_licence(release))
    )
    return list(dict.fromkeys(urls)) or [own_page]


def _own_licence(release: ReleaseContext) -> list[str]:
    """The licence of what was made from the posts, if anything was."""
    if own_choice_words(release.summary):
        return []
    return [release.primary.provenance.info.own_licence or "unknown"]


def _address(name: str) -> str | None:
    known = name != "unknown" and _SPDX.fullmatch(name)
    return f"https://spdx.org/licenses/{name}.html" if known else None


# Markdown

# No characters at all (Unicode, section 23.7), which editors and parsers stumble over.
_NOTHING = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")


def page(template: str, **values: object) -> str:
    """The page; raises jinja2.UndefinedError where the template asks for what is not there."""
    return _templates().get_template(template).render(**values)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        undefined=jinja2.StrictUndefined, finalize=_shown, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {
        "paragraph": paragraph, "or_not_stated": or_not_stated, "points": points, "code": code,
    }  # fmt: skip
    return environment


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], left: int = 1) -> Markdown:
    """A table; the first `left` columns are words, the rest numbers. Of more than five columns the
    others are folded below it, beside the first."""
    lines = [head, *rows]
    shown = _columns([line[:MOST_COLUMNS] for line in lines], left)
    if len(head) <= MOST_COLUMNS:
        return shown
    rest = [(line[0], *line[MOST_COLUMNS:]) for line in lines if any(line[MOST_COLUMNS:])]
    others = _columns(rest, 1)
    summary = "<details><summary>Further columns</summary>"
    return Markdown(f"{shown}\n\n{summary}\n\n{others}\n\n</details>")


def _columns(lines: list[tuple[str, ...]], left: int) -> Markdown:
    """A table whose first line is its head."""
    head, *rows = lines
    rule = ["---" if n < left else "--:" for n in range(len(head))]
    shown = (map(escape_inline, map(visible, row)) for row in rows)
    texts = [map(escape_inline, head), rule, *shown]
    return Markdown("\n".join("| " + " | ".join(text) + " |" for text in texts))


def paragraph(text: str) -> Markdown:
    """Text at the start of a line: it is no heading, quotation or list either."""
    return Markdown(re.sub(r"^(\d*)([#>+=.)-])", r"\1\\\2", escape_inline(visible(text))))


def or_not_stated(text: str) -> Markdown:
    """Paragraphs that the release's makers wrote, or that they wrote none."""
    parts = [paragraph(part) for part in re.split(r"\n\s*\n", visible(text)) if part.strip()]
    return Markdown("\n\n".join(parts) or NOT_STATED)


def points(texts: Iterable[str]) -> Markdown:
    """A list, one point a text."""
    return Markdown("\n".join(f"- {paragraph(text)}" for text in texts))


def code(text: str, language: str = "") -> Markdown:
    """A block shown letter by letter; its fence is longer than any run of backticks in it."""
    text = visible(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown(f"{fence}{language}\n{text.strip()}\n{fence}")


def visible(text: str) -> str:
    """A text without characters that show nothing and change how the rest is shown."""
    return _NOTHING.sub("", words.visible(text))


def _shown(value: object) -> object:
    if isinstance(value, Markdown):
        return value
    return f"{value:,}" if isinstance(value, int) else escape_inline(visible(str(value)))
