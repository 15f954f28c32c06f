"""Untrusted text in the transcript reads no file, reaches no network and opens nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from tests.ui.chat.documents import texts
from tests.ui.chat.test_transcript import settle, view_of
from ui.chat.markdown import is_safe_link, parser
from ui.chat.text_browser import SafeTextBrowser
from ui.chat.transcript import Action, Item, Kind, State, Transcript

RED = QColor(255, 0, 0)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def red_picture(tmp_path):
    path = tmp_path / "red.png"
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(RED)
    assert image.save(str(path))
    return path


@pytest.fixture
def server():
    """A web server that must see nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield listener


def visits(listener: socket.socket) -> int:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return 0
    return 1


def red_pixels(widget: QWidget) -> int:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return int(np.count_nonzero(np.frombuffer(image.constBits(), np.uint32) == RED.rgb()))


def attacks(target: str) -> list[str]:
    """Everything that makes a rich text widget load something."""
    return [
        f"![x]({target})",
        f"![x](<{target}>)",
        f"[![x]({target})](https://example.org)",
        f"![x][r]\n\n[r]: {target}\n",
        f'<img src="{target}" width="64" height="64">',
        f'<table background="{target}"><tr><td>x</td></tr></table>',
        f'<div style="background-image: url({target}); width: 64px">x</div>',
        f'<link rel="stylesheet" href="{target}">',
        f"<style>@import url({target}); body {{ background-image: url({target}) }}</style>",
        f'<iframe src="{target}"></iframe><object data="{target}"></object>',
        f'| a |\n|---|\n| <img src="{target}"> ![x]({target}) |\n',
        f"> ![x]({target})\n\n- ![x]({target})\n",
        f'```html\n<img src="{target}">\n```\n',
        f'```<img src="{target}">\nx\n```\n',
    ]


def everywhere(text: str) -> list[Item]:
    """Items that show a text in every place they have."""
    action = Action("regenerate", text)
    return [
        Item("u", Kind.USER, text, text),
        Item("a", Kind.ASSISTANT, text, text, text, text, text, actions=(action,)),
        Item("e", Kind.ASSISTANT, text, text, footer=text, state=State.FAILED, error=text, actions=(action,)),
        Item("s", Kind.SUMMARY, text, text, actions=(action,)),
        Item("n", Kind.NOTICE, text, text),
    ]


def show(qtbot, transcript: Transcript, items: list[Item]) -> None:
    """Show items with all that can be opened open."""
    transcript.resize(700, 3000)
    transcript.set_items(items)
    for entry in transcript._entries:
        if entry.view is not None and hasattr(entry.view, "_fold") and entry.view._fold is not None:
            entry.view._fold.button.click()
    settle(qtbot, transcript)


@pytest.mark.parametrize("form", ["path", "file url", "relative"])
def test_no_local_picture_is_shown(qtbot, transcript, red_picture, monkeypatch, form):
    monkeypatch.chdir(red_picture.parent)
    target = {"path": str(red_picture), "file url": QUrl.fromLocalFile(str(red_picture)).toString()}.get(
        form, red_picture.name
    )
    for attack in attacks(target):
        show(qtbot, transcript, everywhere(attack))
        assert red_pixels(transcript) == 0, attack


def test_the_red_picture_would_be_seen(qtbot, red_picture):
    """The test above can fail: Qt's own widgets do show the picture."""
    label = QLabel(f'<img src="{red_picture}">')
    qtbot.addWidget(label)
    label.show()
    assert red_pixels(label) > 0


def test_the_browser_refuses_even_html(qtbot, red_picture, server):
    browser = SafeTextBrowser()
    qtbot.addWidget(browser)
    browser.show()
    port = server.getsockname()[1]
    for target in (str(red_picture), QUrl.fromLocalFile(str(red_picture)).toString(), f"http://127.0.0.1:{port}/x"):
        for attack in attacks(target):
            browser.setHtml(attack)
            assert red_pixels(browser) == 0
            browser.setMarkdown(attack)
            assert red_pixels(browser) == 0
    assert browser.loadResource(QTextDocument.ResourceType.StyleSheetResource.value, QUrl("x")).isEmpty()
    qtbot.wait(50)
    assert visits(server) == 0


def test_nothing_is_fetched(qtbot, transcript, server):
    port = server.getsockname()[1]
    for attack in attacks(f"http://127.0.0.1:{port}/x.png"):
        show(qtbot, transcript, everywhere(attack))
        transcript.grab()
    qtbot.wait(200)
    assert visits(server) == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_does_not_hang_the_window(tmp_path):
    """In a process of its own, since a hang cannot be interrupted."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = f"""
        from PySide6.QtWidgets import QApplication
        from tests.ui.chat.test_security import attacks, everywhere
        from ui.chat.transcript import Transcript
        from ui.theme import Theme
        application = QApplication([])
        transcript = Transcript(Theme(application))
        transcript.resize(700, 3000)
        transcript.show()
        for target in ({str(pipe)!r}, "file://" + {str(pipe)!r}):
            for attack in attacks(target):
                transcript.set_items(everywhere(attack))
                transcript.grab()
                transcript.copy_conversation()
        print("done")
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout.strip() == "done", result.stderr


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "vbscript:x",
        "//host/share",
        "\\\\host\\share",
        "/etc/passwd",
        "relative.html",
        "ftp://example.org/x",
        "https:/example.org",
        "mailto:",
        "#anchor",
        "",
    ],
)
def test_other_links_are_no_links(qtbot, transcript, url):
    assert not is_safe_link(url)
    assert "<a" not in parser().render(f"[text](<{url}>)")
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", f"[text](<{url}>) and <{url}>")])
    browser = view_of(transcript, "a").findChild(SafeTextBrowser)
    emitted = []
    transcript.link_activated.connect(emitted.append)
    browser.anchorClicked.emit(QUrl(url))
    assert emitted == []
    document = browser.document()
    iterator = document.firstBlock().begin()
    while not iterator.atEnd():
        assert not iterator.fragment().charFormat().anchorHref()
        iterator += 1


@pytest.mark.parametrize("url", ["https://example.org/a?b=c#d", "http://127.0.0.1:8080/", "mailto:a@b.org"])
def test_web_and_mail_links_are_passed_on_and_not_opened(qtbot, transcript, url):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", f"[text]({url})")])
    browser = view_of(transcript, "a").findChild(SafeTextBrowser)
    with qtbot.waitSignal(transcript.link_activated) as caught:
        browser.anchorClicked.emit(QUrl(url))
    assert caught.args == [QUrl(url)]
    assert browser.toPlainText() == "text"
    browser.highlighted.emit(QUrl(url))
    assert url.split("&")[0].split("#")[0] in browser.toolTip()


def test_pictures_become_their_description(transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", "see ![a red fox](https://example.org/fox.png) here")])
    assert texts(view_of(transcript, "a")) == "see [image: a red fox] here"


def test_html_is_text(transcript):
    source = "<b>bold</b> &amp; <script>alert(1)</script>"
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", source), Item("u", Kind.USER, "You", source)])
    assert texts(view_of(transcript, "a")) == "<b>bold</b> & <script>alert(1)</script>"
    assert texts(view_of(transcript, "u")) == source


def test_labels_and_tooltips_show_markup_as_it_is(qtbot, transcript, red_picture):
    text = f'<img src="{red_picture}"><b>x</b>'
    show(qtbot, transcript, everywhere(text))
    for label in transcript.findChildren(QLabel):
        assert label.textFormat().name == "PlainText"
        assert "<img" not in label.toolTip()
        assert not label.toolTip() or "&lt;img" in label.toolTip()
    assert red_pixels(transcript) == 0


def test_direction_controls_are_taken_out_of_code_and_links(transcript):
    evil = "a\u202eb\u2066c\u2069\u200fd"
    transcript.set_items(
        [
            Item(
                "a",
                Kind.ASSISTANT,
                "M",
                f"`{evil}` [{evil}](https://x.org/{evil}) https://y.org/{evil}\n\n```\n{evil}\n```",
            )
        ]
    )
    shown = texts(view_of(transcript, "a"))
    assert "abcd" in shown
    assert not set(shown) & set("\u202e\u2066\u2069\u200f")


def test_characters_that_qt_uses_itself_do_no_harm(transcript):
    text = "a\ufdd0b\ufdd1c\u2029d\x00e\ufffcf"
    fences = f"{text}\n\n```\n{text}\n```\n\n| {text} |\n|---|\n| {text} |\n"
    transcript.resize(700, 2000)
    transcript.set_items([Item("a", Kind.ASSISTANT, text, fences, text), Item("u", Kind.USER, text, text)])
    shown = texts(view_of(transcript, "a"))
    assert "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf" in shown
    transcript.grab()


@pytest.mark.parametrize(
    "text",
    [
        ">" * 3000 + " x",
        "".join("  " * i + "- x\n" for i in range(400)),
        "[" * 20000,
        "*" * 20000,
        "`" * 20000,
        "[a](" * 5000,
        "![" * 5000,
        "|" * 20000,
        "\\" * 20000,
        "<" * 20000,
        "&" * 20000,
        "a**" * 5000,
        "\u0301" * 5000,
        "\u200d" * 5000,
        "| a " * 60 + "|\n" + "|---" * 60 + "|\n" + ("| b " * 60 + "|\n") * 20,
        "1. " * 1000,
        "- " * 1000,
        "\t" * 5000 + "x",
        "#" * 5000,
        "```\n" * 2000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_hostile_markdown_is_shown_in_bounded_time(qtbot, transcript, text):
    begin = time.thread_time()
    transcript.append_item(Item("s", Kind.ASSISTANT, "M", state=State.STREAMING))
    for start in range(0, len(text), max(1, len(text) // 50)):
        transcript.append_text("s", "answer", text[start : start + max(1, len(text) // 50)])
        transcript._on_flush_timeout()
    transcript.finish(Item("s", Kind.ASSISTANT, "M", text))
    settle(qtbot, transcript)
    assert time.thread_time() - begin < 20
