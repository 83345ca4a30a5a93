"""For the real tier: what people answer, and how they tick it, without the code that reads it."""

from pydantic import JsonValue

from label_studio_server import scales, ticked
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    AspectAnswer,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
)

Answers = QualityAnswers | PreferenceAnswer | RubricAnswers
Given = dict[str, Answers | None]
"""By task; None for a skip."""

OPTIONS = {
    "preference": ("A", "B", EQUAL, CANNOT_TELL),
    "support": ("clearly", "plausibly", "no", "contradicted"),
    "delivered": ("A", "B", BOTH, NEITHER, CANNOT_TELL),
}
"""By the start of a question's name: what it can be answered, in the order of the forms."""
SCORES = ("1", "2", "3", "4", "5", "cannot_judge")


def opinion(row: KeyedTask) -> Answers:
    """Mostly for the chosen response, which is well; one in eight of each other answer.

    In the second round, where A is the better one half of the time: A.
    """
    turn = int(row.task[-4:], 16) % 8
    right, wrong = (row.a, row.b) if row.expected == "A" else (row.b, row.a)
    match row.kind:
        case "preference":
            others = (CANNOT_TELL, EQUAL, wrong)
            plain = row.purpose != "vote" or turn >= len(others)
            if row.round == 2:
                return PreferenceAnswer(choice=row.a)
            return PreferenceAnswer(choice=right if plain else others[turn])
        case "quality":
            scores: dict[str, dict[str, int | None]] = {
                row.a: {scale.name: 4 for scale in scales()},
                row.b: {scale.name: 5 for scale in scales()},
            }
            if row.round == 1 and turn < 2:
                scores[row.a][scales()[0].name] = (None, 2)[turn]
            return QualityAnswers(scores=scores)
        case "rubric":
            delivered = (right, BOTH, NEITHER, CANNOT_TELL)
            return RubricAnswers(
                aspects=tuple(
                    AspectAnswer(
                        aspect=aspect,
                        support="no" if turn == 0 else "clearly" if n % 2 else "plausibly",
                        delivered=delivered[(turn + n) % len(delivered)],
                    )
                    for n, aspect in enumerate(row.aspects)
                )
            )


def ticks(row: KeyedTask, answers: Answers) -> list[tuple[str, int]]:
    """By the name of each question, in the order of the form: which of its options."""
    place = {row.a: "A", row.b: "B"}
    match answers:
        case PreferenceAnswer(choice=choice):
            said = [("preference", place.get(choice, choice))]
        case QualityAnswers(scores=scores):
            said = [
                (f"{scale.name}_{place[response].lower()}", str(score or "cannot_judge"))
                for scale in scales()
                for response in (row.a, row.b)
                for score in [scores[response][scale.name]]
            ]
        case RubricAnswers(aspects=aspects):
            said = [
                (f"{name}_{n}", value)
                for n, of in enumerate(aspects)
                for name, value in (
                    ("support", of.support),
                    ("delivered", place.get(of.delivered, of.delivered)),
                )
            ]
    return [(name, _options(name).index(value)) for name, value in said]


def result(row: KeyedTask, answers: Answers, comment: str) -> list[JsonValue]:
    """As the page would send it."""
    given = [ticked(name, _options(name)[n]) for name, n in ticks(row, answers)]
    if comment:
        told: JsonValue = {"text": [comment]}
        written = {"from_name": "comment", "to_name": "Question", "type": "textarea"}
        given.append({**written, "value": told})
    return given


def _options(name: str) -> tuple[str, ...]:
    return OPTIONS.get(name.split("_")[0], SCORES)
