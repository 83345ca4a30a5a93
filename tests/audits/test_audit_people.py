"""The audit's part on people: what the rows say about persons."""

import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from audited import checks_of
from pairwright.audits.catalogue import names_of
from pairwright.audits.people import people_checks
from pairwright.audits.people.names import mask
from pairwright.audits.people.scan import KINDS as DATA_KINDS
from pairwright.audits.people.scan import MOST_FINDINGS, PersonalData, find
from pairwright.audits.records import Check, Redaction
from pairwright.dataset import Row, RowAspect, RowPost
from pairwright.dataset.address import ForgetList, url_name

KINDS = [kind.name for kind in DATA_KINDS]
FAILS = {kind.name for kind in DATA_KINDS if kind.fails}

MAIL = "jane.doe@mail.test.org"
# In two parts, so that nobody who searches this repository for keys finds one.
KEYS = [
    "sk-" + "abcdEFGH1234ijklMNOP5678", "sk-" + "proj-aB3dE6gH9jK2mN5pQ8sT",
    "AKIA" + "Q3EGRT7ZLPX2MVN8",
    "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "hf_" + "qWeRtYuIoPaSdFgHjKlZ12",
    "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc", "AIza" + "SyD9tK3mX7vQ2wE5rT8yU1iO4pA6sD0fG",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3",
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKC\nAQEA7x1\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----", "api_key = 'a1b2c3d4e5" + "f6g7h8i9j0k1'",
    "123456789:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "dop_v1_" + "0123456789abcdef" * 4,
    "postgres://admin:" + "S3cr3tPassw0rd@db.test.org/x", "glpat-" + "aB3dE6gH9jK2mN5pQ8sT",
    "key-" + "3a06b1cd29ef6fd54bc3730aefbd2e10",
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


class Searched(NamedTuple):
    """The checks on some rows, and what is to be redacted in them."""

    checks: list[Check]
    redactions: list[Redaction]


def part(
    rows: Iterable[Row], forgotten: ForgetList | None = None, name: str = "", **options: bool
) -> Searched:
    data = PersonalData()
    checks = checks_of(people_checks(data, forgotten, **options), rows, name)
    return Searched(checks, [*data.redactions()])


def only(rows: Iterable[Row], name: str, forgotten: ForgetList | None = None) -> Check:
    (check,) = part(rows, forgotten, name).checks
    return check


# What is found

FOUND = {
    "secret": KEYS,
    "national_id": [
        "123-45-6789", "SSN: 123 45 6789", "social security number is 219-09-9999", "AB123456C",
        "AB 12 34 56 C", "my PESEL is 44051401359", "12345678Z", "X1234567L", "111.444.777-35",
        "BSN: 123456782", "burgerservicenummer 1234.56.782", "my NHS number is 943 476 5919",
        "RSSMRA85T10A562S", "cpf 11144477735", "811228-9874",
    ],
    "address": [
        "742 Evergreen Terrace, Springfield, IL 62704", "12 Baker Street, London NW1 6XE",
        "I live at 12 Elm Street", "my address is 5 Oak Lane", "send it to 14 Rose Road",
        "35 Main St., Apt 4B, Portland, OR 97201", "ul. Mickiewicza 12/4, 00-001 Warszawa",
        "Lindenallee 12, 10115 Berlin", "ich wohne in der Lindenallee 5",
        "12 rue de la Paix, 75002 Paris", "Calle Mayor 5, 28013 Madrid", "P.O. Box 123",
        "9 Mill Lane, Leeds, England",
    ],
    "email": [
        "jane.doe@mail.test.org", "Write to <j+list@uni-bonn.de>, please.", "mailto:a_b@c.co.uk",
        "A.B@C.COM!", "联系foo@bar.com谢谢", "jane [at] gmail [dot] com", "jane(at)gmail.com",
        "jane dot doe? No: jane at gmail dot com", "x@1.io", "first%last@sub.sub.museum.travel",
        "jane\uff20gmail.com", "jane%40gmail.com", "jane@m\u00fcnchen.de",
        "jane@\u043f\u043e\u0447\u0442\u0430.\u0440\u0444", "jane@xn--mnchen-3ya.xn--p1ai",
    ],
    "phone": [
        "+1 555 867 5309", "+44 20 7946 0958", "+49 (0)30 901820", "+49-30-901820",
        "+4915112345678", "0049 30 901820", "(212) 867-5309", "212-867-5309", "212.867.5309",
        "1-212-867-5309", "020 7946 0958", "06 12 34 56 78", "0171 1234567", "(030) 901820 12",
        "030/90182012", "Call me: 867 5309", "my phone is 5558675309", "Tel.: 01234567",
        "WhatsApp 98765 43210", "ring me on 867-5309.", "00447911123456", "tel:+12128675309",
        "TEL:+49-30-901820",
    ],
    "card": [
        "4539 1488 0343 6467", "4539148803436467", "5500-0000-0000-0004", "378282246310005",
        "3782 822463 10005", "6011000990139424",
    ],
    "iban": [
        "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB82 WEST 1234 5698 7654 32",
        "(NL91ABNA0417164300)", "NO93 8601 1117 947", "de89370400440532013000",
        "de89 3704 0044 0532 0130 00",
    ],
    "ip": ["81.2.69.142", "at 8.8.4.4, I think", "2a00:1450:4001:81b::200e"],
    "profile_url": [
        "https://movies.stackexchange.com/users/123/jane", "http://example.org/~jane/cv.html",
        "https://twitter.com/jane", "twitter.com/jane", "www.instagram.com/jane.doe/",
        "https://github.com/jane", "https://x.com/jane/status/12", "https://reddit.com/u/jane",
        "reddit.com/user/jane", "https://mastodon.social/@jane", "https://linkedin.com/in/jane-doe",
        "https://jane.tumblr.com/post/1", "https://en.wikipedia.org/wiki/User:Jane",
        "(https://facebook.com/jane.doe.9)", "https://www.youtube.com/@jane",
    ],
    "handle": ["@jane_doe thanks", "thanks @Jane!", "as /u/jane said", "u/jane-doe", "(@jane)"],
    "stated_name": [
        "My name is Jane.", "my full name is Jane van Doe", "my name\u2019s Jean-Luc O'Hara",
        "I'm Anna Kowalska", "Hi, this is Anna", "I am Anna van der Berg,", "Hi, I'm Anna",
        "hello all, I am Jane.",
        "nazywam si\u0119 Anna Kowalska", "ich hei\u00dfe Anna", "Je m'appelle Jeanne",
    ],
}  # fmt: skip
CLEAN = {
    "secret": [
        "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-api-key-goes-here-please", 
        "sk-folding-cube-spinner",
        "a key: middle-of-the-road-sentence", "eyJ", "ghp_short1", "password: hunter2",
        "BEGIN PUBLIC KEY", "-----BEGIN CERTIFICATE-----", "the token is a word of the text",
        "task-1234567890abcdefghij", "https://x.org/hf_1",
    ],
    "national_id": [
        "000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "123 45 6789",
        "2003-04-2005", "123-45-67890", "1123-45-6789", "GB123456C", "AB123456E", "$123-45-6789",
        "social life of 12 people", "12345678A", "111.444.777-36", "811228-9873", "943 476 5919",
        "20240131", "the rest 10.12.2023",
    ],
    "address": [
        "21 Jump Street is a film", "84 Charing Cross Road, Rear Window", "10 Cloverfield Lane",
        "Matsuda et al. Figure 4", "12 Angry Men", "2 Fast 2 Furious in the Way", "5 Star Drive",
        "50 First Dates at the Court of 1999", "Chapter 3 Place 12", "Take 2 Park Street",
        "3.5 Mile Road, IL 62704", "15cm\u00b2", "$3700", "in the ring 12 of them", "Lebensweg 12",
    ],
    "email": [
        "user@example.com", "me@mail.example.org", "a@b.test", "root@localhost", "logo@2x.png",
        "git@github.com:a/b.git", "left-pad@1.3.0", "https://user@host.com/", "a@b", "5 @ $2.com",
        "Buy it at amazon.com", "look at the dot com bubble", "noreply@shop.com", "@media.com",
        "[a-z]+@shop.com", r"\w+@shop.com", r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$", ".@shop.com",
        r"[A-Z0-9._%+-]+@gmail.com", "[a-z0-9_.]+%40shop.com",
        "home dot com", "meet me at home dot com", "sold at amazon dot com", "jane%40example.com",
        "jane\uff20example.org",
    ],
    "phone": [
        "1999-2003", "from 1999 to 2003", "2007-2010 phone", "phone 2007-2010", "2013-04-05 12:30",
        "01/02/2003", "01-02-2003 10 20", "$1,234,567.89", "1,000,000 people", "+1000000000",
        "ISBN 978-0-306-40615-7", "ISBN: 0-306-40615-2", "ISBN-10 212-867-5309", "1.2.3.4",
        "10.0.19041.1234", "version 2.10.1234", "1080p 60 fps", "24 fps 1920x1080", "555-0123",
        "(212) 555-0123", "1-800-273-8255", "call 911", "phone 4 GB", "3.14159265358979",
        "mobile: 2,500,000", "12:34:56.789", "00:01:22,333 --> 00:01:25,000", "7 867 5309",
        "0.75 0.5", "+5 to +10", "#123456789", "1234567890", "S01E02 2014", "4 x 100000000",
        "-0171 1234567", "x+4915112345678", "2001 A Space Odyssey", "call me at 10 or 11",
        "9780306406157", "£0.50 0123", "15cm\u00b2", "$3700",
        "https://site.org/0171-1234567", "300-500-1000",
        "200-300-4000", "use 250-300-5000 rpm", "x:+4915112345678", "001234567",
    ],
    "card": [
        "4539 1488 0343 6468", "4000000000000000", "1234 5678 9012 3456", "9780306406157",
        "0000 0000 0000 0000", "$3700", "15cm\u00b2", "4539 14880343 6467",
        "3.1415926535897932", "1444444444444444",
    ],
    "iban": [
        "DE89 3704 0044 0532 0130 01", "de89370400440532013001", "AB12 CDEF",
        "IT IS 1234 5678 9012 3456", "XX00ABCDEFGHIJK",
    ],
    "ip": [
        "127.0.0.1", "192.168.1.1", "10.0.0.7", "203.0.113.9", "0.0.0.0", "255.255.255.255",
        "v1.2.3.4", "version 2.3.4.5", "1.2.3.4.5", "300.1.2.3", "::1", "fe80::1", "12:34:56",
        "std::vector::iterator", "a:b:c:d", "Section 4.3.2.1", "00:1A:2B:3C:4D:5E",
    ],
    "profile_url": [
        "https://movies.stackexchange.com/questions/123/x", "https://github.com/numpy/numpy",
        "https://twitter.com/search?q=x", "https://www.youtube.com/watch?v=x", "twitter.com",
        "https://en.wikipedia.org/wiki/Users", "https://site.org/user-guide", "I/O at x.com",
        "https://instagram.com/p/B1", "https://www.tumblr.com/tagged/x", "http://[broken/users/1",
        "https://github.com/features", "and/or /users", "http://site.org/users/",
    ],
    "handle": [
        "@Override", "@media print", "@article{jane,", "a@b", "5 @ 3", "@ home", "@home", "km/u/h",
        "@gmail.com", "@@jane", "\\@jane", "@import('x')", "u/s", "@1st", "user@host",
    ],
    "stated_name": [
        "My name is not known.", "Her name is Jane.", "The name is Bond.", "my name: x",
        "I'm Polish", "I am Iron Man", "I'm Not There", "I'm Sure He Will", '"I am Sam Spade"',
        "I'm German and tall", "Hi, I'm German.", "I'm Python",
        "This is The End", "This is Star Wars", "AM I Legend",
    ],
}  # fmt: skip


def test_every_kind_has_cases() -> None:
    assert set(FOUND) == set(CLEAN) == set(PLANTED) == set(KINDS)


@pytest.mark.parametrize("kind", FOUND)
def test_personal_data_are_found(kind: str) -> None:
    for words in FOUND[kind]:
        for given in (words, f"So, {words} it is.", f"Line\n{words}\nline"):
            assert [one.kind for one in find(given)] == [kind], given


@pytest.mark.parametrize("kind", CLEAN)
def test_what_only_looks_like_personal_data_is_let_be(kind: str) -> None:
    for words in CLEAN[kind]:
        for given in (words, f"So. {words}"):
            assert kind not in {one.kind for one in find(given)}, given


@pytest.mark.parametrize(
    "words",
    [
        "Use the small kettle.\n\nBest regards,\nAnna Kowalska", "It leaks. Thanks!\nAnna",
        "It leaks. Kind regards, Anna Kowalska", "It leaks.\n\n\u2014 Anna", 
        "It leaks.\n-- \nAnna K.",
        "It leaks.\nCheers,\n\nAnna\n", "Es tropft.\nViele Gr\u00fc\u00dfe\nAnna",
        "It leaks.\n~ Anna",
    ],
)  # fmt: skip
def test_the_name_that_a_text_is_signed_with_is_found(words: str) -> None:
    (one,) = find(words)
    assert one.kind == "stated_name"
    assert words[one.start : one.end].startswith("Anna")


@pytest.mark.parametrize(
    "words",
    [
        "It leaks.\n- Shower", "It leaks. Thanks, Jane!", "Thanks for all,\nit works", "Best,\nXX",
        "I love\nParis in spring, and so do all of us.", "Thanks\nEdit: it works now",
        "All the best",
        "It leaks.\n\nThanks everyone", "It leaks.\n\nThanks,\nEveryone", "Best\nregards",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_signature_is_let_be(words: str) -> None:
    assert find(words) == []


PLANTED = {
    "secret": KEYS[3], "iban": FOUND["iban"][0], "card": FOUND["card"][0], "email": MAIL,
    "national_id": "my social security number is 123-45-6789", "phone": FOUND["phone"][0],
    "profile_url": FOUND["profile_url"][1], "ip": FOUND["ip"][0], "handle": "@jane_doe",
    "address": "I live at 12 Elm Street, Springfield", "stated_name": "I'm Anna Kowalska",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_planted_in_few_rows_is_found_and_nothing_else(kind: str) -> None:
    """In each text of a row once. Contact and payment fail, and public names are told."""
    fields = ("question", "chosen", "rejected", "narrative", "post")
    rows = []
    for n in range(20):
        words = f"Kettle number {n} is of steel and holds a litre."
        changes: dict[str, Any] = {"chosen": words, "rejected": f"Take a pot, not {n} kettles."}
        if n < len(fields):
            field, told = fields[n], f"{words} By the way, {PLANTED[kind]}. It is red."
            changes |= {"profile": (post(told),)} if field == "post" else {field: told}
        rows.append(row(f"r{n}", **changes))
    checks = {check.name: check for check in part(rows).checks}
    assert (checks[kind].count, checks[kind].of) == (5, 20)
    assert [flag.row for flag in checks[kind].flags] == [f"r{n}" for n in range(5)]
    assert checks[kind].status == ("fail" if kind in FAILS else "note")
    assert not any(checks[other].count for other in KINDS if other != kind)


def test_places_are_exact_and_nothing_overlaps() -> None:
    words = f"\U0001f600 Ask {MAIL}, @jane or +44 20 7946 0958; see https://twitter.com/jane."
    found = find(words)
    assert [words[one.start : one.end] for one in found] == [
        MAIL, "@jane", "+44 20 7946 0958", "https://twitter.com/jane"
    ]  # fmt: skip
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_mask_keeps_the_form_and_nothing_else() -> None:
    words = f"Ask {MAIL} today"
    (one,) = find(words)
    assert mask(words, one) == "j***.***@****.****.***"
    for given in [w for ws in FOUND.values() for w in ws]:
        for one in find(given):
            shown = mask(given, one)
            assert sum(c.isalnum() for c in shown) <= 1


# Rows


def test_every_text_of_a_row_is_scanned() -> None:
    aspect = RowAspect(aspect=f"Asks {MAIL}", reason=f"As {MAIL} said", evidence=f"{MAIL}")
    given = row(
        question=f"Is {MAIL} right?", narrative=f"{MAIL}!", chosen=f"No, {MAIL}.",
        rejected=f"Yes, {MAIL}", profile=(post(), post(f"I am {MAIL}", 2)),
        rubric_aspects=(aspect,),
    )  # fmt: skip
    log = part([given]).redactions
    assert [(one.field, one.post) for one in log] == [
        ("question", ""), ("narrative", ""), ("chosen", ""), ("rejected", ""),
        ("profile[1].text", "p2"), ("rubric_aspects[0].aspect", ""),
        ("rubric_aspects[0].reason", ""), ("rubric_aspects[0].evidence", ""),
    ]  # fmt: skip


def test_nothing_personal_stands_in_flags_or_log_in_clear() -> None:
    words = " and ".join(given for kind in KINDS for given in FOUND[kind])
    people = part([row(narrative=words)])
    flags = [flag.detail for check in people.checks for flag in check.flags]
    said = "\n".join([*flags, *map(str, people.redactions)])
    told = ("6789", "elm", "kowalska", "anna", "62704", *(key[4:12].lower() for key in KEYS[:8]))
    for secret in ("jane", "doe", "7946", "5309", "6467", "3704", "WEST", "69.142", *told):
        assert secret not in said.lower().replace("west", "WEST")


def test_a_post_of_many_rows_is_logged_once_with_how_many_hold_it() -> None:
    shared = post(f"Mail me: {MAIL}")
    rows = [row(f"r{n}", profile=(post("Nothing.", 5), shared)) for n in range(4)]
    people = part([row("clean"), *rows])
    assert people.redactions == [
        Redaction(
            row="r0", field="profile[1].text", post="p1", kind="email", start=9,
            end=len(shared.text), masked="j***.***@****.****.***", rows=4,
        )
    ]  # fmt: skip
    (check,) = [check for check in people.checks if check.name == "email"]
    assert [flag.row for flag in check.flags] == ["r0", "r1", "r2", "r3"]


def test_addresses_that_the_licence_asks_for_are_no_findings() -> None:
    given = row(
        source_url="https://movies.stackexchange.com/users/1/jane", created="2015-01-01",
        licence="CC-BY-SA-3.0", profile=(post(source_url="https://twitter.com/jane"),),
    )  # fmt: skip
    assert part([given]).redactions == []


def test_the_note_on_names_says_which_are_found() -> None:
    check = only([row()], "names")
    assert check.status == "note"
    assert "found only where somebody states their own" in check.detail


@pytest.mark.parametrize(
    "field", ["id", "item_id", "category", "domain", "post id", "post category"]
)
def test_an_address_in_an_id_is_found_and_shown_nowhere(field: str) -> None:
    words = f"of {MAIL}"
    if field.startswith("post"):
        changes: dict[str, Any] = {field.removeprefix("post "): words}
        given = row("r1", profile=(post(**changes), post(MAIL, 2)))
    else:
        given = row(**{"id": "r1", field: words})
    people = part([row("r0"), given, row("r2", chosen="@jane")])
    checks, log = people.checks, people.redactions
    (check,) = [check for check in checks if check.name == "email"]
    assert (check.status, check.count, check.of) == ("fail", 1, 3)
    named = field.replace("post ", "profile[0].")
    assert named in {one.field for one in log}
    assert MAIL not in f"{checks} {log}"


def test_a_row_whose_id_is_an_address_is_known_by_its_number() -> None:
    people = part([row("r1"), row(MAIL, profile=(post(licence=None),))])
    shown = "row 2: j***.***@****.****.***"
    assert {one.row for one in people.redactions} == {shown}
    flags = {flag.row for check in people.checks for flag in check.flags}
    assert flags == {shown}


def test_findings_of_one_kind_do_not_overlap() -> None:
    for words in ("my phone is +1 212-867-5309", "phone 212-867-5309", "fax (030) 901820 12"):
        found = find(words)
        assert [one.kind for one in found] == ["phone"], words


# Hostile texts


BOMBS = [
    "a@", "1-", "1 ", "+1 ", "a.", "@a", "0 ", "http://", "www.", "u/", "1.", "1:", ":",
    "a at ", " dot ", "[at]", "My name is A ", "phone ", "phone 1", "(1", "DE89 3704 ",
    "4539 ", "A0", "\U0001f600", "\u202e", "a@b.", "00", "12", "12-", "/users/1",
    "twitter.com/", "@a.b", "%", "0 1 (", "+(1)", "((((", "name is ", "sms me 1 ", "aaaa",
    "-----BEGIN " + "PRIVATE KEY-----", "sk-", "eyJ", "eyJ.eyJ", "1 Main ", "12 Elm Street ",
    "Via a", "ul. A", "Ab", "Abc-", "I'm A", "I am Ab ", "Hi, ", "Thanks,\n", "Best\n",
    "1 rue ",
    "ssn 1", "123-45-", "\n", "key=", "password is ", "A ", "\n\u2014 A", "SG.", "api key",
]  # fmt: skip


def test_no_pattern_runs_away() -> None:
    for bomb in BOMBS:
        many = bomb * (20_000 // len(bomb))
        for words in (many, f"{many}@x.", f"{bomb} " * 9):
            start = time.process_time()
            find(words)
            assert time.process_time() - start < 0.25, bomb


def test_megabytes_are_scanned() -> None:
    words = "Some words and the year 1999, or so. " * 30_000
    start = time.process_time()
    assert [one.kind for one in find(words + MAIL)] == ["email"]
    assert time.process_time() - start < 10


def test_of_one_kind_in_a_text_the_first_are_logged() -> None:
    log = part([row(chosen="@jane " * 3000)]).redactions
    assert len(log) == MOST_FINDINGS


# Sensitive subjects


def test_subjects_are_told_by_category_and_by_words() -> None:
    rows = [
        row("a", category="Islam"),
        row("b", profile=(post(category="law"),)),
        row("c", narrative="Since my diagnosis of depression I take insulin."),
        row("d", question="Is my church a help against depression?"),
        row("e"),
        row("f", profile=(post("Is he gay or bisexual in that film?"),)),
    ]
    check = only(rows, "sensitive")
    assert (check.status, check.count, check.of) == ("note", 4, 6)
    assert [(f.row, f.detail) for f in check.flags] == [
        ("a", "religion"), ("b", "law"), ("c", "health"), ("f", "sexuality")
    ]  # fmt: skip
    found, _, covered = check.detail.partition("; ")
    assert found == "health 1, law 1, religion 1, sexuality 1"
    assert only(rows[4:5], "sensitive").detail == covered
    assert covered.startswith("only English words are looked for, and two of one list are needed")


@pytest.mark.parametrize(("name", "says"), [("secret", "AWS"), ("national_id", "CPF (BR)")])
def test_what_is_covered_stands_beside_the_zero(name: str, says: str) -> None:
    check = only([row("e")], name)
    assert check.count == 0
    assert says in check.detail
    assert check.detail.endswith("no other")


# Licences


def test_posts_with_licence_and_address_are_counted_by_licence() -> None:
    posts = (post(), post(number=2, created="2020-01-01", licence="CC-BY-SA-4.0"))
    check = only([row(profile=posts), row("r2")], "licence")
    assert (check.status, check.count, check.of) == ("pass", 0, 2)
    assert check.detail == (
        "3 of 3 texts have an address; by licence: CC-BY-SA-3.0 2, CC-BY-SA-4.0 1"
    )


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"licence": None}, "fail", "post 2 states no licence"),
        ({"licence": "Apache-2.0"}, "fail", "post 2 states Apache-2.0, its date gives CC-BY-SA-3"),
        ({"licence": "Apache-2.0", "source_url": None}, "pass", ""),
        ({"licence": "CC0-1.0", "source_url": "coffee.stackexchange.com/q/1"}, "fail",
         "post 2 states CC0-1.0, its date gives"),
        ({"licence": "CC-BY-SA-4.0"}, "fail", "post 2 states CC-BY-SA-4.0, its date gives"),
        ({"licence": "MIT", "source_url": "https://blog.org/1"}, "pass", ""),
        ({"licence": None, "source_url": "https://blog.org/1"}, "fail", "post 2 states no licence"),
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
    assert (check.status, check.count, check.limit, check.flags) == ("note", 2, None, ())
    assert check.detail.startswith("none of 2 texts states a licence or has an address")
    for more in (post(), post(licence="CC-BY-4.0", source_url=None), post(licence=None)):
        assert only([*rows, row("r3", profile=(more,))], "licence").status == "fail"
    ours = only([of.model_copy(update={"mode": "natural"}) for of in rows], "licence")
    assert (ours.status, ours.count) == ("fail", 2)
    assert ours.detail == "0 of 2 texts have an address; by licence: none 2"


@pytest.mark.parametrize(("licence", "status"), [("CC-BY-4.0", "pass"), (None, "fail")])
def test_a_stated_attribution_stands_in_for_addresses(licence: str | None, status: str) -> None:
    of = row(profile=(post(licence=licence, source_url=None),), mode="natural")
    (check,) = part([of], name="licence", has_attribution=True).checks
    assert check.status == status
    assert only([of], "licence").status == "fail"


@pytest.mark.parametrize("changes", [{"licence": None}, {"licence": "MIT"}, {"source_url": None}])
def test_one_rule_decides_on_whatever_a_licence_lacks(changes: dict[str, Any]) -> None:
    """A share of other people's rows is let pass, the same for each fault; of our own none is."""
    bad = (post(**changes),)
    few = [row("bad", profile=bad), *(row(f"r{n}") for n in range(99))]
    assert (only(few, "licence").status, only(few, "licence").count) == ("pass", 1)
    assert only(few[:99], "licence").status == "fail"
    half = [row(f"r{n}", profile=bad if n % 2 else (post(),)) for n in range(1000)]
    assert (only(half, "licence").status, only(half, "licence").count) == ("fail", 500)
    ours = [of.model_copy(update={"mode": "violate"}) for of in few]
    assert only(ours, "licence").status == "fail"


def test_a_question_with_an_address_needs_its_licence_too() -> None:
    check = only([row(source_url=SITE.format(7), created="2015-01-01")], "licence")
    assert (check.status, check.flags[0].detail[:8]) == ("fail", "question")


def test_plain_pairs_without_posts_have_nothing_to_license() -> None:
    check = only([row(profile=())], "licence")
    assert (check.status, check.of) == ("note", 0)


# Tombstones


def test_rows_of_whoever_was_to_be_forgotten_are_found() -> None:
    forgotten = ForgetList(
        users=frozenset({"user-9"}),
        urls=frozenset({url_name(SITE.format(7)), url_name(SITE.format(8))}),
    )
    rows = [
        row("a"),
        row("b", user="user-9"),
        row("c", source_url=SITE.format(7) + "/?utm_source=x"),
        row("d", profile=(post(), post(number=8))),
        row("e", user="user-99", profile=(post(number=88),)),
    ]
    check = only(rows, "tombstones", forgotten)
    assert (check.status, check.count, check.of) == ("fail", 3, 5)
    assert [(f.row, f.detail) for f in check.flags] == [
        ("b", "its user must be forgotten"),
        ("c", "its question must be forgotten"),
        ("d", "a post must be forgotten"),
    ]
    assert check.detail == "1 users and 2 addresses must be forgotten"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("other", "detail"),
    [
        ("user-1", "the other half of its twin must be forgotten"),
        ("user-9", "its user must be forgotten"),
    ],
)
def test_both_halves_are_found_with_the_first(other: str, detail: str, turned: bool) -> None:
    rows = [
        row(id, user=user, twin_id=twin)
        for id, user, twin in (
            ("a", "user-9", "t1"), ("b", other, "t1"), ("c", "user-2", "t2"), ("d", "user-3", "t2")
        )
    ]  # fmt: skip
    forgotten = ForgetList(users=frozenset({"user-9"}))
    check = only(rows[::-1] if turned else rows, "tombstones", forgotten)
    assert (check.status, check.count, check.of) == ("fail", 2, 4)
    details = {flag.row: flag.detail for flag in check.flags}
    assert details == {"a": "its user must be forgotten", "b": detail}


def test_an_empty_list_of_tombstones_is_honoured_and_none_is_no_list() -> None:
    assert only([row()], "tombstones", ForgetList()).status == "pass"
    check = only([row()], "tombstones")
    assert (check.status, check.of) == ("note", 0)
    assert check.detail == "no list of tombstones was given"


def test_every_check_is_explained_and_speaks_of_no_rows_too() -> None:
    for rows in ([], [row()]):
        assert {check.name for check in part(rows).checks} == set(names_of("people"))
    assert {check.status for check in part([]).checks} == {"note"}
