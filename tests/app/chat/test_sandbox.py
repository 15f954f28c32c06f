"""Untrusted templates: every failure is one sentence, nothing leads out, time and size are bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.chat.template import ChatTemplate
from app.errors import TemplateError

SYSTEM = {"role": "system", "content": "Answer tersely."}
QUESTION = {"role": "user", "content": "What is a lake?"}
ANSWER = {"role": "assistant", "content": "Standing water."}


def rendered(source: str, messages: list[dict[str, str]] | None = None) -> str:
    return ChatTemplate(source).render(messages or [SYSTEM, QUESTION, ANSWER, QUESTION])


class TestErrors:
    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("{% if %}", "cannot be read (line 1)"),
            ("{% for m in messages %}", "cannot be read"),
            ("{{ 'a' | no_such_filter }}", "cannot be read"),
            ("{{ raise_exception('Roles must alternate.') }}", "refuses this conversation: Roles must alternate."),
            ("{{ raise_exception() }}", "refuses this conversation: it gives no reason."),
            ("{{ missing.attribute }}", "'missing' is undefined."),
            ("{{ 1 // 0 }}", "fails for this conversation"),
            ("{{ 'a' + 1 }}", "fails for this conversation"),
            ("{% include 'other' %}", "fails for this conversation"),
            ("{{ messages[0].content.no_such() }}", "has no attribute"),
        ],
    )
    def test_each_is_one_sentence(self, source: str, words: str) -> None:
        with pytest.raises(TemplateError) as caught:
            rendered(source)
        sentence = str(caught.value)
        assert words in sentence
        assert sentence.startswith("The model's chat template ")
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) < 300

    def test_long_words_of_a_template_are_cut(self) -> None:
        with pytest.raises(TemplateError) as caught:
            rendered("{{ raise_exception('no\n' * 10000) }}")
        assert len(str(caught.value)) < 300


class TestBounds:
    @pytest.mark.parametrize(
        "source",
        [
            "{{ messages.__class__ }}",
            "{{ strftime_now.__globals__ }}",
            "{{ raise_exception['__globals__'] }}",
            "{{ '' | attr('__class__') }}",
            "{{ '{0.__class__}'.format(messages) }}",
            "{{ '{m.__class__}'.format_map({'m': messages}) }}",
            "{{ namespace.__init__ }}",
            "{{ self._TemplateReference__context }}",
        ],
    )
    def test_no_way_out(self, source: str) -> None:
        """Such an attribute is undefined: empty when shown, an error when used."""
        assert rendered("{% set x %}" + source + "{% endset %}{{ 'in' if x else 'out' }}") == "out"

    @pytest.mark.parametrize(
        "source",
        [
            "{{ ''.__class__.__mro__ }}",
            "{{ ''['__class__'].mro() }}",
            "{{ cycler.__init__.__globals__ }}",
            "{{ messages.append(1) }}",
            "{{ messages[0].update({'role': 'x'}) }}",
            "{{ messages[0].pop('role') }}",
            "{{ (messages | list).clear() }}",
            "{{ ''.join.__self__.format() }}",
        ],
    )
    def test_no_use_of_what_is_refused(self, source: str) -> None:
        with pytest.raises(TemplateError, match=r"reaches for what a template may not use|is undefined|has no"):
            rendered(source)

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("{% for i in range(100000) %}" * 3 + "{% endfor %}" * 3, id="nested loops without output"),
            pytest.param(
                "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}",
                id="macro that calls itself twice",
            ),
            pytest.param(
                "{% for x in [50] recursive %}{% if x %}{{ loop([x - 1]) }}{{ loop([x - 1]) }}{% endif %}{% endfor %}",
                id="recursive loop",
            ),
        ],
    )
    def test_time(self, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("app.chat.template_bounds.TIME_LIMIT_S", 0.2)
        with pytest.raises(TemplateError, match=r"was stopped: it ran for more than 0\.2 seconds"):
            rendered(source)

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("{% for i in range(9999) %}{{ messages[0].content * 999 }}{% endfor %}", id="output"),
            pytest.param("{{ 'a' * 99999999999 }}", id="repeated text"),
            pytest.param("{{ 99999999999 * [1] }}", id="repeated list"),
            pytest.param("{{ ('%0' ~ '9' * 9 ~ 'd') % 1 }}", id="format operator"),
            pytest.param("{{ '%*d' % (99999999, 1) }}", id="format operator with a given width"),
            pytest.param("{{ '{:999999999}'.format(1) }}", id="format method"),
            pytest.param("{{ '{:{w}}'.format(1, w=99999999) }}", id="format method with a given width"),
            pytest.param("{{ 'a'.ljust(99999999) }}", id="ljust"),
            pytest.param("{{ 'a'.rjust(99999999) }}", id="rjust"),
            pytest.param("{{ 'a'.zfill(99999999) }}", id="zfill"),
            pytest.param("{{ ('a' * 9999).replace('a', 'b' * 9999) }}", id="replace method"),
            pytest.param("{{ ('a' * 9999) | replace('a', 'b' * 9999) }}", id="replace filter"),
            pytest.param("{{ ('b' * 9999).join(['a'] * 9999) }}", id="join method"),
            pytest.param("{{ (['a'] * 9999) | join('b' * 9999) }}", id="join filter"),
            pytest.param("{{ ('a\n' * 9999) | indent('b' * 9999) }}", id="indent filter"),
            pytest.param("{{ [[[[1]]]] | tojson(indent=99999999) }}", id="tojson"),
            pytest.param("{% set x = 'a' %}" + "{% set x = x ~ x %}" * 40 + "{{ x | length }}", id="doubling with ~"),
            pytest.param("{% set x = 'a' %}" + "{% set x = x + x %}" * 40 + "{{ x | length }}", id="doubling with +"),
            pytest.param("{% set x = [1] %}" + "{% set x = x + x %}" * 40 + "{{ x | length }}", id="doubling a list"),
            pytest.param(
                "{% set x = 'a' %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x | length }}",
                id="doubling a capture",
            ),
            pytest.param("{{ 9 ** 99999999 }}", id="power"),
            pytest.param("{{ 999999 ** 999999 }}", id="power of small numbers"),
            pytest.param("{% set x = 9 ** 9999 %}{{ (x ** 9999) | length }}", id="power of a power"),
            pytest.param("{{ range(10 ** 9) | list }}", id="range"),
            pytest.param("{% set x = ['a' * 999] %}" + "{% set x = [x, x] %}" * 40 + "{{ x }}", id="nested lists"),
            pytest.param("{% set x = {1: 'a'} %}" + "{% set x = {1: x, 2: x} %}" * 40 + "{{ x }}", id="nested dicts"),
            pytest.param("{{ (['a' * 9999] * 9999) | string }}", id="list as a text"),
            pytest.param("{{ (['a' * 9999] * 9999) | tojson }}", id="list as JSON"),
            pytest.param("{{ '%s' % (['a' * 9999] * 9999) }}", id="list in a format operator"),
            pytest.param("{{ '{}'.format(['a' * 9999] * 9999) }}", id="list in a format method"),
            pytest.param("{{ '' ~ ['a' * 9999] * 9999 }}", id="list in a concatenation"),
            pytest.param("{{ 'a' * 1000001 }}" + "{# #}" * 250_000, id="source"),
        ],
    )
    def test_size(self, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("app.chat.template_bounds.MAX_CHARACTERS", 1_000_000)
        monkeypatch.setattr("app.chat.template_bounds.MAX_ELEMENTS", 100_000)
        with pytest.raises(TemplateError, match="was stopped"):
            rendered(source)

    @pytest.mark.parametrize(
        "source", ["{{ 'a' | center(99999999) }}", "{{ [] | slice(99999999) | list }}", "{{ lipsum(n=9999) }}"]
    )
    def test_what_inflates_and_nobody_needs_is_not_there(self, source: str) -> None:
        with pytest.raises(TemplateError):
            rendered(source)

    def test_recursion(self) -> None:
        with pytest.raises(TemplateError, match="calls itself without end"):
            rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")

    def test_deep_nesting_in_the_source(self) -> None:
        with pytest.raises(TemplateError):
            rendered("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}")

    def test_a_long_conversation_is_within_the_bounds(self) -> None:
        source = (Path(__file__).parent / "templates" / "Qwen-Qwen3-0.6B.jinja").read_text(encoding="utf-8")
        messages = [QUESTION, ANSWER] * 2000 + [{"role": "user", "content": "lake " * 200_000}]
        text = ChatTemplate(source).render(messages)
        assert len(text) > 1_000_000

    def test_user_text_is_never_a_template(self) -> None:
        text = rendered("{{ messages[1].content }}", [SYSTEM, {"role": "user", "content": "{{ 7 * 7 }}{% if %}"}])
        assert text == "{{ 7 * 7 }}{% if %}"
