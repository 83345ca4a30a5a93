"""Policy accuracy: does what reward-guided decoding adds up tell the response that fits its user?

readings.py   the scores that are compared: summed, and over the number of tokens
records.py    the records of the results
accuracy.py   a guided policy beside its parts, on the same pairs; tau over rewards
page.py       the report
"""
