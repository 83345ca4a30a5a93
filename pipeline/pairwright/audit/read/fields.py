"""A row of another person's file as a Row. Texts are not changed, since an audit is about them."""

from typing import NamedTuple

from pydantic import ValidationError

from pairwright.audit.read.cells import (
    Fields,
    as_text,
    aspects_of,
    label_of,
    posts_of,
    prompt,
    reply,
    text_licence,
    text_of,
    transcript,
    with_parsed_sides,
)
from pairwright.audit.read.columns import Columns
from pairwright.audit.read.options import KeyedOptions, OptionKey, keyed_options
from pairwright.audit.read.source import LABEL_0, TIE, Kind, ReadRow
from pairwright.dataset import Row
from pairwright.dataset.row import has_columns
from pairwright.records import content_id, pseudonym
from pairwright.sources.fields import kind, time
from pairwright.sources.problems import SourceRefusal, excerpt

_OFFICIAL_COLUMNS = {
    "question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected",
}  # fmt: skip
_RUN_COLUMNS = {"rubric", "draft", "mode", "twin_id"}
_TIES = frozenset(
    {"tie", "tied", "tie (bothbad)", "equal", "draw", "same", "both", "neither", 0.5, "0.5"}
)
"""Labels of a tie. 0 is not one of them: in many files it means that the first response is
better."""


class ResponseSides(NamedTuple):
    """A pair's responses; what came before both is empty where the row has a prompt."""

    before: str
    chosen: str
    rejected: str
    place: int | None = None
    """In the row's lists of responses, where it has such lists."""


def kind_of(fields: Fields) -> Kind:
    """By the columns of a source's first row."""
    if has_columns(fields):
        return "release"
    if fields.keys() >= _RUN_COLUMNS:
        return "run"
    return "official" if fields.keys() >= _OFFICIAL_COLUMNS else "plain"


def rows_of(
    fields: Fields, columns: Columns, config: str, split: str, where: str, *, flat: bool = False
) -> list[ReadRow]:
    """The row, in the configuration and split of its file unless it names its own.

    A row whose sides are lists of responses gives a pair for each place in the lists: the first
    response of one over the first of the other, and so on. All are of one item, and the id and the
    place of each name its index, from 0. `flat`: whether its cells are text that may hold lists.
    Raises SourceRefusal, with a reason of REASONS.
    """
    if kind_of(fields) == "release" and not columns.given:
        return [ReadRow(split, _release_row(fields), where)]
    if options := keyed_options(fields, columns):
        return _option_rows(fields, columns, config, split, where, options)
    if flat:
        fields = with_parsed_sides(fields, columns)
    sides = _sides(fields, columns)
    split = label_of(fields, columns, "split") or split
    choice = None
    if columns.labelled:
        better = _better_response(columns.needed(fields, "label"))
        choice = OptionKey(where, 2, better - 1, of_pair=True)
    if len(sides) == 1 and sides[0].place is None:
        return [ReadRow(split, _row(fields, columns, config, sides[0]), where, choice)]
    item = content_id(
        "item", where, *(side.chosen for side in sides), *(side.rejected for side in sides)
    )
    rows = [_row(fields, columns, config, side) for side in sides]
    return [
        ReadRow(
            split,
            row.model_copy(update={"id": f"{row.id}[{n}]", "item_id": row.item_id or item}),
            f"{where} chosen[{n}]",
            choice,
        )
        for n, row in enumerate(rows)
    ]


def _option_rows(
    fields: Fields, columns: Columns, config: str, split: str, where: str, options: KeyedOptions
) -> list[ReadRow]:
    """The right option over each of the others. Id and place name the other option, from 0."""
    split = label_of(fields, columns, "split") or split
    choice = OptionKey(where, len(options.texts), options.right)
    item = content_id("item", where, *options.texts)
    read = []
    for n, text in enumerate(options.texts):
        if n != options.right:
            row = _row(
                fields, columns, config, ResponseSides("", options.texts[options.right], text)
            )
            row = row.model_copy(
                update={"id": f"{row.item_id or item}[{n}]", "item_id": row.item_id or item}
            )
            read.append(ReadRow(split, row, f"{where} options[{n}]", choice))
    return read


def _row(fields: Fields, columns: Columns, config: str, sides: ResponseSides) -> Row:
    prompt_value = columns.value(fields, "prompt")
    if prompt_value is None and sides.before:
        question = sides.before
    else:
        question = prompt(columns.needed(fields, "prompt"), "prompt")
    name = label_of(fields, columns, "id")
    user = label_of(fields, columns, "user")
    url = label_of(fields, columns, "source_url") or None
    created = time({"created": columns.value(fields, "created")}, "created")
    return Row(
        id=name or content_id("row", question, sides.chosen, sides.rejected),
        question=question,
        profile=tuple(posts_of(fields, columns)),
        rubric_aspects=tuple(aspects_of(fields, columns)),
        narrative=text_of(columns.value(fields, "narrative"), "narrative") or None,
        category=label_of(fields, columns, "category"),
        chosen=sides.chosen,
        rejected=sides.rejected,
        item_id=name,
        domain=label_of(fields, columns, "domain") or config,
        user=pseudonym(user) if user else None,
        generator=label_of(fields, columns, "generator"),
        created=created,
        source_url=url,
        licence=text_licence(url, created, label_of(fields, columns, "licence")),
    )


def _release_row(fields: Fields) -> Row:
    try:
        row = Row.model_validate(fields)
        row.model_dump_json()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise SourceRefusal("not_a_row", f"{at}: {first['msg']}") from None
    except ValueError as error:  # pydantic's error for half a character is one
        raise SourceRefusal("lone_surrogate", str(error)) from None
    return row


def _sides(fields: Fields, columns: Columns) -> list[ResponseSides]:
    """The better response and the other, of each pair in the row."""
    names = ("first", "second") if columns.labelled else ("chosen", "rejected")
    a, b = (columns.needed(fields, name) for name in names)
    if columns.labelled and _better_response(columns.needed(fields, "label")) == 2:
        a, b, names = b, a, (names[1], names[0])
    if _is_list_of_responses(a) or _is_list_of_responses(b):
        if not (isinstance(a, list) and isinstance(b, list) and len(a) == len(b)):
            raise SourceRefusal("lists_differ", f"{names[0]} {_size(a)}, {names[1]} {_size(b)}")
        return [
            ResponseSides("", as_text(x, names[0]), as_text(y, names[1]), n)
            for n, (x, y) in enumerate(zip(a, b, strict=True))
        ]
    if columns.value(fields, "prompt") is None:
        a, b = transcript(a), transcript(b)
    one, other = reply(a, names[0]), reply(b, names[1])
    if one.before != other.before:
        raise SourceRefusal(
            "prompts_differ", f"the messages before {names[0]} and {names[1]} differ"
        )
    return [ResponseSides(one.before, one.text, other.text)]


def _is_list_of_responses(value: object) -> bool:
    """Whether it is a list of responses, and not of the messages of one."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _size(value: object) -> str:
    return f"holds {len(value):,}" if isinstance(value, list) else f"is {kind(value)}"


def _better_response(label: object) -> int:
    answer = label.strip().lower() if isinstance(label, str) else label
    if not isinstance(answer, bool) and answer in (1, "1", "a"):
        return 1
    if answer in (2, "2", "b"):
        return 2
    if isinstance(answer, str | float) and answer in _TIES:
        raise SourceRefusal(TIE, f"the label is {excerpt(label)}")
    if answer in (0, "0", "0.0"):
        raise SourceRefusal(LABEL_0, f"the label is {excerpt(label)}")
    raise SourceRefusal("bad_label", f"the label is {excerpt(label)}, not 1, 2, a, b or tie")
