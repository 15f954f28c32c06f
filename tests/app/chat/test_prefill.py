"""An answer that is continued stands in the prompt as its model would have written it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from app.chat.message import Message
from app.chat.prefill import begin
from app.chat.template import ChatTemplate

TEMPLATES = Path(__file__).parent / "templates"
ALL = sorted(path.stem for path in TEMPLATES.glob("*.jinja"))
BOS, EOS = "<BOS>", "<EOS>"
QUESTION, EARLIER = Message("user", "What is a lake?"), Message("assistant", "Standing water.")
FOLLOW_UP = Message("user", "And a river?")
HALF = Message("assistant", "Flowing wa")
HALF_THOUGHT = Message("assistant", "", "Water flows, there")
THOUGHT = Message("assistant", "Flowing wa", "Water flows.")

TAILS = {
    "meta-llama-Llama-3.1-8B-Instruct": "<|start_header_id|>assistant<|end_header_id|>\n\nFlowing wa",
    "Qwen-Qwen2.5-7B-Instruct": "<|im_start|>assistant\nFlowing wa",
    "google-gemma-2-2b-it": "<start_of_turn>model\nFlowing wa",
    "mistralai-Mistral-7B-Instruct-v0.2": "[INST] And a river? [/INST]Flowing wa",
    "microsoft-Phi-3.5-mini-instruct": "<|assistant|>\nFlowing wa",
    "microsoft-phi-4": "<|im_start|>assistant<|im_sep|>Flowing wa",
    "CohereForAI-c4ai-command-r-plus-tool_use": "<|CHATBOT_TOKEN|>Flowing wa",
    "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|START_THINKING|><|END_THINKING|><|START_RESPONSE|>Flowing wa",
    "ibm-granite-granite-3.3-2B-Instruct": "<|start_of_role|>assistant<|end_of_role|>Flowing wa",
    "openai-gpt-oss-120b": "<|start|>assistant<|channel|>final<|message|>Flowing wa",
    "llama-cpp-deepseek-r1": "<｜Assistant｜><think>\n\n</think>\n\nFlowing wa",
    "Qwen3.5-4B": "<|im_start|>assistant\n<think>\n\n</think>\n\nFlowing wa",
    "Qwen-Qwen3-0.6B": "<|im_start|>assistant\nFlowing wa",
}
THOUGHT_TAILS = {
    "llama-cpp-deepseek-r1": "<｜Assistant｜><think>\nWater flows.\n</think>\n\nFlowing wa",
    "Qwen-Qwen3-0.6B": "assistant\n<think>\nWater flows.\n</think>\n\nFlowing wa",
    "openai-gpt-oss-120b": "<|start|>assistant<|channel|>analysis<|message|>Water flows.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>Flowing wa",
    "mistralai-Ministral-3-14B-Reasoning-2512": "[/INST][THINK]Water flows.[/THINK]Flowing wa",
    "meta-llama-Llama-3.1-8B-Instruct": "\n\n<think>Water flows.</think>Flowing wa",
}


@cache
def load(name: str) -> ChatTemplate:
    return ChatTemplate((TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8"), BOS, EOS)


def prompt_of(name: str, continued: Message, *messages: Message) -> str:
    template = load(name)
    rendered = template.render(messages or (QUESTION, EARLIER, FOLLOW_UP))
    prompt = begin(rendered, continued, template.source).prompt
    assert prompt.startswith(rendered.rstrip())
    return prompt


@pytest.mark.parametrize("name", ALL)
def test_the_prompt_ends_inside_the_answer(name: str) -> None:
    rendered = load(name).render((QUESTION, EARLIER, FOLLOW_UP))
    prompt = prompt_of(name, HALF)
    assert prompt.endswith("Flowing wa")
    assert prompt.count("Flowing wa") == 1
    assert prompt.count(BOS) == rendered.count(BOS)
    assert len(prompt) - len(rendered) < 60  # no second header, no end of turn


@pytest.mark.parametrize("name", TAILS)
def test_each_family_marks_the_answer_in_its_own_way(name: str) -> None:
    assert prompt_of(name, HALF).endswith(TAILS[name])


@pytest.mark.parametrize("name", THOUGHT_TAILS)
def test_what_was_thought_stands_before_the_answer(name: str) -> None:
    assert prompt_of(name, THOUGHT).endswith(THOUGHT_TAILS[name])


@pytest.mark.parametrize("name", ["llama-cpp-deepseek-r1", "Qwen-Qwen3-0.6B"])
def test_thinking_that_was_cut_off_goes_on(name: str) -> None:
    template = load(name)
    beginning = begin(template.render([QUESTION]), HALF_THOUGHT, template.source)
    assert beginning.prompt.endswith("<think>\nWater flows, there")
    pieces = [*beginning.splitter.feed("fore.\n</think>\n\nFlowing water."), *beginning.splitter.finish()]
    assert pieces == [("thinking", "fore."), ("answer", "Flowing water.")]


def test_the_answer_goes_on_to_the_character() -> None:
    template = load("meta-llama-Llama-3.1-8B-Instruct")
    splitter = begin(template.render([QUESTION]), HALF, template.source).splitter
    assert [*splitter.feed("\n <think>ter"), *splitter.finish()] == [("answer", "\n <think>ter")]


def test_an_answer_of_nothing_begins_as_a_new_one() -> None:
    template = load("llama-cpp-deepseek-r1")
    rendered = template.render([QUESTION])
    beginning = begin(rendered, Message("assistant", ""), template.source)
    assert beginning.prompt == rendered
    assert beginning.splitter.is_thinking


@pytest.mark.parametrize("name", ALL)
def test_edited_and_deleted_conversations_are_taken_by_every_template(name: str) -> None:
    """An edited answer, an answer that lost its question, and two questions in a row."""
    template = load(name)
    edited = Message("assistant", "Edited water.", edited=True)
    for messages in ((QUESTION, edited, FOLLOW_UP), (edited, FOLLOW_UP), (QUESTION, FOLLOW_UP)):
        prompt = template.render(messages)
        for message in messages:
            assert message.content in prompt
        assert prompt_of(name, HALF, *messages).endswith("Flowing wa")
    template.render([edited])
