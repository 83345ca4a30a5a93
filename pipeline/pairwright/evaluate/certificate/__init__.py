"""The certificate: whether generated twins rank scorers as people's own choices do.

certificate.py   the same scorers on both, how their accuracies go together, and what that takes
report_page.py   the page
"""

from pairwright.evaluate.certificate.certificate import Certificate, compare_scorers

__all__ = ["Certificate", "compare_scorers"]
