"""The chat template renderer, on the templates of real models and on malicious ones."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.chat.message import Message
from app.chat.template import NO_TEMPLATE_NOTE, SYSTEM_REFUSED_NOTE, ChatTemplate

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.parser import Parser

BOS, EOS = "<BOS>", "<EOS>"
SYSTEM = {"role": "system", "content": "Answer tersely."}
QUESTION = {"role": "user", "content": "What is a lake?"}
ANSWER = {"role": "assistant", "content": "Standing water."}
FOLLOW_UP = {"role": "user", "content": "And a river?"}
CONVERSATIONS = {
    "with system": [SYSTEM, QUESTION, ANSWER, FOLLOW_UP],
    "without system": [QUESTION, ANSWER, FOLLOW_UP],
    "two questions in a row": [SYSTEM, QUESTION, FOLLOW_UP],
    "two answers in a row": [QUESTION, ANSWER, ANSWER, FOLLOW_UP],
    "one question": [QUESTION],
}
NEW_YEAR = datetime(2026, 1, 1, 12, 0)
TEMPLATES = sorted((Path(__file__).parent / "templates").glob("*.jinja"), key=lambda path: path.name.lower())
REFUSE_SYSTEM = {
    "google-gemma-2-2b-it",
    "google-gemma-7b-it",
    "microsoft-Phi-3-mini",
    "mistralai-Mistral-7B-Instruct-v0.2",
    "OrionStarAI-Orion-14B-Chat",
    "yandex-YandexGPT-5-Lite-8B-instruct",
}
BOS_BEFORE_EACH_MESSAGE = {"mlabonne-AlphaMonarch-7B"}
SYSTEM_AT_THE_LAST_MESSAGE = {"mistralai-Mistral-Nemo-Instruct-2407", "Mistral-Large-Instruct-2407-v3"}
real_templates = pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)


@cache
def load(path: Path) -> ChatTemplate:
    return ChatTemplate(path.read_text(encoding="utf-8"), BOS, EOS, clock=lambda: NEW_YEAR)


def rendered(source: str, messages: list[dict[str, str]] = CONVERSATIONS["with system"], **variables: Any) -> str:
    return ChatTemplate(source, BOS, EOS, clock=lambda: NEW_YEAR).render(messages, **variables)


class _Generation(Extension):
    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def render_plainly(source: str, **variables: Any) -> str:
    """Render as transformers does, without any of our care."""

    def raise_exception(message: str) -> None:
        raise ValueError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _Generation]
    )
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, ensure_ascii=False, **options)
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = NEW_YEAR.strftime
    return environment.from_string(source).render(bos_token=BOS, eos_token=EOS, add_generation_prompt=True, **variables)


class TestRealTemplates:
    def test_enough_of_them(self) -> None:
        assert len(TEMPLATES) >= 40

    @real_templates
    @pytest.mark.parametrize("variables", [{}, {"enable_thinking": True}, {"enable_thinking": False}], ids=str)
    @pytest.mark.parametrize("name", CONVERSATIONS)
    def test_every_message_is_in_the_prompt_in_order(self, path: Path, name: str, variables: dict[str, Any]) -> None:
        text = load(path).render(CONVERSATIONS[name], **variables)
        position = -1
        for message in CONVERSATIONS[name][-2:]:
            position = text.index(message["content"], position + 1)
        assert all(message["content"] in text for message in CONVERSATIONS[name])

    @real_templates
    @pytest.mark.parametrize("name", CONVERSATIONS)
    def test_begins_with_bos_at_most_once(self, path: Path, name: str) -> None:
        count = load(path).render(CONVERSATIONS[name]).count(BOS)
        if path.stem in BOS_BEFORE_EACH_MESSAGE:
            assert count > 1
        else:
            assert count <= 1

    @real_templates
    def test_refused_system_prompt_is_said(self, path: Path) -> None:
        notes = load(path).render_prompt(CONVERSATIONS["with system"]).notes
        assert notes == ((SYSTEM_REFUSED_NOTE,) if path.stem in REFUSE_SYSTEM else ())

    @real_templates
    def test_nothing_to_say_without_a_system_prompt(self, path: Path) -> None:
        assert load(path).render_prompt(CONVERSATIONS["without system"]).notes == ()

    @real_templates
    def test_prompt_is_the_one_transformers_makes(self, path: Path) -> None:
        """For what a template takes as it is, our care must not change a character."""
        source = path.read_text(encoding="utf-8")
        messages = CONVERSATIONS["without system" if path.stem in REFUSE_SYSTEM else "with system"]
        if path.stem == "fireworks-ai-llama-3-firefunction-v2":
            expected = render_plainly(source, messages=messages, functions="", datetime="2026-01-01")
        else:
            expected = render_plainly(source, messages=messages)
        assert load(path).render(messages) == expected

    @real_templates
    def test_system_prompt_alone_can_be_counted(self, path: Path) -> None:
        assert SYSTEM["content"] in load(path).render([SYSTEM])

    @real_templates
    def test_a_longer_conversation_keeps_the_prefix(self, path: Path) -> None:
        """What stands before the last answer stays as it was, so that the KV cache can be reused."""
        shorter = load(path).render([SYSTEM, QUESTION, ANSWER, FOLLOW_UP])
        longer = load(path).render([SYSTEM, QUESTION, ANSWER, FOLLOW_UP, ANSWER, QUESTION])
        kept = longer.startswith(shorter[: shorter.index(FOLLOW_UP["content"]) + len(FOLLOW_UP["content"])])
        assert kept is (path.stem not in SYSTEM_AT_THE_LAST_MESSAGE)


class TestFamilies:
    def test_llama_3(self) -> None:
        path = Path(__file__).parent / "templates" / "meta-llama-Llama-3.jinja"
        assert load(path).render([SYSTEM, QUESTION]) == (
            "<BOS><|start_header_id|>system<|end_header_id|>\n\nAnswer tersely.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nWhat is a lake?<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n"
        )

    def test_gemma_gets_the_system_prompt_before_the_first_message(self) -> None:
        path = Path(__file__).parent / "templates" / "google-gemma-2-2b-it.jinja"
        assert load(path).render([SYSTEM, QUESTION]) == (
            "<BOS><start_of_turn>user\nAnswer tersely.\n\nWhat is a lake?<end_of_turn>\n<start_of_turn>model\n"
        )

    def test_old_mistral_gets_alternating_roles(self) -> None:
        path = Path(__file__).parent / "templates" / "mistralai-Mistral-7B-Instruct-v0.2.jinja"
        assert load(path).render([SYSTEM, QUESTION, FOLLOW_UP]) == (
            "<BOS>[INST] Answer tersely.\n\nWhat is a lake?\n\nAnd a river? [/INST]"
        )

    @pytest.mark.parametrize(
        ("thinking", "ending"), [(True, "assistant\n"), (False, "assistant\n<think>\n\n</think>\n\n")]
    )
    def test_qwen3_thinking_switch(self, thinking: bool, ending: str) -> None:
        path = Path(__file__).parent / "templates" / "Qwen-Qwen3-0.6B.jinja"
        assert load(path).render([QUESTION], enable_thinking=thinking).endswith(ending)

    def test_date_comes_from_the_clock(self) -> None:
        path = Path(__file__).parent / "templates" / "ibm-granite-granite-3.3-2B-Instruct.jinja"
        assert "Today's Date: January 01, 2026" in load(path).render([QUESTION])


class TestForms:
    LOOP = "{% for message in messages %}[{{ message.role }}:{{ message.content }}]{% endfor %}"

    def test_messages_of_one_role_become_one(self) -> None:
        assert rendered(self.LOOP, [QUESTION, FOLLOW_UP, ANSWER]) == (
            "[user:What is a lake?\n\nAnd a river?][assistant:Standing water.]"
        )

    def test_later_system_text_joins_the_first(self) -> None:
        late = {"role": "system", "content": "Be kind."}
        assert (
            rendered(self.LOOP, [SYSTEM, QUESTION, late])
            == "[system:Answer tersely.\n\nBe kind.][user:What is a lake?]"
        )

    def test_message_objects(self) -> None:
        messages = [Message("user", "Hi"), Message("assistant", "Ho", thinking="hidden"), Message("user", "Hu")]
        text = ChatTemplate(self.LOOP).render(messages)
        assert text == "[user:Hi][assistant:Ho][user:Hu]"

    def test_content_given_as_parts_or_none(self) -> None:
        parts = [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
        messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": None}]
        assert ChatTemplate(self.LOOP).render(messages) == "[user:One.\nTwo.][assistant:]"

    def test_given_messages_are_not_changed(self) -> None:
        messages = [dict(SYSTEM), dict(QUESTION), dict(FOLLOW_UP)]
        rendered("{{ raise_exception('no') if messages[0].role == 'system' }}" + self.LOOP, messages)
        assert messages == [SYSTEM, QUESTION, FOLLOW_UP]

    def test_template_that_reads_parts(self) -> None:
        source = (
            "{% for m in messages %}[{{ m.role }}:{% for part in m.content %}{{ part.text }}{% endfor %}]{% endfor %}"
        )
        assert rendered(source, [SYSTEM, QUESTION]) == "[system:Answer tersely.][user:What is a lake?]"

    def test_template_that_indexes_parts(self) -> None:
        source = "{% for m in messages %}[{{ m.role }}:{{ m['content'][0]['text'] }}]{% endfor %}"
        assert rendered(source, [SYSTEM, QUESTION]) == "[system:Answer tersely.][user:What is a lake?]"

    def test_system_dropped_silently_is_noticed(self) -> None:
        source = "{% for m in messages if m.role != 'system' %}[{{ m.role }}:{{ m.content }}]{% endfor %}"
        prompt = ChatTemplate(source).render_prompt([SYSTEM, QUESTION])
        assert prompt.text == "[user:Answer tersely.\n\nWhat is a lake?]"
        assert prompt.notes == (SYSTEM_REFUSED_NOTE,)

    @pytest.mark.parametrize("source", ["", "  \n"])
    def test_no_template_is_chatml_and_said(self, source: str) -> None:
        prompt = ChatTemplate(source, BOS).render_prompt([SYSTEM, QUESTION])
        assert prompt.text == (
            "<|im_start|>system\nAnswer tersely.<|im_end|>\n<|im_start|>user\nWhat is a lake?<|im_end|>\n"
            "<|im_start|>assistant\n"
        )
        assert prompt.notes == (NO_TEMPLATE_NOTE,)

    def test_without_generation_prompt(self) -> None:
        assert ChatTemplate("").render([QUESTION], add_generation_prompt=False).endswith("<|im_end|>\n")

    def test_no_messages(self) -> None:
        assert ChatTemplate("").render([], add_generation_prompt=False) == ""


class TestWhatTemplatesAskFor:
    @pytest.mark.parametrize("name", ["tools", "documents", "functions"])
    @pytest.mark.parametrize(
        "question",
        [
            "{{ 'yes' if NAME }}",
            "{{ 'yes' if NAME is defined }}",
            "{{ 'yes' if NAME is not none }}",
            "{{ 'yes' if NAME != none }}",
            "{{ 'yes' if NAME is not none and NAME | length > 0 }}",
            "{% for tool in NAME %}yes{% endfor %}",
            "{{ '' + NAME }}",
        ],
    )
    def test_optional_variables_are_absent_in_every_way(self, name: str, question: str) -> None:
        assert rendered(question.replace("NAME", name)) == ""

    def test_optional_variables_can_be_given(self) -> None:
        assert rendered("{{ tools | length }}", tools=["a", "b"]) == "2"

    def test_other_variables_are_undefined_as_usual(self) -> None:
        assert rendered("{{ other is none }} {{ other is defined }}{{ other }}") == "False False"

    def test_tojson_is_readable(self) -> None:
        text = rendered("{{ value | tojson }} {{ value | tojson(indent=1) }}", value={"a": "<é&'>"})
        assert text == '{"a": "<é&\'>"} {\n "a": "<é&\'>"\n}'

    def test_generation_block_is_its_body(self) -> None:
        assert rendered("a{% generation %}{{ messages[1].content }}{% endgeneration %}b") == "aWhat is a lake?b"

    def test_loop_controls(self) -> None:
        skip, stop = "{% if i == 2 %}{% continue %}{% endif %}", "{% if i == 4 %}{% break %}{% endif %}"
        source = "{% for i in range(9) %}" + skip + stop + "{{ i }}{% endfor %}"
        assert rendered(source) == "013"

    def test_loop_variables(self) -> None:
        source = "{% for m in messages %}{{ loop.index }}/{{ loop.length }}{{ '.' if loop.last else ',' }}{% endfor %}"
        assert rendered(source) == "1/4,2/4,3/4,4/4."

    def test_filtered_recursive_and_empty_loops(self) -> None:
        source = (
            "{% for m in messages if m.role == 'user' %}{{ loop.index }}{% else %}none{% endfor %}"
            "{% for x in [] %}x{% else %}none{% endfor %}"
            "{% for x in [1, [2, [3]]] recursive %}{{ loop(x) if x is sequence else x }}{% endfor %}"
        )
        assert rendered(source) == "12none123"

    def test_dates(self) -> None:
        assert rendered("{{ strftime_now('%d %B %Y') }} {{ datetime }}") == "01 January 2026 2026-01-01"

    def test_text_functions(self) -> None:
        source = (
            "{{ 'a-b'.replace('-', '+') }} {{ 'a-b-c' | replace('-', '+', 1) }} {{ ', '.join(['a', 'b']) }} "
            "{{ ['a', 'b'] | join('/') }} {{ messages | join('|', attribute='role') }} {{ 'a' ~ 1 ~ none }} "
            "{{ '%s=%d' % ('a', 3) }} {{ '{}-{x}'.format(1, x=2) }} {{ 'a\nb' | indent(2) }} "
            "{{ 2 ** 3 }} {{ 'ab' * 2 }}"
        )
        assert rendered(source) == ("a+b a+b-c a, b a/b system|user|assistant|user a1None a=3 1-2 a\n  b 8 abab")
