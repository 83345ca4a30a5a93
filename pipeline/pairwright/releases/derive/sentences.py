"""What the pages of a release say, by topic: the macros of `sentences.jinja`, as plain text."""

import math
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jinja2

from pairwright.blind_preference import preference_sentence
from pairwright.modes import MODES, is_own_choice
from pairwright.records import Record
from pairwright.releases.derive.audit_summary import endings, study_bounds
from pairwright.releases.derive.context import ReleaseContext
from pairwright.releases.derive.study_summary import agreement_rows
from pairwright.releases.summary import Summary
from pairwright.settings.rules import shared_words_bound
from pairwright.text import number_of

HERE = Path(__file__).resolve().parent
SHARE_ALIKE = "CC-BY-SA-"


class Sentences:
    """The sentences of a release. Of a topic that speaks of the study, it must have one."""

    def __init__(self, release: ReleaseContext) -> None:
        summary, audit, info = release.summary, release.audit, release.primary.provenance.info
        study = release.study
        stated = f"{release.layout.provenance} [build.config]"
        most = shared_words_bound(release.primary.provenance.build.get("config"), stated)
        used = {config.mode for config in summary.configs}
        alike = [name for name in summary.licences if name.startswith(SHARE_ALIKE)]
        newest = max((name.removeprefix(SHARE_ALIKE) for name in alike), default="")
        outcomes = dict.fromkeys(("kept", "rejected", "failed"), 0)
        for count in release.units:
            outcomes[count.outcome] += count.units
        self._values: dict[str, object] = {
            "release": release, "summary": summary, "study": study, "audit": audit,
            "build": release.build, "info": info, "findings": release.findings,
            "own": own_choice_words(summary), "built": words_of_modes(release.build.funnel),
            "outcomes": outcomes, "modes": sorted(used),
            "configs_by_mode": [
                (mode, {config.config for config in summary.configs if config.mode == mode.name})
                for mode in MODES.values()
                if mode.name in used
            ],
            "preferences": [preference_sentence(figure) for figure in summary.preferences],
            "half_width": half_width(summary.dyads),
            "addressed": summary.posts - summary.hosts.get("none", 0),
            "hosts": sorted(set(summary.hosts) - {"none"}),
            "agreement_rows": agreement_rows(release.findings) if release.findings else (),
            "bounds": study_bounds(audit, info) if audit else (),
            "most_shared_words": most if "twin" in used else None,
            "share_alike": f"CC BY-SA {newest}" if alike else "",
            "weakness": study.weakness if study else "",
        }  # fmt: skip

    def __call__(self, topic: str) -> tuple[str, ...]:
        """The paragraphs of a topic. Raises jinja2.UndefinedError for what is not there."""
        return said(topic, **self._values)

    def text(self, topic: str) -> str:
        """The topic in one paragraph."""
        return " ".join(self(topic))


def said(topic: str, **values: object) -> tuple[str, ...]:
    """A topic's paragraphs, each on one line, from what its macro asks for."""
    macro = getattr(_template().make_module(values), topic)
    lines = re.split(r"\n[ \t]*\n", macro())
    paragraphs = (" ".join(part.strip() for part in text.split("\n")).strip() for text in lines)
    return tuple(filter(None, paragraphs))


class OwnChoiceWords(Record):
    """A table of own_choice.toml: what is said of users' own choices of one mode."""

    pair: str
    gap: str
    how: str
    items: str
    responses: str
    uses: tuple[str, ...]
    misuse: str
    sensitive: str
    biases: tuple[str, ...]
    preparation: str
    units: str


def own_choice_words(summary: Summary) -> OwnChoiceWords | None:
    """What is said of a release whose labels are users' own choices; None of others."""
    return words_of_modes((config.mode for config in summary.configs), summary.untimed_choices > 0)


def words_of_modes(modes: Iterable[str], any_time: bool = False) -> OwnChoiceWords | None:
    """The same of a build with these modes; `any_time` where nothing tells whether a history is
    older than the choice."""
    own = {mode for mode in modes if is_own_choice(mode)}
    before = (
        "wrote in the same conversation or source, before or after the choice"
        if any_time
        else "wrote or chose before"
    )
    return next((words for mode, words in _own_choice_words(before).items() if mode in own), None)


@cache
def _own_choice_words(before: str) -> dict[str, OwnChoiceWords]:
    text = (HERE / "own_choice.toml").read_text(encoding="utf-8").replace("{before}", before)
    tables = tomllib.loads(text)
    return {mode: OwnChoiceWords.model_validate(table) for mode, table in tables.items()}


def half_width(n: int, z: float = 1.959964) -> float:
    """Half of Wilson's interval (1927, eq. 6) at one half of n, in percentage points."""
    return 50 * z / math.sqrt(n + z * z)


class _Paragraphs(str):
    """Several paragraphs, which stay apart."""


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined, finalize=_shown,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "counts": _counts, "percent": lambda share: f"{100 * share:.0f} %",
    }  # fmt: skip
    environment.globals |= {
        "endings": endings,
        "number_of": number_of,
        "paragraphs": lambda texts: _Paragraphs("\n\n".join(map(_shown, texts))),
    }
    return environment.get_template("sentences.jinja")


def _shown(value: object) -> str:
    """No value ends a paragraph."""
    if isinstance(value, _Paragraphs):
        return value
    return f"{value:,}" if isinstance(value, int) else str(value).replace("\n", " ")


def _counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts)
