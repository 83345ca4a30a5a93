"""How Sphinx makes the site of these pages; `make site` calls it.

Sphinx with MyST, for what was available in November 2026: both have releases of this year, the
search works from a folder without a server, a warning can fail the build, and autodoc comes with
it. MkDocs has had no release since 2024, and Zensical, to which the makers of its most used theme
have moved, is at 0.1. Furo is a theme that loads no font and no script from elsewhere.
"""

from pairwright.version import __version__

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
