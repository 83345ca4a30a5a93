"""HTML bodies as plain text, and nothing done to text that only looks a little like HTML."""

import re
from html import unescape
from html.parser import HTMLParser

_BREAKS = {"br": "\n", "li": "\n- ", "tr": "\n", "hr": "\n\n", "dt": "\n", "dd": "\n"}
_BLOCKS = {"p", "div", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS |= {"ul", "ol", "dl", "table", "thead", "tbody", "section", "article"}
_INLINE = {"a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "img", "ins"}
_INLINE |= {"kbd", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"}
_INLINE |= {"td", "th", "tt", "u", "var"}
_UNSEEN = {"script", "style"}
_KNOWN = "|".join(sorted({*_BREAKS, *_BLOCKS, *_INLINE, *_UNSEEN}, key=len, reverse=True))

# A known tag, whole. A lone `<b` or `a <b and c> d` in prose must not pass for one, so an
# opening tag has nothing but attributes after its name.
_TAG = re.compile(
    rf"</(?:{_KNOWN})\s*>|<(?:{_KNOWN})(?:\s+[a-z][\w:-]*(?:\s*=[^<>]*)?)?\s*/?>", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--[^<>]*-->")
# What the Stack Exchange API writes into titles, which hold no tag.
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#0?39|#34);")


def to_text(raw: str) -> str | None:
    """The plain text of HTML; None where `raw` holds none and stays as it is."""
    if "<" in raw and _TAG.search(raw):
        parser = _Text()
        parser.feed(_only_tags(_COMMENT.sub("", raw)))
        parser.close()
        return _tidy("".join(parser.parts))
    if "&" in raw and _ENTITY.search(raw):
        return unescape(raw)
    return None


def _only_tags(raw: str) -> str:
    """Every `<` that begins no known tag, escaped.

    So `a < b` and `List<String>` survive, and the parser never meets the half-open tags and
    declarations that make it quadratic or fail.
    """
    parts, end = [], 0
    for tag in _TAG.finditer(raw):
        parts += [raw[end : tag.start()].replace("<", "&lt;"), tag.group()]
        end = tag.end()
    return "".join([*parts, raw[end:].replace("<", "&lt;")])


def _tidy(text: str) -> str:
    """No spaces at line ends, and never more than one empty line."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


class _Text(HTMLParser):
    """Collects the text between tags; blocks are set apart, scripts and styles left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = False

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self._unseen = tag in _UNSEEN
        self.parts.append("\n\n" if tag in _BLOCKS else _BREAKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._unseen = False
        self.parts.append("\n\n" if tag in _BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)
