"""Model output as HTML that a labelling page can show: nothing runs, loads, links or hides."""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, repeat

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from pairwright.text import visible

# The parser drops what is nested deeper, so such a text is shown as it was written.
_DEEPEST = 40
_TAG = re.compile(r'<(/?)(\w+)(?: start="(\d+)")?(?: /)?>\n?')
_BLOCKS = ("p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "ul", "ol")


# Every annotator of a pair is shown the same two responses.
@lru_cache(maxsize=4096)
def render_markdown(text: str) -> str:
    """Markdown with tables and strikethrough to HTML without links and images, which keep their
    texts; raw HTML stays visible text. The one attribute is `start` of a numbered list."""
    # Halves of a surrogate pair, which no file can hold, become U+FFFD.
    text = visible(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    tokens = _MARKDOWN.parse(text)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return f"<pre>{html.escape(text)}</pre>"
    for token in tokens:
        # Alignment of table cells and the language of a code block: styles and classes.
        token.attrs = {key: value for key, value in token.attrs.items() if key == "start"}
        token.info = ""
    # Again, because a character reference stands for a character only once it is parsed.
    return visible(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def plain_text(page: str) -> str:
    """Plain text for a cell, from a page of `render_markdown`. Points of a list begin with `-` or a
    number, cells of a table with `|`."""
    lists: list[Iterator[str]] = []

    def shown(tag: re.Match[str]) -> str:
        closing, name, start = tag.groups()
        if name in ("ul", "ol") and not closing:
            numbers = (f"{n}." for n in count(int(start or 1)))
            lists.append(repeat("-") if name == "ul" else numbers)
        elif name in ("ul", "ol"):
            lists.pop()
        elif name == "li" and not closing:
            return "\n" + "  " * (len(lists) - 1) + f"{next(lists[-1])} "
        elif name in ("td", "th"):
            return " " if closing else "| "
        elif name == "br" or (name == "tr" and not closing):
            return "\n"
        ends = closing and name in _BLOCKS
        return ("\n" if lists else "\n\n") if ends else ""

    lines = html.unescape(_TAG.sub(shown, page)).split("\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")


def _image(
    _self: RendererHTML, tokens: list[Token], n: int, _options: OptionsDict, _env: EnvType
) -> str:
    return html.escape(f"[image: {tokens[n].content}]")


# `breaks`: a line that ends in the response ends on the page, too.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST})
_MARKDOWN.enable(["table", "strikethrough"])
# A link's definition would vanish from the page with whatever it says.
_MARKDOWN.disable("reference")
_MARKDOWN.add_render_rule("image", _image)
for _rule in ("link_open", "link_close"):
    _MARKDOWN.add_render_rule(_rule, lambda *_: "")
