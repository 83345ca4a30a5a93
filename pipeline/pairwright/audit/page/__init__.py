"""The report of an audit: one HTML file with tables, plots and a browser of pairs, which needs no
network and no other file."""

from pairwright.audit.page.selection import Sizes
from pairwright.audit.page.write import write_page

__all__ = ["Sizes", "write_page"]
