"""A stand-in for Label Studio's HTTP API, for the ways in which the real one fails once a year.

with StandIn() as server: Server(server.url, KEY) ...

It holds projects and tasks in memory and knows just the calls that push, pull and status make. How
the real one behaves is for test_real_label_studio.py.
"""

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

KEY = "0123456789abcdef0123456789abcdef01234567"
Reply = tuple[int, Any]


class StandIn:
    """The server, what it holds and what it was asked."""

    def __init__(self) -> None:
        self.projects: dict[int, dict[str, Any]] = {}
        self.tasks: dict[int, dict[str, Any]] = {}
        self.exports: dict[int, Any] = {}
        self.asked: list[tuple[str, str]] = []
        self.instead: Reply | None = None
        """Answers every call, which then does nothing."""
        self.lost: dict[int, Reply] = {}
        """By number of an import, from 1: what it replies once it has done its work."""
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"null")
                status, reply = stand_in.handle(self.command, self.path, body)
                content = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Set-Cookie", "sessionid=a-secret-session")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def names(self, project: int) -> list[str]:
        """Our ids of the tasks that a project holds."""
        return [t["data"]["task"] for t in self.tasks.values() if t["project"] == project]

    def handle(self, method: str, target: str, body: Any) -> Reply:
        url = urllib.parse.urlsplit(target)
        path, query = url.path.strip("/"), dict(urllib.parse.parse_qsl(url.query))
        self.asked.append((method, path))
        if self.instead is not None:
            return self.instead
        reply = self.serve(method, path.split("/"), query, body)
        number = sum(path.endswith("import") for _, path in self.asked)
        return self.lost.get(number, reply) if path.endswith("import") else reply

    def serve(self, method: str, path: list[str], query: dict[str, str], body: Any) -> Reply:
        match method, path:
            case "GET", ["api", "projects"]:
                found = [p for p in self.projects.values() if query["title"] in p["title"]]
                rows = [p | {"task_number": len(self.names(p["id"]))} for p in found]
                return 200, {"count": len(rows), "next": None, "previous": None, "results": rows}
            case "POST", ["api", "projects"]:
                new = {"id": max(self.projects, default=0) + 1, **body}
                self.projects[new["id"]] = new
                return 201, new
            case "POST", ["api", "projects", project, "import"]:
                first = max(self.tasks, default=100) + 1
                for number, task in enumerate(body, start=first):
                    self.tasks[number] = {"id": number, "project": int(project), **task}
                ids = list(range(first, first + len(body)))
                return 201, {"task_count": len(ids), "task_ids": ids}
            case "GET", ["api", "projects", project, "export"]:
                return 200, self.exports.get(int(project), [])
            case "DELETE", ["api", "projects", project]:
                del self.projects[int(project)]
                gone = [n for n, t in self.tasks.items() if t["project"] == int(project)]
                for number in gone:
                    del self.tasks[number]
                return 204, ""
        return 404, {"detail": f"no stand-in for {method} {'/'.join(path)}"}
