"""How often the answers were looked at, and what the stopping rule said each time."""

from collections.abc import Iterator

from pairwright.report import Block, Table
from pairwright_human_eval.looks import Look, Looks, Outcome
from pairwright_human_eval.report.records import StudyReport


def looks_section(report: StudyReport) -> Iterator[Block]:
    """The looks, with the rule; nothing more where nobody has looked."""
    found = report.looks
    if found is None or not found.looks:
        yield "No vote is in: nobody has looked at the answers."
        return
    yield rule_text(found)
    yield Table(
        (
            "look", "votes in", "of all", "for the chosen, of all", "n", "dyads",
            "standard errors", "to the floor",
        ),
        tuple(
            (
                str(n), f"{look.votes:,}", f"{100 * look.information:.0f} %",
                f"{100 * look.share:.0f} %",
                f"{look.n:,}", f"{look.dyads:,}", f"{look.bound:.2f}", outcome_text(look),
            )
            for n, look in enumerate(found.looks, start=1)
        ),
        left=1,
        note=(
            "A share is above or below the floor if it is so many standard errors away: then all"
            " looks together are right in 95 % of studies (spending function of Lan and DeMets, of"
            " the kind of O'Brien and Fleming). Votes of excluded annotators are in, and do not"
            " count. The interval of the share is with the claims, as that of a single look."
        ),
    )  # fmt: skip


OUTCOMES: dict[Outcome, str] = {"above": "above", "below": "below", "open": "not settled"}


def outcome_text(look: Look) -> str:
    """Where the share lies to the floor, and whether the study may stop before its end."""
    stops = look.outcome != "open" and look.information < 1
    return f"{OUTCOMES[look.outcome]}{': may stop' if stops else ''}"


def rule_text(found: Looks) -> str:
    """How many looks were fixed, and how many there were."""
    made = len(found.looks)
    if found.rule is None:
        return f"No stopping rule was fixed at export. Looks at the answers: {made:,}."
    more = " There were MORE LOOKS THAN WERE FIXED." if found.too_many else ""
    return (
        f"Fixed at export: {found.rule.looks:,} in all, and a floor of"
        f" {100 * found.rule.floor:.0f} % of the votes for the chosen response. Looks at the"
        f" answers: {made:,}.{more}"
    )
