"""Accounts for a study's annotators on a server of one's own, made once and kept with the data."""

import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from pairwright.files import write_whole
from pairwright_human_eval.server.accounts import Account
from pairwright_human_eval.server.run import LabelStudioServer


def team(server: LabelStudioServer, annotators: Iterable[str]) -> dict[str, Account]:
    """An account for each annotator; those that were made before are kept.

    They stand in `team.json` in the server's data folder, which only its owner can read.
    """
    path = server.data / "team.json"
    accounts = _read(path)
    for annotator in annotators:
        if annotator not in accounts:
            email = f"{annotator}@pairwright.example"
            accounts[annotator] = server.sign_up(email, secrets.token_urlsafe(9))
            kept = {who: vars(account) for who, account in accounts.items()}
            write_whole(path, json.dumps(kept, indent=1), mode=0o600)
    return accounts


def _read(path: Path) -> dict[str, Account]:
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {annotator: Account(**account) for annotator, account in kept.items()}
