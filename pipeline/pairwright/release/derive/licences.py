"""LICENSE.md, and what card and Croissant say of licences."""

import re
from collections.abc import Iterator

from pairwright.dataset.address import stack_exchange_host
from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.markdown import Markdown, page, table, visible
from pairwright.release.derive.own_choice import own_choice_words

SHARE_ALIKE = "CC-BY-SA-"
# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = (
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
)  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def licence_page(release: ReleaseContext) -> str:
    """The whole file."""
    counts, own = release.summary.licences, release.primary.provenance.info.own_licence
    texts = {
        _name(name): address for name in [*counts, own] if name and (address := _address(name))
    }
    return page(
        "licence.md.jinja",
        release=release,
        counts=table(
            ("licence of the post", "posts"),
            ((_name(name), f"{n:,}") for name, n in counts.items()),
        ),
        own=own,
        made=own_choice_words(release.summary) is None,
        # Addresses of this file's making, of ids of a few characters: links, where others are text.
        texts=Markdown("\n".join(f"- {name}: <{address}>" for name, address in texts.items())),
        stack_exchange=any(map(stack_exchange_host, release.summary.hosts)),
        meaning=list(meaning(release)),
    )


def meaning(release: ReleaseContext) -> Iterator[str]:
    """What the licences of the posts mean for those who pass the release on."""
    counts = release.summary.licences
    alike = [name for name in counts if name.startswith(SHARE_ALIKE)]
    sourced = "response_sources" in release.summary.mode_fields
    if alike:
        yield (
            "Share-alike: posts under CC BY-SA may be shared and changed, also for money, if their"
            " author is named, changes are said, and what is made of them is passed on under the"
            " same licence or a later version of it. This release, and a part or a changed form of"
            f" it that holds such posts, must be passed on under {_newest(alike)} or a licence"
            " that Creative Commons lists as compatible."
        )
        yield (
            "Attribution: attribution.csv has a line for each post and question"
            f"{', and for each response' if sourced else ''}; its author is named at"
            " its address. Keep that file, or the addresses in the rows, with the posts."
            " Posts are as the source gave them; longer ones may be cut."
        )
    if "unknown" in counts:
        yield (
            f"For {counts['unknown']:,} posts no licence is known. Without one, nobody but their"
            " authors may pass them on: ask the maintainers before you do."
        )
    if attribution := release.primary.provenance.info.attribution.strip():
        yield f"Attribution, in the words that the source asks for: {attribution}"
    if words := own_choice_words(release.summary):
        licence = release.primary.provenance.info.licence
        yield f"{words.responses}: {licence or 'none is stated'}. None of this is legal advice."
        return
    own = release.primary.provenance.info.own_licence
    adapted = (
        " where they adapt a post under CC BY-SA, share-alike holds for them too." if alike else ""
    )
    sentence = (
        f"are passed on under {own}"
        if own
        else "have no licence of their own that its makers state"
    )
    yield (
        "Aspects, responses, scores and votes were made for this release, from those posts, and"
        f" {sentence}{';' if adapted else '.'}{adapted} None of this is legal advice."
    )


def on_the_hub(release: ReleaseContext) -> list[str]:
    """Ids as the Hugging Face Hub writes them, of the posts and of what was made from them; `other`
    for those that it does not list or nobody states."""
    all_ = {*release.summary.licences, *_own(release)}
    names = {
        name.lower().removesuffix("-1.0") if name == "ODC-By-1.0" else name.lower()
        for name in all_
        if name in _ON_THE_HUB
    }
    rest = all_ - set(_ON_THE_HUB)
    return [*sorted(names), *(["other"] if rest or not names else [])]


def addresses(release: ReleaseContext) -> list[str]:
    """Each licence's text on spdx.org, or else its name; this release's own page for what has none
    that is known."""
    own_page = release.layout.inside(release.layout.licences)
    urls = (
        own_page if name == "unknown" else _address(name) or " ".join(visible(name).split())
        for name in (*release.summary.licences, *_own(release))
    )
    return list(dict.fromkeys(urls)) or [own_page]


def _own(release: ReleaseContext) -> list[str]:
    """The licence of what was made from the posts, if anything was."""
    if own_choice_words(release.summary):
        return []
    return [release.primary.provenance.info.own_licence or "unknown"]


def _name(name: str) -> str:
    return "none known" if name == "unknown" else name


def _address(name: str) -> str | None:
    if name == "unknown" or not _SPDX.fullmatch(name):
        return None
    return f"https://spdx.org/licenses/{name}.html"


def _newest(alike: list[str]) -> str:
    return f"CC BY-SA {max(name.removeprefix(SHARE_ALIKE) for name in alike)}"
