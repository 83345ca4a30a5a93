"""How Sphinx makes the site of these pages; `make site` calls it.

Sphinx with MyST, for what was available in November 2026: both have releases of this year, the
search works from a folder without a server, a warning can fail the build, and autodoc comes with
it. MkDocs has had no release since 2024, and Zensical, to which the makers of its most used theme
have moved, is at 0.1. Furo is a theme that loads no font and no script from elsewhere.
"""

import inspect
from collections.abc import Hashable
from typing import Any, get_args

from typer.models import ParameterInfo

import pairwright
from pairwright.assets import __version__

project = "Pairwright"
author = "The Pairwright authors"
copyright = "The Pairwright authors, Apache-2.0"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4  # headings get the anchors that they have on a code host
default_role = "code"  # docstrings write `name` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_default_options = {"exclude-members": "model_config, model_post_init"}
maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"Pairwright {__version__}"
html_copy_source = False
html_show_sphinx = False


def setup(app: Any) -> None:
    """Have signatures show types, and a list below them what each argument means."""
    meanings: dict[Any, list[str]] = {}
    public = (getattr(pairwright, name) for name in pairwright.__all__)
    for function in filter(inspect.isfunction, public):
        lines = meanings[function] = []
        for name, hint in function.__annotations__.items():
            if doc := next((one for one in get_args(hint) if isinstance(one, ParameterInfo)), None):
                lines.append(f":param {name}: {doc.help}")
                function.__annotations__[name] = get_args(hint)[0]

    def list_arguments(*event: Any) -> None:
        *_, function, _, lines = event
        if isinstance(function, Hashable) and meanings.get(function):
            lines += ["", *meanings[function], ""]

    app.connect("autodoc-process-docstring", list_arguments)
