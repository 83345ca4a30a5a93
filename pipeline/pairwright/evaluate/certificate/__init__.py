"""The certificate: whether generated twins rank scorers as people's own choices do.

certificate.py           compares the scorers on both
certificate_scorer.py    one scorer on both, and whether its accuracies differ
number_needed.py         how many scorers it takes to find a correlation
sentences.py             what may be said, and what a reader must know
report_page.py           the page
"""

from pairwright.evaluate.certificate.certificate import Certificate, compare_scorers

__all__ = ["Certificate", "compare_scorers"]
