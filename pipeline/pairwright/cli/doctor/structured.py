"""Do replies follow a JSON schema?"""

from pairwright.cli.doctor.finding import Finding
from pairwright.cli.doctor.questions import QUESTION, Questions
from pairwright.models import Model, Unstored
from pairwright.models.run import CallLog, Traced
from pairwright.records import Rejected
from pairwright.stages.planner import plan_blind


async def structured(questions: Questions) -> Finding:
    """One real request, and up to `attempts` where replies cannot be read.

    Raises errors.CallFailed or errors.EndpointRefused where there is no reply.
    """
    log = CallLog()
    model = _model(questions)._replace(llm=Traced(Unstored(questions.client), log))
    reply = await plan_blind(QUESTION, model, questions.prompts)
    if isinstance(reply, Rejected):
        return Finding(
            "note", "structured output", f"not followed: {reply.detail}",
            "Builds ask again and reject what stays unreadable; structured = false puts the"
            " schema into the prompt instead.",
        )  # fmt: skip
    place = "" if questions.endpoint.structured else " in the prompt"
    if log.lenient:
        kinds = " and ".join(kind.replace("_", " ") for kind in sorted(log.lenient))
        return Finding(
            "note", "structured output", f"follows the schema{place}, in spite of: {kinds}",
            "Such replies are read, and the manifest counts them.",
        )  # fmt: skip
    return Finding("ok", "structured output", f"follows the schema{place}")


def _model(questions: Questions) -> Model:
    endpoint, sampling = questions.endpoint, questions.sampling
    return Model(
        llm=Unstored(questions.client),
        name=endpoint.model,
        max_tokens=sampling.max_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        seed=sampling.seed,
        attempts=sampling.attempts,
        extra=sampling.extra_json,
        structured=endpoint.structured,
    )
