"""Case files: complete checks, defaults, shipped cases, and the commands that run them."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import weft
import weft.dns as dns
from cli_helpers import assert_done, assert_refused, clean_environment
from cli_helpers import weft as command
from small_case import SMALL
from weft.dns import case as cases

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_defaults_are_filled_in_and_written_back(case: Path, tmp_path: Path) -> None:
    read = cases.read_case(str(case))
    assert read.name == "small"
    assert read.sections["time"] == {"scheme": "ab2", "until": 0.2, "cfl": 0.5, "dt": 0.02}
    assert read.sections["grid"]["lengths"] == [6.283185307179586] * 3
    cases.write_case(read, str(tmp_path))
    again = cases.read_case(str(tmp_path / "case.toml"))
    assert again.sections == read.sections
    assert again.name == tmp_path.name


def test_shipped_cases_are_valid_and_documented() -> None:
    names = cases.shipped_cases()
    assert set(names) >= {"taylor-green-1600", "scalar-mixing", "forced-isotropic", "decaying", "abc"}
    for name in names:
        assert cases.shipped_text(name).startswith("# ")
        small = cases.with_values(cases.read_case(name), {"grid.shape": "[12, 12, 12]"})
        sim = small.simulation()
        sim.step(1e-3)
        assert np.isfinite(sim.energy())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("viscosity = 0.05", "viscosity = -1", "fluid.viscosity must be 0 or more; given -1"),
        ("viscosity = 0.05", "viscosty = 1", "a setting of .fluid. must be known; given 'viscosty'; did you mean visc"),
        ("viscosity = 0.05", "", r"\[fluid\] must have viscosity"),
        ("viscosity = 0.05", 'viscosity = "low"', "fluid.viscosity must be a finite number"),
        ("[fluid]", "[fluids]", "a section of small must be known; given 'fluids'; did you mean fluid"),
        ("shape = [12, 10, 12]", "shape = [12, 10]", "grid.shape must have three numbers"),
        ("shape = [12, 10, 12]", "shape = [12, 10, 2]", "three axes of at least 4 points"),
        ("dt = 0.02", 'scheme = "euler"', "scheme"),
        ("dt = 0.02", "dt = nan", "time.dt must be"),
        ("dt = 0.02", "dt = 0", "time.dt must be above 0"),
        ("until = 0.2", "until = -1", "time.until must be 0 or more"),
        ('kind = "taylor-green"', 'kind = "taylor"', "velocity.kind"),
        ('kind = "taylor-green"', 'kind = "files"', "velocity.files and kind = .files. must be given together"),
        ('kind = "taylor-green"', 'kind = "checkpoint"', "velocity.checkpoint and kind = .checkpoint. must be given"),
        ('name = "theta"', 'name = "u"', "scalar.name must be a word"),
        ("steps = 5", "steps = 5\ntime = 1", "must have time or steps"),
        ("steps = 5", "steps = 0", "output.steps"),
        ('names = ["theta", "u"]', 'names = ["thta"]', "a field in output.names must be known; .*did you mean theta"),
        ('file = "fields.npy"', 'file = "../fields.npy"', "output.file must be a name in the folder of the run"),
        ('file = "budget.csv"', 'file = "fields.npy"', "another name for each output"),
        ('file = "budget.csv"', 'file = "case.toml"', "output.file must not be case.toml"),
        ("[grid]", "[grid", "a case must be in TOML"),
        ("[grid]", "forcing = 3\n[grid]", r"\[\[forcing\]\]"),
        ("[grid]", "run = 3\n[grid]", r"\[run\] must be a table of settings"),
    ],
)
def test_wrong_cases_are_refused_before_the_run(case: Path, old: str, new: str, message: str) -> None:
    case.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(weft.InvalidArgument, match=message):
        cases.read_case(str(case))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'kind = "taylor-green"',
            'kind = "checkpoint"\ncheckpoint = "no"',
            "velocity.checkpoint must exist; there is no",
        ),
        ('kind = "blob"', 'kind = "file"\nfile = "no.npy"', "scalar.file must exist; there is no .*no.npy"),
    ],
)
def test_missing_arrays_are_refused_before_the_run(case: Path, old: str, new: str, message: str) -> None:
    case.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(weft.InvalidArgument, match=message):
        cases.read_case(str(case)).simulation()


def test_a_case_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(weft.IoFailure, match=r"a file in TOML or one of abc, .*: No such file"):
        cases.read_case(str(tmp_path / "no.toml"))


def test_a_case_may_take_the_velocity_of_a_checkpoint(case: Path, tmp_path: Path) -> None:
    whole = cases.read_case(str(case)).simulation()
    whole.checkpoint(str(tmp_path / "kept"))
    text = SMALL.replace('kind = "taylor-green"', 'kind = "checkpoint"\ncheckpoint = "kept"', 1)
    case.write_text(text.replace("shape = [12, 10, 12]", "shape = [16, 12, 16]"))
    sim = cases.read_case(str(case)).simulation()
    assert sim.grid.shape == (16, 12, 16)
    assert sim.energy() == pytest.approx(whole.energy(), rel=1e-14) == pytest.approx(0.125, rel=1e-14)


@pytest.mark.parametrize("dealias", ["2/3", "3/2", "phase-shift"])
def test_a_case_may_take_fields_of_files(case: Path, tmp_path: Path, dealias: str) -> None:
    x = 2 * np.pi * np.arange(12) / 12
    u = np.sin(x)[:, None, None] * np.cos(2 * np.pi * np.arange(10) / 10)[:, None] * np.cos(x)
    for name, values in (("u", u), ("v", 0 * u), ("w", 0 * u), ("t", 2 * u)):
        np.save(tmp_path / f"{name}.npy", values)
    text = SMALL.replace('kind = "taylor-green"', 'kind = "files"\nfiles = ["u.npy", "v.npy", "w.npy"]')
    text = text.replace('kind = "blob"', 'kind = "file"\nfile = "t.npy"')
    case.write_text(text.replace("[fluid]", f'dealias = "{dealias}"\n[fluid]'))
    sim = cases.read_case(str(case)).simulation()
    theta, layout = sim.on_grid(sim.spectra[3])
    assert tuple(layout.shape) == u.shape
    np.testing.assert_allclose(theta, 2 * u, atol=1e-14)
    velocity = [sim.on_grid(spectrum)[0] for spectrum in sim.spectra[:3]]
    wanted = dns.Simulation((12, 10, 12), viscosity=0.05)
    wanted.set_velocity([u, 0 * u, 0 * u])
    for found, spectrum in zip(velocity, wanted.spectra, strict=False):
        np.testing.assert_allclose(found, wanted.in_space(spectrum), atol=1e-14)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_is_resumed_on_other_ranks(case: Path, tmp_path: Path) -> None:
    done = command("dns", "run", str(case), "--to", "whole", "--json", "-n", "2", cwd=tmp_path)
    assert_done(done)
    found = json.loads(done.out)
    assert (found["time"], found["steps"], found["right_hand_sides"], found["transforms"]) == (0.2, 10, 12, 12 * 13)
    assert [float(row["time"]) for row in rows_of(tmp_path / "whole" / "budget.csv")] == [0.0, 0.1, 0.2]
    assert sorted(path.name for path in (tmp_path / "whole").glob("*.npy")) == [
        f"fields-{step:08d}-{name}.npy" for step in (0, 5, 10) for name in ("theta", "u")
    ]
    assert_done(command("dns", "run", str(case), "--to", "parts", "--set", "time.until=0.1", cwd=tmp_path))
    done = command("dns", "resume", "parts", "--until", "0.2", "-n", "3", cwd=tmp_path)
    assert_done(done)
    assert "5 steps to time 0.2" in done.out
    for name in ("theta", "u"):
        one, other = (np.load(tmp_path / run / f"fields-00000010-{name}.npy") for run in ("whole", "parts"))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    done = command("dns", "resume", "parts", cwd=tmp_path)
    assert_done(done)
    assert "the run is complete: it is at time 0.2" in done.out


@pytest.mark.parametrize("dealias", ["2/3", "none"])
@pytest.mark.parametrize("shape", [(18, 20, 16), (8, 6, 10)])
def test_resampling_keeps_common_modes(tmp_path: Path, pool: Pool, shape: tuple[int, ...], dealias: str) -> None:
    sim = dns.Simulation((12, 10, 14), viscosity=0.02, dealias=dealias)
    sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=2)
    sim.add_scalar("theta", diffusivity=0.1, field=lambda x, y, z: np.sin(x) * np.cos(2 * y) + 0 * z)
    sim.step(0.01)
    path = sim.checkpoint(str(tmp_path))
    new = dns.resample(path, shape)
    assert (new.time, new.counters.steps) == (sim.time, 1)
    old = [sim.grid.numbers(axis) for axis in range(3)]
    for axes in np.ndindex(*new.spectra[0].shape):
        n = [new.grid.numbers(axis)[index] for axis, index in enumerate(axes)]
        there = [int(np.flatnonzero(old[axis] == one)[0]) if one in old[axis] else -1 for axis, one in enumerate(n)]
        for one, other in zip(new.spectra, sim.spectra, strict=True):
            assert one[axes] == (other[tuple(there)] if min(there) >= 0 else 0)
    energies = pool.values("dns_on_ranks.energy_of_resampled", 3, path=path, shape=list(shape))
    assert energies[0] == pytest.approx(new.energy(), rel=1e-13)
    new.step(0.01)


def test_the_command_resamples_a_run(case: Path, tmp_path: Path) -> None:
    assert_done(command("dns", "run", str(case), "--to", "a", cwd=tmp_path))
    assert_done(command("dns", "resample", "a", "b", "--shape", "16x16x16", "-n", "2", cwd=tmp_path))
    assert_done(command("dns", "resume", "b", "--until", "0.4", cwd=tmp_path))
    assert [float(row["time"]) for row in rows_of(tmp_path / "b" / "budget.csv")] == pytest.approx([0.2, 0.3, 0.4])
    assert np.load(tmp_path / "b" / "fields-00000020-u.npy").shape == (16, 16, 16)


def test_the_command_draws_a_run(case: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    spectra = '[[output]]\nkind = "spectra"\nfile = "spectra.csv"\ntime = 0.1\n'
    case.write_text(SMALL + spectra)
    assert_done(command("dns", "run", str(case), cwd=tmp_path))
    for option, ending, begin in ((), ".png", b"\x89PNG"), (("--svg",), ".svg", b"<?xml"):
        done = command("dns", "plot", "small", *option, cwd=tmp_path)
        assert_done(done)
        names = [Path(line).name for line in done.out.splitlines()]
        assert names == [f"{name}{ending}" for name in ("energy", "scales", "spectra", "slices", "densities")]
        for name in names:
            content = (tmp_path / "small" / "plots" / name).read_bytes()
            assert content.startswith(begin)
            assert len(content) > 5000
    (tmp_path / "small" / "budget.csv").unlink()
    assert_refused(command("dns", "plot", "small", cwd=tmp_path), 1, "a table must be that of the run", "budget.csv")


@pytest.mark.parametrize(("viscosity", "drawn"), [("6.25e-4", True), ("0.01", False)])
def test_the_picture_of_taylor_green_has_the_points_of_dlr(tmp_path: Path, viscosity: str, drawn: bool) -> None:
    pytest.importorskip("matplotlib")
    settings = ("grid.shape=[16,16,16]", f"fluid.viscosity={viscosity}", "time.until=0.2")
    words = [word for setting in settings for word in ("--set", setting)]
    assert_done(command("dns", "run", "taylor-green-1600", "--to", "tg", *words, cwd=tmp_path))
    assert_done(command("dns", "plot", "tg", "--svg", cwd=tmp_path))
    # matplotlib names each text in a comment.
    assert ("DLR, 512^3" in (tmp_path / "tg" / "plots" / "energy.svg").read_text()) == drawn


def test_wrong_commands_are_refused(case: Path, tmp_path: Path) -> None:
    assert_refused(command("dns", "run", "no.toml", cwd=tmp_path), 1, "a case must be a file in TOML")
    assert_refused(command("dns", "resume", ".", cwd=tmp_path), 2, "must have case.toml; . has none")
    assert_refused(command("dns", "cases", "abd", cwd=tmp_path), 2, "CASE must be one of abc")
    assert_refused(command("dns", "run", str(case), "--set", "x", cwd=tmp_path), 2, "--set must be NAME=VALUE")
    assert_refused(
        command("dns", "run", str(case), "--set", "fluid.viscosit=1", cwd=tmp_path), 2, "did you mean viscosity?"
    )
    huge = ("--set", "grid.shape=[4096,4096,4096]")
    assert_refused(command("dns", "run", str(case), *huge, cwd=tmp_path), 1, "a problem must fit in memory; 4096x4096")
    assert_done(command("dns", "run", str(case), "--to", "d", "--set", "time.until=0.02", cwd=tmp_path))
    assert_refused(command("dns", "run", str(case), "--to", "d", cwd=tmp_path), 2, "a new run must have no run; d has")
    assert sorted(os.listdir(tmp_path)) == ["d", "small.toml"]


def test_check_predicts_and_runs_nothing(case: Path, tmp_path: Path) -> None:
    done = command("dns", "check", str(case), "--machine", "celerons", "--ranks", "4", "--json", cwd=tmp_path)
    assert_done(done)
    found = json.loads(done.out)
    assert (found["steps"], found["transforms_per_right_hand_side"]) == (10, 13)
    assert found["seconds"] == pytest.approx(10 * found["step_s"])
    assert found["disk_bytes"] > 3 * 2 * 12 * 10 * 12 * 8
    assert os.listdir(tmp_path) == ["small.toml"]
    endless = ("--machine", "celerons", "--set", "time.dt=1e-300", "--set", "time.until=1e300", "--json")
    done = command("dns", "check", str(case), *endless, cwd=tmp_path)
    assert (done.status, json.loads(done.out)["steps"]) == (1, None)
    assert "the results of a run must fit on their disk" in done.err
    large = ("--machine", "celerons", "--set", "grid.shape=[8192,8192,8192]")
    done = command("dns", "check", str(case), *large, cwd=tmp_path)
    assert done.status == 1
    assert "a case must fit in memory; small needs about" in done.err


@pytest.mark.parametrize("ranks", [None, "2"])
@pytest.mark.parametrize("outputs", [True, False])
def test_a_terminal_shows_progress_and_a_pipe_does_not(
    case: Path, tmp_path: Path, outputs: bool, ranks: str | None
) -> None:
    if not outputs:
        case.write_text(SMALL.partition("[[output]]")[0])
    words = ["dns", "run", str(case), *(["-n", ranks] if ranks else [])]
    piped = command(*words, "--to", "piped", cwd=tmp_path)
    assert_done(piped)
    assert piped.err == ""
    ours, theirs = os.openpty()
    with open(ours, "rb", buffering=0) as shown:
        process = subprocess.Popen(
            [sys.executable, "-m", "weft", *words, "--to", "shown"],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        text = b""
        # The end of a terminal is an error on Linux, and an empty read elsewhere.
        with contextlib.suppress(OSError):
            while part := shown.read(4096):
                text += part
        assert process.wait(timeout=120) == 0
    # E = 1/8 at the beginning, eps = 2 (0.05) 3/8, eta = (0.05^3 / eps)^(1/4), k_max = 3
    means = r"E 0\.12\d*, eps 0\.03\d+, k_max eta 0\.7\d*"
    line = re.search(rf"step \d+, time \S+ of 0\.2, dt \S+, {means}, .* left", text.decode())
    assert line, text
    one, other = (dns.resume(str(tmp_path / name / "checkpoints")) for name in ("piped", "shown"))
    assert one.counters == other.counters
    assert all(np.array_equal(a, b) for a, b in zip(one.spectra, other.spectra, strict=True))


@pytest.mark.parametrize("ranks", [None, "2"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_stops_a_command_with_a_checkpoint(
    case: Path, tmp_path: Path, ranks: str | None, number: signal.Signals
) -> None:
    endless = ("--set", "time.until=1e6", "--set", "run.wall_time='1h'")
    words = [sys.executable, "-m", "weft", "dns", "run", str(case), *endless]
    process = subprocess.Popen(
        [*words, *(["-n", ranks] if ranks else [])],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "small" / "fields-00000005-u.npy").exists() and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    again = " -n 2" if ranks else ""
    assert f"stopped by {number.name}; continue with: weft dns resume small{again}" in out
    steps = int(max(os.listdir(tmp_path / "small" / "checkpoints")).rsplit("-", 1)[1])
    assert dns.resume(str(tmp_path / "small" / "checkpoints")).counters.steps == steps >= 5
