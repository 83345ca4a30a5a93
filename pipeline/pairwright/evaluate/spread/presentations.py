"""A presentation: one wording of the prompt with one layout of the history.

A judge's wordings are prompts: those that ship, and others in folders of their own. A reward model
has no prompt, so its wording is that of the lines around posts and question. A layout is applied
to the posts that are left after those that do not fit are left out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from pairwright.assets import PROMPTS
from pairwright.dataset.message import FRAMES
from pairwright.errors import PromptError
from pairwright.evaluate.scorers.scorer_protocols import PromptContent
from pairwright.records import Post
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import OWN

Layout = Literal["posts", "dated", "joined"]
LAYOUTS: dict[Layout, str] = {
    "posts": "each post by itself, as an evaluation shows it",
    "dated": "each post with its day before it",
    "joined": "all posts as one text",
}
SHIPPED = "shipped"
"""The name of the wording that an evaluation uses."""
WORDINGS = PROMPTS / "wordings"
"""The folder of the other wordings, each in a folder of its own."""
_UNDATED = "no date"


class Presentation(NamedTuple):
    """One wording with one layout."""

    wording: str
    layout: Layout
    frame: int = 0
    """Which of `dataset.message.FRAMES` a reward model reads."""

    @property
    def name(self) -> str:
        """Such as `plain, joined`."""
        return f"{self.wording}, {self.layout}"

    def apply(self, shown: PromptContent) -> PromptContent:
        """Apply layout and frame to what a scorer is shown."""
        return shown._replace(posts=_lay_out(shown.posts, self.layout), frame=self.frame)


def presentations_of(wordings: Path | None = None) -> Iterator[Presentation]:
    """Every wording in every layout, that of an evaluation first.

    `wordings` is a folder with one folder per wording, each with prefer.md and rate.md; None uses
    those that ship with Pairwright. With more wordings than frames, reward models see a frame more
    than once. Raises PromptError where it has no such folder, one of the two files is not there, or
    a folder has the name of the wording that ships.
    """
    folder = wordings or WORDINGS
    found = {path.name: _prompts(path) for path in sorted(folder.glob("*"))}
    names = [name for name, prompts in found.items() if prompts]
    if not names:
        raise PromptError(
            "holds no wording",
            where=folder,
            fix="Make a folder in it for each, with prefer.md and rate.md.",
        )
    for name in names:
        if name == SHIPPED:
            raise PromptError(
                "has the name of the wording that ships",
                where=folder / name,
                fix="Give the folder another name.",
            )
        if missing := sorted(OWN.keys() - set(found[name])):
            raise PromptError(
                f"has no {missing[0]}.md",
                where=folder / name,
                fix="Write both: prefer.md for a judge that compares, rate.md for one that rates.",
            )
    for place, wording in enumerate((SHIPPED, *names)):
        for layout in get_args(Layout):
            yield Presentation(wording, layout, place % len(FRAMES))


def apply_wording(prompts: Prompts, wording: str, wordings: Path | None = None) -> Prompts:
    """Replace the judges' prompts by those of a wording. Raises PromptError."""
    if wording == SHIPPED:
        return prompts
    folder = (wordings or WORDINGS) / wording
    other = Prompts.load(folder, _prompts(folder))
    return Prompts.of(prompts.folder, prompts.sources | other.sources)


def _prompts(folder: Path) -> list[str]:
    """The prompts of judges that are in a folder."""
    return [name for name in OWN if (folder / f"{name}.md").is_file()]


def _lay_out(posts: tuple[Post, ...], layout: Layout) -> tuple[Post, ...]:
    if layout == "dated":
        days = ((post.created or _UNDATED)[:10] for post in posts)
        return tuple(
            post.model_copy(update={"text": f"{day}: {post.text}"})
            for post, day in zip(posts, days, strict=True)
        )
    if layout == "joined" and posts:
        text = "\n\n".join(post.text for post in posts)
        return (posts[-1].model_copy(update={"id": "joined", "text": text}),)
    return posts
