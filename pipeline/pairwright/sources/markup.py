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


def post_text(body: str) -> tuple[str, int, int]:
    """The plain text of a post's HTML, and how many blocks of code and images marks stand for.

    An image is the mark `[image: what it shows]`, a longer block of code `[code, 24 lines]`; lines
    that quote somebody begin with `> `, and raised characters with `^`.
    """
    parser = _Marked()
    parser.feed(_only_tags(_COMMENT.sub("", body)))
    parser.close()
    return parser.finished(), parser.code_blocks, parser.images


def comment_text(markdown: str) -> str:
    """The text of a comment, which may hold links: their texts stay."""
    return _LINK.sub(r"\1", markdown)


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
        self._add("\n\n" if tag in _BLOCKS else _BREAKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._unseen = False
        self._add("\n\n" if tag in _BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._add(data)

    def _add(self, part: str) -> None:
        if part:
            self.parts.append(part)


CODE_LINES = 3
"""A longer block of code is shown as a mark."""
# [here](https://example.org "a title"); what is between the brackets holds none.
_LINK = re.compile(r'\[([^\[\]\n]{1,500})\]\(https?://[^\s()]{1,2000}(?: "[^"\n]{0,500}")?\)')
_NESTED = 8
"""Quotes in quotes; each is looked through for its lines, so more would cost their square."""
_NO_ALT = {"", "enter image description here", "image", "alt text"}


class _Marked(_Text):
    """The same with marks for what a reader would see but text cannot hold."""

    def __init__(self) -> None:
        super().__init__()
        self.code_blocks = self.images = 0
        self._open: list[tuple[str, list[str]]] = []
        """Quotes and blocks of code whose end is to come, the outermost first: the tag of each, and
        what was collected before it."""
        self._lists: list[int | None] = []
        """The number of the last entry of each open list; None of a list without numbers."""
        self._in_new_entry = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("ol", "ul"):
            self._lists.append(0 if tag == "ol" else None)
        if tag == "li":
            self.parts.append(f"\n{self._next_entry()}")
            self._in_new_entry = True
        elif not (tag == "p" and self._in_new_entry):
            super().handle_starttag(tag, attrs)
        if tag in ("blockquote", "pre") and len(self._open) < _NESTED:
            self._open.append((tag, self.parts))
            self.parts = []
        elif tag == "img":
            self.images += 1
            shown = " ".join((dict(attrs).get("alt") or "").split())
            self.parts.append("[image]" if shown.lower() in _NO_ALT else f"[image: {shown}]")
        elif tag == "sup" and self._before[-1:].strip():
            # Small print, which is raised too, is apart from what is before it.
            self.parts.append("^")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag in ("blockquote", "pre") and self._is_in(tag):
            while self._end_block() != tag:
                pass
        super().handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if not self._is_in("pre"):
            # As a browser does: the line ends of a paragraph's source are spaces.
            data = " ".join(("x" + data + "x").split())[1:-1]
            if self._in_new_entry or self._before.endswith("\n"):
                data = data.lstrip()
        self._in_new_entry = self._in_new_entry and not data
        super().handle_data(data)

    def _is_in(self, tag: str) -> bool:
        return any(name == tag for name, _ in self._open)

    def _next_entry(self) -> str:
        if not self._lists or self._lists[-1] is None:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1]}. "

    @property
    def _before(self) -> str:
        """The end of what was collected."""
        return self.parts[-1] if self.parts else "\n"

    def finished(self) -> str:
        """What was collected; blocks that were never closed end here."""
        while self._open:
            self._end_block()
        return _tidy("".join(self.parts))

    def _end_block(self) -> str:
        """Put the innermost block into what is around it; its tag."""
        inner = "".join(self.parts)
        tag, self.parts = self._open.pop()
        if tag == "blockquote":
            lines = _tidy(inner).split("\n")
            self.parts.append("\n".join(f"> {line}".rstrip() for line in lines))
        else:
            code = inner.strip("\n")
            lines = code.split("\n")
            if len(lines) > CODE_LINES:
                self.code_blocks += 1
                code = f"[code, {len(lines)} lines]"
            self.parts.append(code)
        return tag
