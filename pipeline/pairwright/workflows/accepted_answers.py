"""Testing a planner by the answers that users accepted."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pairwright.construct.aspects import plan_rubric
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.corpus import Corpus, fair_posts
from pairwright.construct.folder import RunFolder
from pairwright.construct.session import read_corpus
from pairwright.construct.unit_work import generator_of
from pairwright.dataset import write_lines
from pairwright.errors import CallFailed, ConfigError
from pairwright.models import Models, together
from pairwright.models.run import work_through
from pairwright.notebook import run_async
from pairwright.records import Post, PublishedAnswer, Rejected, Rubric, content_id
from pairwright.settings.config import Config
from pairwright.sources.stackexchange.accepted import (
    NO_MATCH,
    AcceptedAnswer,
    NoAcceptedAnswer,
    read_accepted,
)
from pairwright.stages.judges import adherence
from pairwright.train.accepted.measures import (
    NO_STRANGER,
    AcceptedLine,
    AdherenceComparison,
    accepted_figures,
    reasons_of,
    stranger_reasons_of,
    trait_shares,
)
from pairwright.train.accepted.report_page import AcceptedScores, accepted_page
from pairwright.workflows.build_estimate import read_config
from pairwright.workflows.output import write_report
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.run_models import RunModels, open_clients
from pairwright.workflows.scoring import ScoringCalls, open_calls


@dataclass(frozen=True, slots=True)
class AcceptedComparison:
    """A planner tested by accepted answers."""

    folder: Path
    """It holds accepted.html, .md and .json, and accepted.jsonl with a line for each item."""
    scores: AcceptedScores
    lines: tuple[AcceptedLine, ...]


def compare_accepted(
    config: str | Path | Config,
    out: str | Path,
    *,
    folder: str | Path | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> AcceptedComparison:
    """Test whether accepted answers serve the aspects that a build's planner infers.

    `config` is a build's TOML file, or a Config whose paths start from `folder`; its source is the
    dump of a Stack Exchange site, and its planner and judge are asked. `limit` takes the first
    items alone. Calls are stored in `out`: running again asks nothing twice.

    Raises ConfigError, SourceError, InputError, EndpointRefused, Interrupted and StoreError.

        >>> done = compare_accepted("study/pairwright.toml", "accepted")
        >>> done.scores.figure("gain").mean.value
        0.08
    """
    settings, base = read_config(config, folder)
    _check(settings)
    rules, out = BuildRules.load(settings, base), Path(out)
    with open_calls(out, progress, stop) as calls:
        corpus, summary = read_corpus(settings, rules.domains, base, RunFolder(out), limit)
        with closing(corpus):
            taken = range(len(corpus) if limit is None else min(limit, len(corpus)))
            items = (corpus.item(position) for position in taken)
            answers = tuple(read_accepted(settings.source, base, items))
            task = _AcceptedComparison(settings, rules.with_other_users(corpus), corpus, calls)
            lines = run_async(task.run(answers))
        simulated = calls.store.simulated_models()
    write_lines(out / "accepted.jsonl", lines)
    cases = [one for one in answers if isinstance(one, AcceptedAnswer)]
    roles, endpoints = settings.roles, settings.endpoints
    models = {endpoints[name].model for name in roles.all}
    scores = AcceptedScores(
        source=summary.hash,
        planner=endpoints[roles.planner].model,
        judge=endpoints[roles.judge].model,
        items=len(answers),
        users=len({one.item.user for one in answers}),
        accepted=len(cases),
        matched=sum(case.match is not None for case in cases),
        compared=sum(line.own is not None for line in lines),
        limit=limit,
        simulated=tuple(sorted(models & simulated)),
        reasons=reasons_of(lines),
        stranger_reasons=stranger_reasons_of(lines),
        figures=tuple(accepted_figures(lines)),
        traits=tuple(trait_shares(cases)),
    )
    write_report(out, "accepted", accepted_page(scores), scores)
    return AcceptedComparison(out, scores, lines)


def _check(config: Config) -> None:
    if config.source.format != "stackexchange":
        raise ConfigError(
            "accepted answers are read from the dump of a Stack Exchange site, and this is the"
            f" format {config.source.format!r}",
            where="[source] format",
            fix="Set format = 'stackexchange', and `path` to a site's dump.",
        )
    if config.aspects != "planner":
        raise ConfigError(
            "a planner is tested, and these aspects come from elsewhere",
            where="aspects",
            fix="Set aspects = 'planner'.",
        )


class _AcceptedComparison:
    """Plans and judges every item that has a match."""

    def __init__(
        self, config: Config, rules: BuildRules, corpus: Corpus, calls: ScoringCalls
    ) -> None:
        self._config = config
        self._rules = rules
        self._corpus = corpus
        self._calls = calls

    async def run(
        self, answers: tuple[AcceptedAnswer | NoAcceptedAnswer, ...]
    ) -> tuple[AcceptedLine, ...]:
        """A line for each item, in their order."""
        lines: dict[str, AcceptedLine] = {}
        config, calls = self._config, self._calls
        async with open_clients(config, calls.meter, calls.note) as clients:
            source = RunModels(config, calls.store, clients, calls.meter)
            with calls.step("accepted answers", len(answers), source.stop) as count:

                async def work(answer: AcceptedAnswer | NoAcceptedAnswer) -> None:
                    models = source.models(generator_of(answer.item, config))
                    lines[answer.item.id] = await self._line(answer, models)
                    count()

                await work_through(iter(answers), work, workers=source.workers, stop=source.stop)
        return tuple(lines[answer.item.id] for answer in answers)

    async def _line(
        self, answer: AcceptedAnswer | NoAcceptedAnswer, models: Models
    ) -> AcceptedLine:
        line = AcceptedLine(id=answer.item.id, user=answer.item.user)
        if isinstance(answer, NoAcceptedAnswer):
            return line.model_copy(update={"reason": answer.reason})
        if answer.match is None:
            return line.model_copy(update={"reason": NO_MATCH})
        urls = {"accepted_url": answer.accepted.source_url, "match_url": answer.match.source_url}
        line = line.model_copy(update=urls)
        try:
            return await self._compared(answer, answer.match, line, models)
        except CallFailed as error:
            failure = {"reason": error.result_reason, "detail": error.detail[:500]}
            return line.model_copy(update=failure)

    async def _compared(
        self, answer: AcceptedAnswer, match: PublishedAnswer, line: AcceptedLine, models: Models
    ) -> AcceptedLine:
        item = answer.item
        rubric = await plan_rubric(item, item.user, item.profile, models, self._rules)
        if isinstance(rubric, Rejected):
            return line.model_copy(update={"reason": rubric.reason, "detail": rubric.detail})
        own = await self._service(answer, match, rubric, models)
        if isinstance(own, Rejected):
            return line.model_copy(update={"reason": own.reason, "detail": own.detail})
        line = line.model_copy(update={"own": own})
        try:
            stranger = await self._stranger(answer, match, models)
        except CallFailed as error:
            # What was found of the asker counts, whatever becomes of the control.
            return line.model_copy(update={"stranger_reason": error.result_reason})
        if isinstance(stranger, Rejected):
            return line.model_copy(update={"stranger_reason": stranger.reason})
        return line.model_copy(update={"stranger": stranger})

    async def _stranger(
        self, answer: AcceptedAnswer, match: PublishedAnswer, models: Models
    ) -> AdherenceComparison | Rejected:
        """How well both answers serve the aspects of one random stranger, who has one try, too."""
        item = answer.item
        found = next(self._strangers(answer), None)
        if found is None:
            return Rejected(stage="control", reason=NO_STRANGER)
        rubric = await plan_rubric(item, *found, models, self._rules)
        if isinstance(rubric, Rejected):
            return rubric
        return await self._service(answer, match, rubric, models)

    def _strangers(self, answer: AcceptedAnswer) -> Iterator[tuple[str, tuple[Post, ...]]]:
        """The users of the question's category in a seeded order, with their posts of before the
        question, without those who asked or answered it and those who wrote nothing before."""
        item = answer.item
        part = {item.user, *(one.user for one in (answer.accepted, *answer.others))}
        users = list(self._corpus.by_category[item.category.lower()])
        key = content_id("accepted-stranger", str(self._config.seed), item.id)
        for user in random.Random(key).sample(users, len(users)):
            if user in part:
                continue
            if posts := fair_posts(item, self._corpus.latest(user).profile):
                yield user, posts

    async def _service(
        self, answer: AcceptedAnswer, match: PublishedAnswer, rubric: Rubric, models: Models
    ) -> AdherenceComparison | Rejected:
        question, prompts = answer.item.question, self._rules.prompts
        accepted, other = await together(
            adherence(question, answer.accepted.text, rubric, models.judge, prompts),
            adherence(question, match.text, rubric, models.judge, prompts),
        )
        if isinstance(accepted, Rejected):
            return accepted
        if isinstance(other, Rejected):
            return other
        return AdherenceComparison(
            aspects=len(rubric.aspects), accepted=accepted.share, match=other.share
        )
