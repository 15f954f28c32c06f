"""The first start: what suits this machine, three clicks to the first answer, and what is said when it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QPushButton

from app.hub.curated import CuratedModel, curated_models
from app.paths import paths
from tests.fakes import ScriptedEngine
from tests.hub_server import Fault
from tests.model_stores import gguf, write
from tests.planners import CPU, GIB, GPU, MIB, SECOND_GPU, ScriptedPlanner
from tests.ui.models.hands import put
from ui.dialogs.models.dialog import ModelsDialog

ROOM = 3 * GIB
"""The scripted machine has 4 GiB free, of which 1 GiB is kept."""


def curated(name: str, mib: int | None, **changes) -> CuratedModel:
    model = CuratedModel(
        name=name,
        repo=f"maker/{name}",
        file=f"{name}-Q4_K_M.gguf",
        quantisation="Q4_K_M",
        licence="mit",
        purpose="everyday",
        parameters=0.5,
        n_ctx_train=8192,
        size_bytes=None if mib is None else mib * MIB,
    )
    return replace(model, **changes)


LIST = (curated("Tiny", 2), curated("Small", 5), curated("Middle", 12), curated("Huge", 5000))


@pytest.fixture(autouse=True)
def newcomer(monkeypatch, user_home):
    """No models, no starter model, and a list whose files a test can serve."""
    for place in ("ui.parts", "ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: LIST)


@pytest.fixture
def shop(hub):
    """A hub that has the list."""
    for model in LIST[:3]:
        put(hub, model.file, model.size_bytes // MIB, model.repo)
    return hub


class Page:
    """The page and hands that use it."""

    def __init__(self, desk) -> None:
        self.desk = desk
        self.page = desk.window.welcome
        self.keeper = desk.parts.start
        self.wait(lambda: self.page.isVisible() and not self.keeper.is_looking and self.keeper.free_bytes is not None)

    def wait(self, condition) -> None:
        self.desk.qtbot.waitUntil(lambda: bool(condition()), timeout=60_000)

    def names(self) -> list[str]:
        return [card.offer.model.name for card in self.page.cards]

    def facts(self) -> list[str]:
        return [card._facts.text() for card in self.page.cards]

    def press(self, number: int = 0) -> None:
        self.desk.qtbot.mouseClick(self.page.cards[number].button, Qt.MouseButton.LeftButton)

    def row_button(self, verb: str) -> QPushButton:
        return self.page.cards[0].findChild(QPushButton, f"download_{verb}")

    def text(self, name: str) -> str:
        return self.desk.find(name).text()


@pytest.fixture
def page(shop, open_desk):
    return Page(open_desk(model=None, load=False))


def test_what_suits_the_machine_is_offered_the_best_first(page):
    assert page.names() == ["Middle", "Small", "Tiny"]
    assert page.facts()[0] == "12.0 MiB · on CPU · mit"
    assert "4.00 GiB of memory is free on this machine now. These models" in page.text("welcome_intro")
    best, *others = (card.button for card in page.page.cards)
    assert best.property("role") == "primary"
    assert all(button.property("role") is None for button in others)
    assert best.accessibleName() == "Download Middle"
    assert page.page.cards[0].accessibleName().startswith("Middle: Everyday questions")
    tooltip = page.page.cards[0]._facts.toolTip()
    assert "500M parameters, trained for 8,192 tokens" in tooltip
    assert "largest context that fits" in tooltip
    assert page.desk.find("welcome_refusal").isHidden()
    assert page.desk.find("welcome_again_button").isHidden()


def test_the_memory_of_a_gpu_is_named_beside_the_machines(open_desk, shop, monkeypatch):
    planners = (ScriptedPlanner((CPU, GPU, SECOND_GPU)), ScriptedPlanner((CPU, GPU, SECOND_GPU)))
    monkeypatch.setattr("tests.ui.conftest.scripted_planners", lambda: planners)
    page = Page(open_desk(model=None, load=False))
    assert "4.00 GiB of memory and 3.00 GiB of GPU memory are free on" in page.text("welcome_intro")


def test_from_nothing_to_an_answer_by_one_click_and_a_message(page, shop):
    shop.faults.append(Fault(hold_at=6 * MIB))
    page.press()
    page.wait(lambda: shop.reached.is_set() and page.row_button("cancel") is not None)
    page.wait(lambda: "of 12.0 MiB" in page.text("download_state"))
    assert page.page.cards[0].button.isHidden()
    assert page.desk.engine.load_configs == []
    shop.released.set()
    page.wait(lambda: page.desk.parts.models.model is not None)
    path = paths().models / "maker" / "Middle" / LIST[2].file
    assert page.desk.engine.load_configs[-1].path == path
    assert path.stat().st_size == shop.files[LIST[2].repo][LIST[2].file].size
    assert not page.page.isVisible()
    assert page.desk.window.focusWidget() is page.desk.window.composer.editor
    page.desk.ask("Hello")
    assert page.desk.texts() == ["Hello", "Hello world"]


def test_a_damaged_download_is_said_and_never_loaded(page, shop):
    stored = shop.files[LIST[2].repo][LIST[2].file]
    stored.sha256 = "0" * 64
    page.desk.parts.start.look()
    page.wait(lambda: not page.keeper.is_looking)
    page.desk.activate()
    page.page.cards[0].button.setFocus()
    page.press()
    page.wait(lambda: any(batch.state == "failed" for batch in page.desk.parts.downloads.batches))
    page.wait(lambda: page.row_button("resume").isVisible())
    assert page.row_button("resume").hasFocus()
    assert page.desk.find("download_sentence").isVisible()
    assert page.desk.engine.load_configs == []


def test_a_download_can_be_paused_resumed_and_cancelled_on_the_page(page, shop):
    shop.reached.clear()
    shop.released.clear()
    shop.faults.append(Fault(hold_at=6 * MIB))
    page.press()
    page.wait(lambda: shop.reached.is_set() and page.row_button("pause") is not None)
    page.row_button("pause").click()
    page.wait(lambda: page.row_button("resume").isVisible())
    shop.released.set()
    page.row_button("cancel").click()
    page.wait(lambda: page.page.cards[0].button.isVisible())
    page.wait(lambda: page.row_button("cancel") is None)
    page.press()
    page.wait(lambda: page.desk.parts.models.model is not None)


def test_offline_it_is_said_and_the_rest_still_works(open_desk, monkeypatch, tmp_path):
    page = Page(open_desk(model=None, load=False))
    assert page.names() == ["Middle", "Small", "Tiny"]
    assert page.facts()[0] == "12.0 MiB · on CPU (estimated) · mit"
    assert page.text("welcome_intro").endswith("Whether they fit is estimated from the sizes of their files.")
    assert page.text("welcome_refusal") == (
        "HF_HUB_OFFLINE is set: unset it to search the hub and to download. A model that is on this machine can be "
        "opened all the same."
    )
    assert page.desk.find("welcome_refusal").property("role") == "muted"
    assert page.desk.find("welcome_refusal").y() < page.page.cards[0].y()
    settings = page.desk.parts.settings
    settings.set(replace(settings.value, language="zh_CN"))
    page.wait(lambda: "HF_HUB_OFFLINE is set" not in page.text("welcome_refusal"))
    settings.set(replace(settings.value, language="en"))
    buttons = [card.button for card in page.page.cards]
    assert not any(button.isEnabled() for button in buttons)
    page.wait(lambda: buttons[0].toolTip().startswith("HF_HUB_OFFLINE is set: unset it to"))
    path = tmp_path / "own.gguf"
    path.touch()
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileName", lambda *_: (str(path), ""))
    page.desk.click("welcome_open_button")
    page.wait(lambda: page.desk.parts.models.model is not None)


def test_online_again_the_page_can_look_again(open_desk, shop, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    page = Page(open_desk(model=None, load=False))
    assert page.desk.find("welcome_again_button").isVisible()
    monkeypatch.delenv("HF_HUB_OFFLINE")
    page.desk.click("welcome_again_button")
    page.wait(lambda: not page.keeper.is_looking)
    assert page.keeper.refusal is None
    assert page.page.cards[0].button.isEnabled()
    assert page.page.cards[0].button.property("role") == "primary"
    assert "estimated" not in page.facts()[0] + page.text("welcome_intro")


def test_a_header_is_fetched_once_however_often_the_page_is_shown(page, shop):
    fetched = len(shop.cdn_requests)
    assert fetched >= 3
    page.keeper.look()
    page.wait(lambda: not page.keeper.is_looking)
    assert len(shop.cdn_requests) == fetched
    assert page.facts()[0] == "12.0 MiB · on CPU · mit"


def test_a_download_that_needs_the_hub_first_begins_once_it_answers(open_desk, shop, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    page = Page(open_desk(model=None, load=False))
    button = page.page.cards[0].button
    assert "127.0.0.1 cannot be reached" in page.text("welcome_refusal")
    assert (button.isEnabled(), button.property("role"), button.toolTip()) == (True, "", "")
    monkeypatch.setenv("HF_ENDPOINT", shop.endpoint)
    page.press()
    page.wait(lambda: page.desk.parts.models.model is not None)


@pytest.mark.parametrize("free_mib", [0, 700])
def test_without_memory_nothing_is_offered_and_it_says_why(open_desk, monkeypatch, free_mib):
    device = replace(CPU, free_bytes=free_mib * MIB)
    planners = (ScriptedPlanner((device,)), ScriptedPlanner((device,)))
    monkeypatch.setattr("tests.ui.conftest.scripted_planners", lambda: planners)
    page = Page(open_desk(model=None, load=False))
    assert page.names() == []
    assert "None of the recommended models fits into that" in page.text("welcome_intro")
    assert page.desk.find("welcome_again_button").isVisible()
    assert page.desk.find("welcome_open_button").isVisible()


def test_a_broken_list_is_one_sentence(open_desk, monkeypatch, tmp_path):
    file = write(tmp_path / "models.toml", b"schema = 1")
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: curated_models(file))
    page = Page(open_desk(model=None, load=False))
    assert page.text("welcome_intro").startswith(
        "The list of recommended models in models.toml cannot be used: it lists no models."
    )
    settings = page.desk.parts.settings
    settings.set(replace(settings.value, language="zh_CN"))
    page.wait(
        lambda: page.text("welcome_intro").startswith("无法使用 models.toml 中的推荐模型列表：其中没有列出模型。打开")
    )
    settings.set(replace(settings.value, language="en"))


def test_what_the_hub_has_no_more_gives_way_to_another(open_desk, shop):
    del shop.files[LIST[2].repo]
    page = Page(open_desk(model=None, load=False))
    assert page.names() == ["Small", "Tiny"]
    assert page.keeper.refusal is None


def test_a_file_under_another_name_is_found_by_its_quantisation(open_desk, shop):
    files = shop.files[LIST[2].repo]
    files["renamed-Q4_K_M.gguf"] = files.pop(LIST[2].file)
    page = Page(open_desk(model=None, load=False))
    assert page.names()[0] == "Middle"
    page.press()
    page.wait(lambda: page.desk.parts.models.model is not None)
    assert page.desk.engine.load_configs[-1].path.name == "renamed-Q4_K_M.gguf"


def test_a_header_that_needs_more_than_the_file_said_takes_the_offer_back(open_desk, hub, monkeypatch):
    for model, mib in zip(LIST[:3], (2, 5, ROOM // MIB + 2000), strict=True):
        put(hub, model.file, mib, model.repo)
    page = Page(open_desk(model=None, load=False))
    assert page.names() == ["Small", "Tiny"]


def test_without_a_size_in_the_list_nothing_is_offered_that_might_not_fit(open_desk, shop, monkeypatch):
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: (*LIST[:2], curated("Middle", None)))
    page = Page(open_desk(model=None, load=False))
    assert page.names() == ["Small", "Tiny"]


def test_a_model_opened_meanwhile_stays(page, shop, tmp_path):
    shop.reached.clear()
    shop.released.clear()
    shop.faults.append(Fault(hold_at=6 * MIB))
    page.press()
    page.wait(shop.reached.is_set)
    own = tmp_path / "own.gguf"
    own.touch()
    page.desk.window.model_dropped.emit(str(own))
    page.wait(lambda: page.desk.parts.models.model is not None)
    shop.released.set()
    page.wait(lambda: "is downloaded" in page.desk.window.status_line.notice)
    assert [config.path for config in page.desk.engine.load_configs] == [own]


def test_the_page_speaks_the_language_of_the_window(page):
    settings = page.desk.parts.settings
    settings.set(replace(settings.value, language="zh_CN"))
    page.wait(lambda: page.page.cards[0].button.text() == "下载")
    assert page.page.cards[0]._purpose.text().startswith("日常问答")
    assert "空闲内存" in page.text("welcome_intro")
    settings.set(replace(settings.value, language="en"))


def test_at_the_very_first_start_the_starter_model_says_what_it_is(shop, open_desk, monkeypatch, tmp_path):
    starter = tmp_path / "starter.gguf"
    starter.touch()
    monkeypatch.setattr("ui.parts.starter_model", lambda: starter)
    desk = open_desk(ScriptedEngine(), model=None)
    assert "This is the starter model" in desk.window.notice_bar.sentence
    assert not desk.window.welcome.isVisible()
    desk.click("notice_bar_button")
    page = Page(desk)
    assert page.names() == ["Middle", "Small", "Tiny"]
    desk.click("welcome_back_button")
    assert not desk.window.welcome.isVisible()
    desk.ask("Hello")
    assert not desk.window.welcome.isVisible()
    desk.parts.first_steps.choose_model()
    page.wait(lambda: not page.keeper.is_looking)
    page.press()
    page.wait(lambda: desk.engine.load_configs[-1].path.name == LIST[2].file)
    page.wait(lambda: desk.parts.models.model is not None and not desk.window.welcome.isVisible())
    desk.window.close()
    again = open_desk(ScriptedEngine(), model=None)
    assert again.window.notice_bar.sentence == ""


def test_who_has_models_already_is_shown_the_way_to_them(shop, open_desk, user_home):
    write(paths().models / "maker" / "chat.gguf", gguf())
    write(user_home / ".lmstudio/models/maker/other.gguf", gguf())
    page = Page(open_desk(model=None, load=False))
    page.wait(lambda: page.desk.find("welcome_library_button").isVisible())
    assert page.text("welcome_library_button") == "2 models on this machine…"
    page.desk.click("welcome_library_button")
    dialog = page.desk.window.findChild(ModelsDialog)
    assert dialog.tabs.currentWidget().objectName() == "library_page"
    page.desk.click("welcome_more_button")
    assert dialog.tabs.currentWidget().objectName() == "hub_page"
    dialog.close()


def test_in_the_smallest_window_with_larger_text_nothing_is_cut_off(page):
    page.keeper.n_here = 12
    page.keeper.changed.emit()
    page.page.set_error("some-model.gguf is cut off: 477 MiB are missing at its end. Download it again.")
    settings, window = page.desk.parts.settings, page.desk.window
    window.resize(900, 600)
    settings.set(replace(settings.value, zoom=1.5))

    def are_whole() -> bool:
        shown = page.page.viewport().rect()
        widgets = [*page.page.cards, *(button for button in page.page.findChildren(QPushButton) if button.isVisible())]
        places = [QRect(each.mapTo(page.page.viewport(), QPoint(0, 0)), each.size()) for each in widgets]
        inside = all(shown.left() <= place.left() and place.right() <= shown.right() for place in places)
        return inside and all(
            each.width() >= each.minimumSizeHint().width() for each in widgets[len(page.page.cards) :]
        )

    page.wait(are_whole)
    assert page.page.cards[0].button.geometry().top() > page.page.cards[0]._facts.geometry().bottom()
    window.resize(1600, 1000)
    settings.set(replace(settings.value, zoom=1.0))
    page.wait(lambda: page.page.cards[0].button.geometry().left() > page.page.cards[0]._facts.geometry().right())


def test_the_keyboard_does_not_go_on_to_another_download(page, shop):
    page.desk.activate()
    shop.reached.clear()
    shop.released.clear()
    shop.faults.append(Fault(hold_at=6 * MIB))
    page.page.cards[0].button.setFocus()
    page.desk.qtbot.keyClick(page.page.cards[0].button, Qt.Key.Key_Space)
    page.wait(lambda: page.row_button("pause") is not None and page.page.cards[0].button.isHidden())
    assert page.row_button("pause").hasFocus()
    page.desk.qtbot.keyClick(page.row_button("pause"), Qt.Key.Key_Space)
    page.wait(lambda: page.row_button("resume").isVisible())
    assert page.row_button("resume").hasFocus()
    page.row_button("cancel").setFocus()
    page.desk.qtbot.keyClick(page.row_button("cancel"), Qt.Key.Key_Space)
    shop.released.set()
    page.wait(lambda: page.page.cards[0].button.isVisible())
    assert page.page.cards[0].button.hasFocus()


def test_larger_text_gets_wider_lines(page):
    settings = page.desk.parts.settings
    width = page.page._column.maximumWidth()
    settings.set(replace(settings.value, zoom=1.5))
    assert page.page._column.maximumWidth() == round(1.5 * width)


def test_the_hint_goes_when_another_model_is_loaded(open_desk, monkeypatch, tmp_path):
    starter, own = tmp_path / "starter.gguf", tmp_path / "own.gguf"
    for path in (starter, own):
        path.touch()
    monkeypatch.setattr("ui.parts.starter_model", lambda: starter)
    desk = open_desk(ScriptedEngine(), model=None)
    assert desk.window.notice_bar.sentence
    desk.window.model_dropped.emit(str(own))
    assert desk.window.notice_bar.sentence == ""
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
