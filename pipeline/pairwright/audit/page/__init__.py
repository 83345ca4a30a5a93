"""The report of an audit: one HTML file that needs nothing else.

write.py       from an audit and its rows to the file
verdict.py     what stands at the top: what failed, why it matters, what to do
sections.py plots.py shown.py     the audit's numbers as tables and drawings
flags.py packing.py holding.py     the pairs as compressed blocks, and which are held
styles.py      styles out of elements, so that the content policy can name all of them by hash
page.html.jinja page.css scripts/     the browser of pairs, which takes texts for text alone
"""

from pairwright.audit.page.holding import Sizes
from pairwright.audit.page.write import write_page

__all__ = ["Sizes", "write_page"]
