"""Checks that compare rows: ids, labels, the sides of twins, splits, users, and what people said.

The limit on a user's share is 5 %, or three equal shares if there are fewer than 60 users: of 20
users, one with 2 pairs while the others have 1 is not a finding.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from pairwright.audits.catalogue import Found, table_check
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check, Flag
from pairwright.modes import halves_of, label_of
from pairwright.text import number_of

# Ids and labels


@table_check
def duplicate_id(facts: Facts) -> Found:
    """Rows with the id of an earlier row."""
    again = facts.table.index[facts.table["id"].duplicated()]
    return Found(len(facts.table), dict.fromkeys(again, "an earlier row has this id"))


@table_check
def contradiction(facts: Facts) -> Found:
    """The same sides for the same question and user, with opposite labels; without a user, for the
    same question and profile."""
    return _labelled_before(facts, same=False)


@table_check
def duplicate_pair(facts: Facts) -> Found:
    """The same with the same label."""
    return _labelled_before(facts, same=True)


def _labelled_before(facts: Facts, *, same: bool) -> Found:
    table = facts.table[facts.table["better"] != facts.table["worse"]]
    first = table.groupby("pair")[["better", "id"]].transform("first")
    again = table["pair"].duplicated() & ((table["better"] == first["better"]) == same)
    said = "the same as " if same else "the opposite of "
    return Found(len(facts.table), _by_row(said + first["id"][again]))


def _by_row(details: "pd.Series[Any]") -> dict[int, str]:
    """Details by the number of their row."""
    return dict(zip(details.index.tolist(), details.astype(str).tolist(), strict=True))


# Twins


@table_check
def twin_not_whole(facts: Facts) -> Found:
    """Two sides, on one question, with swapped labels, of different users, one of whom asked."""
    table = facts.table
    twice = [mode for mode in table["mode"].dropna().unique() if halves_of(mode) == 2]
    nameless = table["mode"][table["twin"].isna() & table["mode"].isin(twice)]
    halves = table[table["twin"].notna()]
    place = halves.groupby("twin").cumcount()
    details = _by_row("a row of mode " + nameless + " without a twin's id")
    details |= _by_row("a third side of " + halves["twin"][place > 1])
    columns = ["config", "asked", "user", "question", "chosen", "rejected"]
    one, other = (
        halves[place == n].reset_index().set_index("twin")[["index", *columns]] for n in (0, 1)
    )
    lost = one["index"][~one.index.isin(other.index)].tolist()
    details |= dict.fromkeys(lost, "its other side is not there")
    both = one.add_suffix("_1").join(other.add_suffix("_2"), how="inner")
    mirrored = (both.chosen_1 == both.rejected_2) & (both.rejected_1 == both.chosen_2)
    wrong = pd.Series("", both.index)
    # The first that holds is said: later lines overwrite earlier ones.
    asked = both.asked_2.map({True: "the users of both sides asked the question",
                              False: "the user of neither side asked"})  # fmt: skip
    wrong = wrong.mask(both.asked_1 == both.asked_2, asked)
    alike = both.user_2.isna() | (both.user_1 == both.user_2)
    wrong = wrong.mask(alike, "the sides do not name two different users")
    wrong = wrong.mask(~mirrored, "the sides do not have the two responses swapped")
    places = "the sides are in " + both.config_1 + " and " + both.config_2
    wrong = wrong.mask(both.config_1 != both.config_2, places)
    wrong = wrong.mask(both.question_1 != both.question_2, "the sides are of different questions")
    for name in ("index_1", "index_2"):
        details |= dict(zip(both[name][wrong != ""], wrong[wrong != ""], strict=True))
    return Found(len(halves) + len(nameless), details)


# Splits and users


@table_check
def people_across_splits(facts: Facts) -> Found:
    """A user, or the two of a twin, whose rows are in two splits."""
    table, who = facts.table[facts.table["split"] != ""], ["user", "dyad", "twin"]
    first = pd.DataFrame(
        {name: table["split"].groupby(table[name]).transform("first") for name in who}
    )
    elsewhere = first.where(first.ne(table["split"], axis=0) & table[who].notna())
    other = elsewhere.bfill(axis=1).iloc[:, 0].dropna()
    details = _by_row("in " + table["split"][other.index] + ", and in " + other)
    return Found(int(table[who].notna().any(axis=1).sum()), details)


@table_check
def profile_empty(facts: Facts) -> Found:
    """Rows without posts, if other rows have some or a build made them."""
    lacking = facts.table["posts"] == 0
    if lacking.all() and not facts.built:
        return Found()
    return Found(len(lacking), dict.fromkeys(lacking.index[lacking], "no posts"))


@table_check
def repeated_prompts(facts: Facts) -> Found:
    """Prompts that come again in rows without users. Pairs that one row of a file holds are of one
    item, and repeat nothing."""
    table = facts.table[facts.table["user"].isna()]
    first = table.groupby("prompt")[["item", "id"]].transform("first")
    again = first["id"][first["item"] != table["item"]]
    note = f"{table['prompt'].nunique():,} different prompts"
    return Found(len(table), _by_row("the prompt of " + again), note=note)


MAX_SHARE = 0.05
MIN_USERS = 20
"""With fewer users, the share of one is not compared with a limit."""


def user_dominates(facts: Facts) -> Iterator[Check]:
    """The share of the user with the most pairs."""
    table = facts.table[facts.table["user"].notna()]
    if table.empty:
        return
    counts = table["user"].value_counts()
    pairs, count, users = len(table), int(counts.iloc[0]), len(counts)
    most = min(counts.index[counts == count])
    limit, few = max(MAX_SHARE, 3 / users), users < MIN_USERS
    over = not few and count / pairs > limit
    first = table.index[table["user"] == most][0]
    yield Check(
        family="balance",
        name="user_dominates",
        status="note" if few else "fail" if over else "pass",
        count=count,
        of=pairs,
        limit=None if few else round(limit, 6),
        detail=f"{count:,} of {pairs:,} pairs are of {most}; {users:,} users"
        + (", too few for a limit" if few else ""),
        flags=(Flag(row=facts.ids[first], where=facts.places[first]),) if over else (),
    )


# What people said


@table_check
def not_verified(facts: Facts) -> Found:
    """Pairs that people answered and the rule of the study did not verify."""
    decisions = facts.public.decisions if facts.public else {}
    reasons = {
        subject: f"{decision.state}: {'; '.join(decision.reasons)}"
        for subject, decision in decisions.items()
        if decision.state != "verified"
    }
    details = _by_row(facts.table["subject"].map(reasons).dropna())
    return Found(len(facts.table) if facts.public else 0, details)


def human_checks(facts: Facts) -> Iterator[Check]:
    """The number of verified pairs, and the votes for the chosen response."""
    table, why = facts.table, ""
    if all(label_of(mode) == "given" for mode in table["mode"].unique()):
        why = "nobody was asked: the labels are the users' own choices"
    elif facts.public is None:
        why = "nobody was asked"
    elif simulated := simulated_decisions(facts):
        pairs = number_of(int(table["subject"].map(simulated).fillna(0).sum()), "pair")
        why = f"{pairs} verified by simulated annotators, which verifies nothing"
    verified = int(table["verified"].sum())
    yield Check(
        family="human", name="verified", status="note", count=verified, of=len(table), detail=why
    )
    if facts.public is None:
        return
    votes, status = facts.public.findings.preferred, "too_few"
    # Whether the interval of the votes lies above or below 50 %.
    if votes.low is not None and votes.high is not None and not votes.low <= 0.5 <= votes.high:
        status = "pass" if votes.low > 0.5 else "fail"
    yield Check.model_validate(
        {"family": "human", "name": "preferred", "status": status, "found": votes, "of": votes.n,
         "limit": 0.5, "detail": votes.note}
    )  # fmt: skip


def simulated_decisions(facts: Facts) -> dict[str, bool]:
    """Pairs and twins, by id, that simulated annotators decided on, and whether they verified
    them."""
    decisions = facts.public.decisions if facts.public else {}
    return {
        subject: decision.state == "verified"
        for subject, decision in decisions.items()
        if decision.simulated
    }
