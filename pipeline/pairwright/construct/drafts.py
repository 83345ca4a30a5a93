"""Drawing again: both sides together, so that selection never favours one side."""

from collections.abc import Awaitable, Callable

from pairwright.records import Draft, Rejected


async def draw_until_accepted(
    draw: Callable[[int], Awaitable[Draft | Rejected]], draws: int
) -> tuple[Draft, tuple[Draft, ...]] | Rejected:
    """The first accepted draft with those refused before it, or Rejected with all of them.

    The reason of a rejection is the first gate that refused the last draft.
    """
    refused: list[Draft] = []
    failure: Rejected | None = None
    for number in range(draws):
        draft = await draw(number)
        if isinstance(draft, Rejected):
            failure = draft
        elif draft.refused_by is None:
            return draft, tuple(refused)
        else:
            failure = None
            refused.append(draft)
    if failure is not None:
        return failure.model_copy(update={"drafts": tuple(refused)})
    gate = refused[-1].refused_by
    return Rejected(
        stage="gates",
        reason=gate.gate if gate else "",
        detail=f"measured {gate.value}, limit {gate.limit}" if gate else "",
        drafts=tuple(refused),
    )
