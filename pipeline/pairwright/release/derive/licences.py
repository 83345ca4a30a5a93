"""LICENSE.md, and what card and Croissant say of licences."""

import re
from collections.abc import Iterator

from pairwright.release.derive.known import Known
from pairwright.release.derive.markdown import page, table, visible

SHARE_ALIKE = "CC-BY-SA-"
# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = (
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
)  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def licence_page(known: Known) -> str:
    """The whole file."""
    counts = known.summary.licences
    return page(
        "licence.md.jinja",
        known=known,
        counts=table(
            ("licence of the post", "text of the licence", "posts"),
            ((name, _address(name) or "none known", f"{n:,}") for name, n in counts.items()),
            left=2,
        ),
        meaning=list(meaning(known)),
    )


def meaning(known: Known) -> Iterator[str]:
    """What the licences of the posts mean for whoever passes the release on."""
    counts = known.summary.licences
    alike = [name for name in counts if name.startswith(SHARE_ALIKE)]
    if alike:
        yield (
            "Share-alike: posts under CC BY-SA may be shared and changed, also for money, if their"
            " author is named, changes are said, and what is made of them is passed on under the"
            " same licence or a later version of it. Whoever passes this release on, or a part or"
            f" a changed form of it that holds such posts, does so under {_newest(alike)} or a"
            " licence that Creative Commons lists as compatible."
        )
        yield (
            "Attribution: attribution.csv has a line for each post and question; its author is"
            " named at its address. Keep that file, or the addresses in the rows, with the posts."
            " Posts are as the source gave them; longer ones may be cut."
        )
    if "unknown" in counts:
        yield (
            f"For {counts['unknown']:,} posts no licence is known. Without one, nobody but their"
            " authors may pass them on: ask the maintainers before you do."
        )
    yield (
        "Rubrics, responses, scores and votes were made for this release, from those posts. Its"
        " makers state no licence of their own for them here; where they adapt a post under"
        " CC BY-SA, share-alike holds for them too. None of this is legal advice."
    )


def on_the_hub(known: Known) -> list[str]:
    """Ids as the Hugging Face Hub writes them, `other` for those that it does not list."""
    names = {
        name.lower().removesuffix("-1.0") if name == "ODC-By-1.0" else name.lower()
        for name in known.summary.licences
        if name in _ON_THE_HUB
    }
    rest = set(known.summary.licences) - set(_ON_THE_HUB)
    return [*sorted(names), *(["other"] if rest or not names else [])]


def addresses(known: Known) -> list[str]:
    """Each licence's text on spdx.org, or else its name; this release's own page for posts of which
    none is known."""
    found = (
        "LICENSE.md" if name == "unknown" else _address(name) or " ".join(visible(name).split())
        for name in known.summary.licences
    )
    return list(dict.fromkeys(found)) or ["LICENSE.md"]


def _address(name: str) -> str | None:
    if name == "unknown" or not _SPDX.fullmatch(name):
        return None
    return f"https://spdx.org/licenses/{name}.html"


def _newest(alike: list[str]) -> str:
    return f"CC BY-SA {max(name.removeprefix(SHARE_ALIKE) for name in alike)}"
