"""Accounts for a study's annotators on a server of one's own, made once and kept with the data."""

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import on_disk
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
            _write(path, accounts)
    return accounts


def _read(path: Path) -> dict[str, Account]:
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {annotator: Account(**account) for annotator, account in kept.items()}


def _write(path: Path, accounts: dict[str, Account]) -> None:
    partial = path.with_suffix(".partial")
    with on_disk(path):
        file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as opened:
            json.dump({who: vars(account) for who, account in accounts.items()}, opened, indent=1)
        partial.replace(path)
