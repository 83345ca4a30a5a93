"""What a judge's free text says: verdicts and scores that are there, and none that is not."""

import time

import pytest

from judge_replies import FREE_TEXT, SCORES_IN_TEXT
from pairwright.evaluate.replies.reader import read_rating, read_verdict
from pairwright.models import Unread

VERDICTS = {
    # Marked by a word
    "Result: A": "A",
    "Result: Answer B": "B",
    "Result: the first response": "A",
    "**Result: B**": "B",
    "Winner = B": "B",
    "Result:\n\nResponse B": "B",
    "Reasoning: Answer A is good.\nResult: B.": "B",
    "Verdict: B - it fits the person": "B",
    "Result: B because A ignores the posts": "B",
    "Result: A (slightly)": "A",
    "Result: A is better, B is wrong": "A",
    "Result: A. No padding, and kind.": "A",
    "Result: Response A is better than Response B.": "A",
    "Verdict: A is close but B is better": "B",
    "Result: B. A is more concise, but wrong.": "B",
    "the result: a tie ... Result: B": "B",
    "Result: A\nOn second thought.\nResult: B": "B",
    # Marked by brackets, tags or JSON
    "[[A]]": "A",
    "I looked at both. [[B]]": "B",
    "\\boxed{B}": "B",
    "Final answer: \\boxed{\\text{B}}": "B",
    "<verdict>B</verdict>": "B",
    '{"reason": "x", "verdict": "B", "sure": 1}': "B",
    'Sure!\n```json\n{"reason": "Result: A is what I", "verdict": "B"}\n```': "B",
    'Here: {"verdict": "A"} no, wait: {"verdict": "B"}': "B",
    '{"Verdict": "b"}': "B",
    '{"preferred_response": "Response A"}': "A",
    '{"reason": "he said "yes"", "verdict": "B"}': "B",
    '{"reason": "x", "verdict": "B"}\nThank you.': "B",
    # The verdict alone
    "B": "B",
    "b.": "B",
    "[B]": "B",
    "<B>": "B",
    "(B)": "B",
    "**B**": "B",
    "Response B": "B",
    "Response 2": "B",
    "Assistant B": "B",
    "Output (a)": "A",
    "Output (b)\n": "B",
    "### Verdict\nB": "B",
    "Output (b)\n\nOutput (b) is the better output because it does not ramble": "B",
    # Said in a sentence
    "Therefore, Output (a) is better.": "A",
    "Output (a) is clear. Output (b) is wrong. Therefore, Output (b) is better.": "B",
    "I prefer response B over response A.": "B",
    "The better response is B.": "B",
    "Response A\nGood.\nResponse B\nBad.\nOutput (a) is better.": "A",
    # A tie that is said
    "tie": "tie",
    "A tie": "tie",
    "It's a tie.": "tie",
    "Result: draw": "tie",
    "Result: A tie between A and B": "tie",
    "Result: tie, because both serve her equally": "tie",
    "Result: Both are equal": "tie",
    "Both responses are equally good.": "tie",
    "Output (a) and Output (b) are equally good": "tie",
}
NO_VERDICTS = [
    "",
    "  \n",
    "both",
    "Both",
    "neither",
    "Neither A nor B",
    "Neither is better.",
    "a tie: A",
    "Tie: A",
    "Tie, but A is slightly better",
    "Result: It is not a tie",
    "Both responses are good.",
    "A or B",
    "A/B",
    "A and B",
    "A, B",
    "Result: A or B",
    "Result: Response A, Response B",
    "Result: B. A",
    "Result: B is not as good as A",
    '{"score_A": 3, "score_B": 5}',
    "Result: A is not better",
    "Result: not A",
    "Result: A\nResult: unclear",
    "Result: 2",
    "Result:",
    "Response A: It is good. Response B: bad",
    "Answer A: good. Answer B: bad.",
    "B\n\nResponse A is better.",
    "Response A is better in tone.",
    "Response A would be better if it were shorter.",
    "The better answer is a mix of both.",
    "I cannot decide.",
    "As an AI, I would rather not choose.",
    "I don't think response A is better.",
    "I don\u2019t think response A is better.",
    "I wouldn't pick A",
    "I can't say B is better",
    "Result: I didn't choose B",
    "No one would say A wins",
    "It is false that B is better",
    "I refuse to pick A",
    "Verdict: A. Actually B.",
    "Verdict: Tie? No, A",
    "Verdict: B, no wait, A",
    "Verdict: first, both are bad",
    "Result: Second, I must say that neither fits",
    '{"reason": "The verdict: A would be unf',
    '```json\n{"reason": "verdict: A", "verd',
    '{"reason": "x", "verdict": "A"',
    '{"reason": "Response A is better"}',
    '{"reason": "Response A is better',
    '{"reason": "Response A is better. It',
    '{"verdict": null}',
    '{"verdict": ["A", "B"]}',
    '{"verdict": "C"}',
    "Résultat : la réponse B",
    "A" * 5000,
]


@pytest.mark.parametrize(
    ("text", "verdict"), [pytest.param(*of, id=of[0]) for of in VERDICTS.items()]
)
def test_a_verdict_is_read_as_it_is_said(text: str, verdict: str) -> None:
    assert read_verdict(text) == verdict


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=text[:40] or "empty") for text in NO_VERDICTS]
)
def test_what_is_no_verdict_is_neither_a_default_nor_a_tie(text: str) -> None:
    found = read_verdict(text)
    assert isinstance(found, Unread)
    assert " ".join(text.split())[:40] in found.why


@pytest.mark.parametrize(
    ("text", "verdict"), [pytest.param(*of, id=of[0][:60]) for of in FREE_TEXT.items()]
)
def test_free_text_is_read_as_a_careful_reader_would(text: str, verdict: str | None) -> None:
    found = read_verdict(text)
    assert (None if isinstance(found, Unread) else found) == verdict


@pytest.mark.parametrize(
    ("text", "score"), [pytest.param(*of, id=of[0][:60]) for of in SCORES_IN_TEXT.items()]
)
def test_a_score_in_free_text_is_the_judges_own(text: str, score: int | None) -> None:
    found = read_rating(text)
    assert (None if isinstance(found, Unread) else found) == score


SCORES = {
    "7": 7,
    "7.": 7,
    "10": 10,
    "7/10": 7,
    "[[7]]": 7,
    "\\boxed{7}": 7,
    "Score: 7": 7,
    "**Score:** 9": 9,
    "Rating: 7/10": 7,
    "Score: 7 - fits well": 7,
    "Score: 7. It fits": 7,
    "Score: 7, because 3 posts": 7,
    "Score: 7 (3 of 4 aspects)": 7,
    "Score: 7/10 (fits 2 of 3)": 7,
    "Score: 3\nScore: 8": 8,
    "I would give it 7 out of 10.": 7,
    "<score>4</score>": 4,
    '{"reason": "a", "score": 7, "more": 1}': 7,
    'Well: {"reason": "3/10", "score": 9} there.': 9,
}
NO_SCORES = [
    "", "0", "11", "20", "-3", "8.5", "8/5", "8/100", "80%", "7-8", "1e1", "[2, 2, 2]",
    "Score: 0", "Score: 20", "Score: -3", "Score: 8.5", "Score: 8,5", "Score: 8/5", "Score: 80%",
    "Score: 7 or 8", "Score: 7 to 8", "Score: 7-8", "Score: [2, 2, 2]", "Score: 100/10",
    "Score: seven", "Score:", "7/10 and 8/10", "There are 3 posts.", '{"score": 7.5}',
    "Score: 4 of 5", "Score: 4 stars out of 5", "Score: 4 (out of 5)", "Score: 7, maybe 8",
    "Score: 7 (or 8)", "Score: 7 and 8", "Score: 7~8", "Score: 7 \u2192 8", "Score: 8\u00bd",
    "Score: 3:5", "Score: 3; 5", "Score: 5e1", "Score: 7 percent", '{"reason": "score: 3 would b',
    '{"score": true}', '{"score": NaN}', '{"score": [7]}', "Score: nan",
]  # fmt: skip


@pytest.mark.parametrize(("text", "score"), [pytest.param(*of, id=of[0]) for of in SCORES.items()])
def test_a_score_is_read_as_it_is_said(text: str, score: int) -> None:
    assert read_rating(text) == score


@pytest.mark.parametrize("text", [pytest.param(text, id=text or "empty") for text in NO_SCORES])
def test_what_is_no_whole_number_from_1_to_10_is_no_score(text: str) -> None:
    assert isinstance(read_rating(text), Unread)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{" * 20_000, id="braces"),
        pytest.param('{"a":' * 5_000, id="nested objects"),
        pytest.param("Result: " * 5_000, id="marks"),
        pytest.param("the response " * 5_000, id="names"),
        pytest.param("[[" * 10_000, id="brackets"),
        pytest.param("\\boxed{" * 5_000, id="boxes"),
        pytest.param("<answer>" * 5_000, id="tags"),
        pytest.param("clearly " * 10_000, id="adverbs"),
        pytest.param("but " * 10_000, id="turns"),
        pytest.param("although, " * 10_000, id="concessions"),
        pytest.param("response a, however, " * 5_000, id="insertions"),
        pytest.param("some people " * 5_000, id="others"),
        pytest.param("score of " * 5_000, id="scores"),
        pytest.param("[[A]]\n" * 5_000 + "[[B]] [[A]]", id="choices"),
    ],
)
def test_a_hostile_reply_is_read_in_no_time(text: str) -> None:
    started = time.process_time()
    assert isinstance(read_verdict(text), Unread)
    assert isinstance(read_rating(text), Unread)
    assert time.process_time() - started < 2
