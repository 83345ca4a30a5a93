"""The gate on echo: do both responses of a twin repeat the words of their own aspects equally?

Where one repeats its aspects and the other puts them in other words, a scorer that counts words is
right on the one half whatever it understands, and wrong on the other.
"""

from pairwright import text
from pairwright.gates.results import gate_result
from pairwright.gates.writing import DraftSides
from pairwright.records import GateResult
from pairwright.settings.rules import GateRules, TwinRules


def check_echo(sides: DraftSides, twin: TwinRules, rules: GateRules) -> GateResult:
    """`echo_gap` of a twin's draft, whose rubrics are those of its first and its second response.

    The response of the higher echo is at fault. Where an aspect has no word that the question
    lacks, nothing is measured, and the gate passes.
    """
    first, second = (
        text.echo(response, (one.aspect for one in rubric.aspects), sides.question, sides.language)
        for response, rubric in zip(sides.both, sides.rubrics, strict=True)
    )
    if first is None or second is None:
        return gate_result(rules, "echo_gap", (False, False), None, twin.echo_gap)
    gap = round(abs(first - second), 3)
    over = gap > twin.echo_gap
    faults = over and first > second, over and second > first
    return gate_result(rules, "echo_gap", faults, gap, twin.echo_gap)
