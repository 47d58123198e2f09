"""The run that is going on here: what it was asked, and whose it is."""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass, field, replace

from agno.run import RunContext

from memori_agno._register import is_over
from memori_core import Recall, Scope
from memori_core.hooks import handle_while

_current: ContextVar[Run | None] = ContextVar("memori_agno_run", default=None)
_all: weakref.WeakValueDictionary[str, Run] = weakref.WeakValueDictionary()


@dataclass(eq=False)
class Run:
    """A run of an agent or a team, as its hooks see it."""

    context: weakref.ref[RunContext]
    _: KW_ONLY
    id: str
    user_id: str | None
    session_id: str | None
    process_id: str | None = None
    """What its agent or team is called in the memory, where a hook said so."""
    query: str = ""
    """What the user says in it."""
    recalled: dict[str, Recall] = field(default_factory=dict[str, Recall])
    """What was recalled for it, by question: a retry asks the same again."""

    def goes_on(self) -> bool:
        """Whether it has not ended, in whatever way."""
        return self.context() is not None and not is_over(self.id)

    def scope(self, scope: Scope) -> Scope:
        """A scope of its user, in its session and for its process."""
        process_id = self.process_id or scope.process_id
        return replace(scope, process_id=process_id, session_id=self.session_id)


def begin(context: RunContext, *, query: str = "") -> Run:
    """The run of this context, begun if it is not. A registered client beneath is left alone
    while it goes on: memory is this integration's work."""
    run = current()
    if run is None or run.id != context.run_id:
        run = Run(
            weakref.ref(context),
            id=context.run_id,
            user_id=_text(context.user_id),
            session_id=_text(context.session_id),
        )
        _current.set(run)
        _all[run.id] = run
        handle_while(run.goes_on)
    run.query = query or run.query
    return run


def _text(id: object) -> str | None:
    """An id as text, as in scopes; None for a blank one."""
    text = "" if id is None else str(id)
    return text if text.strip() else None


def current() -> Run | None:
    """The run that goes on in this task or thread; None between runs, and where no hook of ours
    saw it begin."""
    run = _current.get()
    return run if run is not None and run.goes_on() else None


def find(user_id: str, text: str) -> Run | None:
    """The run of a user that a text belongs to, also from a thread that is not the run's.

    Agno makes memories of a run in a thread of its own, and names neither the run nor the session.
    """
    run = current()
    if run is not None and run.user_id == user_id:
        return run
    others = [run for ref in _all.valuerefs() if (run := ref()) is not None]
    fitting = [
        run
        for run in others
        if run.user_id == user_id and run.query and run.query in text and run.goes_on()
    ]
    return max(fitting, key=lambda run: len(run.query), default=None)
