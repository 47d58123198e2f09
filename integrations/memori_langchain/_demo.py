"""What `memori demo` asks of LangChain: an agent whose fake model tells what its prompt holds."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage

from memori_core import Memori
from memori_core.testing import facts_in
from memori_langchain.middleware import MemoriMiddleware


class _Teller(SimpleChatModel):
    @property
    def _llm_type(self) -> str:
        return "teller"

    def _call(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> str:
        return "; ".join(facts_in("\n".join(message.text for message in messages))) or "nothing"


def answer(memori: Memori, user_id: str, question: str) -> str:
    """The answer of an agent to a user."""
    agents: Any = import_module("langchain.agents")  # Any: its types are partly open
    agent = agents.create_agent(
        _Teller(), middleware=[MemoriMiddleware(memori)], context_schema=dict[str, str]
    )
    result = agent.invoke({"messages": question}, context={"user_id": user_id})
    return result["messages"][-1].text
