"""Model output as HTML: only harmless tags, no attributes, and every word still there."""

import random
import re
from html.parser import HTMLParser

import pytest

from hostile import HOSTILE
from pairwright_human_eval.safe_html import render_markdown

TAGS = frozenset(
    "p br h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr "
    "table thead tbody tr th td".split()
)
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


class Page(HTMLParser):
    """What a browser would see: elements, attributes, text, and anything that is neither."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("br", "hr")
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def handle_decl(self, decl: str) -> None:
        self.other.append(decl)

    def unknown_decl(self, data: str) -> None:
        self.other.append(data)

    def handle_pi(self, data: str) -> None:
        self.other.append(data)


def checked(text: str) -> Page:
    """The page of a text, after checking all that holds for any text."""
    html = render_markdown(text)
    page = Page(html)
    assert page.tags <= TAGS
    assert not page.open
    assert not page.other
    for tag, key, value in page.attributes:
        assert (tag, key) == ("ol", "start")
        assert value is not None
        assert re.fullmatch(r"\d{1,9}", value)
    assert not INVISIBLE.search(html)
    assert not INVISIBLE.search(page.text)
    html.encode()
    return page


FRAMES = ("> {}", "- {}", "1. {}", "# {}", "| a |\n|---|\n| {} |", "```\n{}\n```", "*{}*")


def test_a_hostile_response_is_only_harmless_tags_and_hides_nothing() -> None:
    for text in HOSTILE:
        assert "KEPT" in checked(text).text or text == "$response_b"
        for frame in FRAMES:
            checked(frame.format(text))
        assert render_markdown(text) == render_markdown.__wrapped__(text)  # A pure function.


def test_hostile_texts_in_any_company_are_harmless() -> None:
    chance = random.Random(7)
    short = [text for text in HOSTILE if len(text) < 1000]
    for _ in range(300):
        joint = chance.choice(["", "\n", "\n\n", " ", "`", "|", "](", "\n> ", "\n- ", "*"])
        checked(joint.join(chance.sample(short, 3)))


def test_random_markup_is_harmless() -> None:
    chance = random.Random(8)
    pieces = (
        "< > & \" ' ` ``` ~~~ ~~ * ** _ [ ] ( ) ! # > - 1. | \n \n\n \\ : = / x a:b http:// "
        "&lt; &#60; &quot; <b <!-- --> <a:b> {} $ \t \x00 \u202e"
    ).split(" ")
    for _ in range(2000):
        checked(chance.choice(["", " "]).join(chance.choices(pieces, k=chance.randint(1, 40))))


# What a reader sees


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
    ],
)
def test_markdown_looks_as_meant(markdown: str, html: str) -> None:
    assert render_markdown(markdown).strip() == html


def test_tables_lists_and_definitions_lose_no_more_than_styles_and_links() -> None:
    html = render_markdown("| a | b |\n|:-:|--:|\n| 1 | **2** |")
    assert "<th>a</th>" in html
    assert "<td><strong>2</strong></td>" in html
    assert "style" not in html
    html = render_markdown("1. one\n\nProse.\n\n2. two")
    assert html.count("<ol>") == 1
    assert '<ol start="2">' in html
    assert "said here" in render_markdown("[a]\n\n[a]: https://example.com 'said here'")


@pytest.mark.parametrize("mark", ["> ", "- ", "1. "])
def test_no_depth_of_nesting_hides_the_text(mark: str) -> None:
    for depth in (*range(1, 60, 3), 1000):
        assert "innermost" in checked(mark * depth + "innermost").text, depth


def test_what_is_nested_too_deep_is_shown_as_written() -> None:
    text = "before\n\n" + "> " * 100 + "<b>a & b</b>"
    assert render_markdown(text).startswith("<pre>before\n\n&gt; &gt;")
    assert Page(render_markdown(text)).text == text
