"""Policy accuracy: does what reward-guided decoding adds up tell the response that fits its user?

accuracy.py   a guided policy beside its parts, on the same pairs; tau over rewards
page.py       the report
"""
