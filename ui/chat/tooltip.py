"""Tooltips with text that is not ours."""

from __future__ import annotations

import html


def plain_tooltip(text: str) -> str:
    """Return a tooltip that shows the text as it is; Qt would otherwise guess whether it is HTML."""
    return f"<qt>{html.escape(text).replace(chr(10), '<br>')}</qt>" if text else ""
