"""A repository's files as rows: variants, smallest first, then what goes beside them."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QFont, QIcon

from app.hub.batches import batch_key
from app.hub.names import printable
from app.hub.variants import quantisation_of
from ui import formatting
from ui.dialogs.models import words
from ui.dialogs.models.library.columns import title
from ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.hub.batches import Batch
    from app.hub.fits import Place
    from app.hub.offers import Offer
    from app.hub.partial import RemoteFile
    from app.hub.search import Repository
    from app.hub.variants import Variant
    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.theme import Theme

NAME, SIZE, BITS, FITS, LARGEST, ACTION = range(6)
Action = Literal["download", "watch", "load", "none"]
BUTTONS: tuple[Action, ...] = ("download", "load")
"""What a line offers as a button; of a download it only says how far that is, as of what cannot be had why not."""
Index = QModelIndex | QPersistentModelIndex

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNED = {SIZE: _RIGHT, BITS: _RIGHT, LARGEST: _RIGHT, ACTION: Qt.AlignmentFlag.AlignCenter}
"""Of a line's cells; how far a download is stands where the buttons have their texts."""
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.TextAlignmentRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.DecorationRole,
    Qt.ItemDataRole.FontRole,
)
_SIGNS = {"gpu": ("check", "accent"), "cpu": ("check", "accent"), "partly": ("alert-triangle", "warning"),
          "no": ("x", "muted")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `number` is the variant's, None for what goes beside the variants."""

    files: tuple[RemoteFile, ...]
    name: str
    number: int | None
    variant: Variant | None = None


class FilesModel(QAbstractTableModel):
    """Reads the search and the downloads; `refresh` says that they have changed."""

    def __init__(
        self, search: HubSearch, downloads: DownloadsKeeper, theme: Theme, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._search = search
        self._downloads = downloads
        self._theme = theme
        self._repository: Repository | None = None
        self._counts: Counter[str] = Counter()
        self._best: int | None = None
        self._signs: dict[tuple[str, str], QIcon] = {}
        theme.changed.connect(self._forget_signs)

    def show(self) -> None:
        """Show the repository that is looked at."""
        visit = self._search.visit
        repository = visit.repository if visit is not None else None
        if repository is self._repository:
            self.refresh()
            return
        self.beginResetModel()
        self._repository = repository
        self._counts = (
            Counter(each.quantisation for each in repository.variants) if repository is not None else Counter()
        )
        self._best = visit.best if visit is not None else None
        self.endResetModel()

    def refresh(self) -> None:
        """Show what is known now of the same rows."""
        visit = self._search.visit
        self._best = visit.best if visit is not None else None
        if count := self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(count - 1, ACTION))

    def refresh_row(self, number: int) -> None:
        """Show what is known now of one variant."""
        self.dataChanged.emit(self.index(number, 0), self.index(number, ACTION))

    def row(self, number: int) -> Row:
        """Return a line; a repository may have ten thousand, of which a few are seen."""
        assert self._repository is not None
        variants = self._repository.variants
        if number < len(variants):
            return Row(variants[number].files, self._name(variants[number]), number, variants[number])
        file = self._repository.projectors[number - len(variants)]
        return Row((file,), _projector_name(file), None)

    def best_row(self) -> int | None:
        """Return the line of the recommended variant, None for none."""
        return self._best

    def action(self, number: int) -> tuple[Action, str]:
        """Return what can be done with a line, and its name; of a download how far it is."""
        row = self.row(number)
        batch = self.batch(row)
        if batch is not None and batch.state != "done":
            return "watch", self._progress(batch)
        if batch is not None or self._is_here(row):
            return ("load", self.tr("Load")) if row.variant is not None else ("none", self.tr("here"))
        if row.variant is not None and not row.variant.is_whole:
            return "none", self.tr("incomplete")
        return "download", self.tr("Download")

    def batch(self, row: Row) -> Batch | None:
        """Return its download; None when there is none."""
        return self._downloads.find(batch_key(row.files[0].repo, row.files[0].name))

    def rowCount(self, parent: Index | None = None) -> int:
        if self._repository is None or (parent is not None and parent.isValid()):
            return 0
        return len(self._repository.variants) + len(self._repository.projectors)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else ACTION + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNED.get(section, _LEFT)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._explanations()[section]
        return self._titles()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ROLES:
            return None
        row, column = self.row(index.row()), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._text(index.row(), row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGNED.get(column)
            case Qt.ItemDataRole.ToolTipRole:
                return f"<qt>{html.escape(self._tooltip(row, column))}</qt>".replace("\n", "<br>")
            case Qt.ItemDataRole.DecorationRole if column == FITS:
                offer = self._offer(row)
                sign = _SIGNS.get(offer.placing.place) if offer is not None else None
                return self._sign(*sign) if sign else None
            case Qt.ItemDataRole.FontRole if row.number is not None and row.number == self._best:
                font = QFont()
                font.setBold(True)
                return font
        return None

    def _sign(self, name: str, role: str) -> QIcon:
        if (name, role) not in self._signs:
            self._signs[name, role] = icon(name, self._theme, getattr(self._theme.colours, role))
        return self._signs[name, role]

    @Slot()
    def _forget_signs(self) -> None:
        self._signs.clear()

    def samples(self) -> Sequence[Sequence[str]]:
        """Return by column the longest texts there will be, besides the title: columns are never made wider."""
        places: tuple[Place, ...] = ("gpu", "partly", "cpu", "no")
        return (
            (f"Q4_K_M · {self.tr('recommended')}",),
            (formatting.memory(1000 * 1024**2), formatting.memory(100 * 1024**3)),
            (),
            tuple(map(words.place, places)),  # a projector's words are longer, but have the room of the sign too
            (formatting.count(10_485_760),),
            (self.tr("Download"), self.tr("Load"), self.tr("waiting"), self.tr("paused"), self.tr("failed"),
             self.tr("incomplete"), self.tr("here")),
        )  # fmt: skip

    def _text(self, number: int, row: Row, column: int) -> str:
        offer = self._offer(row)
        match column:
            case 0:  # NAME
                parts = [row.name]
                if len(row.files) > 1:
                    parts.append(self.tr("{} files").format(formatting.count(len(row.files))))
                if row.number is not None and row.number == self._best:
                    parts.append(self.tr("recommended"))
                return " · ".join(parts)
            case 1:  # SIZE
                return formatting.memory(_size(row.files))
            case 2:  # BITS
                bits = offer.bits_per_weight if offer is not None else None
                return "" if offer is None else formatting.number(bits) if bits is not None else formatting.unknown()
            case 3:  # FITS
                return words.place(offer.placing.place) if offer is not None else self._waiting(row)
            case 4:  # LARGEST
                fits = offer is not None and offer.placing.place != "no"
                return formatting.count(offer.placing.n_ctx) if offer is not None and fits else ""
        return self.action(number)[1]

    def _tooltip(self, row: Row, column: int) -> str:
        offer = self._offer(row)
        if column in (FITS, LARGEST) and offer is not None:
            return words.placing(offer.placing)
        if column == FITS and row.variant is None:
            return self.tr("The part that sees pictures or hears, for any of the files above.")
        if column in (BITS, FITS, LARGEST) and row.number is not None and not self._waiting(row):
            return self.tr("Only the first headers are read automatically: choose this line to have its header read.")
        names = [printable(file.name) for file in row.files]
        return "\n".join(names if len(names) <= 4 else [*names[:3], "…", names[-1]])

    def _waiting(self, row: Row) -> str:
        visit = self._search.visit
        if row.number is None or visit is None:
            return self.tr("beside a model")
        if row.variant is not None and not row.variant.is_whole:
            return formatting.unknown()
        return self.tr("looking…") if row.number < visit.n_asked or row.number in visit.headers else ""

    def _offer(self, row: Row) -> Offer | None:
        """Return what is known of a model; of one whose files are not all there it would be said of a part."""
        visit = self._search.visit
        if visit is None or row.number is None or row.variant is None or not row.variant.is_whole:
            return None
        return visit.offers.get(row.number)

    def _is_here(self, row: Row) -> bool:
        visit = self._search.visit
        return visit is not None and row.number is not None and row.number in visit.here

    def _progress(self, batch: Batch) -> str:
        if not batch.is_active:
            return self.tr("paused") if batch.state == "paused" else self.tr("failed")
        if batch.fraction is None or not batch.done_bytes:
            return self.tr("waiting")
        return formatting.progress(batch.fraction)

    def _name(self, variant: Variant) -> str:
        if variant.quantisation and self._counts[variant.quantisation] == 1:
            return variant.quantisation
        return printable(variant.name) or self.tr("without a name")

    def _titles(self) -> Sequence[str]:
        return (
            self.tr("Quantisation"),
            self.tr("Size"),
            title("bits"),
            self.tr("Fits"),
            self.tr("Largest context"),
            "",
        )

    def _explanations(self) -> Sequence[str]:
        return (
            self.tr("How the weights are stored; files of one split model are one line."),
            self.tr("What is downloaded, all its files together."),
            self.tr(
                "Bits per weight, from the header: bytes of all tensors × 8 / weights. More are the better quality."
            ),
            self.tr("Where it would go with the context above and the memory that is free now."),
            self.tr("The most tokens of context that fit, with these layers on the GPU."),
            "",
        )


def _size(files: Sequence[RemoteFile]) -> int | None:
    sizes = [file.size for file in files]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _projector_name(file: RemoteFile) -> str:
    quantisation = quantisation_of(file.name.removesuffix(".gguf"))
    return f"mmproj {quantisation}" if quantisation else printable(file.name)
