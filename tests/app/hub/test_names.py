"""Names from the hub lead nowhere but below the models folder."""

from __future__ import annotations

import pytest

from app.hub.names import local_path


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "/etc/passwd", "..\\..\\evil.gguf", "a/../../b.gguf", "con.gguf", "x\x1b[2J\n.gguf",
     "\u202efugg.exe", "é" * 500 + ".gguf", "/".join(["deep"] * 200) + "/m.gguf", "..", "", "c:\\windows\\m.gguf"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    path = local_path(tmp_path, "../..", name)
    assert tmp_path in path.resolve().parents
    assert ".." not in path.parts
    assert path.name.isprintable()
    assert all(len(part.encode()) <= 200 for part in path.relative_to(tmp_path).parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"harmless")


@pytest.mark.parametrize("name", ["con.gguf", "aux .gguf", "COM¹.gguf", "lpt9", "ConIn$.gguf"])
def test_no_name_is_a_device_on_windows(tmp_path, name):
    assert local_path(tmp_path, "o/r", name).name == f"_{name}"


def test_the_parts_of_a_model_with_a_long_name_are_files_of_their_own(tmp_path):
    names = [f"{'long' * 60}-Q4_K_M-0000{number}-of-00002.gguf" for number in (1, 2)]
    found = [local_path(tmp_path, "o/r", name).name for name in names]
    assert [name[-29:] for name in found] == [name[-29:] for name in names]
