"""The tasks of a study as pages that need no server: as annotators meet them, to be looked through.

Nothing on a page is stored or sent. Every text is escaped, responses are safe HTML, and the pages
load nothing from anywhere.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from pairwright_human_eval.language import Language
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.spreadsheet.sheets import HEADINGS
from pairwright_human_eval.task_view import Asked, Part, Shown, view_of

INDEX = "index.html"


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
    yield INDEX, _render(language, title="Preview", guidelines=first, people=listed)
    for name, page, _ in listed:
        kinds = tuple(_kinds(people[name], tasks, study, language))
        yield page, _render(language, title=name, kinds=kinds)


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


def _render(language: Language, **values: object) -> str:
    given = {"_": language, "language": language.code, "safe": Markup, "asked": _is_asked}
    return _template().render(values, **given)


def _is_asked(part: Part) -> bool:
    return isinstance(part, Asked)


@cache
def _template() -> jinja2.Template:
    folder = Path(__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("preview.html.jinja")
