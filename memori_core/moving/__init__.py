"""Moving here from another memory: its facts with their users, dates and ids.

```python
import json
from pathlib import Path

from memori_core import Memori
from memori_core.moving import from_mem0, move

memory = {"id": "1", "memory": "User lives in Porto.", "user_id": "alice"}
memory["created_at"] = "2026-01-15T09:30:00Z"
Path("mem0.json").write_text(json.dumps({"results": [memory]}), encoding="utf-8")

with Memori("memories.db", embedder=None) as memori:
    moved = move(from_mem0("mem0.json"), into=memori)
    print(moved.facts, moved.users, moved.new)
    #> 1 1 1
    print(memori.scoped("alice").get("1").said_at)
    #> 2026-01-15 09:30:00+00:00
```
"""

from __future__ import annotations

from memori_core.moving._facts import MovedFact
from memori_core.moving._move import Moved, amove, move
from memori_core.moving.mem0 import from_mem0
from memori_core.moving.memori import from_memori

__all__ = ["Moved", "MovedFact", "amove", "from_mem0", "from_memori", "move"]
