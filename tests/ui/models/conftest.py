"""The models window on a hub of its own."""

from __future__ import annotations

import pytest

from tests.ui.models.hands import Models


@pytest.fixture
def models(hub, desk):
    return Models(desk)
