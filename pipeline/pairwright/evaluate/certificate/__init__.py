"""The certificate: whether generated twins rank scorers as people's own choices do.

certificate.py   compares the scorers on both; how many scorers a correlation needs
report_page.py   the page
"""

from pairwright.evaluate.certificate.certificate import Certificate, compare_scorers

__all__ = ["Certificate", "compare_scorers"]
