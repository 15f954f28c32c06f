"""The page of the first start beside a loaded model: the way back to the conversation is always there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel

from tests.ui.test_start import LIST


@pytest.fixture
def page(desk, monkeypatch):
    """The page, asked for while a model is loaded."""
    for place in ("ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: LIST)
    desk.ask("Hello")
    desk.parts.first_steps.choose_model()
    page, keeper = desk.window.welcome, desk.parts.start
    desk.qtbot.waitUntil(lambda: page.isVisible() and bool(page.cards) and not keeper.is_looking, timeout=60_000)
    return page


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_the_way_back_is_the_first_thing_in_view(desk, page, zoom):
    settings, back = desk.parts.settings, desk.find("welcome_back_button")
    settings.set(replace(settings.value, zoom=zoom))
    desk.window.resize(900, 600)
    viewport = page.viewport()
    desk.qtbot.waitUntil(
        lambda: viewport.rect().contains(QRect(back.mapTo(viewport, QPoint(0, 0)), back.size())) and back.isVisible()
    )
    titles = [label.text() for label in page.findChildren(QLabel) if label.property("role") == "title"]
    assert titles == ["Choose another model"]
    assert desk.find("welcome_starter_button").isHidden()
    assert page._command.isHidden()
    desk.click("welcome_back_button")
    assert desk.window.transcript.isVisible()
    assert desk.window.focusWidget() is desk.window.composer.editor


@pytest.mark.parametrize("name", ["welcome_back_button", "welcome_more_button"])
def test_the_keyboard_goes_back_to_the_message_with_the_conversation(desk, page, name):
    desk.activate()
    assert desk.window.focusWidget() is desk.find("composer")
    desk.find(name).setFocus()
    if name == "welcome_back_button":
        desk.qtbot.keyClick(desk.find(name), Qt.Key.Key_Space)
    else:
        desk.window.model_dropped.emit(str(desk.parts.models.config.path))
    desk.qtbot.waitUntil(desk.window.transcript.isVisible)
    assert desk.window.focusWidget() is desk.find("composer")


def test_the_keyboard_stays_where_the_user_has_put_it(desk, page):
    desk.activate()
    desk.find("model_selector").setFocus()
    desk.parts.first_steps._leave()
    assert desk.window.transcript.isVisible()
    assert desk.window.focusWidget() is desk.find("model_selector")


def test_a_draft_can_be_typed_before_there_is_a_model(open_desk, monkeypatch):
    for place in ("ui.parts", "ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    desk.activate()
    desk.qtbot.waitUntil(desk.window.welcome.isVisible)
    desk.qtbot.keyClicks(desk.window.focusWidget(), "Hello")
    assert desk.find("composer").toPlainText() == "Hello"


def test_a_message_that_is_sent_meanwhile_and_its_answer_are_seen(desk, page):
    desk.ask("And now?")
    assert not page.isVisible()
    assert desk.texts()[-2] == "And now?"
    assert desk.window.transcript.isVisible()


def test_another_conversation_is_seen_when_it_is_opened(desk, page):
    desk.click("new_conversation_button")
    desk.qtbot.waitUntil(desk.window.transcript.isVisible)
    assert desk.texts() == []


def test_that_there_is_no_model_is_said_once(open_desk, monkeypatch, tmp_path):
    for place in ("ui.parts", "ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    desk.qtbot.waitUntil(desk.window.welcome.isVisible)
    gauge, line = desk.find("context_gauge"), desk.window.status_line
    assert desk.window.model_selector.text() == "No model"
    assert (desk.window.state_label.text(), line.activity) == ("", "")
    assert gauge.isHidden()
    model = tmp_path / "own.gguf"
    model.touch()
    desk.window.model_dropped.emit(str(model))
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert gauge.isVisible()
    assert line.activity == "ready"
    desk.parts.models.unload()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is None)
    assert line.activity == ""
