"""What a release states of itself: its version and kind, its models, and its errata."""

from collections.abc import Sequence

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout, Row
from pairwright.records import Record
from pairwright.release.errata import fault
from pairwright.release.records import Erratum, Stated, Version
from pairwright.release.verify.difference import difference, shown
from pairwright.release.verify.history import check_history
from pairwright.release.versions import TRIAL, numbers_of


class _Part(Record):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Calls(_Part):
    n: int
    simulated: int


class _Endpoint(_Part):
    model: str


class _Build(_Part):
    """The run's manifest, as far as rows can be held to it."""

    calls: _Calls | None = None
    endpoints: dict[str, _Endpoint] | None = None


def check_stated(
    layout: Layout, stated: Stated, history: Sequence[Version], errata: Sequence[Erratum]
) -> None:
    """Raises Difference."""
    name = layout.stated.name
    _check_version(stated, name)
    if not 0 <= stated.validation_share < 1:
        raise difference(f"is {stated.validation_share}", f"{name} [validation_share]")
    _check_calls(stated, name)
    check_history(history, stated, layout.history.name)
    known = set[tuple[str, str]]()
    for number, erratum in enumerate(errata, start=1):
        about = erratum.pair, erratum.what
        if why := "is there twice" if about in known else fault(erratum):
            raise difference(why, f"{layout.errata.name}:{number}")
        known.add(about)


def _check_version(stated: Stated, name: str) -> None:
    if not numbers_of(stated.version):
        raise difference(f"is {shown(stated.version)}, and must be X.Y.Z", f"{name} [version]")
    trial = stated.kind == "trial"
    if stated.version.endswith(TRIAL) != trial:
        raise difference(
            f"is {stated.version}, and must {'' if trial else 'not '}end in {TRIAL}:"
            f" the kind is {stated.kind}",
            f"{name} [version]",
        )
    if bool(stated.trial_because) != trial:
        raise difference(
            "says nothing" if trial else "names reasons for an ordinary release",
            f"{name} [trial_because]",
        )


def _check_calls(stated: Stated, name: str) -> None:
    calls, where = _build(stated, name).calls, f"{name} [build.calls]"
    if calls is None:
        return
    if not 0 <= calls.simulated <= calls.n:
        raise difference(f"simulated is {calls.simulated}, of {calls.n} calls", where)
    if stated.kind == "release" and calls.n == calls.simulated > 0:
        raise difference(f"all {calls.n} calls were simulated, and the kind is release", where)


def _build(stated: Stated, name: str) -> _Build:
    try:
        return _Build.model_validate(stated.build)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise difference(first["msg"], f"{name} [build.{at}]") from None


class Models:
    """The models that the build states, where it names any."""

    def __init__(self, stated: Stated, name: str) -> None:
        """Raises Difference where the build does not state them as a build does."""
        endpoints = _build(stated, name).endpoints
        self._known = None if endpoints is None else {of.model for of in endpoints.values()}

    def check(self, row: Row, where: str) -> None:
        """Raise Difference where a row was written or judged by another."""
        if self._known is None:
            return
        for name, model in (("generator", row.generator), ("judge", row.judge)):
            if model is not None and model not in self._known:
                raise difference(f"{name} is {shown(model)}, no model that the build states", where)
