"""`weft bench`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import weft as weft_package
from cli_helpers import assert_done, assert_refused, on_ranks, weft
from weft._planning import WORDS
from weft.cli.bench.weft_run import hidden_share
from weft.verify.reference import tolerance

KEYS = [
    "command", "problem", "ranks", "threads", "output", "plan", "predicted_s", "median_s", "min_s", "gflops",
    "error", "roofline_s", "roofline", "arithmetic_s", "stages", "peers",
]  # fmt: skip
BOUNDS = {
    "--in-place": "two passes over the array in place, each reads, multiplies and writes it",
    "--overwrite-input": "two passes over the array, one in place, one a copy of the input to the output",
}
KEPT = "two passes over the array, each a copy of the input to the output"
PEERS = ["fftw-mpi", "fftw-threads", "mpi4py-fft"]


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        (1, []),
        (3, ["--kind", "r2c", "--output", "same"]),
        (2, ["--in-place"]),
        (3, ["--kind", "r2c", "--in-place", "--dtype", "float32"]),
        (2, ["--overwrite-input", "--threads", "2"]),
        (2, ["--kind", "r2c", "--axes", "0,2", "--repeat", "12"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_bench_with_all_peers(tmp_path: Path, ranks: int, options: list[str]) -> None:
    arguments = ["bench", "12x10x15", *options, "--peers", ",".join(PEERS), "--json"]
    outcome = weft(*arguments, *on_ranks(ranks), cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert list(data) == KEYS
    assert data["ranks"] == ranks
    assert data["command"].startswith("weft bench 12x10x15 ")
    assert 0 < data["min_s"] <= data["median_s"]
    assert data["error"] < tolerance("f32" if "float32" in options else "f64", 1800)
    assert data["gflops"] == pytest.approx(data["problem"]["flop"] / data["median_s"] / 1e9)
    sent = sum(stage["bytes_sent"] for stage in data["stages"])
    # If a batch axis is split, nothing is exchanged; through node memory nothing is sent.
    names = [stage["name"] for stage in data["stages"]]
    assert any(name.startswith("exchange") for name in names) == (ranks > 1 and "--axes" not in options)
    assert (sent > 0) == any(name.startswith("exchange") and "shared" not in name for name in names)
    assert data["roofline_s"] > 0
    assert data["arithmetic_s"] > 0
    given = [option for option in BOUNDS if option in options]
    assert data["roofline"] == (BOUNDS[given[0]] if given else KEPT)
    assert [peer["name"] for peer in data["peers"]] == PEERS
    for peer in data["peers"]:
        assert set(peer) - {"reason"} == {"name", "settings", "median_s", "min_s"}
        if "reason" in peer:
            assert peer["reason"]
            assert peer["median_s"] is None
        else:
            assert 0 < peer["min_s"] <= peer["median_s"]
            assert "FFTW_MEASURE" in peer["settings"]


def test_peers_take_part_where_they_are_installed(tmp_path: Path) -> None:
    """A table with reasons alone would pass the test above."""
    data = json.loads(weft("bench", "8x8x8", "--peers", ",".join(PEERS), "--json", "-n", "2", cwd=tmp_path).out)
    reasons = {peer["name"]: peer.get("reason", "") for peer in data["peers"]}
    for name, reason in reasons.items():
        assert not reason or "not installed" in reason or "another MPI" in reason, (name, reason)
    if weft_package.build_info()["mpi_library"].startswith("MPICH"):
        assert reasons["fftw-mpi"], "fftw-mpi took part under MPICH, but Debian's FFTW is linked to Open MPI"


def test_bench_table_and_trace(tmp_path: Path) -> None:
    outcome = weft("bench", "8x9x10", "--peers", "fftw-threads", "--trace", "t.json", "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    for words in ("median s", "fftw-threads", "relative L2 error", "memory"):
        assert words in outcome.out
    assert re.search(r"^bytes exchanged: 5760 \(0\.0 MiB\), ", outcome.out, re.MULTILINE), outcome.out
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]


@pytest.mark.parametrize(
    ("options", "count"),
    [(["--kind", "r2c"], 1), (["--kind", "r2c", "--output", "same", "--grid", "1x1x3"], 2)],
    ids=["complex numbers move", "real numbers move as well"],
)
def test_bytes_exchanged_count_whatever_way_they_go(tmp_path: Path, options: list[str], count: int) -> None:
    """The bytes follow from the layouts: they equal those of the messages, also if there are no messages."""

    def exchanges(method: str) -> list[dict[str, object]]:
        arguments = ["bench", "12x10x15", *options, "--effort", "estimate", "--method", method, "--json", "-n", "3"]
        stages = json.loads(weft(*arguments, cwd=tmp_path).out)["stages"]
        assert all("bytes_exchanged" in stage for stage in stages if stage["kind"] == "exchange")
        return [stage for stage in stages if stage["kind"] == "exchange"]

    by_messages, shared = exchanges("messages"), exchanges("shared")
    assert len(by_messages) == len(shared) == count
    moved = [stage["bytes_sent"] for stage in by_messages]
    assert all(moved)
    assert [stage["bytes_exchanged"] for stage in by_messages] == moved
    assert [(stage["bytes_exchanged"], stage["bytes_sent"]) for stage in shared] == [(size, 0) for size in moved]


@pytest.mark.parametrize(
    ("method", "words"), [("shared", "all through node memory"), ("messages", "5760 sent in 2 messages")]
)
def test_bench_says_how_bytes_are_exchanged(tmp_path: Path, method: str, words: str) -> None:
    outcome = weft("bench", "8x9x10", "--effort", "estimate", "--method", method, "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    assert f"\nbytes exchanged: 5760 (0.0 MiB), {words}\n" in outcome.out


def test_pieces_are_the_same_bytes_in_more_messages(tmp_path: Path) -> None:
    arguments = ["bench", "12x10x16", "--effort", "estimate", "--method", "messages", "--json", "-n", "2"]
    whole, cut = (json.loads(weft(*arguments, *more, cwd=tmp_path).out) for more in ([], ["--piece-bytes", "1000"]))
    exchange, in_pieces = (next(s for s in data["stages"] if s["kind"] == "exchange") for data in (whole, cut))
    assert "pieces of 1000 bytes" in in_pieces["name"]
    assert in_pieces["bytes_sent"] == exchange["bytes_sent"] == 2 * 16 * 6 * 5 * 16
    # A piece has 62 numbers of 16 bytes.
    assert (exchange["messages"], in_pieces["messages"]) == (2, 2 * 8)


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize(("output", "order"), [("any", "transposed"), ("same", "natural")])
def test_fftw_does_no_more_than_the_contract_asks(tmp_path: Path, kind: str, output: str, order: str) -> None:
    """Natural output costs FFTW a second transposition, so the comparison is fair only if weft needs natural output."""
    arguments = ["bench", "12x10x15", "--kind", kind, "--output", output, "--peers", "fftw-mpi", "--json", "-n", "3"]
    (peer,) = json.loads(weft(*arguments, cwd=tmp_path).out)["peers"]
    if "reason" in peer:
        pytest.skip(peer["reason"])
    assert f"{order} output" in peer["settings"]


def test_floats_on_the_wire_are_half_the_bytes(tmp_path: Path) -> None:
    arguments = ["bench", "12x10x16", "--effort", "estimate", "--method", "messages", "--json", "-n", "2"]
    exact, narrow = (json.loads(weft(*arguments, *more, cwd=tmp_path).out) for more in ([], ["--wire", "f32"]))
    sent, narrow_sent = (sum(stage["bytes_sent"] for stage in data["stages"]) for data in (exact, narrow))
    assert sent == 2 * narrow_sent > 0
    assert exact["error"] < 1e-15
    assert 1e-9 < narrow["error"] < 1e-7


@pytest.mark.parametrize("output", ["any", "same"])
def test_steps_are_measured_beside_their_prediction(tmp_path: Path, output: str) -> None:
    arguments = ["bench", "12x10x16", "--output", output, "--machine", "vm-2-cores", "-n", "2"]
    data = json.loads(weft(*arguments, "--json", cwd=tmp_path).out)
    assert data["predicted_s"] > 0
    assert all(stage["predicted_s"] >= 0 for stage in data["stages"])
    assert sum(stage["predicted_s"] for stage in data["stages"]) <= data["predicted_s"] * (1 + 1e-9)
    text = weft(*arguments, cwd=tmp_path).out
    assert "(predicted " in text and 'on the machine "vm-2-cores"' in text


def test_steps_are_drawn_as_predicted_and_as_measured(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ["bench", "12x10x16", "--grid", "2x1x1", "--machine", "vm-2-cores", "--effort", "estimate"]
    outcome = weft(*arguments, "--plot", "steps.svg", "--json", "-n", "2", cwd=tmp_path)
    assert_done(outcome)
    drawn = (tmp_path / "steps.svg").read_text()
    assert drawn.lstrip().startswith("<?xml")
    stages = json.loads(outcome.out)["stages"]
    assert len(stages) == 3
    # Each text is in a comment next to the paths that draw it.
    words = [f"{1e3 * stage[key]:.3g}" for stage in stages for key in ("predicted_s", "seconds")]
    for text in ("predicted", "measured", *words, *(stage["name"] for stage in stages)):
        assert f"<!-- {text} -->" in drawn, text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["-n", "2", "--machine", "fixed-rule", "--plot", "p.png"],
            ["no prediction", "the fixed rule", "--machine local"],
        ),
        (["--plot", "p.png"], ["no prediction", "on 1 rank;", "--machine local"]),
        (["-n", "2", "--machine", "vm-2-cores", "--plot", "p.gif"], [".png or .pdf or .svg", "p.gif"]),
        (["-n", "2", "--machine", "vm-2-cores", "--plot", "missing/p.png"], ["folder", "missing"]),
        (["-n", "2", "--methods", "all", "--plot", "p.png"], ["--methods", "--plot"]),
    ],
    ids=["rule", "one rank", "form", "folder", "methods"],
)
def test_what_cannot_be_drawn_is_refused_before_it_is_timed(
    tmp_path: Path, options: list[str], words: list[str]
) -> None:
    pytest.importorskip("matplotlib")
    outcome = weft("bench", "12x10x16", "--effort", "estimate", *options, cwd=tmp_path)
    assert_refused(outcome, 1 if "missing/p.png" in options else 2, *words)
    assert list(tmp_path.iterdir()) == []


def test_many_problems_have_no_picture(tmp_path: Path) -> None:
    assert_refused(weft("bench", "--model", "-n", "2", "--plot", "p.png", cwd=tmp_path), 2, "--plot", "--model")


METHOD_KEYS = ["exchange", "choices", "median_s", "min_s", "gflops", "waited_s", "hidden", "error"]


def test_bench_of_all_methods(tmp_path: Path) -> None:
    arguments = ["bench", "12x10x8", "--effort", "estimate", "--methods", "all", "--chunks", "3", "-n", "3"]
    data = json.loads(weft(*arguments, "--json", cwd=tmp_path).out)
    rows = data["methods"]
    assert all(list(row) == METHOD_KEYS for row in rows)
    names = [row["exchange"] for row in rows]
    assert len(set(names)) == len(names)
    forced = [weft_package.Exchange(**row["choices"]) for row in rows]
    choices = {(each.method, each.wire_form, each.schedule) for each in forced}
    messages = {
        ("messages", form, order) for form in ("packed", "datatype") for order in ("pairwise", "cyclic", "scattered")
    }
    collective = {("collective", form, None) for form in ("packed", "datatype")}
    assert choices >= messages | collective
    assert {each.method for each in forced} | {"shared"} == {*WORDS["method"]} - {"automatic"}
    assert {row["choices"].get("chunks") for row in rows} == {1, 3}
    for row in rows:
        assert row["error"] < tolerance("f64", 960)
        assert 0 < row["min_s"] <= row["median_s"]
        assert (row["hidden"] is None) == (row["choices"].get("method") == "shared")
        assert row["hidden"] is None or 0 <= row["hidden"] <= 1
    table = weft(*arguments, cwd=tmp_path).out
    assert all(re.search(rf"^{re.escape(name)} ", table, re.MULTILINE) for name in names)


def test_bench_of_all_methods_in_pieces(tmp_path: Path) -> None:
    arguments = ["bench", "12x10x8", "--effort", "estimate", "--methods", "all", "--piece-bytes", "160", "-n", "3"]
    rows = json.loads(weft(*arguments, "--json", cwd=tmp_path).out)["methods"]
    cut = {
        (row["choices"].get("method"), row["choices"].get("wire_form"))
        for row in rows
        if row["choices"].get("piece_bytes") == 160
    }
    assert cut == {("messages", "packed")}
    assert {row["choices"].get("piece_bytes") for row in rows} == {None, 160}
    assert all(row["error"] < tolerance("f64", 960) for row in rows)


def test_bench_of_all_methods_on_several_nodes(tmp_path: Path) -> None:
    arguments = ["bench", "12x10x8", "--effort", "estimate", "--methods", "messages", "--json", "-n", "4"]
    rows = json.loads(weft(*arguments, cwd=tmp_path, WEFT_RANKS_PER_NODE="2").out)["methods"]
    assert {row["choices"].get("nodes") for row in rows} == {None, "unaware", "separate", "combined"}
    outcome = weft("bench", "8x8", "-n", "2", cwd=tmp_path, WEFT_RANKS_PER_NODE="two")
    assert outcome.status == 2
    assert "WEFT_RANKS_PER_NODE" in outcome.err


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--methods", "carrier"], "carrier"),
        (["--methods", "all", "--schedule", "cyclic", "-n", "2"], "--schedule"),
        (["--methods", "all"], "-n"),
        (["--methods", "all", "--peers", "fftw-mpi", "-n", "2"], "--peers"),
        (["--methods", "all", "--trace", "trace.json", "-n", "2"], "--trace"),
        (["--methods", "all", "--machine", "celerons", "-n", "2"], "--machine"),
        (["--machine", "nowhere.json"], "nowhere.json"),
        (["--chunks", "0"], "--chunks"),
    ],
)
def test_bench_of_methods_that_cannot_be(tmp_path: Path, options: list[str], word: str) -> None:
    outcome = weft("bench", "8x8", *options, cwd=tmp_path)
    assert outcome.status == 2
    assert word in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_bench_of_a_large_array_checks_against_plane_waves(tmp_path: Path) -> None:
    data = json.loads(weft("bench", "192x160x144", "--kind", "r2c", "--effort", "estimate", "--json", "-n", "2",
                           cwd=tmp_path).out)  # fmt: skip
    assert "plane waves" in data["problem"]["error_against"]
    assert 0 < data["error"] < tolerance("f64", 192 * 160 * 144)


def test_the_hidden_share_counts_waiting_only_while_messages_are_under_way() -> None:
    def step(waited_s: float, under_way_s: float) -> weft_package.StepRecord:
        return weft_package.StepRecord("rows to columns", "exchange", 0.0, 5.0, 0, 0, 64, 1, waited_s, under_way_s)

    assert hidden_share([step(1.0, 4.0), step(2.0, 1.0)]) == pytest.approx(0.6)
    assert hidden_share([step(1.0, 0.0)]) == 0
