"""The report of an audit: one HTML file with tables, plots and a browser of pairs, which needs no
network and no other file.

write.py       the file, from an audit and its rows
verdict.py     the top of the page, and the few tables that a terminal shows
sections.py plots.py    the sections below it, and their plots
packing.py selection.py flags.py    the pairs that it holds, and the checks that name them
formats.py     how values are written
"""

from pairwright.audit.page.selection import Sizes
from pairwright.audit.page.write import write_page

__all__ = ["Sizes", "write_page"]
