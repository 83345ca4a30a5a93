"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): `downstream completions`.

Given a question's title and the asker's earlier posts, a model writes the question's body. The text
is compared with the body that the asker wrote. It measures imitation of a user's writing, and
is not evidence about answers.

Texts are compared by ROUGE-1 and ROUGE-L (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
Summaries", sections 2 and 3.1), as F-measures without stemming. For texts in ASCII they equal those
of the package rouge-score 0.1.2, which drops every other letter; here letters of all scripts count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from typer import Argument, Option

from pairwright import assets, text
from pairwright.errors import InputError
from pairwright.evaluation.best_of_n import Sampled, SampleTask, picks_of, sampled, texts_of
from pairwright.evaluation.conditions import Posts, Strangers
from pairwright.evaluation.downstream import Downstream, figures_of, part_of
from pairwright.evaluation.session import ScorerSession, open_calls
from pairwright.evaluation.settings import ScorersFile, policy_of, scorer_settings
from pairwright.options import ItemLimit, OutPath
from pairwright.pages.output import output_folder
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import Item
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.sources import read_whole
from pairwright.text import number_of

NONE, WRONG = "none", "wrong-profile"
KS = (1, 4, 16)
"""The default numbers of posts in context."""
DRAWS = 8
"""The number of texts from which scorers pick."""
ROUGE = ["ROUGE-1", "ROUGE-L"]
_WARNING = (
    "This measures imitation of a user's writing: how many words a text shares with what the user"
    " wrote. It is not evidence about answers, nor about what the user would like."
)


def refusal(item: Item, other: Posts) -> str:
    """The reason that an item cannot be asked beside another user's posts; empty if it can."""
    body = item.narrative or ""
    plain = text.normalised(body)
    if not text.words(body):
        return "empty_body"
    if plain in text.normalised(item.question):
        return "body_in_title"
    for post in (*item.profile, *other):
        if plain in text.normalised(post.text) or text.near_duplicate(body, post.text):
            return "body_in_posts"
    return "" if other else "no_other_profile"


def shown_posts(
    item: Item, other: Posts, ks: Iterable[int], history: HistoryRules
) -> dict[str, Posts]:
    """The posts that each condition shows, oldest first: none, another user's, and k of the user's
    own, ranked best for the question."""
    own = {f"posts-{k}": selected(item.question, item.profile, history, most=k) for k in sorted(ks)}
    # As many as the user's own, so that only their writer differs.
    as_many = max(map(len, own.values()))
    return {NONE: (), WRONG: selected(item.question, other, history, most=as_many), **own}


def rouge(written: str, truth: str) -> tuple[float, float]:
    """ROUGE-1 and ROUGE-L, from 0 to 1, of a text and what was really written; 0 where either has
    no word."""
    a, b = (" ".join(text.words(one)).replace("'", " ").split() for one in (written, truth))
    shared = (Counter(a) & Counter(b)).total(), common_subsequence(a, b)
    # The harmonic mean of precision and recall.
    one, longest = (2 * n / (len(a) + len(b)) if n else 0.0 for n in shared)
    return round(one, 6), round(longest, 6)


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence (Hyyrö 2004, "Bit-parallel LCS-length computation
    revisited": all of a row of the table at once, a bit a word)."""
    places: dict[str, int] = {}
    for place, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << place
    row = whole = (1 << len(a)) - 1
    for word in b:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & whole
    return len(a) - row.bit_count()


def result_of(found: Sampled, source: str, notes: Iterable[str] = ()) -> Downstream:
    """Means by condition over the items that have all of them, and the differences: every condition
    with posts less none, the user's own less another's, every pick less its draws."""
    texts, most = texts_of(found.samples, ROUGE), found.samples[-1].condition
    n = 1 + max(one.draw for one in found.samples)
    picked = picks_of(texts[texts.condition == most], found.scores, ROUGE, [n])
    picked["condition"] = f"best-of-{n}-by-" + picked.scorer
    frame = texts.groupby(["id", "cluster", "condition", "reason"], sort=False)[ROUGE].mean()
    frame = pd.concat([frame.reset_index(), *([picked] if len(picked) else [])])
    missing = frame[frame.reason != ""]
    counted, rows = frame[~frame.id.isin(missing.id)], ["condition"]
    figures = figures_of(counted, rows, ROUGE)
    verdict = "No item has a text and a score in every condition."
    if figures:
        own, picks = (list(dict.fromkeys(of.condition)) for of in (texts, picked))
        pairs = [(name, NONE) for name in own if name != NONE]
        pairs += [(most, WRONG), *((name, most) for name in picks)]
        by_name = {name: of.set_index("id") for name, of in counted.groupby("condition")}
        less = [
            by_name[a].assign(**by_name[a][ROUGE] - by_name[b][ROUGE], condition=f"{a} less {b}")
            for a, b in pairs
        ]
        differences = figures_of(pd.concat(less), rows, ROUGE, signed=True)
        by_row = {one.row[0]: one for one in differences if one.column == ROUGE[0]}
        gain, other = by_row[f"{most} less {NONE}"], by_row[f"{most} less {WRONG}"]
        verdict = (
            f"The user's own posts ({most}) change ROUGE-1 by {gain} against no posts, and by"
            f" {other} against another user's (n = {gain.n:,} items of {gain.clusters:,} users)."
        )
        figures += differences
    why = (missing.condition + ": " + missing.reason).groupby(missing.id).first()
    return Downstream(
        name="completions",
        title=f"Completions, {source}",
        verdict=verdict,
        heads=("condition",),
        figures=figures,
        models=tuple(found.models),
        parts=(part_of("items", frame.id.nunique(), why),),
        warnings=(_WARNING,),
        notes=(
            "ROUGE-1 and ROUGE-L: F-measures, 0 to 1, with 95 % intervals by user."
            f" Model: {found.models[0].model}.",
            *notes,
        ),
    )


def completions(
    source: Annotated[str, Argument(help="Items: a file or Hugging Face id.", metavar="SOURCE")],
    scorers: ScorersFile,
    out: OutPath,
    *,
    config: Annotated[str | None, Option(help="Configuration of a Hugging Face dataset.")] = None,
    split: Annotated[str, Option(help="Split of a Hugging Face dataset.", metavar="NAME")] = "test",
    names: Annotated[
        Iterable[str], Option("--scorer", help="A scorer that picks; repeatable.", metavar="NAME")
    ] = (),
    ks: Annotated[
        Iterable[int], Option("-k", help="Posts in context; repeatable.", metavar="NAME", min=1)
    ] = KS,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> Downstream:
    """Have a policy write the body of each item's question as its user would, given the title.

    ROUGE-1 and ROUGE-L compare it with what the user wrote (`narrative`). Conditions are no posts,
    another user's posts, K of the user's own, and a scorer's pick of N texts. It
    measures imitation of the user's writing, and is not evidence about answers. Items with an empty
    body, or one that is part of what is shown, are refused and counted. Calls are stored as they
    come: running the same command again goes on. Writes completions.json, .md, .html and .jsonl,
    and picks.jsonl. Exit code 1: fewer than 95 % of the items count.

    Examples::

        pairwright downstream completions histories.jsonl --scorers scorers.toml --out completions
        pairwright downstream completions histories.jsonl --scorers s.toml --out c -k 1 -k 4
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    rules = SourceRules(path=source, config=config, split=split)
    items = read_whole(rules, Domains.load(assets.RUBRICS), Path.cwd()).items
    strangers, refused = Strangers(items, settings.seed), Counter[str]()
    n, names, ks = DRAWS if names else 1, tuple(dict.fromkeys(names)), tuple(ks)
    policy, tasks = policy_of(settings, n), list[SampleTask]()
    for item in items:
        other = strangers.instead_of(item) or ()
        if why := refusal(item, other):
            refused[why] += 1
        elif limit is None or len(tasks) < limit:
            tasks.append((item, shown_posts(item, other, ks, policy)))
    if not tasks:
        counts = ", ".join(f"{many} {why}" for why, many in sorted(refused.items()))
        raise InputError(
            f"no item can be asked: {counts}",
            where=source,
            fix="Name items whose `narrative` is the body that their user wrote, of two users or"
            " more in a category.",
        )

    async def worth(item: Item, text: str) -> dict[str, Any]:
        return {"worth": dict(zip(ROUGE, rouge(text, item.narrative or ""), strict=True))}

    with open_calls(folder, progress, stop) as calls:
        session = ScorerSession(settings, prompts, calls)
        found = run_async(sampled(session, tasks, "complete", n, worth, names))
    notes = [
        f"{number_of(many, 'item was', 'items were')} not asked, {why}."
        for why, many in sorted(refused.items())
    ]
    result = result_of(found, Path(source).name if Path(source).exists() else source, notes)
    result.write(folder, {"completions.jsonl": found.samples, "picks.jsonl": found.scores})
    return result
