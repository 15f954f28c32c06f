"""What each series looks like, in the charts and in their legends."""

from __future__ import annotations

from PySide6.QtCore import Qt

from ui.panels.marks import Mark, Shape

QUEUE = Mark("queue", pattern=Qt.BrushStyle.BDiagPattern)
TOKENISE = Mark("tokenise")
PREFILL = Mark("prefill")
REST = Mark("rest", pattern=Qt.BrushStyle.DiagCrossPattern)
TTFT_PARTS = (QUEUE, TOKENISE, PREFILL, REST)
CACHED = Mark("text", Shape.DIAMOND)
WAIT_PARTS = (
    QUEUE,
    Mark("tokenise", pattern=Qt.BrushStyle.FDiagPattern),
    TOKENISE,
    Mark("kv_reserved", pattern=Qt.BrushStyle.BDiagPattern),
    PREFILL,
    REST,
    Mark("decode"),
    Mark("others", pattern=Qt.BrushStyle.DiagCrossPattern),
)
"""Where a wait went, in the order of `app.telemetry.waiting.PARTS`."""
MISSING = Mark("muted", Shape.CROSS)

CURRENT = Mark("decode", Shape.LINE)
EARLIER = Mark("earlier", Shape.LINE)
HIGHLIGHTED = Mark("accent", Shape.LINE)
TPOT = Mark("text", Shape.LINE)
FITTED = Mark("decode", Shape.LINE, dash=Qt.PenStyle.DashDotLine)
P50 = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DashLine)
P95 = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DotLine)
OFF_SCALE = Mark("limit", Shape.TRIANGLE)

WEIGHTS = Mark("weights")
RECURRENT = Mark("recurrent", pattern=Qt.BrushStyle.Dense3Pattern)
COMPUTE = Mark("compute", pattern=Qt.BrushStyle.FDiagPattern)
KV_USED = Mark("kv_used")
KV_FREE = Mark("kv_reserved", pattern=Qt.BrushStyle.BDiagPattern)
KV_SAVED = Mark("kv_used", pattern=Qt.BrushStyle.Dense5Pattern)
MEMORY_LAYERS = (WEIGHTS, RECURRENT, COMPUTE, KV_USED, KV_FREE, KV_SAVED)
"""From the bottom up: what grows lies on top, so that the measured line can be compared."""
EXPECTED = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DashLine)
PROCESS = Mark("text", Shape.LINE)
NOW = Mark("text", Shape.DOT)
ROOM = Mark("limit", Shape.LINE)
GROWN = Mark("muted", Shape.LINE)
OTHERS = Mark("others", pattern=Qt.BrushStyle.BDiagPattern)
OVER = Mark("limit", pattern=Qt.BrushStyle.DiagCrossPattern)
FREE = Mark("base")
LIMIT = Mark("limit", Shape.LINE, dash=Qt.PenStyle.DashLine)
