"""The pages of a release: README.md, which is the dataset card that the Hugging Face Hub shows, and
LICENSE.md. Their words are templates of `pages`.
"""

import json
import re
import tomllib
from collections.abc import Set
from functools import cache
from itertools import islice
from pathlib import Path

from markupsafe import Markup

from pairwright.build_statement import BuildSummary
from pairwright.modes import MODES, Mode
from pairwright.pages import Table, render_markdown, render_words
from pairwright.pairs import Layout, read_rows
from pairwright.releases.contents import BASELINES, Contents, Json
from pairwright.stats import Estimate
from pairwright.text import visible

_SHOWN_WORDS = 22
"""Words of each text of the pair that a card shows."""


def dataset_card(layout: Layout, contents: Contents, manifest: Json) -> str:
    """Write README.md of a release with this manifest."""
    public, own = contents.public, contents.stated.info.citation.strip()
    return yaml_header(contents, manifest) + render_markdown(
        "card",
        example=_example(layout, manifest["rows"]),
        columns=column_texts(),
        models=model_rows(contents),
        agreement=public.agreement if public else {},
        baselines=BASELINES,
        percent=lambda found: Estimate.model_validate(found).percent() if found else "n/a",
        citation=visible(own or bibtex_entry(manifest)).splitlines(),
        **_shared(contents, manifest),
    )


def licence_page(contents: Contents, manifest: Json) -> str:
    """Write LICENSE.md."""
    own = contents.stated.info.own_licence
    names = [name for name in (*manifest["rows"]["licences"], own) if name]
    texts = {name: address for name in names if (address := licence_address(name))}
    # Addresses of our making, of ids of a few characters: links, where others are text.
    listed = Markup("\n".join(f"- {name}: <{address}>" for name, address in texts.items()))
    return render_markdown("licence", texts=listed, **_shared(contents, manifest))


def statement(topic: str, contents: Contents, manifest: Json) -> list[str]:
    """The paragraphs of a topic of the card's words as plain text."""
    said = render_words("card_words", topic=topic, **_shared(contents, manifest))
    return [one for one in said if not isinstance(one, Table)]


def _shared(contents: Contents, manifest: Json) -> Json:
    """Values that all templates see."""
    counts, modes = manifest["rows"], modes_of(manifest)
    alike = [name for name in counts["licences"] if name.startswith("CC-BY-SA-")]
    study = contents.public and contents.public.study
    then, now = (dict(study.fixed), dict(study.policy)) if study else ({}, {})
    return {
        "name": manifest["name"], "canary": manifest["canary"], "counts": counts,
        "changed": {name: (then[name], now[name]) for name in now if then[name] != now[name]},
        "study": manifest["human"], "audit": manifest["audit"], "build": build_of(contents),
        "stated": contents.stated, "info": contents.stated.info, "modes": modes,
        "own": any(mode.label == "given" for mode in modes),
        "twins": any(mode.halves == 2 for mode in modes),
        "addressed": counts["posts"] - counts["hosts"].get("none", 0),
        "hosts": sorted(set(counts["hosts"]) - {"none"}),
        "share_alike": max(alike, default="").replace("CC-BY-SA-", "CC BY-SA "),
    }  # fmt: skip


def build_of(contents: Contents) -> BuildSummary:
    """Summary of how the pairs were built."""
    return BuildSummary.model_validate(contents.stated.build)


def model_rows(contents: Contents) -> list[tuple[str, str, str]]:
    """Role, model, and how it sampled."""
    build, rows = build_of(contents), list[tuple[str, str, str]]()
    if not build.roles.get("planner"):
        return rows
    for role, named in build.roles.items():
        values = build.sampling.get(role, {})
        stated = [one for one in ("temperature", "top_p", "seed") if values.get(one) is not None]
        sampled = ", ".join(f"{name} {values[name]}" for name in stated) or "not stated"
        endpoints = (named,) if isinstance(named, str) else named
        rows += [(role, build.model(each), sampled) for each in endpoints]
    return rows


def _example(layout: Layout, counts: Json) -> Json:
    """The pair that a card shows: the first of the first mode that the release has, of a twin both
    sides. Long texts are cut, and posts are left out."""
    modes, order = {one["config"]: one["mode"] for one in counts["configs"]}, list(MODES)
    shown = min(counts["parts"], key=lambda part: order.index(modes[part["config"]]))
    first, *others = islice(read_rows(layout.root / shown["path"]), 2)
    sides = [first, *others] if first.twin_id else [first]
    expected = ("; ".join(one.aspect for one in row.answer_key) for row in sides)
    return {
        "question": _cut(first.question),
        "responses": [_cut(first.chosen), _cut(first.rejected)],
        "expected": [*map(_cut, filter(None, expected))],
        "label": MODES[first.mode or ""].label,
        "sides": len(sides),
    }


def _cut(text: str) -> str:
    parts = text.split()
    return " ".join(parts[:_SHOWN_WORDS]) + (" …" if len(parts) > _SHOWN_WORDS else "")


@cache
def column_texts() -> dict[str, str]:
    """Description of each column of data/*.parquet."""
    path = Path(__file__).with_name("columns.toml")
    texts: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return texts


def bibtex_entry(manifest: Json) -> str:
    """A BibTeX entry that names exactly this release."""
    name, version = manifest["name"], manifest["version"]
    return (
        f"@misc{{{name},\n  title = {{{name}}},\n"
        f"  version = {{{version}}},\n  note = {{Canary {manifest['canary']}}}\n}}"
    )


def modes_of(manifest: Json) -> list[Mode]:
    """The modes that a release has pairs of, in the order of pages."""
    names = {config["mode"] for config in manifest["rows"]["configs"]}
    return [mode for mode in MODES.values() if mode.name in names]


def yaml_header(contents: Contents, manifest: Json) -> str:
    """The YAML that opens a dataset card, with its two lines of dashes: what the Hugging Face Hub
    and `datasets` read.

    Values are written as JSON, which is YAML too. They are names that are checked before they
    become paths, or words of this file: no text of a pair or a configuration is among them.

    preference/ is not a configuration here: `datasets` (5.2) reads all configurations of a card
    with the reader that suits the first, and the others are Parquet.
    """
    counts, own = manifest["rows"], own_licence(contents, manifest)
    licences, files = licences_on_hub({*counts["licences"], *own}), dict[str, list[Json]]()
    for part in counts["parts"]:
        place = {"split": part["split"], "path": part["path"]}
        files.setdefault(part["config"], []).append(place)
    trial = ["trial-no-benchmark"] if contents.stated.kind == "trial" else []
    other = "other" in licences
    values: Json = {
        "pretty_name": f"{manifest['name']} {manifest['version']}",
        "license": licences[0] if len(licences) == 1 else licences,
        "license_name": "see-license-md" if other else "",
        "license_link": "LICENSE.md" if other else "",
        "language": contents.stated.info.languages,
        "task_categories": ["text-ranking", "text-generation"],
        "tags": ["preference", "personalization", "reward-models", "evaluation", *trial],
        "configs": [{"config_name": name, "data_files": of} for name, of in files.items()],
    }
    lines = [f"{name}: {json.dumps(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---"]) + "\n"


# Licences

# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = {
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
}  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def own_licence(contents: Contents, manifest: Json) -> list[str]:
    """The licence of what was made from the posts, if anything was."""
    given = any(mode.label == "given" for mode in modes_of(manifest))
    return [] if given else [contents.stated.info.own_licence or "unknown"]


def licences_on_hub(names: Set[str]) -> list[str]:
    """Licences as the Hugging Face Hub writes them; `other` for unknown ones, and if no licence is
    stated."""
    known = sorted(name.lower().replace("odc-by-1.0", "odc-by") for name in names & _ON_THE_HUB)
    return known + ["other"] * bool(names - _ON_THE_HUB or not known)


def licence_address(name: str) -> str | None:
    """The address of a licence's text on spdx.org; None for what is not an SPDX id."""
    known = name != "unknown" and _SPDX.fullmatch(name)
    return f"https://spdx.org/licenses/{name}.html" if known else None
