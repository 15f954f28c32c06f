"""The command line: names, defaults, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.options import model_config, parse, sampling
from app.engine.config import ModelConfig
from app.engine.sampling import Sampling


def test_the_window_is_the_default_command() -> None:
    for arguments in ([], ["-m", "a.gguf"], ["window", "-m", "a.gguf"]):
        assert parse(arguments).command == "window"


def test_what_is_not_given_is_what_the_engine_takes_by_default() -> None:
    options = parse(["chat", "-m", "a.gguf", "-p", "hi"])
    assert model_config(options) == ModelConfig(Path("a.gguf"))
    assert sampling(options) == Sampling()


FLAGS = (
    "chat -m a.gguf -p x -c 4096 -ngl 12 -t 3 -b 1024 -ub 256 -ctk q8_0 -ctv q4_0 -fa on --swa-full --rpc h:1,h:2 "
    "-nkvo -ncmoe 4 -dev CUDA0,CUDA1 -ts 3,1 -fitt 512 "
    "--temp 0 --top-k 5 --top-p 0.5 --min-p 0 --repeat-penalty 1.1 --seed 9"
)


def test_llama_cpps_flags() -> None:
    options = parse(FLAGS.split())
    assert model_config(options) == ModelConfig(
        Path("a.gguf"),
        n_ctx=4096,
        n_batch=1024,
        n_ubatch=256,
        n_threads=3,
        n_gpu_layers=12,
        type_k="q8_0",
        type_v="q4_0",
        flash_attention="on",
        swa_full=True,
        offload_kqv=False,
        devices=("CUDA0", "CUDA1"),
        tensor_split=(3, 1),
        n_cpu_moe=4,
        rpc_servers=("h:1", "h:2"),
        reserve_bytes=512 * 1024**2,
    )
    assert sampling(options) == Sampling(0, 5, 0.5, 0, 1.1, seed=9)


@pytest.mark.parametrize("layers", ["auto", "all"])
def test_layers_by_word(layers: str) -> None:
    assert model_config(parse(["-m", "a.gguf", "-ngl", layers])).n_gpu_layers == layers


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("chat -c none", "none is not a positive whole number"),
        ("chat -c 0", "0 is not a positive whole number"),
        ("chat -ngl most", "neither auto, all nor a number"),
        ("chat -ctk q3_0", "q3_0"),
        ("chat -ts a,b", "a,b is not a list of shares"),
        ("plan x.gguf --n-cpu-moe -1", "--n-cpu-moe"),
        ("plan", "GGUF"),
        ("chat --no-such-flag", "--no-such-flag"),
        ("doctor -m x", "-m"),
    ],
)
def test_a_bad_option_is_one_line_and_status_2(arguments: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments.split())
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert "--help" in err
