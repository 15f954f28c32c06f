"""The kind of a model's memory in words; the formula's own are English and few."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def kv_class_name(kv_class: str) -> str:
    """Return the parts of a `Plan.kv_class` in the window's language; names such as MLA stay."""
    words = {
        "full attention": QCoreApplication.translate("kv_class", "full attention"),
        "sliding window": QCoreApplication.translate("kv_class", "sliding window"),
        "shared layers": QCoreApplication.translate("kv_class", "shared layers"),
        "sparse attention": QCoreApplication.translate("kv_class", "sparse attention"),
        "sparse": QCoreApplication.translate("kv_class", "sparse"),
        "hybrid": QCoreApplication.translate("kv_class", "hybrid"),
        "recurrent": QCoreApplication.translate("kv_class", "recurrent"),
        "none": QCoreApplication.translate("kv_class", "no cache"),
        "draft": QCoreApplication.translate("kv_class", "draft model"),
        "unknown": QCoreApplication.translate("kv_class", "unknown kind of cache"),
    }
    return ", ".join(words.get(part, part) for part in kv_class.split(", "))
