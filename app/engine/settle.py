"""What a load is told: "auto" and None become numbers before llama.cpp sees them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.events import LoadFailed
from app.engine.memory.choose import choose_to_load
from app.engine.memory.demand import Demands
from app.engine.model_file import check_model_file, check_purpose, read_model
from app.errors import EngineError, ModelFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.engine.config import ModelConfig
    from app.engine.dry_run import DryRuns
    from app.engine.events import Device

logger = logging.getLogger(__name__)


def refused(config: ModelConfig) -> LoadFailed | None:
    """Return why a file can take no other model's place, as its header says; None when it may be tried."""
    try:
        check_model_file(config.path)
    except ModelFileError as error:
        return LoadFailed(str(error), "bad_input", keeps_model=True)
    return None


def settle(
    config: ModelConfig, devices: Callable[[tuple[str, ...]], Sequence[Device]], dry_runs: DryRuns
) -> tuple[ModelConfig, str]:
    """Return the config with numbers in it, and one sentence about what was chosen; empty when nothing was.

    A context that grows keeps its `n_ctx` None; its number is `n_ctx_start`.

    A file that neither the formula nor a dry run understands is left to llama.cpp, which then says why.

    Args:
        devices: lists those of this machine and of RPC servers; asked once.
        dry_runs: used only when the upper bound of what is needed does not fit; it is closed at the end.

    Raises:
        BadInputError: the file cannot chat, llama.cpp refuses the settings, or the context cannot fit.
        EngineError: an RPC server does not answer.
    """
    path, header = read_model(config.path)
    check_purpose(path, header)
    config = replace(config, path=path)
    found = devices(config.rpc_servers)
    try:
        fit = choose_to_load(config, Demands(path, header, found, dry_runs))
    except (ModelFileError, EngineError) as error:
        logger.warning("the memory of %s is not known before its load: %s", path.name, error)
        return config, ""
    finally:
        dry_runs.close()
    if config.n_ctx is None:  # it grows: the fit's context is what it begins with
        return replace(fit.config, n_ctx=None, n_ctx_start=fit.config.n_ctx or config.n_ctx_start), fit.choice
    return fit.config, fit.choice
