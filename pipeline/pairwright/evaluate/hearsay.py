"""Whose words a judge's sentence is: its own, or somebody else's that it only reports.

A judge that writes "The previous judge said A is better" or "At first glance, A is better" has not
said yet what it finds. Such words never count as its verdict or its score.
"""

import re

_WHO = (
    r"(?:judge|judges|reviewer|reviewers|evaluator|evaluators|annotator|annotators|rater|raters"
    r"|critic|critics|grader|graders|reader|readers|person|people|assistant|model|opinion|verdict)"
)
_SAYS = (
    r"(?:say|says|said|claim|claims|claimed|argue|argues|argued|state|states|stated|think|thinks"
    r"|thought|believe|believes|believed|write|writes|wrote|suggest|suggests|suggested|report"
    r"|reports|reported|vote|votes|voted|prefer|prefers|preferred|choose|chooses|chose|pick|picks"
    r"|picked|find|finds|found|rate|rates|rated|give|gives|gave|lean|leans|leaned)"
)
_HEARSAY = re.compile(
    # The judge before this one, and what it thought.
    rf"\b(?:previous|prior|earlier|other|another|different|last|second) {_WHO}\b"
    # Somebody who is not "I" says it: "the user says", "some people would prefer". "Prefer" and
    # its like are what the asker does, too, so those need a crowd before them.
    r"|\b(?:he|she|they|it|user|asker|author|judge|reviewer|evaluator|annotator|rater|critic)"
    r"(?: \w+)? (?:says|said|claims|claimed|argues|argued|states|stated|thinks|thought|believes"
    r"|believed|writes|wrote|suggests|suggested|voted)\b"
    rf"|\b(?:some|many|most|others|people|one|readers|users)(?: \w+)?"
    rf" (?:might|could|may|would|will)(?: \w+)? {_SAYS}\b"
    rf"|\b(?:some|many|most|others|people|readers|users)(?: {_WHO})? {_SAYS}\b"
    r"|\baccording to\b|\bis said\b|\b(?:tempting|easy) to\b"
    # What was found before, in another order or round.
    r"|\b(?:previous|last|earlier|other) (?:round|turn|comparison|order)\b|\blast time\b"
    # A first impression, or an impression only.
    r"|\bat (?:a )?first\b|\bat a glance\b|\binitial(?:ly)?\b|\bon the (?:surface|face of it)\b"
    r"|\bsuperficially\b|\bfirst (?:impression|thought|instinct|reaction)\b|\bpreliminary\b"
    r"|\b(?:might|may|could) (?:be|seem|appear|look)\b|\bat first sight\b|\bprima facie\b"
)
_OF_OTHERS = re.compile(
    r"\b(?:initial|preliminary|tentative|provisional) *$"
    rf"|\b(?:previous|prior|earlier|other|another|different|their|his|her|your)(?: {_WHO}(?: ?s)?)?"
    rf"(?: \w+)? *$|\b{_WHO} (?:\d+|one|two|three)(?: ?s)? *$"
)


def hearsay(clause: str) -> bool:
    """Whether a clause reports what somebody else finds, or a first impression. The clause is lower
    case and has no apostrophes or quotes."""
    return _HEARSAY.search(clause) is not None


def of_others(before: str) -> bool:
    """Whether what stands before a word such as "verdict" says that it is somebody else's, or not
    the last one."""
    plain = re.sub(r"[^\w\s]", " ", before.lower())
    return _OF_OTHERS.search(" ".join(plain.split())[-80:]) is not None
