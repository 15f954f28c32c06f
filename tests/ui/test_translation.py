"""The words of the window: Chinese where Chinese is wanted, exchanged while it is open."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QPointF
from PySide6.QtGui import QFont, QFontDatabase, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QGraphicsSimpleTextItem,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)

from app.chat.context_window import does_not_fit
from app.engine.factory import make_engine
from app.paths import paths
from app.settings import LoadSettings, Settings, load_settings, save_settings
from tests.catalogues import CHINESE
from tests.fakes import Answer, ScriptedEngine
from tests.ui.full_context import full_context, held, question
from ui import formatting
from ui.dialogs.bench.dialog import BenchDialog
from ui.dialogs.load.dialog import LoadSettingsDialog
from ui.dialogs.memory.dialog import MemoryDetailsDialog
from ui.dialogs.models.dialog import ModelsDialog
from ui.dialogs.preferences import PreferencesDialog
from ui.panels.labels import ElidedLabel
from ui.translation import joined, localised, written_language

ENGLISH_SENTENCE = re.compile(r"[A-Za-z]+,? [a-z]{2,},? [a-z]+")
ENGLISH_TEXTS = {entry.source for entry in CHINESE} - {form for entry in CHINESE for form in entry.forms}


def all_texts(root: QWidget) -> set[str]:
    """Return what can be read in a window: labels, buttons, menus, tooltips, empty fields, names for screen readers."""
    texts = {root.windowTitle()}
    for widget in [root, *root.findChildren(QWidget)]:
        if isinstance(widget.parent(), QTabBar):
            continue  # Qt's own scroll buttons keep the language they were made in
        texts |= {widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()}
        match widget:
            case QLabel() | QAbstractButton():
                texts.add(widget.text())
            case QLineEdit() | QPlainTextEdit():
                texts.add(widget.placeholderText())
            case QMenu():
                texts |= {widget.title(), *(action.text() for action in widget.actions())}
            case QTabBar():
                texts |= {widget.tabText(number) for number in range(widget.count())}
            case QComboBox():
                texts |= {widget.itemText(number) for number in range(widget.count())}
            case QListView() if widget.model() is not None:
                rows = (widget.model().index(row, 0) for row in range(widget.model().rowCount()))
                texts |= {str(row.data()) for row in rows}
    return texts - {""}


def is_english(text: str) -> bool:
    return text in ENGLISH_TEXTS or ENGLISH_SENTENCE.search(text) is not None


def english_in(root: QWidget) -> list[str]:
    """Return the texts that were not translated; the definitions in tooltips come many to one."""
    return sorted(text for text in all_texts(root) if any(map(is_english, text.split("\n"))))


def cut_off(root: QWidget) -> list[str]:
    """Return the texts that are wider than their button or their label of one line; an elided one is meant to be."""
    buttons: list[QLabel | QAbstractButton] = root.findChildren(QAbstractButton)
    labels = [label for label in root.findChildren(QLabel) if not (label.wordWrap() or isinstance(label, ElidedLabel))]
    return [
        widget.text()
        for widget in buttons + labels
        if widget.isVisible()
        if widget.fontMetrics().horizontalAdvance(widget.text().replace("&&", "&")) > widget.width()
    ]


@pytest.fixture
def chinese_desk(open_desk):
    """Open a window whose user chose Chinese."""
    paths().settings_file.parent.mkdir(parents=True, exist_ok=True)
    save_settings(paths().settings_file, Settings(language="zh_CN"))
    return open_desk


def menu_titles(desk) -> list[str]:
    return [action.text() for action in desk.window.menuBar().actions()]


def headings(desk) -> list[str]:
    window = desk.window
    return [panel.accessibleName() for panel in (window.ttft_panel, window.tpot_panel, window.memory_panel)]


def assert_chinese(desk) -> None:
    assert menu_titles(desk) == ["文件(&F)", "对话(&C)", "视图(&V)", "帮助(&H)"]
    names = ("send_button", "stop_button", "summarise_button", "new_conversation_button")
    assert [desk.find(name).text() for name in names] == ["发送", "停止", "总结", "新建"]
    assert desk.find("composer").placeholderText() == "输入消息"
    assert desk.find("transcript").accessibleName() == "对话"
    assert headings(desk) == ["首个 token 用时", "每 token 用时", "内存"]
    assert desk.window.status_line.activity == "就绪"
    assert desk.window.state_label.text() == "就绪 · CPU"
    assert english_in(desk.window) == []


def test_the_window_opens_in_chinese(chinese_desk):
    desk = chinese_desk()
    assert_chinese(desk)
    labels = {label.text() for label in desk.window.findChildren(QLabel)}
    assert "每个回答在这里占一根柱子，按等待的各个阶段分段。发送一条消息即可看到。" in labels
    assert "从回答的第二个 token 起，相邻 token 的间隔会实时画在这里。" in labels


def test_a_conversation_is_told_in_chinese(chinese_desk):
    desk = chinese_desk(ScriptedEngine(Answer(thinking=("嗯",), pieces=("好", "的"), cached_tokens=4)))
    desk.ask("你好")
    desk.qtbot.waitUntil(lambda: desk.find("conversation_list").model().rowCount() == 2)
    question, answer = desk.items()
    assert (question.author, question.text) == ("你", "你好")
    assert answer.footer == "TTFT 108 ms · 100 tok/s · TPOT 10.0 ms · 20 + 3 个 token，4 个命中缓存 · 已完成"
    assert answer.footer_tooltip.startswith("首个 token 用时 (TTFT)：")
    assert desk.window.ttft_panel.summary() == (
        "共 1 轮。上一轮：108 ms，排队 1.00 ms，分词 2.00 ms，预填充 100 ms，其余 5.00 ms。最短 108 ms，最长 108 ms。"
    )
    entries_shown = {entry.label for entry in desk.window.memory_panel.legend.entries}
    assert {"权重", "计算", "已用 KV", "空闲 KV", "进程", "预计", "上限", "余量", "本机"} == entries_shown
    assert english_in(desk.window) == []


def test_without_a_model_the_window_says_in_chinese_how_to_get_one(chinese_desk, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = chinese_desk(model=None, load=False)
    assert desk.find("welcome_open_button").text() == "打开模型文件…"
    assert desk.find("model_selector").text() == "无模型"
    assert [text for text in english_in(desk.window) if "pip install" not in text] == []


@pytest.mark.parametrize("size", [(900, 600), (1000, 700), (1600, 1000)])
def test_chinese_texts_fit(chinese_desk, size):
    desk = chinese_desk()
    desk.ask("你好")
    desk.window.resize(*size)
    desk.qtbot.waitUntil(lambda: cut_off(desk.window) == [])


def test_dialogs_are_chinese(chinese_desk):
    desk = chinese_desk()
    preferences = PreferencesDialog(desk.parts.settings, desk.parts.models, desk.parts.saved, desk.window)
    parts, path = desk.parts, Path("模型.gguf")
    make_config = partial(parts.models.config_for, path)
    load_settings = LoadSettingsDialog(
        parts.theme, LoadSettings(), path, make_config, parts.planner, parts.models, desk.window
    )
    for dialog, title in (
        (preferences, "首选项"),
        (load_settings, "加载设置"),
        (desk.parts.dialogs._speed_dialog(), "速度详解"),
    ):
        dialog.show()
        assert dialog.windowTitle() == title
        assert [text for text in english_in(dialog) if text != "English"] == []
        assert cut_off(dialog) == []
        dialog.close()


def test_a_choice_in_the_preferences_retranslates_the_open_window(desk):
    desk.ask("Hello")
    desk.set_language("en")
    assert menu_titles(desk)[0] == "&File"
    assert headings(desk)[0] == "Time to first token"
    desk.window.menu_actions["preferences"].trigger()
    dialog = desk.window.findChild(PreferencesDialog)
    box = dialog.findChild(QComboBox, "language")
    box.setCurrentIndex(box.findData("zh_CN"))
    desk.qtbot.waitUntil(lambda: desk.find("send_button").text() == "发送")
    assert dialog.windowTitle() == "首选项"
    dialog.close()
    assert_chinese(desk)
    assert [item.author for item in desk.items()] == ["你", "Fake 135M"]
    assert desk.items()[1].footer.endswith("20 + 3 个 token · 已完成")
    canvas = desk.window.ttft_panel.canvas.widget
    assert "轮次" in [item.text() for item in canvas.scene().items() if isinstance(item, QGraphicsSimpleTextItem)]


def test_english_comes_back(chinese_desk):
    desk = chinese_desk()
    desk.ask("Hello")
    desk.set_language("en")
    assert menu_titles(desk) == ["&File", "&Conversation", "&View", "&Help"]
    assert headings(desk) == ["Time to first token", "Time per token", "Memory"]
    assert desk.items()[0].author == "You"
    assert desk.window.status_line.activity == "ready"
    han = re.compile(r"[\u4e00-\u9fff]")
    assert [text for text in all_texts(desk.window) if han.search(text)] == []


def test_an_answer_under_way_goes_on_in_the_other_language(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("one ", "two ", "three"), delay_s=0.05)))
    desk.type_and_send("Count")
    desk.qtbot.waitUntil(lambda: desk.items()[-1].text.startswith("one"))
    desk.set_language("zh_CN")
    desk.wait_until_idle()
    assert desk.items()[-1].text == "one two three"
    assert desk.items()[-1].footer.endswith("已完成")


def test_the_ways_to_make_room_are_offered_on_in_the_other_language(open_desk):
    desk = full_context(open_desk, "ask", n_ctx_max=4096)
    held(desk, question(5, 150))
    bar, button = desk.window.room_bar, desk.find("room_grow")
    desk.set_language("zh_CN")
    assert desk.find("room_grow") is button
    assert button.text() == "让上下文增大"
    assert not ENGLISH_SENTENCE.search(bar.sentence)
    assert bar.accessibleName() == bar.sentence
    assert not [text for text in all_texts(bar) if ENGLISH_SENTENCE.search(text)]


def test_qts_own_words_follow(qapp, chinese_desk):
    desk = chinese_desk()
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "取消"
    desk.set_language("en")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancel"


@pytest.mark.parametrize(
    ("system", "send"),
    [("zh_CN", "发送"), ("zh_SG", "发送"), ("zh_Hans_HK", "发送"), ("zh_TW", "Send"), ("fr_FR", "Send"), ("C", "Send")],
)
def test_the_systems_language_is_followed(open_desk, monkeypatch, system, send):
    monkeypatch.setattr("ui.translation.QLocale.system", lambda: QLocale(system))
    desk = open_desk()
    assert desk.find("send_button").text() == send
    desk.set_language("en" if send == "发送" else "zh_CN")
    assert desk.find("send_button").text() != send
    desk.set_language("")
    assert desk.find("send_button").text() == send
    assert QLocale().name() == QLocale(system).name()


def test_english_first_stays_english():
    class EnglishThenChinese:
        def uiLanguages(self):
            return ["en-Latn-US", "en-US", "zh-Hans-CN", "zh-CN"]

    assert written_language(EnglishThenChinese()).language() == QLocale.Language.English


def test_a_closed_window_leaves_no_translations(chinese_desk):
    desk = chinese_desk()
    assert QCoreApplication.translate("Composer", "Send") == "发送"
    desk.window.close()
    assert QCoreApplication.translate("Composer", "Send") == "Send"


def test_numbers_keep_their_units_in_chinese(chinese_desk):
    chinese_desk()
    assert formatting.duration(0.24) == "240 ms"
    assert formatting.memory(1536 * 2**20) == "1.50 GiB"
    assert formatting.rate(84.14) == "84.1 tok/s"
    assert formatting.tokens(1204) == "1,204 个 token"
    assert formatting.percent(0.294) == "29.4%"
    assert formatting.unknown() == "未知"


def picture_of(text: str, font: QFont) -> QImage:
    image = QImage(96, 96, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(QPointF(16, 72), text)
    painter.end()
    return image


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_han_characters_have_their_simplified_shapes(qapp, desk, language):
    """In English the fonts' order alone decides, and the system would put the Japanese shapes first."""
    if not QFontDatabase.hasFamily("Noto Sans CJK SC"):
        pytest.skip("the font is not installed")
    desk.set_language(language)
    font = QFont(qapp.font())
    font.setPointSize(36)
    for character in "直骨门令":
        assert picture_of(character, font) == picture_of(character, QFont("Noto Sans CJK SC", 36))


@pytest.fixture
def chinese_desk_on_the_real_engine(chinese_desk, tmp_path):
    def open_(model):
        desk = chinese_desk(make_engine(tmp_path), model=model, load=False)
        desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible(), timeout=60_000)
        return desk

    return open_


def test_what_is_wrong_with_a_file_is_told_in_chinese(chinese_desk_on_the_real_engine, tmp_path):
    model = tmp_path / "notes.gguf"
    model.write_bytes(b"no model at all")
    desk = chinese_desk_on_the_real_engine(model)
    sentence = "notes.gguf 不是 GGUF 文件：Tokometer 只能打开 llama.cpp 的 GGUF 格式的模型。"
    assert desk.window.notice_bar.sentence == sentence
    assert english_in(desk.window) == []


def test_what_went_wrong_with_an_answer_is_told_in_chinese(chinese_desk):
    full = does_not_fit(9000, 4096)
    desk = chinese_desk(ScriptedEngine(Answer(finish_reason="context", error=full)))
    desk.ask("你好")
    assert desk.items()[-1].error == (
        "这段对话需要 9,000 个 token，而上下文只能容纳 4,096 个：请总结对话、新建对话，或用更大的上下文加载模型。"
    )


def test_what_the_system_refused_is_told_in_chinese(chinese_desk, tmp_path):
    english = "it is a folder, not a file"
    (chinese,) = (entry.forms[0] for entry in CHINESE if (entry.context, entry.source) == ("", english))
    chinese_desk()
    _, sentence = load_settings(tmp_path)
    assert english in sentence
    assert chinese in localised(sentence)
    assert not ENGLISH_SENTENCE.search(localised(sentence))


def test_other_text_stays_as_it_is():
    assert localised("{nothing} was filled in") == "{nothing} was filled in"


@pytest.mark.parametrize("name", ["models", "memory_details", "bench"])
def test_a_dialog_beside_the_window_speaks_the_new_language_where_it_stood(desk, name):
    kind = {"models": ModelsDialog, "memory_details": MemoryDetailsDialog, "bench": BenchDialog}[name]
    desk.window.menu_actions[name].trigger()
    dialog = desk.window.findChild(kind)
    dialog.resize(dialog.width() - 40, dialog.height())
    width = dialog.width()
    if (tabs := dialog.findChild(QTabWidget)) is not None:
        tabs.setCurrentIndex(1)
    settings = desk.parts.settings

    def another() -> QWidget | None:
        found = [each for each in desk.window.findChildren(kind) if each is not dialog and each.isVisible()]
        return found[0] if found and not english_in(found[0]) else None

    settings.set(replace(settings.value, language="zh_CN"))
    desk.qtbot.waitUntil(lambda: another() is not None)
    found = another()
    assert found is not None
    assert found.width() == width
    if (tabs := found.findChild(QTabWidget)) is not None:
        assert tabs.currentIndex() == 1
    assert len(desk.window.findChildren(kind)) == 1
    found.close()


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        (("One.", "Two."), "One. Two."),
        (("一。", "二！", "三。"), "一。二！三。"),
        (("一。", "", "Two."), "一。Two."),
        (("One.", "二。"), "One. 二。"),
        (("", ""), ""),
    ],
)
def test_no_space_stands_after_a_full_width_stop(sentences, text):
    assert joined(*sentences) == text
