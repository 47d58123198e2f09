from __future__ import annotations

import pytest

from memori_core.retrieval.courtesy import is_chit_chat


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "Hi there!",
        "thanks!",
        "thank you very much",
        "THANKS SO MUCH",
        "ok, got it",
        "okay",
        "lol",
        "hahaha",
        "good morning",
        "bye, see you later",
        "how are you?",
        "great, perfect",
        "that's funny, haha",
        "no",
        "yes please",
        "sure",
        "谢谢",
        "谢谢你!",
        "非常感谢",
        "你好",
        "好的,谢谢",
        "再见啦",
        "哈哈哈",
        "ありがとう",
    ],
)
def test_courtesy_asks_for_nothing(line: str) -> None:
    assert is_chit_chat(line)


@pytest.mark.parametrize(
    "line",
    [
        "The Who",
        "Will",
        "US",
        "IT team",
        "who am I?",
        "thanks for the recipe, what was in it?",
        "what is my name?",
        "Is Mary good at chess?",
        "谢谢你推荐的餐厅,它叫什么?",
        "你好,我叫什么名字?",
        "花生",
        "我是谁",
        "?",
        "",
        "recommend a snack",
        "what can I eat today?",
        "what do I do today?",
        "how much is it?",
        "who did I see that night?",
        "which one is good?",
        "can you help me?",
    ],
)
def test_questions_are_not_courtesy(line: str) -> None:
    assert not is_chit_chat(line)
