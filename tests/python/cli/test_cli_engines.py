"""Instruction sets and libraries of local FFTs that cannot be used: one message for all ranks."""

from __future__ import annotations

import ctypes
import os
import textwrap
from pathlib import Path

import pytest
from cli_helpers import Outcome, assert_done, assert_refused, weft
from weft import _planning

DOUBLES, FLOATS = "libfftw3.so.3", "libfftw3f.so.3"
# Doubles of FFTW with plans that WEFT_TEST_REFUSED refuses. It is built with the C++ tests.
WITHOUT_PLANS = Path(_planning.__file__).resolve().parents[2] / "tests/libweft_fftw_without_plans.so"
ON_3_RANKS = ("-n", "3")


def is_installed(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_avx512() -> bool:
    cpuinfo = Path("/proc/cpuinfo")
    return not cpuinfo.exists() or "avx512f" in cpuinfo.read_text().split()


needs_library_without_plans = pytest.mark.skipif(
    not (is_installed(DOUBLES) and WITHOUT_PLANS.exists()), reason="needs FFTW and the built C++ tests"
)


def verify_on_ranks(folder: Path, *words: str, **environment: str) -> Outcome:
    return weft("verify", "8x6", *words, *ON_3_RANKS, cwd=folder, **environment)


def verify_with_one_odd_rank(folder: Path, name: str, value: str, *words: str) -> Outcome:
    """Runs `weft verify` on 3 ranks, where rank 1 alone has this variable."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        textwrap.dedent(f"""
            import os
            if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) == "1":
                os.environ[{name!r}] = {value!r}
        """)
    )
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return verify_on_ranks(folder, *words, PYTHONPATH=os.pathsep.join(paths), PYTHONDONTWRITEBYTECODE="1")


@pytest.mark.parametrize(("value", "shown"), [("v2", '"v2"'), ("\udcff", "\\xff")], ids=["v2", "no text"])
def test_an_unknown_instruction_set_is_refused(tmp_path: Path, value: str, shown: str) -> None:
    outcome = verify_on_ranks(tmp_path, WEFT_ISA=value)
    assert_refused(outcome, 2, "WEFT_ISA must be v1, v3 or v4", shown, "leave it out")


@pytest.mark.skipif(has_avx512(), reason="this processor has every instruction set, or does not say which")
def test_an_instruction_set_beyond_the_processor_is_refused(tmp_path: Path) -> None:
    outcome = verify_on_ranks(tmp_path, WEFT_ISA="v4")
    assert_refused(outcome, 2, "WEFT_ISA must be at most v", 'given "v4"', "name a narrower set")


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("none", 'given "fftw"; install FFTW'),
        ("libm.so.6", "other functions"),
        ("/no/x.so", "cannot be loaded"),
        pytest.param(
            FLOATS,
            "floats only; name the library for doubles",
            marks=pytest.mark.skipif(not is_installed(FLOATS), reason="FFTW is not installed"),
        ),
    ],
)
def test_a_library_that_is_not_fftw_is_refused(tmp_path: Path, library: str, words: str) -> None:
    assert_refused(verify_on_ranks(tmp_path, "--engine", "fftw", WEFT_FFTW_LIBRARY=library), 2, words)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("WEFT_ISA", "v2", "WEFT_ISA must be v1, v3 or v4"),
        ("WEFT_FFTW_LIBRARY", "/no/x.so", "cannot be loaded"),
    ],
)
def test_a_variable_that_is_wrong_on_one_rank_ends_all(tmp_path: Path, name: str, value: str, words: str) -> None:
    assert_refused(verify_with_one_odd_rank(tmp_path, name, value), 2, words, f'given "{value}"')


def test_a_library_that_one_rank_lacks_is_used_by_none(tmp_path: Path) -> None:
    assert_done(verify_with_one_odd_rank(tmp_path, "WEFT_FFTW_LIBRARY", "none"))


@pytest.mark.skipif(not is_installed(DOUBLES), reason="FFTW is not installed")
def test_a_library_that_one_rank_lacks_cannot_be_named(tmp_path: Path) -> None:
    outcome = verify_with_one_odd_rank(tmp_path, "WEFT_FFTW_LIBRARY", "none", "--engine", "fftw")
    assert_refused(outcome, 2, 'given "fftw"; install FFTW')


@needs_library_without_plans
def test_a_library_without_cosines_is_replaced_unless_it_is_named(tmp_path: Path) -> None:
    """MKL is such a library: it has the function for transforms of reals, but makes no plans."""
    environment = {"WEFT_FFTW_LIBRARY": str(WITHOUT_PLANS), "WEFT_TEST_REFUSED": "r2r"}
    done = verify_on_ranks(tmp_path, "--kind", "dct2", "--engine", "auto", **environment)
    assert_done(done)
    assert done.out.count("  ok\n") == 2
    refused = verify_on_ranks(tmp_path, "--kind", "dct2", "--engine", "fftw", **environment)
    assert_refused(refused, 2, "cosine and sine transforms need an engine that has them", "fftw-with-faults", "ducc0")


@needs_library_without_plans
def test_a_library_of_one_precision_has_no_other(tmp_path: Path) -> None:
    words = ["--dtype", "float32", "--engine", "fftw"]
    outcome = verify_on_ranks(tmp_path, *words, WEFT_FFTW_LIBRARY=str(WITHOUT_PLANS))
    assert_refused(outcome, 2, "the local engine fftw does not have the precision f32", "use the engine ducc0")


def test_without_fftw_everything_works(tmp_path: Path) -> None:
    words = ["12x10x8", "--kind", "r2c", "--dtype", "longdouble"]
    assert_done(weft("verify", *words, *ON_3_RANKS, cwd=tmp_path, WEFT_FFTW_LIBRARY="none"))
