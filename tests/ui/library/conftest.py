"""A window without a model, on a home without models."""

import pytest

from app.paths import paths


@pytest.fixture
def desk(open_desk, user_home, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    return open_desk(model=None, load=False)


@pytest.fixture
def own(desk):
    """The application's folder for models."""
    paths().models.mkdir(parents=True, exist_ok=True)
    return paths().models
