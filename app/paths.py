"""Where Tokometer keeps its files: TOKOMETER_HOME, or where the system wants them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

HOME_VARIABLE = "TOKOMETER_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders, all absolute. None is made here: who writes a file makes its folder.

    Attributes:
        config: settings.
        data: conversations.
        models: downloaded GGUF files.
        logs: log files and crash reports.
        cache: what can be lost.
    """

    config: Path
    data: Path
    models: Path
    logs: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        """For `app.settings`."""
        return self.config / "settings.toml"

    @property
    def database_file(self) -> Path:
        """For `app.storage`."""
        return self.data / "conversations.db"

    @property
    def states(self) -> Path:
        """For the saved KV caches of `app.engine.states`."""
        return self.cache / "kv"


def paths() -> Paths:
    """Return the folders as the environment says now; with TOKOMETER_HOME all lie below it."""
    if home := os.environ.get(HOME_VARIABLE):
        root = Path(home).expanduser().absolute()
        return Paths(root / "config", root / "data", root / "models", root / "logs", root / "cache")
    system = PlatformDirs("tokometer", appauthor=False)
    data = system.user_data_path
    return Paths(system.user_config_path, data, data / "models", system.user_log_path, system.user_cache_path)
