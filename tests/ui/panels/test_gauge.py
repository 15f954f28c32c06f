"""The context gauge and the status line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint

from tests.fakes import MIB
from ui.panels.gauge import ContextGauge
from ui.panels.labels import ElidedLabel
from ui.panels.status_line import StatusLine


@pytest.fixture
def gauge(qtbot, theme):
    gauge = ContextGauge(theme)
    qtbot.addWidget(gauge)
    gauge.resize(gauge.sizeHint())
    with qtbot.waitExposed(gauge):
        gauge.show()
    yield gauge
    gauge.hide()


def filled_pixels(gauge, colour: str) -> int:
    """Count the bar's pixels of a colour in the gauge's middle row."""
    image = gauge.grab().toImage()
    y = image.height() // 2
    return sum(image.pixelColor(x, y).name() == colour for x in range(image.width()))


def test_numbers_with_units(gauge) -> None:
    gauge.set_usage(1204, 4096, round(26.5 * MIB))
    assert gauge.objectName() == "context_gauge"
    assert gauge.text == "1,204 / 4,096"
    assert gauge.accessibleName()
    assert gauge.accessibleDescription() == "1,204 of 4,096 tokens, 29.4%, 26.5 MiB of the KV cache in use"


def test_unknown_is_not_zero(gauge) -> None:
    gauge.set_usage(None, None, None)
    assert gauge.fraction is None
    assert gauge.text == "n/a / n/a"
    assert "n/a of the KV cache" in gauge.accessibleDescription()


@pytest.mark.parametrize(
    ("used", "colour", "words"),
    [
        (0, "kv_used", ""),
        (799, "kv_used", ""),
        (800, "warning", "nearly full"),
        (949, "warning", "nearly full"),
        (950, "error", "full"),
        (1100, "error", "full"),
    ],
)
def test_colour_and_words_at_80_and_95_percent(gauge, theme, used: int, colour: str, words: str) -> None:
    gauge.set_usage(used, 1000, 0)
    assert gauge.colour == getattr(theme.colours, colour)
    assert gauge.text == f"{used:,} / 1,000 {words}".strip()


@pytest.mark.parametrize(
    ("used", "n_ctx", "colour", "words"),
    [
        (4000, 4096, "kv_used", ""),
        (7000, 8192, "kv_used", ""),
        (8000, 8192, "warning", "nearly full"),
        (9900, 10_000, "error", "full"),
    ],
)
def test_a_context_that_can_grow_is_full_only_at_its_limit(gauge, theme, used, n_ctx, colour, words) -> None:
    gauge.set_usage(used, n_ctx, 0, 10_000)
    assert gauge.colour == getattr(theme.colours, colour)
    assert gauge.text == f"{used:,} / {n_ctx:,} {words}".strip()
    assert gauge.fraction == used / n_ctx
    assert ("grows as needed, to at most 10,000 tokens" in gauge.toolTip()) == (n_ctx < 10_000)


def test_the_bar_is_as_long_as_the_fraction(gauge, theme) -> None:
    lengths = []
    for used in (0, 250, 500, 1000):
        gauge.set_usage(used, 1000, 0)
        gauge.resize(gauge.sizeHint())
        lengths.append(filled_pixels(gauge, gauge.colour))
    assert lengths[0] == 0
    assert lengths[1] == pytest.approx(24, abs=3)
    assert lengths[2] == pytest.approx(48, abs=3)
    assert lengths[3] >= 85


def test_expected_tokens_are_not_called_used(gauge) -> None:
    gauge.set_usage(500, 1000, 26 * MIB)
    used = gauge.grab().toImage()
    gauge.set_expected(True)
    assert gauge.text == "500 / 1,000 expected"
    assert gauge.toolTip().startswith("The KV cache holds nothing of this conversation.")
    assert gauge.grab().toImage() != used


def test_a_narrow_gauge_keeps_the_numbers(gauge) -> None:
    gauge.set_usage(1204, 4096, 26 * MIB)
    assert gauge.minimumSizeHint().width() < gauge.sizeHint().width()
    gauge.resize(gauge.minimumSizeHint())
    image = gauge.grab().toImage()
    rightmost = max(x for x in range(image.width()) if image.pixelColor(x, image.height() // 2).name() != "#f3f4f6")
    assert rightmost < image.width()


def test_the_status_line_keeps_three_texts(qtbot, theme) -> None:
    line = StatusLine(theme)
    qtbot.addWidget(line)
    line.set_model("SmolLM2 135M Q4_1 - CPU")
    line.set_activity("reading 812 / 2,040 tokens, 3.1 s left")
    line.set_notice("The template refuses a system prompt.")
    assert line.objectName() == "status_line"
    assert (line.activity, line.model) == ("reading 812 / 2,040 tokens, 3.1 s left", "SmolLM2 135M Q4_1 - CPU")
    assert line.notice == "The template refuses a system prompt."
    assert line.accessibleName() == "Status"
    assert line.accessibleDescription().startswith("reading 812 / 2,040 tokens, 3.1 s left. The template")
    line.set_notice("")
    assert line.notice == ""


def test_a_long_text_is_elided_and_never_read_as_html(qtbot, theme) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.setText("<img src='/etc/passwd'> a very long notice\nin two lines")
    assert label.shown_text.startswith("<img")
    assert label.shown_text.endswith("…")
    assert label.minimumSizeHint().width() == 0


@pytest.mark.parametrize("pixels", range(10, 30))
def test_what_has_the_room_it_asks_for_is_shown_whole(qtbot, theme, pixels) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setStyleSheet(f"font: bold {pixels}px")
    for text in ("Memory", "Time per token", "Meta-Llama-3.1-8B-Instruct-Q8_0", "model-Q4_K_M"):
        label.setText(text)
        label.resize(label.sizeHint())
        assert label.shown_text == text


def test_a_detail_that_does_not_fit_is_left_out(qtbot, theme) -> None:
    label = ElidedLabel(all_or_nothing=True)
    qtbot.addWidget(label)
    label.setText("about 14 turns left")
    label.resize(300, 20)
    assert label.shown_text == "about 14 turns left"
    label.resize(40, 20)
    assert label.shown_text == ""
    assert label.rect().contains(QPoint(10, 10))
