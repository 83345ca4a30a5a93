"""One page a person to begin from: consent first, then the guidelines, then the tasks.

What comes after the consent shows once it is ticked; no script is needed for that. A page is one
self-contained file, to be sent or to be put on any web server. Nobody can guess its name.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from pairwright.records import content_id
from pairwright_human_eval.language import Language
from pairwright_human_eval.preview import markdown_page


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
    return _template().render(
        {
            "annotator": annotator,
            "consent": Markup(markdown_page(consent)),
            "guidelines": Markup(markdown_page(guidelines)),
            "links": links,
            "sheet": sheet,
            "code": code,
            "language": language.code,
            "_": language,
        }
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("start_page.html.jinja")
