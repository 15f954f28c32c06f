"""Tooltips with text that is not ours."""

from __future__ import annotations


def plain_tooltip(text: str) -> str:
    """Return a tooltip that shows the text as it is; Qt would otherwise guess whether it is HTML."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""
