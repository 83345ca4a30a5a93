"""The certificate: whether generated twins rank scorers as people's own choices do.

certificate.py   compares the scorers on both, and says how many scorers it takes
page.py          the page
"""
