"""What the window's bars say goes on in the other language."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QLabel

from app.engine.events import LoadFailed
from app.errors import Sentence
from app.paths import paths
from tests.fakes import ScriptedEngine
from tests.ui.branches import act, counting_engine, edit, ids, session_of

ENGLISH = re.compile(r"[A-Za-z]+ [a-z]+")


def words(desk, name: str) -> tuple[str, str]:
    """The sentence and the button of a bar, which screen readers are told too."""
    bar, button = desk.find(name), desk.find(f"{name}_button")
    assert bar.isVisible()
    assert (bar.accessibleName(), button.accessibleName()) == (bar.sentence, button.text())
    return bar.sentence, button.text()


def test_what_was_deleted_and_what_that_frees(open_desk):
    desk = open_desk(counting_engine())
    desk.ask("A")
    desk.ask("B")
    desk.qtbot.waitUntil(lambda: session_of(desk).ledger is not None and len(session_of(desk).ledger.entries) == 4)
    act(desk, ids(desk)[1], "delete_message")
    english = ("Deleted the message. The next prompt is shorter by 5 tokens, 112 KiB of the KV cache.", "Undo")
    assert words(desk, "undo_bar") == english
    desk.set_language("zh_CN")
    chinese = "消息已删除。下一个提示词缩短 5 个 token，占 KV 缓存 112 KiB。"
    assert words(desk, "undo_bar") == (chinese, "撤销")
    desk.set_language("en")
    assert words(desk, "undo_bar") == english
    desk.set_language("zh_CN")
    desk.click("undo_bar_button")
    assert desk.texts() == ["A", "One", "B", "Two"]
    assert desk.find("undo_bar").isHidden()


def test_what_was_left_until_it_is_shown_again(open_desk):
    desk = open_desk(counting_engine())
    desk.ask("A")
    desk.ask("B")
    left = ids(desk)[-1]
    edit(desk, ids(desk)[1], "Mine")
    desk.set_language("zh_CN")
    assert words(desk, "undo_bar") == ("后面的内容作为另一个分支保留。", "显示")
    desk.parts.branches.show(left)
    assert desk.texts() == ["A", "One", "B", "Two"]
    assert desk.find("undo_bar").isHidden()


def test_which_conversation_was_deleted(desk):
    desk.ask("Title")
    desk.qtbot.waitUntil(lambda: desk.titles() == ["Title"])
    desk.window.conversation_list.delete_requested.emit(session_of(desk).id)
    desk.qtbot.waitUntil(desk.window.undo_bar.isVisible)
    assert words(desk, "undo_bar") == ("Deleted “Title”.", "Undo")
    desk.set_language("zh_CN")
    assert words(desk, "undo_bar") == ("已删除“Title”。", "撤销")


def test_why_a_model_was_not_loaded_until_one_is(open_desk):
    engine = ScriptedEngine()
    sentence = Sentence("{file} is not a GGUF file: Tokometer opens models in llama.cpp's GGUF format only.", file="x")
    engine.loads.append(LoadFailed(sentence, "bad_input"))
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(desk.window.notice_bar.isVisible)
    assert words(desk, "notice_bar") == (sentence, "Open a model file…")
    desk.set_language("zh_CN")
    chinese = "x 不是 GGUF 文件：Tokometer 只能打开 llama.cpp 的 GGUF 格式的模型。"
    assert words(desk, "notice_bar") == (chinese, "打开模型文件…")
    assert chinese in {label.text() for label in desk.find("welcome_page").findChildren(QLabel)}
    desk.parts.models.load(desk.parts.models.config.path)
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert desk.find("notice_bar").isHidden()


def test_all_that_cannot_be_kept(desk_without_home):
    desk = desk_without_home
    english = words(desk, "notice_bar")
    desk.set_language("zh_CN")
    sentence, button = words(desk, "notice_bar")
    assert button == "重试"
    assert not ENGLISH.search(sentence.replace(str(paths().data.parent), ""))
    assert sentence.count("。") == english[0].count(". ") + 1
    desk.set_language("en")
    assert words(desk, "notice_bar") == english
