"""What a judge's free text says.

marks.py       the result that it marks as one, and whose words a sentence is
sentences.py   what its sentences say of the two responses
reader.py      its verdict, or its score
"""

from pairwright.evaluate.replies.reader import read_rating, read_verdict
from pairwright.evaluate.replies.sentences import Verdict

__all__ = ["Verdict", "read_rating", "read_verdict"]
