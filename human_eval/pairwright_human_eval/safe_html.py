"""Model output as HTML that a labelling page can show: nothing runs, loads, links or hides."""

import html
import re
from functools import lru_cache
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from pairwright.text import visible

# The parser drops what is nested deeper, so such a text is shown as it was written.
_DEEPEST = 40


# Every annotator of a pair is shown the same two responses.
@lru_cache(maxsize=4096)
def render_markdown(text: str) -> str:
    """Markdown with tables and strikethrough to HTML; raw HTML in it stays visible text.

    Tags are those Markdown makes, without `a` and `img`: a link keeps its text, an image its
    description. The one attribute is `start` of a numbered list, a number.
    """
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
    """What `render_markdown` gave as text for a cell or a terminal: a line for each line, with `-`
    or a number before the points of a list, and `|` between the cells of a table."""
    reader = _TextReader()
    reader.feed(page)
    reader.close()
    lines = (line.rstrip() for line in "".join(reader.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


class _TextReader(HTMLParser):
    """Collects the text of safe HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._lists: list[int | None] = []
        """The next number of each open list; None where it has none."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("ul", "ol"):
            start = dict(attrs).get("start") or "1"
            self._lists.append(int(start) if tag == "ol" else None)
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            mark = "- " if number is None else f"{number}. "
            self.parts.append("\n" + "  " * (len(self._lists) - 1) + mark)
            if number is not None:
                self._lists[-1] = number + 1
        elif tag == "br":
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append("| ")
        elif tag in ("p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table"):
            self.parts.append("" if self._lists else "\n\n")
        elif tag == "tr":
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        # Between the tags of blocks are line ends that no page shows.
        if data.strip() or "\n" not in data:
            self.parts.append(data)


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
