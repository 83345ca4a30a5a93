"""Accounts on the open-source server. Users that are made through its API cannot log in, so people
come in by the invite link, as in a browser.
"""

import json
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin

import httpx2

from pairwright.errors import InputError
from pairwright.files import write_whole


@dataclass(frozen=True)
class ServerAccount:
    """Somebody who can log in. Its secrets are kept out of anything printed."""

    id: int
    email: str
    password: str = field(repr=False)
    token: str = field(repr=False)


def invite_link(url: str, token: str) -> str:
    """The link under which anybody who has it can make an account."""
    headers = {"Authorization": f"Token {token}"}
    reply = httpx2.get(f"{url}/api/invite", headers=headers, trust_env=False, timeout=60)
    if reply.status_code != 200:
        raise InputError(
            f"the server answered {reply.status_code} when asked for the invite link",
            where=url,
            fix="Copy the link from the server's Organization page.",
        )
    return urljoin(url, str(reply.json()["invite_url"]))


def sign_up(url: str, link: str, email: str, password: str) -> ServerAccount:
    """Make an account through the invite link and read its own token (a legacy one).

    Raises InputError where the server refuses: an e-mail that is taken, a password of fewer than
    eight characters.
    """
    form = {"email": email, "password": password, "allow_newsletters": "false"}
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as session:
        session.get(link)
        form["csrfmiddlewaretoken"] = str(session.cookies.get("csrftoken"))
        reply = session.post(link, data=form, headers={"Referer": link})
        if reply.status_code != 302:
            raise InputError(
                f"the server did not make the account (it answered {reply.status_code})",
                where=f"{url} [{email}]",
                fix="Give an e-mail that has no account there, and eight characters or more.",
            )
        token = session.get("/api/current-user/token").json()["token"]
        return ServerAccount(
            int(session.get("/api/current-user/whoami").json()["id"]), email, password, str(token)
        )


def team_accounts(
    data: Path, sign_up_at: Callable[[str, str], ServerAccount], annotators: Iterable[str]
) -> dict[str, ServerAccount]:
    """An account for each annotator; those that were made before are kept.

    They are in `team.json` in `data`, the server's data folder, which only its owner can read.
    `sign_up_at` makes an account of an e-mail and a password.
    """
    path = data / "team.json"
    accounts = _read(path)
    for annotator in annotators:
        if annotator not in accounts:
            email = f"{annotator}@pairwright.example"
            accounts[annotator] = sign_up_at(email, secrets.token_urlsafe(9))
            rows = {who: vars(account) for who, account in accounts.items()}
            write_whole(path, json.dumps(rows, indent=1), mode=0o600)
    return accounts


def _read(path: Path) -> dict[str, ServerAccount]:
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {annotator: ServerAccount(**account) for annotator, account in rows.items()}
