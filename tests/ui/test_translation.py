"""Simplified Chinese: complete, up to date, and exchanged while the window is open."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtWidgets import QApplication, QDialogButtonBox

from ui.dialogs.preferences import PreferencesDialog

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "resources" / "translations" / "tokometer_zh_CN.ts"


def tool(name: str) -> str:
    """Return a translation tool of PySide6's."""
    path = shutil.which(f"pyside6-{name}", path=str(Path(sys.executable).parent)) or shutil.which(f"pyside6-{name}")
    if path is None:
        pytest.skip(f"pyside6-{name} is not installed")
    return path


def messages(path: Path):
    return list(ElementTree.parse(path).getroot().iter("message"))


def test_every_text_is_translated():
    unfinished = [m.find("source").text for m in messages(SOURCE) if m.find("translation").get("type")]
    assert unfinished == []


def test_every_text_of_the_source_is_there(tmp_path):
    """Run again after a change of texts: pyside6-lupdate ui/**.py -ts FILE, translate, pyside6-lrelease."""
    fresh = tmp_path / "fresh.ts"
    files = [str(path) for path in sorted((ROOT / "ui").rglob("*.py"))]
    subprocess.run([tool("lupdate"), *files, "-ts", str(fresh), "-locations", "none"], check=True, capture_output=True)
    wanted = {m.find("source").text for m in messages(fresh)}
    present = {m.find("source").text for m in messages(SOURCE) if m.find("translation").get("type") != "vanished"}
    assert wanted - present == set()
    assert present - wanted == set()


def test_the_compiled_file_is_up_to_date(tmp_path):
    fresh = tmp_path / "fresh.qm"
    subprocess.run([tool("lrelease"), str(SOURCE), "-qm", str(fresh)], check=True, capture_output=True)
    assert fresh.read_bytes() == SOURCE.with_suffix(".qm").read_bytes()


def test_every_translation_keeps_its_placeholders():
    for message in messages(SOURCE):
        source, translation = message.find("source").text, message.find("translation").text
        assert sorted(re.findall(r"\{\w*\}", source)) == sorted(re.findall(r"\{\w*\}", translation)), source


def test_the_language_is_exchanged_while_the_window_is_open(desk):
    desk.ask("你好")
    desk.parts.commands.edit_preferences()
    dialog = desk.window.findChild(PreferencesDialog)
    dialog._language.setCurrentIndex(dialog._language.findData("zh_CN"))
    QApplication.processEvents()
    try:
        assert desk.window.new_button.text() == "新建"
        assert desk.find("send_button").text() == "发送"
        assert desk.find("conversation_search").placeholderText() == "搜索"
        assert desk.window.menu_actions["about_numbers"].text() == "关于各项数字(&N)"
        assert dialog.windowTitle() == "首选项"
        assert desk.items()[0].author == "你"
        assert "完成" in desk.items()[1].footer
        assert desk.window.status_line.activity == "就绪"
        close = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Close)
        assert close.text() in ("关闭", "关闭(&C)", "Close", "&Close")
    finally:
        desk.parts.settings.set(replace(desk.parts.settings.value, language="en"))
    QApplication.processEvents()
    assert desk.window.new_button.text() == "New"
    assert desk.items()[0].author == "You"
    dialog.close()


def test_the_language_is_kept(open_desk):
    desk = open_desk()
    desk.parts.settings.set(replace(desk.parts.settings.value, language="zh_CN"))
    desk.window.close()
    again = open_desk()
    try:
        assert again.window.new_button.text() == "新建"
    finally:
        again.parts.settings.set(replace(again.parts.settings.value, language="en"))
