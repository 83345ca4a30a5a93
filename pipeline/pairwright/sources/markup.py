"""The text of HTML, for sources whose texts are HTML. The only file that imports `selectolax`."""

import re

from selectolax.lexbor import LexborHTMLParser

_BLOCKS = (
    "address, article, aside, blockquote, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6,"
    " header, hr, main, nav, ol, p, section, table, tr, ul"
)
# Stand for breaks and for the spaces of code while all other white space is one space.
_PARAGRAPH, _LINE, _SPACE, _TAB = "\ue000\ue001\ue002\ue003"
_KEPT = str.maketrans({"\n": _LINE, " ": _SPACE, "\t": _TAB})
_MEANT = str.maketrans({_PARAGRAPH: "\n\n", _LINE: "\n", _SPACE: " ", _TAB: "\t"})


def html_text(raw: str) -> str:
    """What a reader sees of it: entries of lists begin with `- `, blocks are set apart, code keeps
    its lines, images are left out."""
    tree = LexborHTMLParser(re.sub("[\ue000-\ue003]", "", raw))
    for node in tree.css("script, style"):
        node.decompose()
    while pre := tree.css_first("pre"):
        code = (pre.text() or "").strip("\n").translate(_KEPT)
        pre.replace_with(_PARAGRAPH + code + _PARAGRAPH)
    for node in tree.css(_BLOCKS):
        node.insert_before(_PARAGRAPH)
        node.insert_after(_PARAGRAPH)
    for node in tree.css("li"):
        node.insert_before(f"{_LINE}- ")
    for node in tree.css("br"):
        node.replace_with(_LINE)
    text = " ".join((tree.body.text() if tree.body else "").split())
    text = re.sub(f" ?([{_PARAGRAPH}{_LINE}]) ?", r"\1", text)
    text = re.sub(f"{_LINE}-[{_PARAGRAPH} ]+", f"{_LINE}- ", text).translate(_MEANT)
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()
