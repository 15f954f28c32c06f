"""A transcript in a small window, and what tests look at in it."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from ui.chat.transcript import Transcript
from ui.theme import Scheme, Theme


@pytest.fixture(scope="session")
def session_theme(qapp):
    theme = Theme(qapp, Scheme.LIGHT)
    theme.lay_style_sheet()
    return theme


@pytest.fixture
def theme(session_theme):
    yield session_theme
    session_theme.set_scheme(Scheme.LIGHT)
    session_theme.set_zoom(1.0)


@pytest.fixture
def transcript(qtbot, theme):
    transcript = Transcript(theme)
    qtbot.addWidget(transcript)
    transcript.resize(700, 600)
    transcript.show()
    qtbot.waitExposed(transcript)
    return transcript
