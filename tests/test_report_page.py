"""Pages of reports: hostile text stays text, nothing is loaded, the same values give the same
bytes."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from matplotlib.figure import Figure

from pairwright.report import (
    BLUE,
    Page,
    Plot,
    Section,
    Table,
    drawing,
    plot,
    to_html,
    to_markdown,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=https://evil.test/x.png onerror=alert(1)>",
    "![x](https://evil.test/x.png)",
    "[click](javascript:alert(1))",
    "a | b | c",
    "`code` **bold** __strong__ ~~gone~~ $x$",
    "# heading",
    "> quoted",
    "- item",
    "1. item",
    "0.05",
    "12) item",
    "=== and --- and +++",
    "---",
    "\\| \\<b>",
    "&lt;b&gt; &amp;",
    "https://evil.test/x and www.evil.test",
    "<!-- comment",
    "]]> </table></style></svg>",
    "two\nlines\r\nand\ttabs",
    "{{ 7 * 7 }} {% raw %}",
)


class Read(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page_with(text: str) -> Page:
    table = Table((text, "n"), ((text, "1"), (text, text)), note=text)
    blocks = (text, table, drawn(text))
    return Page(title=text, warnings=(text,), sections=(Section(text, blocks),))


def drawn(label: str, name: str = "p1") -> Plot:
    with drawing():
        figure = Figure(figsize=(3, 2))
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], "o-", color=BLUE.light)
        axes.barh(0.5, 0.5, hatch="//", color=BLUE.light, edgecolor="#000000")
        axes.set_title(label)
        axes.set_yticks([0.5], [label])
        return plot(figure, label, name=name)


@pytest.mark.parametrize("text", HOSTILE)
def test_html_shows_hostile_text_as_it_is(text: str) -> None:
    plain, read = Read(to_html(page_with("x"))), Read(to_html(page_with(text)))
    assert set(read.tags) == set(plain.tags)
    assert {name for name, _ in read.attributes} == {name for name, _ in plain.attributes}
    shown = "\n".join(read.text)
    # Heading, paragraph, warning, title, table, note, caption: each as it is.
    assert shown.count(text) >= 8


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_hostile_text_as_it_is(text: str) -> None:
    reader = MarkdownIt("gfm-like", {"html": True, "linkify": False}).enable("table")
    read, plain = (Read(reader.render(to_markdown(page_with(of)))) for of in (text, "x"))
    assert read.tags == plain.tags
    words = " ".join(text.split())
    shown = "\n".join(read.text)
    assert shown.count(words) >= 8
    assert "\\" not in shown.replace(words, "")


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    read = Read(to_html(page_with("x")))
    assert not {"script", "link", "img", "iframe", "object", "image"} & set(read.tags)
    policy = next(value for _, value in read.attributes if value.startswith("default-src"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    for name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("href", "xlink:href", "src"):
            assert value.startswith("#")
        assert "url(" not in value or "url(#" in value


def test_the_same_page_is_the_same_bytes() -> None:
    assert to_html(page_with("x")) == to_html(page_with("x"))
    assert not re.search(r"20\d\d-\d\d-\d\d", to_html(page_with("x")))


def test_plots_keep_their_text_and_follow_the_pages_colours() -> None:
    svg = drawn("A label that is text").svg
    assert ">A label that is text</text>" in svg
    assert "var(--blue)" in svg
    assert "var(--ink)" in svg
    assert BLUE.light not in svg


def test_a_plot_is_scrolled_where_it_would_be_too_small_to_read() -> None:
    html = to_html(Page(title="t", sections=(Section("s", (drawn("x"),)),)))
    assert '<div class="wide"><svg' in html
    assert "min-width: 34rem" in html


def test_ids_of_two_plots_do_not_meet_and_all_are_found() -> None:
    ids, used = [], set[str]()
    for name in ("p1", "p2"):
        svg = drawn("x", name).svg
        own = re.findall(r' id="([^"]+)"', svg)
        ids += own
        used |= set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
        assert all(of.startswith(f"{name}-") for of in own)
    assert len(ids) == len(set(ids))
    assert used <= set(ids)


def test_drawing_leaves_other_peoples_settings_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    drawn("$x$")
    assert dict(mpl.rcParams) == before


def test_tables_align_words_left_and_numbers_right() -> None:
    page = Page(title="t", sections=(Section("s", (Table(("a", "n"), (("b", "1"),)),)),))
    assert "| a | n |\n| --- | --: |\n| b | 1 |" in to_markdown(page)
    assert '<td>b</td><td class="number short">1</td>' in to_html(page)


def test_a_number_with_its_interval_and_n_is_not_broken() -> None:
    number = "-0.476 (-0.545 to -0.407, n = 1,500)"
    page = Page(title="t", sections=(Section("s", (Table(("a", "n"), (("b", number),)),)),))
    assert f'class="number short">{number}<' in to_html(page)
