"""Pages that need no server: the tasks of a study to be looked through, and where people begin.

Nothing on a page is stored or sent. Every text is escaped, responses are safe HTML, and the pages
load nothing from anywhere. On a start page, what comes after the consent shows once it is ticked;
no script is needed for that. Nobody can guess its name.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from pairwright.records import content_id
from pairwright_human_eval.form import Asked, Part, Shown, view_of
from pairwright_human_eval.language import Language
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.sheets import HEADINGS

INDEX = "index.html"
_PREVIEW = "preview.html.jinja"


class _PageTask(NamedTuple):
    """A task on a page."""

    id: str
    number: str
    kind: Kind
    above: tuple[Shown, ...]
    """Question, narrative and what others answered."""
    posts: tuple[Shown, ...]
    responses: tuple[Shown, ...]
    parts: tuple[Part, ...]
    """Questions, and the aspects that they are about."""


class _PageKind(NamedTuple):
    heading: str
    tasks: tuple[_PageTask, ...]


def preview_pages(
    key: Mapping[str, KeyedTask],
    tasks: Mapping[str, Data],
    study: Study,
    guidelines: str,
    language: Language,
) -> Iterator[tuple[str, str]]:
    """Name and HTML of every page: the guidelines with a list of the others, and one a person.

    `tasks` are what the tasks of the `key` show, by id; `guidelines` are Markdown.
    """
    people: dict[str, list[KeyedTask]] = {}
    for keyed in key.values():
        name = keyed.annotator if keyed.round == 1 else f"{keyed.annotator}-adjudication"
        people.setdefault(name, []).append(keyed)
    listed = [(name, page_name(name), len(own)) for name, own in sorted(people.items())]
    first = Markup(markdown_page(guidelines))
    yield INDEX, _render(_PREVIEW, language, title="Preview", guidelines=first, people=listed)
    for name, page, _ in listed:
        kinds = tuple(_kinds(people[name], tasks, study, language))
        yield page, _render(_PREVIEW, language, title=name, kinds=kinds)


def page_name(name: str) -> str:
    """The file of a person's page. Names of annotators are ours, not theirs."""
    return f"{name}.html"


def _kinds(
    own: list[KeyedTask], tasks: Mapping[str, Data], study: Study, language: Language
) -> Iterator[_PageKind]:
    for kind in KINDS:
        of_kind = [keyed for keyed in own if keyed.kind == kind]
        if of_kind:
            yield _PageKind(
                language(HEADINGS[kind]),
                tuple(
                    _task(keyed, tasks[keyed.task], f"{n} / {len(of_kind)}", study, language)
                    for n, keyed in enumerate(of_kind, start=1)
                ),
            )


def _task(keyed: KeyedTask, data: Data, number: str, study: Study, language: Language) -> _PageTask:
    parts = view_of(data, keyed.kind, study.scales, language)
    shown = [part for part in parts if isinstance(part, Shown)]
    return _PageTask(
        keyed.task,
        number,
        keyed.kind,
        tuple(part for part in shown if part.role in ("question", "narrative", "earlier")),
        tuple(part for part in shown if part.role == "post"),
        tuple(part for part in shown if part.role == "response"),
        tuple(p for p in parts if isinstance(p, Asked) or p.role in ("aspect", "quote")),
    )


def markdown_page(markdown: str) -> str:
    """A text of ours as HTML: its lines are wrapped, unlike those of a response."""
    return render_markdown(markdown).replace("<br />\n", "\n").replace("<br>\n", "\n")


def _render(name: str, language: Language, **values: object) -> str:
    given = {"_": language, "language": language.code, "safe": Markup, "asked": _is_asked}
    return _templates().get_template(name).render(values, **given)


def _is_asked(part: Part) -> bool:
    return isinstance(part, Asked)


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def start_page_name(seed: int, annotator: str) -> str:
    """The file of a person's page: their pseudonym, and what only the study lead can compute."""
    return f"{annotator}-{content_id('start', str(seed), annotator).rpartition('-')[2]}.html"


def start_page_html(
    annotator: str,
    consent: str,
    guidelines: str,
    links: Mapping[str, str],
    sheet: str,
    code: str,
    language: Language,
) -> str:
    """The page. `consent` and `guidelines` are Markdown; `links` go to the tasks of each kind, in
    the order of the work; `sheet` is the name of a person's spreadsheet, where they have one;
    `code` is the completion code of somebody who has finished, and empty before."""
    return _render(
        "start_page.html.jinja", language, annotator=annotator, links=links, sheet=sheet, code=code,
        consent=Markup(markdown_page(consent)), guidelines=Markup(markdown_page(guidelines)),
    )  # fmt: skip
