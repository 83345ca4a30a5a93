"""What a judge's free text says: verdicts and scores that are there, and none that is not."""

import time

import pytest

from pairwright.evaluation.scorers.judges import read_rating, read_verdict
from pairwright.models import Unread

VERDICTS = {
    "A": (
        "Result: A", "Result: the first response", "[[A]]",
        '{"preferred_response": "Response A"}', "Output (a)", "The final answer is: Response A",
        "[[A>B]]", "[[A>>B]]", "A > B", "[[A]] if A is better, [[B]] if B is better\n\n[[A]]",
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
    ),
    "tie": (
        "tie", "A tie", "Result: draw", "[[A=B]]", "[[C]]", "My final verdict is: [[C]]",
    ),
}  # fmt: skip
NO_VERDICTS = [
    "", "  \n", "both", "Both", "neither", "Neither A nor B", "Neither is better.", "a tie: A",
    "Tie: A", "Tie, but A is slightly better", "Result: It is not a tie",
    "Both responses are good.", "A or B", "A/B", "A and B", "A, B", "Result: A or B",
    "Result: Response A, Response B", "Result: B. A", "Result: B is not as good as A",
    '{"score_A": 3, "score_B": 5}', "Result: A is not better", "Result: not A",
    "Result: A\nResult: unclear", "Result: 2", "Result:",
    "Response A: It is good. Response B: bad", "Answer A: good. Answer B: bad.",
    "B\n\nResponse A is better.", "Response A is better in tone.",
    "Response A would be better if it were shorter.", "The better answer is a mix of both.",
    "I cannot decide.", "As an AI, I would rather not choose.",
    "I don't think response A is better.", "I don\u2019t think response A is better.",
    "I wouldn't pick A", "I can't say B is better", "Result: I didn't choose B",
    "No one would say A wins", "It is false that B is better", "I refuse to pick A",
    "Verdict: A. Actually B.", "Verdict: Tie? No, A", "Verdict: B, no wait, A",
    "Verdict: first, both are bad", "Result: Second, I must say that neither fits",
    '{"reason": "The verdict: A would be unf', '```json\n{"reason": "verdict: A", "verd',
    '{"reason": "x", "verdict": "A"', '{"reason": "Response A is better"}',
    '{"reason": "Response A is better', '{"reason": "Response A is better. It',
    '{"verdict": null}', '{"verdict": ["A", "B"]}', '{"verdict": "C"}', "Résultat : la réponse B",
    # Sentences, however clear they are
    "Verdict: A. On reflection, B.",
    "Response A is better than Response B in every way except for this user.",
    "Response A is better than nothing.", "Verdict: A. It is shorter.",
    "Verdict: B - it fits the person", "Result: A (slightly)", "Result: A is better, B is wrong",
    "Verdict: A is close but B is better", "Therefore, Output (a) is better.",
    "I prefer response B over response A.", "Both responses are equally good.", "It's a tie.",
    "Thus: A.", "Response A gets my vote.", "Although A is longer, B is better.",
    "At first glance, A is better. However, on a closer look B is better.",
    "The previous judge said A is better, but I prefer B.",
    # A result that is not at the end
    "Output (b)\n\nOutput (b) is the better output because it does not ramble",
    "Verdict: B\nBecause it needs no oven. Therefore, response B is better.",
    "Verdict: A\n\nOn second thought, B is better.",
    "[[A]]\n\nHaving read it all again, response B is better.",
    '{"reason": "x", "verdict": "B"}\nThank you.',
    # Somebody else's
    "The previous judge's verdict: A", "The previous judge's verdict is [[A]]",
    "Initial verdict: A", "> Verdict: A",
    # Marks that name none, or several
    "My verdict is not [[A]]", "[[A]] if A is better, [[B]] if B is better, [[C]] for a tie",
    "I may answer [[A]] or [[B]].", "[[A>A]]", "Verdict: C", "\\boxed{C}", "Verdict: A - B - tie",
    '{"verdict": "A", "winner": "B"}', '{"reason": "he said "yes"", "verdict": "B"}',
    # Headings
    "## Response A\nSound.\n## Response B", "Response A:\nSound.\nResponse B:", "\u274c A",
    "A" * 5000,
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
    "", "0", "11", "20", "-3", "8.5", "8/5", "8/100", "80%", "7-8", "1e1", "[2, 2, 2]",
    "Score: 0", "Score: 20", "Score: -3", "Score: 8.5", "Score: 8,5", "Score: 8/5", "Score: 80%",
    "Score: 7 or 8", "Score: 7 to 8", "Score: 7-8", "Score: [2, 2, 2]", "Score: 100/10",
    "Score: seven", "Score:", "7/10 and 8/10", "There are 3 posts.", '{"score": 7.5}',
    "Score: 4 of 5", "Score: 4 stars out of 5", "Score: 4 (out of 5)", "Score: 7, maybe 8",
    "Score: 7 (or 8)", "Score: 7 and 8", "Score: 7~8", "Score: 7 \u2192 8", "Score: 8\u00bd",
    "Score: 3:5", "Score: 3; 5", "Score: 5e1", "Score: 7 percent", '{"reason": "score: 3 would b',
    '{"score": true}', '{"score": NaN}', '{"score": [7]}', "Score: nan",
    "Score: 7 - fits well", "Score: 7. It fits", "Score: 7 (3 of 4 aspects)", "The score is 8.5.",
    "I would give it 7 out of 10.", 'Well: {"reason": "3/10", "score": 9} there.',
    "I give this response a score of 6.", "The score is 8, and not 9.", "Score: 8\nOr 6.",
    "The previous judge gave it 9/10.", "The previous judge's score: 9", "Score (out of 5): 4",
    "It serves 3 out of 10 wishes.", "8 out of 10, or maybe 9.", "I'd give it a 7.", "Score\n80%",
]  # fmt: skip


def test_a_score_is_read_as_it_is_said() -> None:
    assert {text: read_rating(text) for text in SCORES} == SCORES
    assert [text for text in NO_SCORES if not isinstance(read_rating(text), Unread)] == []


HOSTILE = {
    "braces": "{" * 10_000,
    "nested objects": '{"a":' * 2_500,
    "marks": "Result: " * 2_500,
    "names": "the response " * 2_500,
    "brackets": "[[" * 5_000,
    "boxes": "\\boxed{" * 2_500,
    "tags": "<answer>" * 2_500,
    "an end": '{"a": [' * 2_500 + "}",
    "lines": "\n" * 25_000 + "my ",
    "scores": "score of " * 2_500,
    "choices": "[[A]]\n" * 2_500 + "[[B]] [[A]]" * 2_500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_in_no_time(text: str) -> None:
    """Where the time grows with the square of the length, twice as much has four times this."""
    started = time.process_time()
    assert isinstance(read_verdict(text), Unread)
    assert isinstance(read_rating(text), Unread)
    assert time.process_time() - started < 1
