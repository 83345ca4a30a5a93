"""Checks that compare rows: ids, labels, the sides of twins, splits and users.

The limit on a user's share is 5 %, or three equal shares if there are fewer than 60 users: of 20
users, one with 2 pairs while the others have 1 is not a finding.
"""

from typing import Any

import pandas as pd

from pairwright.audits.checks import Found, table_check
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check
from pairwright.modes import halves_of

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
    details: dict[int, str] = {}
    for name in reversed(who):
        own = table[table[name].notna()]
        first = own.groupby(name)["split"].transform("first")
        apart = first != own["split"]
        details |= _by_row("in " + own["split"][apart] + ", and in " + first[apart])
    return Found(int(table[who].notna().any(axis=1).sum()), details)


@table_check
def profile_empty(facts: Facts) -> Found:
    """Rows without posts, if other rows have some or a build made them."""
    lacking = facts.table["posts"] == 0
    if lacking.all() and not facts.built:
        return Found()
    return Found(len(lacking), dict.fromkeys(lacking.index[lacking], "no posts"))


MAX_SHARE = 0.05
MIN_USERS = 20
"""With fewer users, the share of one is not compared with a limit."""


@table_check
def user_dominates(facts: Facts) -> Check | None:
    """The share of the user with the most pairs."""
    table = facts.table[facts.table["user"].notna()]
    counts = table["user"].value_counts()
    pairs, users = len(table), len(counts)
    if users < MIN_USERS:
        return None
    count, limit = int(counts.iloc[0]), max(MAX_SHARE, 3 / users)
    most = min(counts.index[counts == count])
    over = count / pairs > limit
    return Check(
        family="balance", name="user_dominates", status="fail" if over else "pass", count=count,
        of=pairs, limit=round(limit, 6),
        detail=f"{count:,} of {pairs:,} pairs are of {most}; {users:,} users",
        flags=(facts.flag(table.index[table["user"] == most][0]),) if over else (),
    )  # fmt: skip
