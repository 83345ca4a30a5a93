"""What a judge's free text says: verdicts and scores that are there, and none that is not."""

import time

import pytest

from pairwright.evaluation.scorers.judges import read_rating, read_verdict
from pairwright.manner import is_choice_text
from pairwright.models import Unread

VERDICTS = {
    "A": (
        "Result: A", "Result: the first response", "[[A]]",
        '{"preferred_response": "Response A"}', "Output (a)", "The final answer is: Response A",
        "[[A>B]]", "[[A>>B]]", "A > B",
        "Both are sound, and A is kinder. Final verdict: [[A]]: Assistant A is slightly better.",
        "My final verdict is: Assistant A is significantly better: [[A>>B]]",
        "Assistant B does not answer the question, so the winner is [[A]].",
    ),
    "B": (
        "Result: Answer B", "**Result: B**", "Winner = B", "Result:\n\nResponse B",
        "Reasoning: Answer A is good.\nResult: B.", "Result: A\nOn second thought.\nResult: B",
        "I looked at both. [[B]]", "\\boxed{B}", "Final answer: \\boxed{\\text{B}}",
        "<verdict>B</verdict>", '{"reason": "x", "verdict": "B", "sure": 1}',
        'Sure!\n```json\n{"reason": "Result: A is what I", "verdict": "B"}\n```',
        'Here: {"verdict": "A"} no, wait: {"verdict": "B"}', '{"Verdict": "b"}', "B", "b.", "[B]",
        "(B)", "**B**", "Response B", "Response 2", "Assistant B", "Output (b)\n",
        "### Verdict\nB", "The better response is B.",
        "The previous judge's verdict: A\nMy verdict: B", "Initial verdict: A\nFinal verdict: B",
        "My verdict is: B.", "My verdict is B.", "[[B>A]]", "[[A<B]]",
        "My final verdict is: [[B>>A]]", "Verdict: B > A",
        "Assistant B is slightly better [[B>A]]", "The second response is better, thus [[B]]",
    ),
    "tie": (
        "tie", "A tie", "Result: draw", "[[A=B]]", "[[C]]", "My final verdict is: [[C]]",
        "Both help. My final verdict is: Tie [[A=B]]", "Final verdict: [[C]] for a tie.",
        "It is hard to choose between the two: [[C]]", "They are equal. [[A=B]] (tie)",
    ),
}  # fmt: skip
NO_VERDICTS = [
    "", "both", "Neither A nor B", "a tie: A", "Tie, but A is slightly better", "A or B", "A, B",
    "Result: A or B", "Result: B. A", "Result: B is not as good as A", "Result: not A",
    '{"score_A": 3, "score_B": 5}', "Result: A\nResult: unclear", "Result: 2", "Result:",
    "Answer A: good. Answer B: bad.", "B\n\nResponse A is better.", "I cannot decide.",
    "I don\u2019t think response A is better.", "It is false that B is better",
    "Verdict: A. Actually B.", "Verdict: B, no wait, A", '{"reason": "The verdict: A would be unf',
    '```json\n{"reason": "verdict: A", "verd', '{"reason": "x", "verdict": "A"',
    '{"verdict": null}', '{"verdict": ["A", "B"]}', '{"verdict": "C"}',
    # Sentences, however clear they are
    "Response A is better than nothing.", "Verdict: A. It is shorter.", "Result: A (slightly)",
    "Verdict: A is close but B is better", "I prefer response B over response A.", "It's a tie.",
    "At first glance, A is better. However, on a closer look B is better.",
    # A result that is not at the end
    "Verdict: B\nBecause it needs no oven. Therefore, response B is better.",
    "[[A]]\n\nHaving read it all again, response B is better.",
    '{"reason": "x", "verdict": "B"}\nThank you.',
    # Somebody else's
    "The previous judge's verdict: A", "Initial verdict: A", "> Verdict: A",
    # Marks that name none, or several
    "[[A]] if A is better, [[B]] if B is better\n\n[[A]]",
    "First [[A]], but on a closer look [[B]]",
    "[[A]]? No, B is better.", "I would say [[A]]", "If form counted: [[A]]", "[[A>B]] for a tie",
    "Assistant B is slightly better [[A>B]]", "At first [[A]].", "I cannot quite say [[B]]",
    "My verdict is not [[A]]", "I may answer [[A]] or [[B]].", "[[A>A]]", "Verdict: C",
    '{"verdict": "A", "winner": "B"}', '{"reason": "he said "yes"", "verdict": "B"}',
    # Headings
    "## Response A\nSound.\n## Response B", "Response A:\nSound.\nResponse B:", "A" * 5000,
]  # fmt: skip


def test_a_verdict_is_read_as_it_is_said_and_neither_a_default_nor_a_tie() -> None:
    for text in NO_VERDICTS:
        found = read_verdict(text)
        assert isinstance(found, Unread), text
        assert " ".join(text.split())[:40] in found.why
    for verdict, texts in VERDICTS.items():
        assert {text: read_verdict(text) for text in texts} == dict.fromkeys(texts, verdict)


SCORES = {
    "7": 7, "7.": 7, "10": 10, "7/10": 7, "[[7]]": 7, "\\boxed{7}": 7, "Score: 7": 7,
    "**Score:** 9": 9, "Rating: 7/10": 7, "Score: 3\nScore: 8": 8, "<score>4</score>": 4,
    '{"reason": "a", "score": 7, "more": 1}': 7, "The score is 8.": 8, "My rating is: 7": 7,
    "The final score is **4**.": 4, "The previous judge's score: 9\nMy score: 6": 6,
    "### Score\n\n6": 6, "Final Score\n**8/10**": 8,
}  # fmt: skip
NO_SCORES = [
    "", "0", "11", "-3", "8.5", "8/5", "80%", "7-8", "1e1", "[2, 2, 2]", "Score: 20", "Score: 8,5",
    "Score: 7 or 8", "Score: 100/10", "Score: seven", "Score:", "7/10 and 8/10", '{"score": 7.5}',
    "Score: 4 of 5", "Score: 4 (out of 5)", "Score: 7 \u2192 8", "Score: 8\u00bd", "Score: 3; 5",
    '{"reason": "score: 3 would b', '{"score": true}', '{"score": NaN}', '{"score": [7]}',
    "Score: 7. It fits", "I would give it 7 out of 10.", "Score: 8\nOr 6.",
    "The previous judge's score: 9", "Score (out of 5): 4", "It serves 3 out of 10 wishes.",
]  # fmt: skip


def test_a_score_is_read_as_it_is_said() -> None:
    assert {text: read_rating(text) for text in SCORES} == SCORES
    assert [text for text in NO_SCORES if not isinstance(read_rating(text), Unread)] == []


HOSTILE = {
    "braces": "{" * 10_000,
    "nested objects": '{"a":' * 2_500,
    "marks": "Result: " * 2_500,
    "brackets": "[[" * 5_000,
    "boxes": "\\boxed{" * 2_500,
    "an end": '{"a": [' * 2_500 + "}",
    "lines": "\n" * 25_000 + "my ",
    "scores": "score of " * 2_500,
    "earlier choices": 'Asked "' + '", chose:\n' * 25_000,
    "choices": "[[A]]\n" * 2_500 + "[[B]] [[A]]" * 2_500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_in_no_time(text: str) -> None:
    """Where the time grows with the square of the length, twice as much has four times this."""
    started = time.process_time()
    assert isinstance(read_verdict(text), Unread)
    assert isinstance(read_rating(text), Unread)
    assert not is_choice_text(text)
    assert time.process_time() - started < 1
