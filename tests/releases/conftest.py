"""What tests of releases share."""

from collections.abc import Iterator

import pytest

from pairwright.audits.records import Audit


@pytest.fixture(scope="module", autouse=True)
def sketched_audit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every release is audited, and to write the page takes as long as the audit. A sketch of it
    stands in a release but where tests look at the page (`AUDIT_PAGE = True`)."""
    with pytest.MonkeyPatch.context() as patched:
        if not getattr(request.module, "AUDIT_PAGE", False):
            patched.setattr("pairwright.audits.page.audit_page", _sketch_page)
        yield


def _sketch_page(audit: Audit) -> str:
    return f"<html><body>{audit.source.name} {audit.source.version}</body></html>"
