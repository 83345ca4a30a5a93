"""What "verified" proves: how often the rule verifies planted faults, and refuses sound subjects.

Simulated studies (`planted_studies.py`) in which 0, 20 and 40 % of those who come do not read, with
readers as in `agreement.py` and noisier ones as in `simulated_ratings.py`. By fault and share of
non-readers: how many subjects, a twin counted as one, are verified, with 95 % Wilson intervals; of
sound ones also what each reason refuses. Then twins of which one half, or both, have no signal: the
default rule and others, with the votes that each takes; and placebos of which one half has a signal
that some of the people see. Then what other limits would do.

    .venv/bin/python benchmarks/verified.py [SUBJECTS]
    .venv/bin/python benchmarks/verified.py small > small_studies.toml

The second form gives `human_eval/small_studies.toml`: what studies of a few people verify.
The last line has shares over all three shares of non-readers, of readers as in `agreement.py` and,
under `noisy`, of the others. `decision_error` is that of `agreement.py`: of pairs decided by votes
alone, those whose decision is not the truth. `false_verified_no_signal` is the share of twins with
one half without signal that are verified, where all read and nobody says that they cannot tell;
`true_twins_verified` that of sound twins, which take `votes_a_pair`. `false_verified_placebo` is
the share of placebos with a signal in one half that half of the people see, and
`true_verified_placebo` that of sound ones, of people who say that there is no difference where they
see none.
"""

import json
import sys
from collections import Counter

from agreement import decision_error
from planted_studies import (
    CHECKS,
    FAULTS,
    NO_SIGNAL,
    NOISY,
    RULES,
    STEADY,
    Fault,
    Noise,
    Study,
    decided,
)

from pairwright.estimate import Estimate, share
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import nonreader_pass
from pairwright_human_eval.small_study import FILE, SIMULATED, SmallStudy

NONREADERS = (0.0, 0.2, 0.4)
NOISES = {"as in agreement.py": STEADY, "as in simulated_ratings.py": NOISY}
OTHER_LIMITS = (
    {"quality_gap": 1.0}, {"quality_gap": 2.0}, {"delivered": 0.5}, {"contradicted": 0.3}
)  # fmt: skip
"""In place of the default ones, one after the other."""
UNDECIDED = (0.0, 0.2, 0.5)
"""Shares of votes without a signal that say so."""
SEEN, LEANING = (1.0, 0.5, 0.25), (0.0, 0.1, 0.2)
"""Shares of people who see the signal of a placebo, and of votes for a response without one."""
OTHER_RULES = (
    {"votes": 3, "rule": "majority", "further": 1}, {"votes": 3, "further": None},
    {"votes": 4, "further": None}, {"votes": 5, "rule": "majority"}, {"votes": 5, "further": 2},
)  # fmt: skip
"""In place of the default one."""


def main(subjects: int) -> None:
    steady, noisy = (figures(name, noise, subjects) for name, noise in NOISES.items())
    for name, noise in NOISES.items():
        print(f"\nother limits, all read, readers {name}")
        for limits in OTHER_LIMITS:
            rules = HumanRules.model_validate(limits)
            study = Study(noise, rules=rules)
            found = {kind: verified(kind, study, subjects) for kind in ("", *FAULTS)}
            print(f"  {limits}")
            for kind, count in found.items():
                print(f"    {kind or 'sound':20} verified {count}")
    passing = nonreader_pass(CHECKS, RULES.attention_floor)
    print(f"\na non-reader passes {CHECKS} checks at the floor in {100 * passing:.2f} % (exact)")
    steady |= {"nonreader_pass": round(passing, 4), "decision_error": decision_error(1000)}
    steady |= no_signal(STEADY, subjects) | placebos(STEADY, subjects)
    noisy |= no_signal(NOISY, subjects) | placebos(NOISY, subjects)
    print(json.dumps({**steady, "noisy": noisy}))


MOST_PEOPLE = {"twins": 10, "pairs": 6}
"""Who are more do a whole study."""


def small_studies() -> str:
    """What studies of a few people verify, as `human_eval/small_studies.toml` has it."""
    head = FILE.read_text(encoding="utf-8").partition("\n[")[0]
    lines = [head.rstrip()]
    for what, most in MOST_PEOPLE.items():
        lines.append(f"\n[{what}]")
        halves = 2 if what == "twins" else 1
        for people in range(2, most + 1):
            votes = min(RULES.votes, people // halves)
            few = SmallStudy(
                votes=votes, rubric_votes=people - halves * votes, sound=(0, 0), no_signal=0
            )
            studies = [
                Study(noise, checks=0, rules=few.rule(RULES), twins=halves == 2, overlap=0)
                for noise in NOISES.values()
            ]
            sound = [verified("", study, SIMULATED).k for study in studies]
            coin = verified(NO_SIGNAL[0], studies[0], SIMULATED).k
            lines.append(
                f"{people} = {{ votes = {votes}, rubric_votes = {few.rubric_votes},"
                f" sound = {sound}, no_signal = {coin} }}"
            )
    return "\n".join(lines)


def no_signal(noise: Noise, subjects: int) -> dict[str, float]:
    """Print what the default rule and others verify of twins without signal, and of sound ones."""
    print(f"\ntwins, all read, readers {noise}")
    of_default: dict[str, float] = {}
    for other in ({}, *OTHER_RULES):
        rules = HumanRules.model_validate(other)
        print(f"  {other or 'the default rule'}")
        for undecided in UNDECIDED:
            study = Study(noise, rules=rules, undecided=undecided)
            for kind in NO_SIGNAL:
                found = verified(kind, study, subjects)
                print(f"    {kind:20} {undecided:4.0%} say so: verified {found.counted()}")
                if not other and not undecided and kind == NO_SIGNAL[0]:
                    of_default["false_verified_no_signal"] = rounded(found)
        sound = list(decided("", subjects, Study(noise, rules=rules, twins=True), seed=1))
        votes = sum(one.votes for one in sound) / (2 * subjects)
        found = share(sum(one.decision.state == "verified" for one in sound), subjects)
        print(f"    sound: verified {found.counted()}; {votes:.2f} votes a pair")
        if not other:
            of_default |= {"true_twins_verified": rounded(found), "votes_a_pair": round(votes, 2)}
    return of_default


def placebos(noise: Noise, subjects: int) -> dict[str, float]:
    """Print what the default rule and others verify of placebos with and without a signal."""
    print(f"\nplacebos, all read, readers {noise}")
    of_default: dict[str, float] = {}
    for other in ({}, *OTHER_RULES):
        study = Study(noise, rules=HumanRules.model_validate(other), placebos=True)
        print(f"  {other or 'the default rule'}")
        for seen in SEEN:
            found = verified("half with signal", study._replace(seen=seen), subjects)
            print(f"    one half has a signal that {seen:4.0%} see: verified {found.counted()}")
            if not other and seen == SEEN[1]:
                of_default["false_verified_placebo"] = rounded(found)
        for leaning in LEANING:
            found = verified("", study._replace(leaning=leaning), subjects)
            print(f"    sound, {leaning:4.0%} of the votes lean: verified {found.counted()}")
            if not other and not leaning:
                of_default["true_verified_placebo"] = rounded(found)
    return of_default


def figures(name: str, noise: Noise, subjects: int) -> dict[str, float]:
    """Print one level of noise, and give the shares that are verified."""
    print(f"\nreaders {name}: {noise}")
    faulty, sound = Counter[str](), Counter[str]()
    for nonreaders in NONREADERS:
        for kind in ("", *FAULTS):
            found = verified(kind, Study(noise, nonreaders), subjects, reasons=not kind)
            print(f"  {kind or 'sound':20} {nonreaders:4.0%} verified {found.counted()}")
            (faulty if kind else sound).update({"k": found.k, "n": found.n})
    false, true = (share(counts["k"], counts["n"]) for counts in (faulty, sound))
    print(f"  all with a planted fault verified: {false}")
    print(f"  all sound ones verified:           {true}")
    return {"false_verified": rounded(false), "true_verified": rounded(true)}


def verified(kind: Fault, study: Study, subjects: int, *, reasons: bool = False) -> Estimate:
    """How many are verified; prints how many have which reason not to be, where asked for."""
    decisions = [one.decision for one in decided(kind, subjects, study, seed=1)]
    if reasons:
        counts = Counter(reason for decision in decisions for reason in decision.reasons)
        for reason, n in counts.most_common():
            print(f"      {reason:40} {share(n, subjects).counted()}")
    return share(sum(decision.state == "verified" for decision in decisions), subjects)


def rounded(found: Estimate) -> float:
    return round(found.value or 0.0, 4)


if __name__ == "__main__":
    if sys.argv[1:] == ["small"]:
        print(small_studies())
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
