"""The audit's part on people: what the rows say about persons."""

import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from audited import checks_of, line
from pairwright.audits.personal_data import KINDS, PersonalData, find, mask
from pairwright.audits.records import Check, Redaction
from pairwright.pairs import Row, RowAspect, RowPost
from pairwright.settings.rules import ReleaseInfo

MAIL = "jane.doe@mail.kitchen.org"
# In two parts, so that nobody who searches this repository for keys finds one.
KEYS = [
    "AKIA" + "Q3EGRT7ZLPX2MVN8", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc", "glpat-" + "aB3dE6gH9jK2mN5pQ8sT",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3",
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKC\nAQEA7x1\n-----END RSA PRIVATE KEY-----",
    "123456789:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    "postgres://admin:" + "S3cr3tPassw0rd@db.kitchen.org/x",
]  # fmt: skip
SITE = "https://coffee.stackexchange.com/q/{}"


def post(words: str = "I own a kettle.", number: int = 1, **changes: Any) -> RowPost:
    fields: dict[str, Any] = {
        "id": f"p{number}", "created": "2015-01-01T00:00:00", "source_url": SITE.format(number),
        "licence": "CC-BY-SA-3.0",
    }  # fmt: skip
    return RowPost(text=words, **{**fields, **changes})


def row(id: str = "r1", **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "question": "Which kettle?", "profile": (post(),), "chosen": "A small one.",
        "rejected": "A large one.", "domain": "Home", "category": "cooking", "user": "user-1",
    }  # fmt: skip
    return Row(id=id, **{**fields, **changes})


def only(rows: Iterable[Row], name: str, **stated: str) -> Check:
    (check,) = checks_of(rows, "people", name=name, info=ReleaseInfo(**stated))
    return check


def redactions(rows: Iterable[Row]) -> list[Redaction]:
    data = PersonalData()
    for n, given in enumerate(rows):
        data.add(n, line(given))
    return [*data.redactions()]


# What is found

FOUND = {
    "secret": KEYS,
    "national_id": [
        "123-45-6789", "12345678Z", "X1234567L", "111.444.777-35", "RSSMRA85T10A562S",
        "811228-9874",
    ],
    "email": [
        MAIL, "Write to <j+list@uni-bonn.de>, please.", "\u8054\u7cfbfoo@bar.com",
        "jane\uff20gmail.com", "jane%40gmail.com", "jane@m\u00fcnchen.de",
    ],
    "phone": ["+44 20 7946 0958", "+49 30 901820", "+49-30-901820", "(212) 867-5309",
              "1-212-867-5309"],
    "account": ["4539 1488 0343 6467", "5500-0000-0000-0004", "378282246310005",
                "DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
    "public_name": [
        "https://movies.stackexchange.com/users/123/jane", "http://example.org/~jane",
        "twitter.com/jane", "https://x.com/jane/status/12", "https://mastodon.social/@jane",
        "https://linkedin.com/in/jane-doe", "@jane_doe thanks", "as /u/jane said", "(@jane)",
    ],
}  # fmt: skip
CLEAN = {
    "secret": ["a key: middle-of-the-road-sentence", "ghp_short1", "password: hunter2",
               "-----BEGIN CERTIFICATE-----", "https://x.org/hf_1"],
    "national_id": ["000-12-3456", "123-00-4567", "2003-04-2005", "12345678A", "111.444.777-36",
                    "20240131"],
    "email": ["user@example.com", "a@b.test", "root@localhost", "logo@2x.png",
              "git@github.com:a/b.git", "left-pad@1.3.0", "5 @ $2.com", "noreply@shop.com"],
    "phone": ["from 1999 to 2003", "2013-04-05 12:30", "$1,234,567.89", "ISBN 978-0-306-40615-7",
              "1.2.3.4", "3.14159265358979", "S01E02 2014", "9780306406157"],
    "account": ["4539 1488 0343 6468", "0000 0000 0000 0000", "DE89 3704 0044 0532 0130 01",
                "IT IS 1234 5678 9012 3456"],
    "public_name": ["https://movies.stackexchange.com/questions/123/x", "and/or /users",
                    "https://github.com/numpy/numpy", "https://twitter.com/search?q=x",
                    "https://site.org/user-guide", "@media(print)", "a@b", "5 @ 3", "@@jane"],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_personal_data_are_found_and_what_only_looks_like_it_is_let_be(kind: str) -> None:
    for words in FOUND[kind]:
        for given in (words, f"So, {words} it is.", f"Line\n{words}\nline"):
            assert [one.kind for one in find(given)] == [kind], given
    for words in CLEAN[kind]:
        for given in (words, f"So. {words}"):
            assert kind not in {one.kind for one in find(given)}, given


def test_places_are_exact_and_nothing_overlaps() -> None:
    words = f"\U0001f600 Ask {MAIL}, @jane or +44 20 7946 0958; see https://twitter.com/jane."
    found = find(words)
    assert [words[one.start : one.end] for one in found] == [
        MAIL, "@jane", "+44 20 7946 0958", "https://twitter.com/jane."
    ]  # fmt: skip
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_mask_keeps_the_form_and_nothing_else() -> None:
    words = f"Ask {MAIL} today"
    (one,) = find(words)
    assert mask(words, one) == "j***.***@****.*******.***"
    for given in [w for ws in FOUND.values() for w in ws]:
        for one in find(given):
            assert sum(c.isalnum() for c in mask(given, one)) <= 1


# Rows


def test_every_text_of_a_row_is_scanned_and_shown_masked() -> None:
    aspect = RowAspect(aspect=f"Asks {MAIL}", reason=f"As {MAIL} said", evidence=f"{MAIL}")
    given = row(
        question=f"Is {MAIL} right?", narrative=f"{MAIL}!", chosen=f"No, {MAIL}.",
        rejected=f"Yes, {MAIL}", profile=(post(), post(f"I am {MAIL}", 2)),
        rubric_aspects=(aspect,),
    )  # fmt: skip
    log = redactions([given])
    assert [(one.field, one.post) for one in log] == [
        ("question", ""), ("narrative", ""), ("chosen", ""), ("rejected", ""),
        ("profile[1].text", "p2"), ("rubric_aspects[0].aspect", ""),
        ("rubric_aspects[0].reason", ""), ("rubric_aspects[0].evidence", ""),
    ]  # fmt: skip
    assert "jane" not in f"{log} {only([given], 'email')}"


def test_a_post_of_many_rows_is_logged_once_with_how_many_hold_it() -> None:
    shared = post(f"Mail me: {MAIL}")
    rows = [row(f"r{n}", profile=(post("Nothing.", 5), shared)) for n in range(4)]
    assert redactions([row("clean"), *rows]) == [
        Redaction(
            row="r0", field="profile[1].text", post="p1", kind="email", start=9,
            end=len(shared.text), masked="j***.***@****.*******.***", rows=4,
        )
    ]  # fmt: skip
    check = only([row("clean"), *rows], "email")
    assert [flag.row for flag in check.flags] == ["r0", "r1", "r2", "r3"]


def test_addresses_that_the_licence_asks_for_are_no_findings() -> None:
    given = row(
        source_url="https://movies.stackexchange.com/users/1/jane", created="2015-01-01",
        licence="CC-BY-SA-3.0", profile=(post(source_url="https://twitter.com/jane"),),
    )  # fmt: skip
    assert redactions([given]) == []


BOMBS = [
    "a@", "1-", "1 ", "+1 ", "a.", "@a", "0 ", "http://", "www.", "u/", "1.", ":", "(1",
    "DE89 3704 ", "4539 ", "A0", "\U0001f600", "a@b.", "00", "12-", "/users/1", "twitter.com/",
    "@a.b", "%", "+(1)", "aaaa", "-----BEGIN " + "PRIVATE KEY-----", "eyJ", "eyJ.eyJ", "Ab",
    "123-45-", "\n", "SG.",
]  # fmt: skip


def test_no_pattern_runs_away() -> None:
    for bomb in BOMBS:
        many = bomb * (20_000 // len(bomb))
        for words in (many, f"{many}@x.", f"{bomb} " * 9):
            start = time.process_time()
            find(words)
            assert time.process_time() - start < 0.5, bomb


# Licences


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"licence": None}, "fail", "post 2 states no licence"),
        ({"licence": "Apache-2.0"}, "fail", "post 2 states Apache-2.0, its date gives CC-BY-SA-3"),
        ({"licence": "Apache-2.0", "source_url": None}, "pass", ""),
        ({"licence": "MIT", "source_url": "https://blog.org/1"}, "pass", ""),
        ({"licence": "MIT", "source_url": None}, "pass", ""),
        ({"licence": "MIT", "source_url": "n/a"}, "fail", "post 2 gives n/a as its address"),
        ({"licence": None, "source_url": None}, "fail", "post 2 states no licence"),
        ({"source_url": None}, "fail",
         "post 2 states CC-BY-SA-3.0, which asks for attribution, and has no address"),
        ({"licence": "CC-BY-SA-3.0", "created": None}, "pass", ""),
    ],
)  # fmt: skip
def test_a_post_without_licence_is_found(changes: dict[str, Any], status: str, said: str) -> None:
    check = only([row(profile=(post(), post(number=2, **changes)))], "licence")
    assert (check.status, check.count) == (status, 1 if said else 0)
    assert not said or check.flags[0].detail.startswith(said)


def test_where_nothing_is_stated_of_other_peoples_posts_nothing_is_decided() -> None:
    bare = (post(licence=None, source_url=None),)
    rows = [row(profile=bare), row("r2", profile=bare)]
    check = only(rows, "licence")
    assert (check.status, check.of, check.detail) == (
        "note", 0, "no row states a licence or an address"
    )  # fmt: skip
    for more in (post(), post(licence="CC-BY-4.0", source_url=None), post(licence=None)):
        assert only([*rows, row("r3", profile=(more,))], "licence").status == "fail"
    ours = only([of.model_copy(update={"mode": "natural"}) for of in rows], "licence")
    assert (ours.status, ours.count) == ("fail", 2)


@pytest.mark.parametrize(("licence", "status"), [("CC-BY-4.0", "pass"), (None, "fail")])
def test_a_stated_attribution_stands_in_for_addresses(licence: str | None, status: str) -> None:
    of = row(profile=(post(licence=licence, source_url=None),), mode="natural")
    assert only([of], "licence", attribution="By the makers.").status == status
    assert only([of], "licence").status == "fail"
