"""The certificate: whether generated twins rank scorers as people's own choices do.

certificate.py   compares the scorers on both, and says how many scorers it takes
sentences.py     what may be said, and what a reader must know
report_page.py   the page
"""
