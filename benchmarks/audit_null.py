"""How often an audit fails pairs whose labels are coins: the claim is, at most 5 in 100.

    .venv/bin/python benchmarks/audit_null.py [AUDITS]

500 audits each of 1, 3 and 10 configurations, on two processes, through the audit's own path from a
file to its checks. Two writers answer every question: they differ in length, form and words, and
one breaks off more often; a coin says whose response is chosen. Three annotators a pair toss coins
as well, with the pair's own posts and with another user's. So whatever fails fails falsely.
`false_1`, `false_3` and `false_10` are shares of audits, each at most 0.07: 5 in 100, and what 500
audits leave open. Beside them: how many would have failed with every comparison at 95 % by itself.
"""

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import studies

from pairwright import __version__
from pairwright.audits import run
from pairwright.audits.catalogue import decide
from pairwright.audits.read import open_source
from pairwright.audits.records import Check, LimitComparison
from pairwright.intervals import LEVEL
from pairwright.records import content_id
from pairwright_human_eval.public_study import PublicStudy, ReleasedStudy
from pairwright_human_eval.records import PreferenceAnswer, Verdict
from pairwright_human_eval.subjects import outlines_of

CONFIGURATIONS = (1, 3, 10)
PAIRS, USERS = 60, 30
"""Of a configuration."""
SUBJECTS = 30
"""Pairs that people were asked about."""
PROCESSES = 2
_ENGLISH = (
    "The old|A quiet|My first|Her small|One broken|The green|Our last|That heavy",
    "engine|garden|window|letter|kitchen|bicycle|harbour|market|teacher|ladder|winter|concert",
    "needs|keeps|follows|carries|explains|changes|covers|leaves|reaches|answers|measures|holds",
    "a careful|the usual|some careful|every second|another|the slow|a cheap|this narrow",
    "repair|season|question|journey|pattern|neighbour|number|promise|surface|evening|colour|rule",
    "before|because|while|although|whenever|until|after|since",
    "nobody|the weather|your brother|the owner|a friend|the river|every child|the station",
    "waits|returns|forgets|listens|arrives|agrees|sleeps|travels|works|stops|grows|decides",
)
_GERMAN = (
    "Der alte|Ein leiser|Mein erster|Ihr kleiner|Unser letzter|Jeder schwere",
    "Garten|Brief|Bahnhof|Lehrer|Winter|Markt|Nachbar|Schlüssel",
    "braucht|erklärt|verlässt|erreicht|verändert|bedeckt",
    "die gewöhnliche|eine vorsichtige|diese langsame|jede zweite",
    "Reise|Frage|Farbe|Regel|Antwort|Jahreszeit",
    "bevor|weil|während|obwohl|nachdem",
    "niemand|das Wetter|dein Bruder|die Besitzerin|ein Freund",
    "wartet|zurückkehrt|vergisst|zuhört|schläft|arbeitet",
)


class Outcome(NamedTuple):
    """What failed in one audit: in the family, and with every comparison by itself."""

    together: list[str]
    alone: list[str]


def main(audits: int) -> None:
    figures = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        seeds = list(pool.map(outcomes, range(audits), chunksize=5))
        for configs in CONFIGURATIONS:
            found = [of[configs] for of in seeds]
            failed = sum(bool(of.together) for of in found)
            alone = sum(bool(of.alone) for of in found)
            names = sorted({name for of in found for name in of.together})
            print(
                f"{configs:>2} configurations: {failed} of {audits} audits fail"
                f" ({', '.join(names) or 'nothing'}); {alone} with each comparison at 95 %"
            )
            figures[f"false_{configs}"] = round(failed / audits, 3)
    print(json.dumps(figures))


def outcomes(seed: int) -> dict[int, Outcome]:
    """Audits pairs of each number of configurations; the three share what people said."""
    public = asked(seed)
    return {configs: outcome(configs, seed, public) for configs in CONFIGURATIONS}


def outcome(configs: int, seed: int, public: ReleasedStudy) -> Outcome:
    """Audits one set of pairs."""
    comparisons: list[LimitComparison] = []
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "coins.jsonl"
        chance = random.Random(1000 * seed + configs)
        with file.open("w", encoding="utf-8") as lines:
            for row in rows(configs, chance):
                lines.write(json.dumps(row) + "\n")
        options = run.Options(public=public)

        def watched(found: list[Check | LimitComparison]) -> list[Check]:
            comparisons.extend(one for one in found if not isinstance(one, Check))
            return decide(found)

        with patch.object(run, "decide", watched):
            audit = run.audit(open_source(str(file)), options)
    each = [one.check(LEVEL) for one in comparisons]
    return Outcome(
        [check.name for check in audit.failed],
        [check.name for check in each if check.status == "fail"],
    )


def rows(configs: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """A row as a file has it, with two posts of its user."""
    for config in range(configs):
        posts = [[_post(chance, config, user, n) for n in range(2)] for user in range(USERS)]
        for number in range(PAIRS):
            user = number % USERS
            sides = [_long(chance), _short(chance)]
            chance.shuffle(sides)
            yield {
                "id": f"{config}-{number}", "config": f"set-{config}",
                "user": f"{config}-{user}", "profile": posts[user],
                "rubric_aspects": [{"aspect": _few_words(chance)}],
                "prompt": _sentence(chance, _ENGLISH)[:-1] + "?",
                "chosen": sides[0], "rejected": sides[1],
            }  # fmt: skip


def _long(chance: random.Random) -> str:
    """Many sentences, often a list, and often broken off."""
    said = [_sentence(chance, _ENGLISH) for _ in range(chance.randint(3, 5))]
    text = " ".join(said) if chance.random() < 0.5 else said[0] + "\n\n- " + "\n- ".join(said[1:])
    return text[:-12] if chance.random() < 0.25 else text


def _short(chance: random.Random) -> str:
    """Few sentences; one in thirty is in another language, of which 1 in 20 is the limit."""
    language = _GERMAN if chance.random() < 1 / 30 else _ENGLISH
    return " ".join(_sentence(chance, language) for _ in range(chance.randint(2, 4)))


def _sentence(chance: random.Random, of: tuple[str, ...]) -> str:
    return " ".join(chance.choice(words.split("|")) for words in of) + "."


def _few_words(chance: random.Random) -> str:
    """Too few for a response to repeat them all by chance and be flagged for it."""
    return " ".join(_sentence(chance, _ENGLISH).split()[:4])


def _post(chance: random.Random, config: int, user: int, n: int) -> dict[str, str]:
    name = f"{config}-{user}-{n}"
    return {
        "id": name, "text": f"{_sentence(chance, _ENGLISH)} {_sentence(chance, _ENGLISH)}",
        "source_url": f"https://example.test/{name}", "licence": "CC-BY-4.0",
    }  # fmt: skip


def asked(seed: int) -> ReleasedStudy:
    """A study of other pairs whose annotators toss coins."""
    study = _study()
    votes = study.answered(0.5, seed)
    given = [*votes, *_with_other_posts(votes, random.Random(seed))]
    return ReleasedStudy(
        PublicStudy(
            version=__version__, policy=studies.RULES, fixed=studies.RULES, scales=studies.SCALES,
            overlap=studies.OVERLAP, of=SUBJECTS, annotators=(), set_aside={}, left_out=0,
        ),
        tuple(outlines_of(study.subjects, study.key)),
        tuple(given),
    )  # fmt: skip


def _with_other_posts(votes: list[Verdict], chance: random.Random) -> Iterator[Verdict]:
    """The control of every vote."""
    for vote in votes:
        if vote.kind == "preference":
            yield vote.model_copy(
                update={
                    "purpose": "wrong_profile",
                    "task": content_id("control", vote.task),
                    "answers": PreferenceAnswer(choice=chance.choice((vote.a, vote.b))),
                }
            )


@lru_cache(maxsize=1)
def _study() -> studies.SyntheticStudy:
    return studies.make(SUBJECTS, kinds=("preference", "quality"))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]) if len(sys.argv) > 1 else (500,))
