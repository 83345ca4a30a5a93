"""A stand-in for the Hugging Face Hub's HTTP API: enough of it to be pushed to, on a free port of
this machine. Not the Hub: what it accepts shows what `huggingface_hub` sends, nothing more.

with hub() as there: ...       # there.url for HF_ENDPOINT, there.repos for what arrived

Its large files go the way of Git LFS; the Hub's other way, Xet, is switched off in the tests.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from endpoint import LARGEST, beside, running

TOKEN = "hf_secretSecretSecretSecretSecretSecr"
LARGE = 8_000
"""Bytes from which on a file goes as a large one, and not inside the commit."""


@dataclass
class Repo:
    """A dataset: its files now, and by tag."""

    private: bool
    files: dict[str, bytes] = field(default_factory=lambda: {".gitattributes": b"*.parquet lfs\n"})
    commits: list[dict[str, Any]] = field(default_factory=list)
    """The header of each, in order."""
    tags: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return hashlib.sha1(str(len(self.commits)).encode()).hexdigest()


@dataclass
class Hub:
    """What the server holds, and what it is to refuse."""

    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    """By sha256."""
    asked: list[str] = field(default_factory=list)
    """Method and path of every request."""
    refuse: dict[str, int] = field(default_factory=dict)
    """Status by the end of a path; `/tag` stands for every tag."""
    meanwhile: bool = False
    """Whether somebody else pushes between the look and the commit."""

    @web.middleware
    async def gate(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path}")
        for end, status in self.refuse.items():
            if request.path.endswith(end) or (end == "/tag" and "/tag/" in request.path):
                return web.json_response({"error": "refused by the stand-in"}, status=status)
        # Where large files go is a signed address, which takes no login.
        known = request.headers.get("Authorization") == f"Bearer {TOKEN}"
        if not known and not request.path.startswith("/large/"):
            return web.json_response({"error": "Invalid username or password."}, status=401)
        response: web.StreamResponse = await handler(request)
        return response

    def of(self, request: web.Request) -> Repo:
        return self.repos["{org}/{name}".format(**request.match_info)]

    async def create(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert body["type"] == "dataset"
        name = f"{body['organization']}/{body['name']}"
        url = {"url": f"{self.url}/datasets/{name}", "name": name}
        if name in self.repos:
            return web.json_response({"error": "You already created this", **url}, status=409)
        self.repos[name] = Repo(private=body.get("visibility") == "private")
        return web.json_response(url)

    async def info(self, request: web.Request) -> web.Response:
        repo = self.of(request)
        found = {
            "id": "{org}/{name}".format(**request.match_info), "sha": repo.head,
            "private": repo.private, "siblings": [{"rfilename": path} for path in repo.files],
        }  # fmt: skip
        if self.meanwhile:
            repo.commits.append({"summary": "somebody else's"})
        return web.json_response(found)

    async def refs(self, request: web.Request) -> web.Response:
        tags = [
            {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": "0" * 40}
            for tag in self.of(request).tags
        ]
        return web.json_response({"branches": [], "converts": [], "tags": tags})

    async def validate(self, request: web.Request) -> web.Response:
        assert "content" in await request.json()
        return web.json_response({"errors": [], "warnings": []})

    async def preupload(self, request: web.Request) -> web.Response:
        files = [
            {"path": file["path"], "uploadMode": "lfs" if file["size"] >= LARGE else "regular",
             "shouldIgnore": False, "oid": None}
            for file in (await request.json())["files"]
        ]  # fmt: skip
        return web.json_response({"files": files})

    async def batch(self, request: web.Request) -> web.Response:
        objects = [
            {"oid": of["oid"], "size": of["size"],
             "actions": {"upload": {"href": f"{self.url}/large/{of['oid']}"}}}
            for of in (await request.json())["objects"]
        ]  # fmt: skip
        return web.json_response({"transfer": "basic", "objects": objects})

    async def upload(self, request: web.Request) -> web.Response:
        content = await request.read()
        name = request.match_info["oid"]
        assert hashlib.sha256(content).hexdigest() == name
        self.large[name] = content
        return web.Response()

    async def commit(self, request: web.Request) -> web.Response:
        repo, text = self.of(request), await request.text()
        header, *operations = (json.loads(line) for line in text.splitlines())
        if header["value"]["parentCommit"] != repo.head:
            return web.json_response({"error": "The head has moved."}, status=412)
        files = dict(repo.files)
        for operation in operations:
            value = operation["value"]
            if operation["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                files[value["path"]] = self.large[value["oid"]]
            else:
                assert operation["key"] == "deletedFile", operation["key"]
                del files[value["path"]]
        repo.files = files
        repo.commits.append(header["value"])
        name = "{org}/{name}".format(**request.match_info)
        url = f"{self.url}/datasets/{name}/commit/{repo.head}"
        return web.json_response({"commitUrl": url, "commitOid": repo.head, "success": True})

    async def tag(self, request: web.Request) -> web.Response:
        repo = self.of(request)
        assert request.match_info["commit"] == repo.head
        repo.tags[(await request.json())["tag"]] = dict(repo.files)
        return web.json_response({})


def _app(hub: Hub) -> web.Application:
    app = web.Application(middlewares=[hub.gate], client_max_size=LARGEST)
    dataset = "/api/datasets/{org}/{name}"
    app.router.add_post("/api/repos/create", hub.create)
    app.router.add_post("/api/validate-yaml", hub.validate)
    app.router.add_get(dataset, hub.info)
    app.router.add_get(f"{dataset}/refs", hub.refs)
    app.router.add_post(f"{dataset}/preupload/main", hub.preupload)
    app.router.add_post("/datasets/{org}/{name}.git/info/lfs/objects/batch", hub.batch)
    app.router.add_put("/large/{oid}", hub.upload)
    app.router.add_post(f"{dataset}/commit/main", hub.commit)
    app.router.add_post(f"{dataset}/tag/{{commit}}", hub.tag)
    return app


@contextmanager
def hub() -> Iterator[Hub]:
    """Serve from a thread of its own until the block ends."""
    there = Hub()
    with beside(running(_app(there))) as there.url:
        yield there
