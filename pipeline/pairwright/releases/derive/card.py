"""The pages of a release: README.md, which is the dataset card that the Hugging Face Hub shows, and
LICENSE.md.

Every value that a template shows is taken as untrusted and escaped, without a filter to forget;
only what these functions return is Markdown already.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import jinja2
from pydantic import JsonValue

from pairwright import text as words
from pairwright.modes import MODES, Mode
from pairwright.pages.markdown import escape_inline
from pairwright.releases.derive.context import BASELINES, ReleaseContext

HERE = Path(__file__).resolve().parent
NOT_STATED = "Not stated."
# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = (
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
)  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
# No characters at all (Unicode, section 23.7), which editors and parsers stumble over.
_NOTHING = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")


class Markdown(str):
    """Text that goes onto a page as it is."""


def dataset_card(release: ReleaseContext) -> str:
    """Write README.md."""
    summary = release.summary
    own = release.primary.provenance.info.citation.strip()
    return yaml_header(release) + _page(
        "card.md.jinja",
        release,
        # Both are made of the few characters that a path may have; they go into blocks of code.
        first=Markdown(summary.parts[0].config),
        split=Markdown(summary.parts[0].split),
        configs=table(
            ("configuration", "pairs", "users", "posts per user", "words chosen / rejected"),
            [
                (one.config, f"{one.rows:,}", f"{one.users:,}", f"{one.posts:.1f}",
                 f"{one.words_chosen:.0f} / {one.words_rejected:.0f}")
                for one in summary.configs
            ],
        ),
        columns=table(
            ("column", "what it holds"),
            list(column_texts().items()),
            left=2,
        ),
        models=table(("role", "model", "sampling"), model_rows(release), left=3),
        agreement=table(
            ("question", "answers", "agreement", "Krippendorff's alpha"), agreement_rows(release)
        ),
        baselines=table(
            ("configuration", *BASELINES.values()),
            [
                (config, *(one[name].percent() if name in one else "n/a" for name in BASELINES))
                for config, one in release.audit.baselines.items()
            ],
        ),
        licences=_licence_table(release),
        citation=code(own or bibtex_entry(release), "bibtex"),
    )  # fmt: skip


def licence_page(release: ReleaseContext) -> str:
    """Write LICENSE.md."""
    own = release.primary.provenance.info.own_licence
    names = [name for name in (*release.summary.licences, own) if name]
    texts = {name: address for name in names if (address := _address(name))}
    return _page(
        "licence.md.jinja",
        release,
        licences=_licence_table(release),
        # Addresses of this file's making, of ids of a few characters: links, where others are text.
        texts=Markdown("\n".join(f"- {name}: <{address}>" for name, address in texts.items())),
    )


def statement(topic: str, release: ReleaseContext) -> list[str]:
    """The paragraphs of a topic of statements.jinja as plain text."""
    macro = getattr(_plain().get_template("statements.jinja").make_module(_shared(release)), topic)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", macro()) if part.strip()]


def model_rows(release: ReleaseContext) -> list[tuple[str, str, str]]:
    """Role, model, how it sampled."""
    build, rows = release.build, list[tuple[str, str, str]]()
    if build.roles is None or not build.roles.planner:
        return rows
    roles = {
        "planner": (build.roles.planner,), "generator": build.roles.generator,
        "judge": build.roles.judge,
    }  # fmt: skip
    for role, endpoints in roles.items():
        sampling = build.sampling.get(role)
        values = sampling.model_dump(exclude_none=True) if sampling else {}
        sampled = ", ".join(f"{name} {value}" for name, value in values.items()) or "not stated"
        rows += [(role, build.model(each), sampled) for each in endpoints]
    return rows


def agreement_rows(release: ReleaseContext) -> list[tuple[str, str, str, str]]:
    """Question, answers, percent agreement and alpha, with intervals."""
    public = release.primary.public
    return [
        (question, f"{found.percent.n:,}", found.percent.percent(), found.alpha.text(2))
        for question, found in (public.findings.agreement.items() if public else ())
    ]  # fmt: skip


@cache
def column_texts() -> dict[str, str]:
    """What each column of data/*.parquet holds."""
    texts: dict[str, str] = tomllib.loads((HERE / "columns.toml").read_text(encoding="utf-8"))
    return texts


def bibtex_entry(release: ReleaseContext) -> str:
    """A BibTeX entry that names exactly this release."""
    return (
        f"@misc{{{release.name},\n  title = {{{release.name}}},\n"
        f"  version = {{{release.version}}},\n  note = {{Canary {release.canary}}}\n}}"
    )


def _shared(release: ReleaseContext) -> dict[str, object]:
    summary, modes = release.summary, _modes(release)
    alike = [name for name in summary.licences if name.startswith("CC-BY-SA-")]
    return {
        "release": release, "summary": summary, "build": release.build, "study": release.study,
        "audit": release.audit, "info": release.primary.provenance.info,
        "provenance": release.primary.provenance,
        "modes": modes, "own": any(mode.label == "given" for mode in modes),
        "twins": any(mode.halves == 2 for mode in modes),
        "addressed": summary.posts - summary.hosts.get("none", 0),
        "hosts": sorted(set(summary.hosts) - {"none"}),
        "share_alike": max(alike, default="").replace("CC-BY-SA-", "CC BY-SA "),
    }  # fmt: skip


def _modes(release: ReleaseContext) -> list[Mode]:
    """The modes that it has pairs of, in the order of pages."""
    names = {config.mode for config in release.summary.configs}
    return [mode for mode in MODES.values() if mode.name in names]


def _licence_table(release: ReleaseContext) -> Markdown:
    counts = release.summary.licences.items()
    rows = [("none known" if name == "unknown" else name, f"{n:,}") for name, n in counts]
    return table(("licence of the post", "posts"), rows)


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
    size = next((name for limit, name in _SIZES if summary.rows < limit), "1M<n<10M")
    trial = ["trial-no-benchmark"] if release.trial else []
    values |= {
        "task_categories": ["text-ranking", "text-generation"],
        "size_categories": [size],
        "tags": ["preference", "personalization", "reward-models", "evaluation", *trial],
    }
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
    if any(mode.label == "given" for mode in _modes(release)):
        return []
    return [release.primary.provenance.info.own_licence or "unknown"]


def _address(name: str) -> str | None:
    known = name != "unknown" and _SPDX.fullmatch(name)
    return f"https://spdx.org/licenses/{name}.html" if known else None


# Markdown


def _page(template: str, release: ReleaseContext, **values: object) -> str:
    shared = _shared(release)
    environment = _escaping()
    said = environment.get_template("statements.jinja").make_module(shared)
    # What a macro gives was escaped as it was put together.
    return environment.get_template(template).render(
        **shared, **values, say=lambda topic: Markdown(getattr(said, topic)().strip())
    )


@cache
def _escaping() -> jinja2.Environment:
    environment = _environment(_shown)
    environment.filters |= {"or_not_stated": or_not_stated}
    return environment


@cache
def _plain() -> jinja2.Environment:
    return _environment(lambda value: f"{value:,}" if isinstance(value, int) else value)


def _environment(finalize: Callable[[object], object]) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined,
        finalize=finalize, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Markdown:
    """A table; the first `left` columns are words, the rest numbers. Empty without rows."""
    rows = list(rows)
    rule = ["---" if n < left else "--:" for n in range(len(head))]
    shown = (map(escape_inline, map(visible, row)) for row in rows)
    texts = [map(escape_inline, head), rule, *shown]
    return Markdown("\n".join("| " + " | ".join(one) + " |" for one in texts) if rows else "")


def paragraph(text: str) -> Markdown:
    """Text at the start of a line: it is no heading, quotation or list either."""
    return Markdown(re.sub(r"^(\d*)([#>+=.)-])", r"\1\\\2", escape_inline(visible(text))))


def or_not_stated(text: str) -> Markdown:
    """Paragraphs that the release's makers wrote, or that they wrote none."""
    parts = [paragraph(part) for part in re.split(r"\n\s*\n", visible(text)) if part.strip()]
    return Markdown("\n\n".join(parts) or NOT_STATED)


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
