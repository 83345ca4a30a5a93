"""The OpenAI Batch API: files of requests are submitted, and their replies ingested."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from pairwright.errors import ConfigError, EndpointRefused
from pairwright.files import write_whole
from pairwright.models.batch import URL, Ingest, RequestFile, open_run
from pairwright.models.call import Secrets, printable
from pairwright.models.client import proxy_for
from pairwright.models.connect import api_key
from pairwright.options import RunPath
from pairwright.settings.config import Config

if TYPE_CHECKING:
    from openai import OpenAI

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that does not change any more."""
POLL_EVERY_S = 30.0


def submit_batches(
    run: RunPath,
    *,
    wait: Annotated[bool, Option("--wait", help="Wait until every batch has ended.")] = False,
) -> Ingest:
    """Hand the latest requests to the OpenAI Batch API, and ingest the replies that have come.

    Safe to repeat and to interrupt: no file is submitted twice. Each goes to the endpoint it was
    written for, with the key that its api_key_env names. Exits with 3 while a batch is under way,
    and with 1 if one has ended without all of its replies. The next round asks for those.

    Raises ConfigError, EndpointRefused, and InputError if the run was not built with `batch`.

    Examples::

        pairwright batch submit runs/first
        pairwright batch submit runs/first --wait
    """
    with open_run(Path(run)) as (config, ingest):
        while True:
            for file in ingest.requests.files():
                if not file.batch or file.waiting:
                    with _batch_api(config, file.endpoint) as api:
                        (_collect if file.batch else _submit)(api, file, ingest)
            if not (wait and any(file.waiting for file in ingest.requests.files())):
                return ingest
            time.sleep(POLL_EVERY_S)


@contextmanager
def _batch_api(config: Config, name: str) -> "Iterator[OpenAI]":
    """The Batch API of an endpoint. Raises ConfigError for what has none, and EndpointRefused for
    all that it refuses in the block."""
    endpoint, where = config.endpoints[name], f"[endpoints.{name}]"
    if endpoint.base_url is None or endpoint.recording is not None:
        fix = "Have the files answered by `vllm run-batch`, and `pairwright batch ingest` them."
        raise ConfigError("only a server has a Batch API", where=where, fix=fix)
    # It takes half a second to import, and only this command needs it.
    import httpx2
    from openai import APIError, DefaultHttpxClient, OpenAI

    key, url = api_key(name, endpoint), endpoint.base_url
    # As over the wire: not its own look at the environment.
    http = DefaultHttpxClient(
        proxy=proxy_for(url),
        trust_env=False,
        verify=httpx2.create_ssl_context(),
        timeout=endpoint.timeout_s,
    )
    try:
        # The SDK insists on a key; servers without one ignore it.
        with OpenAI(api_key=key or "none", base_url=url, http_client=http) as api:
            yield api
    except APIError as error:
        said = Secrets(key).without(str(error.__cause__ or error).encode("utf-8", "replace"))
        raise EndpointRefused(
            f"{where} {url}: {printable(said.decode())}\n"
            "  Check `base_url`, and the key in the variable that `api_key_env` names; then run the"
            " same command again: nothing is submitted twice."
        ) from None


def _submit(api: "OpenAI", file: RequestFile, ingest: Ingest) -> None:
    """Make a batch of one file, or find the one that an interrupted try made."""
    from openai import APIStatusError

    batch, requests = None, ingest.requests
    if upload := file.upload:
        batch = next((one for one in api.batches.list() if one.input_file_id == upload), None)
    else:
        upload = api.files.create(file=file.path, purpose="batch").id
        requests.submitted(file, upload)
    if batch is None:
        try:
            # Asked once only: a repeated try could make and bill a second batch.
            batch = api.with_options(max_retries=0).batches.create(
                input_file_id=upload, endpoint=URL, completion_window="24h"
            )
        except APIStatusError as error:
            if error.status_code < 500:
                requests.submitted(file, "")
            raise
    requests.submitted(file, upload, batch.id)


def _collect(api: "OpenAI", file: RequestFile, ingest: Ingest) -> None:
    """Look at the batch of a file once, and ingest its replies if it has ended."""
    batch = api.batches.retrieve(file.batch)
    if batch.status not in ENDED:
        done = batch.request_counts.completed if batch.request_counts else 0
        said = f"{file.path.name}: {batch.status}, {done:,} of {file.lines:,} answered"
        logging.getLogger("pairwright").warning(said)
        return
    for kind, file_id in (("output", batch.output_file_id), ("errors", batch.error_file_id)):
        if file_id:
            path = file.path.with_suffix(f".{kind}.jsonl")
            with api.files.with_streaming_response.content(file_id) as response:
                write_whole(path, response.iter_bytes())
            ingest.file(path)
    errors = (batch.errors and batch.errors.data) or []
    why = "; ".join([batch.status, *(f"{one.code}: {one.message}" for one in errors[:3])])
    ingest.requests.failed("failed", f"no_reply: the batch {why[:500]}", batch=batch.id)
