"""What follows from samples, by hand and by llama-bench's own figures."""

from __future__ import annotations

import pytest

from app.bench.row import phase_speeds
from app.engine.bench import BenchTest
from tests.app.bench.rows import row


def test_mean_and_sample_deviation_of_times_and_speeds() -> None:
    measured = row(BenchTest(n_gen=10), 100_000_000, 125_000_000, 200_000_000)
    assert measured.samples_ts == (100.0, 80.0, 50.0)
    assert measured.avg_ts == pytest.approx(230 / 3)  # the mean of the speeds, not of the times
    assert measured.stddev_ts == pytest.approx(25.16611478)  # n - 1
    assert measured.avg_ns == pytest.approx(425e6 / 3)
    assert measured.stddev_ns == pytest.approx(52041649.98)


def test_one_sample_has_no_deviation() -> None:
    assert row(BenchTest(n_gen=10), 100_000_000).stddev_ts == 0.0


@pytest.mark.parametrize(
    ("test", "name"),
    [
        (BenchTest(512), "pp512"),
        (BenchTest(0, 128), "tg128"),
        (BenchTest(0, 128, 1024), "tg128 @ d1024"),
        (BenchTest(512, 128), "pp512+tg128"),
        (BenchTest(512, 128, 64), "pp512+tg128 @ d64"),
        (BenchTest(128, 64, n_parallel=4), "pp128+tg64 x 4"),
    ],
)
def test_names(test: BenchTest, name: str) -> None:
    assert test.name == name


def test_a_batch_counts_the_tokens_of_all_sequences() -> None:
    test = BenchTest(100, 10, n_parallel=4)
    measured = row(test, 1_500_000_000, prompt_ns=(1_000_000_000,), gen_ns=(500_000_000,), method="llama-batched-bench")
    assert test.tokens == 440
    assert measured.prompt_ts == (400.0,)
    assert measured.gen_ts == (80.0,)
    assert measured.avg_ts == pytest.approx(440 / 1.5)


def test_a_steady_run_without_others_is_not_disturbed() -> None:
    steady = row(BenchTest(n_gen=10), 100_000_000, 105_000_000, 110_000_000, others_cpu=0.05)
    assert steady.spread < 0.1
    assert steady.disturbance == ""


def test_a_spread_over_10_percent_says_so() -> None:
    spread = row(BenchTest(n_gen=10), 100_000_000, 130_000_000)
    assert spread.spread == pytest.approx(0.184, abs=1e-3)
    assert "spread by 18%" in spread.disturbance


def test_other_programs_on_the_cpu_say_so_even_when_the_run_is_steady() -> None:
    busy = row(BenchTest(n_gen=10), 100_000_000, 100_000_000, others_cpu=0.5)
    assert busy.disturbance.startswith("Disturbed by other load: other programs took 50% of the CPU")


def test_the_speeds_of_the_phases_a_result_tells_apart() -> None:
    assert phase_speeds(row(BenchTest(n_prompt=100), 10**8, 10**8)) == {"pp": (1000.0, 0.0)}
    assert phase_speeds(row(BenchTest(n_gen=10), 10**8)) == {"tg": (100.0, 0.0)}
    assert phase_speeds(row(BenchTest(n_prompt=100, n_gen=10), 10**8)) == {}
    batched = row(
        BenchTest(n_prompt=100, n_gen=10, n_parallel=2),
        3 * 10**8,
        method="llama-batched-bench",
        prompt_ns=(10**8,),
        gen_ns=(2 * 10**8,),
    )
    assert phase_speeds(batched) == {"pp": (2000.0, 0.0), "tg": (100.0, 0.0)}
    chat = row(BenchTest(n_prompt=100, n_gen=10), 10**8, method="end-to-end", ttft_s=(0.1,), tpot_s=(0.01,))
    assert phase_speeds(chat) == {"tg": (100.0, 0.0)}
