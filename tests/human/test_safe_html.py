"""Model output as HTML: only harmless tags, no attributes, and every word still there."""

import random
import re
from html.parser import HTMLParser
from itertools import product

import pytest

from hostile import HOSTILE
from pairwright_human_eval.safe_html import plain_text, render_markdown

VOID = {"br", "hr"}
TAGS = VOID | set(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s "
    "table thead tbody tr th td".split()
)
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


class Page(HTMLParser):
    """What a browser would see, of which all that holds for any text is checked."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text, html = "", render_markdown(markdown)
        self.feed(html)
        self.close()
        assert not self.open
        assert not INVISIBLE.search(html + self.text)
        html.encode()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attrs:
            assert (tag, name) == ("ol", "start")
            assert re.fullmatch(r"\d{1,9}", value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, *args: str, **named: str) -> None:
        raise AssertionError(args or named)

    handle_decl = handle_pi = unknown_decl = handle_comment


FRAMES = ("- {}", "1. {}", "# {}", "| a |\n|---|\n| {} |", "```\n{}\n```", "*{}*")


def test_a_hostile_response_is_only_harmless_tags_and_hides_nothing() -> None:
    for text in HOSTILE:
        assert "KEPT" in Page(text).text or text == "$response_b"
        Page(f"> {text}")
    for text, frame in product((text for text in HOSTILE if len(text) < 1000), FRAMES):
        Page(frame.format(text))


def test_random_markup_is_harmless() -> None:
    chance = random.Random(8)
    pieces = (
        "< > & \" ' ` ``` ~~~ ~~ * ** _ [ ] ( ) ! # > - 1. | \n \n\n \\ : = / x a:b http:// "
        "&lt; &#60; &quot; <b <!-- --> <a:b> {} $ \t \x00 \u202e"
    ).split(" ")
    for _ in range(1000):
        Page(chance.choice(["", " "]).join(chance.choices(pieces, k=chance.randint(1, 40))))


@pytest.mark.parametrize("mark", ["> ", "- ", "1. "])
def test_no_depth_of_nesting_hides_the_text(mark: str) -> None:
    for depth in (*range(1, 60, 7), 1000):
        assert "innermost" in Page(mark * depth + "innermost").text, depth


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("[text](https://example.com 'title')", "<p>text</p>"),
        ("<https://example.com/a?b=c>", "<p>https://example.com/a?b=c</p>"),
        ("![a *loaf*](loaf.png)", "<p>[image: a *loaf*]</p>"),
        ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>"),
        ("first\nsecond", "<p>first<br />\nsecond</p>"),
        ("```python\nx < 1\n```", "<pre><code>x &lt; 1\n</code></pre>"),
        ("Costs $5 and {{idx}}", "<p>Costs $5 and {{idx}}</p>"),
        ("", ""),
        # Tables, lists and definitions lose no more than styles and links.
        ("| a |\n|:-:|\n| **2** |", "<table><thead><tr><th>a</th></tr></thead>"
         "<tbody><tr><td><strong>2</strong></td></tr></tbody></table>"),
        ("1. one\n\nProse.\n\n2. two",
         '<ol><li>one</li></ol><p>Prose.</p><ol start="2"><li>two</li></ol>'),
        ("[a]\n\n[a]: https://example.com 'said here'",
         "<p>[a]</p><p>[a]: https://example.com 'said here'</p>"),
    ],
)  # fmt: skip
def test_markdown_looks_as_meant(markdown: str, html: str) -> None:
    assert render_markdown(markdown).replace(">\n<", "><").strip() == html


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("first\nsecond\n\n**third** <b>", "first\nsecond\n\nthird <b>"),
        ("# Head\ntext", "Head\n\ntext"),
        ("- a\n- b\n\nend", "- a\n- b\n\nend"),
        ("5. a\n6. b\n   - c\n7. d", "5. a\n6. b\n\n  - c\n\n7. d"),
        ("3. a\n\n   more\n4. b", "3. a\nmore\n\n4. b"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nend", "| a | b\n| 1 | 2\n\nend"),
        ("```\nx  <  1\n  y\n```\nend", "x  <  1\n  y\n\nend"),
    ],
)
def test_a_cell_shows_what_the_page_shows(markdown: str, text: str) -> None:
    assert plain_text(render_markdown(markdown)) == text
