"""Font families: the system's own, then Han characters in the shapes of the interface's language, then emoji."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase

_LATIN = ("Noto Sans", "DejaVu Sans")
_MONOSPACE = ("DejaVu Sans Mono", "Noto Sans Mono", "Menlo", "Cascadia Mono", "Consolas")
_EMOJI = ("Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji")
_HAN = {
    "zh_CN": ("Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei UI"),
    "zh_TW": ("Noto Sans CJK TC", "Source Han Sans TC", "PingFang TC", "Microsoft JhengHei UI"),
    "zh_HK": ("Noto Sans CJK HK", "Noto Sans CJK TC", "PingFang HK", "Microsoft JhengHei UI"),
    "ja": ("Noto Sans CJK JP", "Source Han Sans", "Hiragino Sans", "Yu Gothic UI"),
    "ko": ("Noto Sans CJK KR", "Source Han Sans K", "Apple SD Gothic Neo", "Malgun Gothic"),
}


def han_families(language: str) -> tuple[str, ...]:
    """Return the families with this language's shapes of Han characters; mainland Chinese ones for other languages."""
    return _HAN.get(language) or _HAN.get(language.partition("_")[0]) or _HAN["zh_CN"]


def families(language: str, monospace: bool = False) -> list[str]:
    """Return the installed families to try in order; a missing one would cost a slow look-up on some systems."""
    kind = QFontDatabase.SystemFont.FixedFont if monospace else QFontDatabase.SystemFont.GeneralFont
    system = QFontDatabase.systemFont(kind).family()
    wanted = (system, *(_MONOSPACE if monospace else _LATIN), *han_families(language), *_EMOJI)
    installed = [family for family in dict.fromkeys(wanted) if QFontDatabase.hasFamily(family)]
    return installed or [system]
