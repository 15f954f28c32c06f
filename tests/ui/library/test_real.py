"""What the page says of a model is what the load then does: real planners, a real engine, an RPC server on loopback."""

import pytest
from PySide6.QtWidgets import QApplication

from app.engine.factory import make_engine
from app.paths import paths
from app.settings import Settings, save_settings
from tests.library_pages import cell, choose, names
from tests.model_stores import write
from tests.rpc_server import running_rpc_server
from ui.arguments import Arguments
from ui.dialogs.models.dialog import ModelsDialog
from ui.dialogs.models.library.page import LibraryPage
from ui.parts import Parts, compose

LONG_MS = 60_000
ARCHITECTURES = ("llama-dense", "gemma3-dense", "mamba-dense", "gpt-oss-moe", "deepseek2-moe", "falcon-h1-dense")
pytestmark = [pytest.mark.model, pytest.mark.usefixtures("user_home")]


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    """Where the engine keeps what it found out about this CPU, so that only the first window finds it out."""
    return tmp_path_factory.mktemp("verdict")


@pytest.fixture(scope="module")
def rpc_server():
    with running_rpc_server() as endpoint:
        yield endpoint


@pytest.fixture
def open_parts(qtbot, verdict, architectures):
    """Open a window on a real engine and real planners, with some architectures in its folder for models."""
    windows = []
    for name in ARCHITECTURES:
        write(paths().models / f"{name}.gguf", (architectures / f"{name}.gguf").read_bytes())
    save_settings(paths().settings_file, Settings(autoload=False))

    def open_(**load):
        window = compose(QApplication.instance(), Arguments(None, load), paths(), lambda: make_engine(verdict))
        windows.append(window)
        window.show()
        return window.findChild(Parts)

    yield open_
    for window in windows:
        window.close()
        window.deleteLater()


def open_page(qtbot, parts) -> LibraryPage:
    """Open the page, and wait until it is known of every model where it goes."""
    parts.models_window.show_page("library_page")
    qtbot.waitUntil(
        lambda: parts.disk.is_listed and len(parts.disk.placings) == len(parts.disk.models), timeout=LONG_MS
    )
    return parts.window.findChild(LibraryPage)


def load_from(qtbot, parts, page, name):
    """Load a row with the page's own button; return the model and close what is open."""
    choose(page, name)
    page.actions_["load"].trigger()
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=LONG_MS)
    model = parts.models.model
    parts.models.unload()
    qtbot.waitUntil(lambda: parts.window.findChild(ModelsDialog) is None)
    return model


def shown(page, name) -> tuple[str, str]:
    return cell(page, name, "fits"), cell(page, name, "largest")


def done(loaded) -> tuple[str, str]:
    """Return what a load that ended so would have had to be called."""
    whole = loaded.layers_offloaded == loaded.layers_total
    place = "whole on GPU" if whole else "partly on GPU" if loaded.layers_offloaded else "on CPU"
    return place, f"{loaded.n_ctx_max:,}"


def test_on_the_cpu_every_row_is_what_the_load_does(qtbot, open_parts, starter):
    parts = open_parts()
    for name in (starter.stem, *ARCHITECTURES):
        page = open_page(qtbot, parts)
        expected = shown(page, name)
        row = {key: cell(page, name, key) for key in ("architecture", "size", "parameters")}
        loaded = load_from(qtbot, parts, page, name)
        assert (name, done(loaded)) == (name, expected)
        assert row["architecture"] == loaded.info.architecture
    assert len(names(open_page(qtbot, parts))) == 1 + len(ARCHITECTURES)


@pytest.mark.parametrize("layers", ["auto", 1, 0])
def test_with_a_second_device_too(qtbot, open_parts, starter, rpc_server, layers):
    parts = open_parts(rpc_servers=(rpc_server,), n_gpu_layers=layers)
    for name in (starter.stem, "llama-dense", "gpt-oss-moe"):
        page = open_page(qtbot, parts)
        expected = shown(page, name)
        assert (name, done(load_from(qtbot, parts, page, name))) == (name, expected)


def test_the_memory_of_the_loaded_model_counts_as_free(qtbot, open_parts, starter):
    parts = open_parts(n_ctx=4096)
    before = shown(open_page(qtbot, parts), starter.stem)
    page = parts.window.findChild(LibraryPage)
    choose(page, starter.stem)
    page.actions_["load"].trigger()
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=LONG_MS)
    qtbot.waitUntil(lambda: parts.window.findChild(ModelsDialog) is None)
    page = open_page(qtbot, parts)
    assert shown(page, starter.stem) == before
    choose(page, starter.stem)
    assert not page.actions_["load"].isEnabled()
