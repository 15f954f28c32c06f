"""What other programs fetch while the page is open: folders of its own first, and much later the model's name."""

import hashlib
import json

from tests.library_pages import LONG_MS, names, open_page
from tests.model_stores import LLAMA, add_to_hugging_face, add_to_ollama, gguf, write


def test_a_new_repository_of_the_hugging_face_cache_shows_by_itself(desk, own, user_home):
    hub = user_home / ".cache/huggingface/hub"
    add_to_hugging_face(hub, "org/old", {"old.gguf": gguf()})
    page = open_page(desk)
    watcher = desk.parts.disk.watcher
    desk.qtbot.waitUntil(lambda: str(hub) in watcher.watched(), timeout=LONG_MS)
    revision = hub / "models--org--new/snapshots" / ("b" * 40)
    revision.mkdir(parents=True)
    desk.qtbot.waitUntil(lambda: str(revision) in watcher.watched(), timeout=LONG_MS)
    write(revision / "new.gguf", gguf({**LLAMA, "a": 1}))
    desk.qtbot.waitUntil(lambda: "new" in names(page), timeout=LONG_MS)


def test_a_new_model_of_ollamas_shows_once_its_manifest_is_there(desk, own, user_home):
    store = user_home / ".ollama/models"
    add_to_ollama(store, "registry.ollama.ai/library/old/1b", {"model": gguf()})
    data = gguf({**LLAMA, "a": 1})
    digest = hashlib.sha256(data).hexdigest()
    write(store / "blobs" / f"sha256-{digest}", data)
    page = open_page(desk)
    library = store / "manifests/registry.ollama.ai/library"
    desk.qtbot.waitUntil(lambda: str(library) in desk.parts.disk.watcher.watched(), timeout=LONG_MS)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"}
    write(library / "new/1b", json.dumps({"layers": [layer]}).encode())
    desk.qtbot.waitUntil(lambda: "new:1b" in names(page), timeout=LONG_MS)
