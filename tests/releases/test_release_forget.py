"""`pairwright forget`: whoever asks for it is gone from the next release, and named nowhere."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pairwright.errors import InputError
from pairwright.pairs import licence_of
from pairwright.pairs.address import read_tombstones, url_name
from pairwright.records import Pair, pseudonym
from pairwright.releases.contents import read_contents
from pairwright.releases.forget import add_tombstones
from released import (
    gathered,
    placebo,
    question,
    rows,
    run_of,
    subjects,
    written,
)
from small_studies import user_of
from study import Done, pairwright

SITE = "https://diy.stackexchange.com"


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three questions, verified. Not to be changed."""
    folder = tmp_path_factory.mktemp("verified") / "run"
    return run_of(folder, [pair for n in range(3) for pair in question(n)])


def pairs_of(n: int) -> list[Pair]:
    """A twin, a pair of mode violate and a placebo of the same users."""
    return [*question(n), *placebo(n)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three questions of every mode that a build writes, without a study. Not to be changed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return run_of(folder, [pair for n in range(3) for pair in pairs_of(n)], study=False)


@pytest.fixture
def run(verified: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(verified, tmp_path / "run"))


def about(*numbers: int) -> set[str]:
    return {pair.twin_id or pair.id for n in numbers for pair in question(n)}


def forget(run: Path, *options: object) -> Done:
    return pairwright("forget", run, *options)


# Who leaves


POST_OF_PARTNER = question(1)[1].profile[2].source_url


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        (("--user", user_of(1)), {"twin 1", "placebo 1", "violate 1"}),
        (("--user", user_of(1, "_partner")), {"twin 1", "placebo 1"}),
        (("--url", POST_OF_PARTNER), {"twin 1", "placebo 1"}),
        (("--url", question(1)[0].source_url), {"twin 1", "placebo 1", "violate 1"}),
    ],
    ids=["a user", "a partner", "a post of the partner", "a question"],
)
def test_who_and_what_is_forgotten_leaves_with_every_pair_and_with_whole_twins(
    options: tuple[object, ...], gone: set[str], whole: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    assert forget(run, *options).code == 0
    names = {f"{pair.mode} {n}": pair.twin_id or pair.id for n in range(3) for pair in pairs_of(n)}
    left = {id for name, id in names.items() if name not in gone}
    after = written(run, tmp_path / "after", trial=True)
    assert subjects(rows(after)) == left
    assert {unit.subject for unit in read_contents(after).units if unit.subject} == left


def test_outlines_answers_and_units_leave_with_the_pairs(run: Path, tmp_path: Path) -> None:
    before = read_contents(written(run, tmp_path / "before"))
    # Two who were refused, too: an asker of a twin and a pair, and a partner.
    forget(run, "--user", user_of(1), "--user", "user_901", "--user", "partner_902")
    after = read_contents(written(run, tmp_path / "after"))
    assert before.public is not None
    assert after.public is not None
    assert {of.id for of in after.public.outlines} == about(0, 2)
    assert {of.unit for of in after.public.answers} == about(0, 2)
    assert after.public.study.left_out == 2
    assert {unit.subject for unit in after.units if unit.subject} == about(0, 2)
    assert len(after.units) == len(before.units) - 2 - 3
    # What the others were decided by is as it was.
    kept = [of for of in before.public.answers if of.unit in about(0, 2)]
    assert list(after.public.answers) == kept


def test_nothing_of_a_release_names_whom_it_forgot(run: Path, tmp_path: Path) -> None:
    forget(run, "--user", user_of(1), "--url", question(2)[0].profile[0].source_url)
    layout = written(run, tmp_path / "out")
    texts = {post.text for pair in question(1) for post in pair.profile}
    for row in rows(layout):
        assert not texts & {post.text for post in row.profile}
    lines = (run / "forgotten.jsonl").read_text(encoding="utf-8").splitlines()
    tombstones = [json.loads(line)["name"] for line in lines]
    for path in layout.root.rglob("*.json*"):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in (*tombstones, user_of(1)) if name in text], path


def test_the_splits_of_the_others_stay_and_of_nobody_else_nothing_is_released(run: Path) -> None:
    before, forgotten = (gathered(run, share=0.5)[1], forget(run, "--user", user_of(1)))
    assert forgotten.code == 0
    assert gathered(run, share=0.5)[1]["split"].equals(before["split"])
    forget(run, *(part for n in range(3) for part in ("--user", user_of(n))))
    with pytest.raises(InputError, match="6 forgotten"):
        gathered(run)


# What is recorded


def test_it_says_what_of_the_run_is_concerned_and_keeps_hashes_alone(run: Path) -> None:
    post = question(2)[0].profile[0].source_url
    options = ("--user", user_of(1), "--url", post, "--user", user_of(1))
    done = forget(run, *options)
    found = [re.split(r"\s{2,}", line.strip()) for line in done.out.splitlines()]
    assert [f"{user_of(1)}, recorded", "1", "3"] in found
    assert [f"{post}, recorded", "1", "3"] in found
    before = (run / "forgotten.jsonl").read_text(encoding="utf-8")
    assert re.fullmatch(
        r'\{"name":"user-[0-9a-f]{16}"\}\n\{"name":"url-[0-9a-f]{16}"\}\n', before
    )  # fmt: skip
    done = forget(run, *options)
    assert (done.code, done.out.count("was recorded before")) == (0, 2)
    assert (run / "forgotten.jsonl").read_text(encoding="utf-8") == before


def test_more_are_added_and_a_last_line_that_was_not_ended_is_kept(run: Path) -> None:
    forget(run, "--user", user_of(0))
    (run / "pairs.jsonl").unlink()  # A build that has not finished.
    assert forget(run, "--user", pseudonym(user_of(1))).code == 0, "of a release, it will do"
    path = run / "forgotten.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert add_tombstones(run, ["user-0123456789abcdef"]) == ("user-0123456789abcdef",)
    known = {pseudonym(user_of(0)), pseudonym(user_of(1)), "user-0123456789abcdef"}
    assert read_tombstones(run).users == known


def test_commands_at_once_lose_nothing_of_each_other(run: Path) -> None:
    names = [[f"user-{half:08x}{n:08x}" for n in range(20)] for half in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda own: [add_tombstones(run, [one]) for one in own], names))
    assert read_tombstones(run).users == {*names[0], *names[1]}


def test_whoever_is_not_in_the_run_is_told_of_and_recorded(run: Path) -> None:
    done = forget(run, "--user", "sombody", "--user", user_of(1), "--url", f"{SITE}/q/987654321")
    assert done.code == 1
    assert f"perhaps misspelt: 'sombody', '{SITE}/q/987654321'" in " ".join(done.err.split())
    assert "misspelt" not in done.out
    assert len(read_tombstones(run).users) == 2


def test_what_names_nothing_is_refused(run: Path) -> None:
    urls = ("", "q/123", "https://", "http://[::1", "two words.com")
    mistakes = [((), "nothing to forget is named"), (("--user", "  "), "--user: is empty")]
    mistakes += [(("--url", url), "is not an address") for url in urls]
    for options, said in mistakes:
        done = forget(run, *options)
        assert (done.code, said in done.err) == (2, True), options
    assert not (run / "forgotten.jsonl").exists()


# Addresses


@pytest.mark.parametrize(
    "group",
    [
        (
            f"{SITE}/questions/123/how-do-i", f"{SITE}/questions/123", f"{SITE}/q/123",
            f"{SITE}/q/123/4567", "http://DIY.stackexchange.com/q/123/",
            f"{SITE}/questions/123/how-do-i?noredirect=1&lq=1",
            f"{SITE}/questions/123/how-do-i#comment5_123", f" {SITE}/q/123\n",
            "diy.stackexchange.com/q/123", "diy.stackexchange.com./q/123",
            f"{SITE}/posts/123/edit", f"{SITE}/revisions/123/2", f"{SITE}/Questions/123/How-Do-I",
            f"{SITE}//questions//123/x/", f"\ufeff<{SITE}/q/123>\u200b",
            f"{SITE}/q/123#123", f"{SITE}/questions/123/x/124#comment5_123",
            # The site takes the number of any post behind both.
            f"{SITE}/a/123",
        ),
        ("https://mathoverflow.net/q/1", "mathoverflow.com/questions/1/x", "MathOverflow.net/a/1"),
        (
            f"{SITE}/a/9", f"{SITE}/a/9/4567", f"{SITE}/questions/123/how-do-i/9#9",
            f"{SITE}/questions/123/how-do-i/9", f"{SITE}/questions/123/how-do-i#answer-9",
            f"{SITE}/questions/123#9", f"{SITE}/questions/123/how-do-i#comment5_9",
            f"{SITE}/posts/9/edit",
        ),
        (
            "https://www.example.com/a/b/?y=2&x=1&utm_source=mail&fbclid=z#top",
            "http://example.com/a/b?x=1&y=2", "HTTPS://Example.COM:443/a/b?y=2&x=1",
            "example.com/%61/b?x=1&y=2", "https://example.com./a/./b?x=1&amp;y=2",
            "https:/example.com//a//b/?x=1&y=2",
        ),
        ("https://ex\u00e4mple.org/x", "https://xn--exmple-cua.org/x", "EX\u00c4MPLE.org/x"),
        ("https://example.org/caf\u00e9", "https://example.org/cafe\u0301",
         "https://example.org/caf%C3%A9", "https://example.org/cafe%CC%81/"),
    ],
)  # fmt: skip
def test_all_spellings_of_an_address_have_one_name(group: tuple[str, ...]) -> None:
    assert len(set(map(url_name, group))) == 1


def test_different_addresses_have_different_names() -> None:
    urls = [
        f"{SITE}/q/123", f"{SITE}/q/124", f"{SITE}/a/125", "https://superuser.com/q/123",
        "https://example.com/q/123", "https://example.com/q/123?page=2", "https://example.com/Q/123",
        "https://example.com:8080/q/123", "https://example.com", f"{SITE}/users/123", "", "nothing",
        "https://[::1/broken", "https://example.com/a%2Fb", "https://example.org/q/123",
    ]  # fmt: skip
    assert len(set(map(url_name, urls))) == len(urls)


def test_a_post_of_stack_exchange_has_its_licence_and_another_the_one_that_is_stated() -> None:
    for url in (
        "diy.stackexchange.com/q/1", "//DIY.StackExchange.com./q/1", "https://stackoverflow.com./q/1",
        "<https://mathoverflow.com/q/1>", "http://askubuntu.com:80/q/1",
    ):  # fmt: skip
        assert licence_of(url, "2015-01-01", "CC0-1.0") == "CC-BY-SA-3.0", url
        assert licence_of(url, None, "CC0-1.0") is None, url
    for url in ("notstackexchange.com/q/1", "stackexchange.com.evil.org", "", "x"):
        assert licence_of(url, "2015-01-01", "CC0-1.0") == "CC0-1.0", url
