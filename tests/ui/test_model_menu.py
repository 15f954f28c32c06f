"""The models of this machine in the selector's menu."""

from PySide6.QtCore import QObject, Signal

from app.hub.library import LibraryModel
from app.hub.sources import Root
from app.paths import paths
from tests.model_stores import gguf, write
from tests.ui.model_menu import loaded, menu_of
from ui.dialogs.models.dialog import ModelsDialog


class Disk(QObject):
    """A library that finds what a test puts on the disk."""

    changed = Signal(object, object)

    def __init__(self, parent):
        super().__init__(parent)
        self.models = {}
        self.is_scanning = False
        self.scans = 0

    def refresh(self):
        self.scans += 1
        self.is_scanning = True

    def find(self, *models):
        self.is_scanning = False
        self.models |= {model.path: model for model in models}
        self.changed.emit(models, ())


def on_disk(path, **facts) -> LibraryModel:
    path.touch()
    return LibraryModel(path=path, name=path.stem, root=Root(path.parent, "folder"), parts=(path,),
                        **{"kind": "chat", **facts})  # fmt: skip


def test_the_models_of_this_machine_are_one_click_away(desk, tmp_path):
    disk = Disk(desk.window)
    selector = desk.window.model_selector
    selector.watch(disk)  # in the place of the real one
    assert "On this machine" not in menu_of(desk)
    assert disk.scans == 1
    disk.find(  # while the menu is open
        on_disk(tmp_path / "b & c.gguf"),
        on_disk(tmp_path / "A.gguf"),
        on_disk(tmp_path / "embeds.gguf", kind="embedding"),
        on_disk(tmp_path / "damaged.gguf", problem="It is cut off."),
    )
    texts = [action.text() for action in selector.menu().actions() if action.text()]
    assert texts[:5] == ["fake", "On this machine", "A", "b && c", "Models…"]
    menu = menu_of(desk)
    assert disk.scans == 2
    menu_of(desk)
    assert disk.scans == 2  # one is under way
    menu = menu_of(desk)
    assert not menu["A"].isChecked()
    menu["b && c"].trigger()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == tmp_path / "b & c.gguf" and loaded(desk))
    texts = [action.text() for action in menu_of(desk).values()]
    assert texts[:4] == ["b && c", "fake", "On this machine", "A"]  # now among the recent ones
    assert menu_of(desk)["b && c"].isChecked()


def test_a_long_library_does_not_fill_the_screen(desk, tmp_path):
    disk = Disk(desk.window)
    desk.window.model_selector.watch(disk)
    disk.find(*(on_disk(tmp_path / f"model {number:03}.gguf") for number in range(40)))
    assert sum(text.startswith("model ") for text in menu_of(desk)) == 12
    disk.find(on_disk(tmp_path / f"a {'long ' * 40}name.gguf"))
    (long,) = (text for text in menu_of(desk) if text.startswith("a long"))
    assert long.endswith("name")
    assert len(long) < 80


def test_the_library_is_in_natural_order_and_more_of_it_is_one_click_away(desk, tmp_path):
    disk = Disk(desk.window)
    desk.window.model_selector.watch(disk)
    sizes = ["0.5B-Q8_0", "1.5B-Q4_0", "1.5B-Q10_0", *(f"{number}B" for number in range(3, 14))]
    disk.find(*(on_disk(tmp_path / f"m-{size}.gguf") for size in reversed(sizes)))
    texts = list(menu_of(desk))
    first = texts.index("On this machine") + 1
    assert texts[first : first + 14] == [*(f"m-{size}" for size in sizes[:12]), "2 more…", "Models…"]
    desk.parts.models_window.show_page("hub_page")
    menu_of(desk)["2 more…"].trigger()
    dialog = desk.window.findChild(ModelsDialog)
    assert dialog.tabs.currentWidget().objectName() == "library_page"
    disk.models.clear()
    disk.find(*(on_disk(tmp_path / f"m-{size}.gguf") for size in sizes[:12]))
    assert [text for text in menu_of(desk) if "more" in text] == []


def test_the_real_library_is_listed_once_the_menu_was_opened(desk, user_home):
    path = write(paths().models / "maker" / "chat.gguf", gguf())
    menu_of(desk)
    menu = desk.window.model_selector.menu()
    desk.qtbot.waitUntil(lambda: "chat" in [action.text() for action in menu.actions()], timeout=60_000)
    menu_of(desk)["chat"].trigger()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path and loaded(desk))
