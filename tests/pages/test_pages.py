"""Pages: a template in Markdown shows every value as it is, in Markdown and in HTML; and how shares
with their intervals are written."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest
from markdown_it import MarkdownIt
from markupsafe import Markup
from matplotlib.figure import Figure

from pairwright.pages import Table, render_page, render_words
from pairwright.pages import page as pages
from pairwright.pages.plots import BLUE, Plot, drawing, plot
from pairwright.stats import Estimate, share

HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a | b | c", "![plot](accuracy)",
    "![x](https://evil.test/x.png)", "[a](javascript:alert(1))", "**bold** _it_ `code`",
    "__strong__ ~~gone~~ $x$", "# heading", "- item", "1. first", "12) item", "0.05", "> quote",
    "===", "=== and --- and +++", "$x$", "http://example.org", "www.example.org",
    "https://evil.test/x and www.evil.test", "a\n\nb", "two\nlines\r\nand\ttabs", "&lt;b&gt; &amp;",
    "</details><h2 id=x>", "]]> </table></style></svg>", "<!-- comment", "{{ 7 * 7 }} {% raw %}",
    "\\", "\\| \\<b>", "~~~", "+ item", "a_b_c", "2 < 3 > 1", "<https://example.org>", "``` ```",
    "---",
)  # fmt: skip
pytestmark = pytest.mark.usefixtures("all_drawn")
Template = Callable[[str], object]
KIT = '{% import "kit.md.jinja" as kit %}'
FOLD = "{% call kit.fold(value) %}\n{{ value }}\n{% endcall %}"


class Shown(HTMLParser):
    """The tags, attributes and text of a page, without its head."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html[html.index("<body>") :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Template]:
    """Writes the template `page` of a test, whose title is T if it does not begin with one."""
    folder = tmp_path / "templates"
    folder.mkdir()
    kit = (pages.FOLDER / "templates" / "kit.md.jinja").read_text("utf-8")
    (folder / "kit.md.jinja").write_text(kit, "utf-8")
    for name in ("page.html.jinja", "page.css"):
        (tmp_path / name).write_text((pages.FOLDER / name).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    pages._environment.cache_clear()

    def write(text: str) -> None:
        text = text if text.startswith("# ") else f"# T\n\n{text}"
        (folder / "page.md.jinja").write_text(f"{KIT}{text}\n", "utf-8")

    yield write
    pages._environment.cache_clear()


@pytest.mark.parametrize(
    "source",
    [
        "{{ value }}",
        "# T {{ value }}\n\n## S {{ value }}\n\nText {{ value }} text.",
        "| a | b |\n| --- | --: |\n| {{ value }} | x |",
        f"{{{{ kit.warning(value) }}}}\n{FOLD}",
        FOLD,
        "- {{ value }}",
    ],
)
def test_a_value_is_shown_as_it_is(template: Template, source: str) -> None:
    template(source)
    harmless = Shown(render_page("page", value="plain").html)
    for value in HOSTILE:
        page = render_page("page", value=value)
        shown = Shown(page.html)
        assert shown.tags == harmless.tags, value
        assert shown.attributes == harmless.attributes, value
        words = " ".join(value.split())
        text = " ".join(shown.text.split())
        assert words in text
        assert "\\" not in text.replace(words, "")
        # Of a reader of Markdown, too, whether it lets HTML through or not.
        for html in (True, False):
            reader = MarkdownIt("gfm-like", {"html": html, "linkify": False})
            read = Shown("<body>" + reader.render(page.markdown))
            assert not {"script", "img", "a"} & set(read.tags), value
            assert words in " ".join(read.text.split())


@pytest.mark.parametrize("value", HOSTILE)
def test_a_terminal_shows_a_value_as_it_is(template: Template, value: str) -> None:
    """In the order of the template, with its lines of code whole."""
    template(
        "Text {{ value }}\\\nof two\nlines.\n\n"
        "    run {{ value|verbatim }}  # *\n    next\n\n"
        "| a | n |\n| --- | --: |\n| {{ value }} | {{ n }} |\n\n- end {{ path }}"
    )
    words = " ".join(value.split())
    assert list(render_words("page", value=value, n=1000, path=Path("a_b") / "*")) == [
        f"Text {words}\nof two lines.",
        f"  run {' '.join(value.splitlines())}  # *",
        "  next",
        Table(("a", "n"), ((words, "1,000"),), note="T"),
        "end a_b/*",
    ]


def test_a_plot_shows_a_label_as_it_is(template: Template) -> None:
    template('{{ plot("a") }}')
    harmless = Shown(render_page("page", {"a": drawn("plain")}).html)
    # Some beside one another: to draw takes long.
    for values in (HOSTILE[n : n + 9] for n in range(0, len(HOSTILE), 9)):
        page = Shown(render_page("page", {"a": drawn(" ; ".join(values))}).html)
        assert set(page.tags) == set(harmless.tags), values
        assert {name for name, _ in page.attributes} == {name for name, _ in harmless.attributes}
        # Title, label and caption: each as it is.
        text = " ".join(page.text.split())
        assert [one for one in values if text.count(" ".join(one.split())) < 3] == []


def test_what_has_no_text_is_an_error(template: Template) -> None:
    template("{{ value }}")
    for value in (None, True, 0.5, ["a"], object()):
        with pytest.raises(ValueError, match="has no text on a page"):
            render_page("page", value=value)
    with pytest.raises(jinja2.UndefinedError):
        render_page("page")


def test_a_policy_names_the_one_script_and_the_sheet_is_whole(template: Template) -> None:
    template("Text.")
    html = render_page("page", None, ("b {}", "go();")).html
    (script,) = re.findall(r'<script type="module">([^<]*)</script>', html)
    (policy,) = re.findall(r'content="(default-src [^"]*)"', html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in unescape(policy)
    assert re.search(r"<style>[^<]*b {}\s*</style>", html)


def test_a_plot_is_one_element_and_a_line_of_code_that_looks_like_one_is_none(
    template: Template,
) -> None:
    template('{{ plot("a") }}\n\n{{ plot("b") }}\n\n```text\n{{ value|verbatim }}\n```')
    svg = Markup("<svg><desc>a\n \r\r\n\r b</desc></svg>")
    for value in ("![plot](a)", "\x02a"):
        page = render_page("page", {"a": Plot(svg, "c <b>")}, value=value)
        assert Shown(page.html).tags.count("svg") == page.markdown.count("*Plot, in") == 1
        caption = "<figcaption>c &lt;b&gt;</figcaption></figure>"
        assert f"b</desc></svg>\n{caption}" in page.html
        assert value.strip("\x02") in page.markdown.splitlines()


def drawn(label: str, name: str = "p1") -> Plot:
    with drawing():
        figure = Figure(figsize=(3, 2))
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], "o-", color=BLUE)
        axes.barh(0.5, 0.5, hatch="//", color=BLUE, edgecolor="#000000")
        axes.set_title(label)
        axes.set_yticks([0.5], [label])
        return plot(figure, label, name=name)


def test_a_page_loads_nothing_and_is_the_same_bytes_again(template: Template) -> None:
    template('{{ plot("a") }}\n\n## S\n\n| a |\n| --- |\n| x |')
    html = render_page("page", {"a": drawn("x")}).html
    # On a narrow screen it is scaled, and never cut.
    assert "width: 100%; max-width: 40rem" in html
    assert html == render_page("page", {"a": drawn("x")}).html
    assert not re.search(r"20\d\d-\d\d-\d\d", html)
    read = Shown(html)
    assert not {"script", "link", "img", "iframe", "object", "image"} & set(read.tags)
    for name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("href", "xlink:href", "src"):
            assert value.startswith("#")
        assert "url(" not in value or "url(#" in value


def test_a_terminal_gets_the_opening_and_the_tables_that_are_not_folded(template: Template) -> None:
    template(
        "> **Careful.**\n\n{{ n }}\nof {{ estimate }}.\n\n"
        "## By *words*\n\n| a | | n |\n| --- | --- | --: |\n| {{ value }} | x | 1 (0 to 2) |\n\n"
        '{% call kit.fold("More") %}\n| b |\n| --- |\n| 2 |\n{% endcall %}\n\n'
        "| c |\n| --: |\n| 3 |"
    )
    page = render_page("page", value="[b] | <i> *y*", n=12345, estimate=share(5, 20))
    assert page.opening == ("Careful.", "12,345 of 0.250 (0.112 to 0.469).")
    first, last = page.tables
    cells = (("[b] | <i> *y*", "x", "1 (0 to 2)"),)
    assert first == Table(("a", "", "n"), cells, left=2, note="By words")
    assert (last.head, last.left) == (("c",), 0)


@pytest.mark.parametrize(
    ("given", "text", "percent"),
    [
        ((0.5, 0.4, 0.6, ""), "0.500 (0.400 to 0.600)", "50 % (40 to 60)"),
        ((-0.0001, -0.2, 0.1, ""), "0.000 (-0.200 to 0.100)", "0 % (-20 to 10)"),
        ((0.5, None, None, "one user"), "0.500 (one user)", "50 % (one user)"),
        ((None, None, None, "no answer"), "n/a (no answer)", "n/a (no answer)"),
    ],
)
def test_an_estimate_is_printed_with_its_interval_or_why_it_has_none(
    given: tuple[float | None, float | None, float | None, str], text: str, percent: str
) -> None:
    value, low, high, note = given
    estimate = Estimate(value=value, low=low, high=high, n=9, clusters=9, note=note)
    assert (estimate.text(), estimate.percent()) == (text, percent)
