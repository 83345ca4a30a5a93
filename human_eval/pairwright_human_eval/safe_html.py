"""Model output as HTML that a labelling page can show: nothing runs, loads, links or hides."""

import html
from functools import lru_cache

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
    text = visible(_whole(text))
    tokens = _MARKDOWN.parse(text)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return f"<pre>{html.escape(text)}</pre>"
    for token in tokens:
        # Alignment of table cells and the language of a code block: styles and classes.
        token.attrs = {key: value for key, value in token.attrs.items() if key == "start"}
        token.info = ""
    # Again, because a character reference stands for a character only once it is parsed.
    return visible(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _whole(text: str) -> str:
    """Halves of a surrogate pair, which no file can hold, as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _image(
    _self: RendererHTML, tokens: list[Token], n: int, _options: OptionsDict, _env: EnvType
) -> str:
    return html.escape(f"[image: {tokens[n].content}]")


def _nothing(
    _self: RendererHTML, _tokens: list[Token], _n: int, _options: OptionsDict, _env: EnvType
) -> str:
    return ""


def _markdown() -> MarkdownIt:
    # `breaks`: a line that ends in the response ends on the page, too.
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST})
    markdown.enable(["table", "strikethrough"])
    # A link's definition would vanish from the page with whatever it says.
    markdown.disable("reference")
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("link_open", _nothing)
    markdown.add_render_rule("link_close", _nothing)
    return markdown


_MARKDOWN = _markdown()
