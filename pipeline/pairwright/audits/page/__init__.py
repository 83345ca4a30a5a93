"""The report of an audit: one HTML file with tables, plots and a browser of pairs, which needs no
network and no other file.

write.py       the file, from an audit and its rows
verdict.py     the top of the page, the few tables that a terminal shows, and how values are written
plots.py       the plots
pairs.py       the pairs that it holds, compressed, and the checks that name them
The words are in pages/templates/audit.md.jinja; the browser of pairs is in pairs.html.jinja,
page.css and scripts/.
"""

from pairwright.audits.page.pairs import Sizes
from pairwright.audits.page.write import write_page

__all__ = ["Sizes", "write_page"]
