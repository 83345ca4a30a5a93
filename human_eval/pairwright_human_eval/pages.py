"""Pages that need no server: the tasks of a study to be looked through, and where people begin.

Nothing on a page is stored or sent. Every text is escaped, responses are safe HTML, and the pages
load nothing from anywhere. On a start page, what comes after the consent shows once it is ticked;
no script is needed for that. Nobody can guess its name.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from pairwright.records import content_id
from pairwright_human_eval.folder import ROUNDS
from pairwright_human_eval.form import view_of
from pairwright_human_eval.language import Language
from pairwright_human_eval.records import KINDS, LATER, OWN, Data, KeyedTask, Study
from pairwright_human_eval.safe_html import render_markdown
from pairwright_human_eval.spreadsheets import HEADINGS

INDEX = "index.html"


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
        name = f"{keyed.annotator}{ROUNDS[keyed.round].person}"
        people.setdefault(name, []).append(keyed)
    people = dict(sorted(people.items()))
    counts = {name: len(own) for name, own in people.items()}
    template, first = "preview.html.jinja", markdown_page(guidelines)
    yield INDEX, _render(template, language, title="Preview", guidelines=first, people=counts)
    for name, own in people.items():
        # The parts of every task, by kind and the task's id.
        kinds = {
            kind: {
                keyed.task: list(view_of(tasks[keyed.task], kind, study.scales, language))
                for keyed in own
                if keyed.kind == kind
            }
            for kind in KINDS
        }
        asked = "own" if own[0].round in (OWN, LATER) else "preference"
        headings = HEADINGS | {"preference": HEADINGS[asked]}
        page = _render(template, language, title=name, kinds=kinds, headings=headings)
        yield f"{name}.html", page


def markdown_page(markdown: str) -> Markup:
    """A text of ours as HTML: its lines are wrapped, unlike those of a response."""
    page = render_markdown(markdown)
    return Markup(page.replace("<br />\n", "\n").replace("<br>\n", "\n"))


def _render(name: str, language: Language, **values: object) -> str:
    template = _templates().get_template(name)
    return template.render(values, _=language, language=language.code, safe=Markup)


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
    the order of the work; `sheet` is the name of the file that a person fills in, if any;
    `code` is the completion code of somebody who has finished, and empty before."""
    return _render(
        "start_page.html.jinja", language, annotator=annotator, links=links, sheet=sheet, code=code,
        consent=markdown_page(consent), guidelines=markdown_page(guidelines),
    )  # fmt: skip
