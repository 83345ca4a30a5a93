"""How probable it is that a label is wrong, by the votes of a study."""

from pairwright_human_eval.report.answers import abouts, answers_of, errors_by_pair
from pairwright_human_eval.subjects import outline_of
from small_studies import one, violate, votes


def errors(*choices: str) -> list[float | None]:
    """Of each pair, by the choices of annotators 1, 2, 3, ..."""
    pairs = [violate(n) for n in range(len(choices))]
    verdicts = [
        votes(pair, choice, annotator=f"annotator-{n:02}")[0]
        for pair, said in zip(pairs, choices, strict=True)
        for n, choice in enumerate(said, start=1)
    ]
    asked = abouts(outline_of(one(pair)) for pair in pairs)
    found = errors_by_pair(answers_of(asked, verdicts, frozenset()).counted(), asked)
    return [found.get(pair.id) for pair in pairs]


def test_a_label_is_probably_right_where_all_agree_and_wrong_where_all_say_the_other() -> None:
    """Or that there is no difference; nothing is known where nobody can tell."""
    for other in ("---", "==="):
        *agreed, against, unknown = errors(*["+++"] * 30, other, "???")
        assert max(error or 0 for error in agreed) < 0.01
        assert (against or 0) > 0.99
        assert unknown is None


def test_the_fit_knows_who_errs() -> None:
    """Annotators 1 and 2 always agree; 3 and 4 answer at random. Two against two, the careful ones
    are believed."""
    found = errors(*["++++", "++--", "+++-", "++-+"] * 10)
    assert max(error or 1 for error in found[1::4]) < 0.05
