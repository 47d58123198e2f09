"""Makes the files of the real package `mem0ai`: a Qdrant folder, a history, a `get_all()` as JSON.

    python make_mem0_store.py FOLDER     (with the Python of an environment that has `mem0ai`)

A server on this machine stands for OpenAI: vectors from a hash, and one extracted memory.
"""

import hashlib
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder = Path(sys.argv[1]).absolute()
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "dir"), "OPENAI_API_KEY": "none"}

EXTRACTED = {"memory": [{"id": "0", "text": "User plays the cello.", "attributed_to": "user"}]}


def vector(text: str) -> list[float]:
    return [byte / 255 for byte in hashlib.shake_128(text.encode()).digest(16)]


class OpenAI(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            rows = [{"index": i, "embedding": vector(t)} for i, t in enumerate(texts)]
            answer = {"object": "list", "model": "m", "data": rows}
        else:
            message = {"role": "assistant", "content": json.dumps(EXTRACTED)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
            answer["choices"] = [choice]
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), OpenAI)
threading.Thread(target=server.serve_forever, daemon=True).start()
base_url = f"http://127.0.0.1:{server.server_port}/v1"

from mem0 import Memory  # noqa: E402 (reads the environment)

memory = Memory.from_config(
    {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 16, "on_disk": True},
        },
        "embedder": {
            "provider": "openai",
            "config": {"openai_base_url": base_url, "embedding_dims": 16},
        },
        "llm": {"provider": "openai", "config": {"openai_base_url": base_url}},
        "history_db_path": str(folder / "history.db"),
    }
)


def raw(text: str, said: str, **more: object) -> str:
    metadata = {"created_at": said, **more.pop("metadata", {})}
    return memory.add(text, infer=False, metadata=metadata, **more)["results"][0]["id"]


raw("User lives in Porto.", "2026-01-15T09:30:00+00:00", user_id="alice", agent_id="support")
raw(
    "User is allergic to peanuts.",
    "2026-01-15T02:30:00-07:00",
    user_id="alice",
    run_id="run-1",
    metadata={"topic": "health", "tags": ["food", 1, None], "deep": {"a": {"b": 1.5}}},
)
home = raw("User lives in Lisbon.", "2025-12-31T23:59:59.5+00:00", user_id="用户-7")
raw("用户对花生过敏。", "2026-02-20T18:00:00", user_id="用户-7", expiration_date="2031-03-01")
raw("The team meets on Mondays.", "2026-04-01T00:00:00Z", agent_id="planner")
memory.add("I play the cello.", user_id="alice")  # through the model: dated now
memory.update(home, text="User lives in Faro.")
gone = raw("User has a dog.", "2026-01-01T00:00:00+00:00", user_id="alice")
memory.delete(gone)

everything = []
for whose in ({"user_id": "alice"}, {"user_id": "用户-7"}, {"agent_id": "planner"}):
    got = memory.get_all(filters=whose, top_k=1000, show_expired=True)
    everything += got["results"]
text = json.dumps({"results": everything}, ensure_ascii=False)
(folder / "get_all.json").write_text(text, encoding="utf-8")
memory.close()
