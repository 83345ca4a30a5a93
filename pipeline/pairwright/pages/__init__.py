"""Pages: a template in Markdown over one record gives a report in HTML and in Markdown.

page.py        fills a template, escapes every value, and lays the page out
output.py      the folder and the files of a report
plots.py       the colours, and the drawings that several pages share
templates/     the words of every page, a file a page; kit.md.jinja has what they share;
               terminal/ has what commands print

A page opens with its verdict (three sentences and one figure at most). Its tables have five columns
at most; what only a few readers need is folded. A template never reads the text of another page.
"""

from pairwright.pages.page import Page, Table, render_markdown, render_page, render_words

__all__ = ["Page", "Table", "render_markdown", "render_page", "render_words"]
