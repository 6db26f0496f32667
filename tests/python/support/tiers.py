"""Selects Python tests by tier: `gate` for each change, `both` for both MPIs, `all` for `make nightly`.

`pytest --tier gate` (the default) runs the tests that are in GATE or not in NIGHTLY. `--tier both` runs those of the
gate that are in BOTH, and `--tier all` runs all tests. A key is a file of tests, a test in a file, or a test with its
parameters as pytest prints them. In a key, * stands for any text. Each key of NIGHTLY and BOTH has its reason. If the
file of a key is collected and no test matches the key, this is an error. So a renamed test keeps its tier.
"""

from __future__ import annotations

import os
import re

import pytest

_KILLS = "kills processes at random instants for minutes; the gate runs a few of these cases"
_NAMESPACES = "makes network namespaces or disks as root, and waits for them"
_LARGE = "takes seconds of every core; the gate runs the same with smaller numbers"
_RANKS = "the same on another number of ranks"
_ALIKE = "the same code with another damage; the gate has one"

NIGHTLY: dict[str, str] = {
    "test_dns_checkpoints::test_fifty_killed_runs_resume_from_a_whole_checkpoint": _KILLS,
    "test_dns_verification::test_ranks_pass[6]": _RANKS,
    "test_lab": _NAMESPACES,
    "test_lab_disks": _NAMESPACES,
    "test_lab_simgrid": "compiles the library once more",
    "test_wheel": "compiles the library once more",
    "test_ooc_ranks_checkpoints::test_ranks_that_are_killed_are_resumed": _KILLS,
    "test_ooc_in_place_ranks::test_ranks_that_are_killed_are_resumed": _KILLS,
    "test_ooc_in_place_sets::test_a_process_that_is_killed_at_any_time_is_resumed": _KILLS,
    "test_ooc_in_place_sets::test_a_process_that_ends_at_any_instant_is_resumed": _KILLS,
    "test_ooc_in_place::test_a_process_that_ends_at_any_instant_is_resumed": _KILLS,
    "test_ooc_complete::test_ranks_that_are_killed_after_the_last_write[to a file]": _KILLS,
    "test_ooc_in_place_sets::test_a_disk_that_gets_full_is_resumed[shape0]": "the gate has the shape of one axis",
    "test_long_line::test_matches_numpy[1000003-clongdouble]": "the gate has the other precisions of this prime",
    "test_wisdom::test_what_is_damaged_is_a_warning_and_stays": _ALIKE,
    "test_readme::test_commands[weft bench 256x256x256 -n 4 --methods all*": _LARGE,
    "test_readme::test_commands[weft verify --random 300*": _LARGE,
    "test_readme::test_commands[weft bench 256x256x256 -n 2 --peers*": _LARGE,
    "test_cli_launch::test_a_verification_that_hangs_is_one_failure": "waits for a limit; the gate has one",
    "test_cli_launch::test_ranks_given_different_arguments[3-*": _RANKS,
    "test_cli_bench::test_bytes_exchanged_count_whatever_way_they_go": "the same with other choices; the gate has one",
    "test_ooc_records::test_ranks_that_are_stopped_leave_no_part_of_a_set": _KILLS,
    "test_probe::test_disks_are_measured[3]": _RANKS,
    "test_local_machine::test_ranks_measure_together[3]": _RANKS,
    "test_line::test_files_are_in_natural_order[1155]": "another length; the gate has two",
    "test_cli_fft::test_brain_scan": _RANKS,
    "test_cli_fft::test_elevation_model": _RANKS,
    "test_verify::test_random_cases_share_memory_where_they_can": "the gate has each kind of node memory in C++",
    "test_default_machine::test_every_rank_has_a_part_unless_a_machine_is_named[3]": _RANKS,
    "test_default_machine::test_ranks_measure_the_machine_once[3]": _RANKS,
    "test_default_machine::test_every_rank_has_a_part_unless_a_machine_is_named[5]": _RANKS,
    "test_probe::test_exchanges_between_nodes_are_measured[5-2-3]": _RANKS,
    "test_probe::test_exchanges_between_nodes_are_measured[4-4-1]": _RANKS,
    "test_probe::test_a_probed_machine_plans[3]": _RANKS,
    "test_cli_bad_input::*3]": "refused before ranks start, or by the same code on each; the gate has three",
    "test_spectra::test_on_ranks*-5]": _RANKS,
    "test_cli_support::*[3]": "test_verify_support and test_components check the same on ranks; the gate has one",
    "test_bench_model::test_every_problem_has_its_row[3]": _RANKS,
    "test_saved::test_ranks_that_are_stopped_leave_nothing": _KILLS,
    "test_saved::test_every_layout_on_ranks*5]": _RANKS,
    "test_saved::test_every_type_on_ranks[shape*-c8-1]": _RANKS,
    "test_saved::test_chunks_on_ranks*1]": _RANKS,
    "test_cli_bad_input::test_cases_that_cannot_be*1]": "3 ranks refuse by the same code as one; the gate has one",
    "test_cli_fft::test_types*3]": _RANKS,
    "test_cli_fft::test_options*3]": _RANKS,
    "test_cli_spectrum::test_real_fields*3]": _RANKS,
    "test_cli_spectrum::test_other_fields*3]": _RANKS,
    "test_cli_spectrum::test_vector_fields*3]": _RANKS,
    "test_cli_spectrum::test_two_files*3]": _RANKS,
    "test_cli_kinds::test_bench_of_each_kind": "the same with other kinds; the gate has two",
    "test_cli_kinds::test_verify_checks_each_kind[3]": _RANKS,
    "test_cli_kinds::test_both_parts_of_complex_numbers[3]": _RANKS,
    "test_cli_kinds::test_real_cosines_stay_real[3]": _RANKS,
    "test_cli_bench::test_bench_with_all_peers": "the same with other choices; the gate has two",
    "test_cli_bench::test_fftw_does_no_more_than_the_contract_asks": "the same with other choices; the gate has one",
    "test_cli_bench::test_steps_are_measured_beside_their_prediction[same]": "the gate has output any",
    "test_cli_bench::test_what_cannot_be_drawn_is_refused_before_it_is_timed": "refusals; the gate has two",
    "test_cli_bench::test_bench_of_methods_that_cannot_be": "refusals; the gate has five",
    "test_cli_bench::test_bench_of_all_methods_in_pieces": "the gate has whole blocks, and pieces of one method",
    "test_cli_launch::test_ranks_given_different_arguments[2-*": "the same check of other commands; the gate has two",
    "test_cli_support::test_vector_fields_and_back[out.zarr-3]": "another type of file; the gate has one",
    "test_ooc_complete::test_ranks_that_are_killed_after_the_last_write[in place]": _KILLS,
    "test_verify::test_a_method_may_be_asked_for": "the same with other choices; the gate has one",
    "test_verify::test_node_aware_exchanges_may_be_asked_for": "the same with other choices; the gate has one",
}

# Cases of the tests above that the gate runs nevertheless.
GATE: tuple[str, ...] = (
    "test_ooc_ranks_checkpoints::test_ranks_that_are_killed_are_resumed[2-out.npy0]",
    "test_ooc_in_place_ranks::test_ranks_that_are_killed_are_resumed[3-3]",
    "test_ooc_in_place_sets::test_a_process_that_ends_at_any_instant_is_resumed[shape1-complex64-given1]",
    "test_wisdom::test_what_is_damaged_is_a_warning_and_stays[nonsense]",
    "test_cli_launch::test_a_verification_that_hangs_is_one_failure[case-0]",
    "test_cli_bench::test_bytes_exchanged_count_whatever_way_they_go[complex numbers move]",
    "test_ooc_records::test_ranks_that_are_stopped_leave_no_part_of_a_set[2-auto]",
    "test_cli_fft::test_brain_scan[axes1-3]",
    "test_cli_fft::test_elevation_model[7]",
    "test_cli_support::test_zeros_after_a_file_and_back[3]",
    "test_cli_bad_input::test_files_that_may_not_be_read[3]",
    "test_cli_bad_input::test_files_that_cannot_be_read[cut.npy*3]",
    "test_cli_bad_input::test_options_that_do_not_fit[verify 8x8 --grid 2x2*3]",
    'test_cli_bad_input::test_cases_that_cannot_be[-{"ranks": 9}-1]',
    "test_cli_fft::test_types[>f4-3]",
    "test_cli_fft::test_options[--axes 2,0--3]",
    "test_cli_spectrum::test_real_fields[shape0-3]",
    "test_cli_spectrum::test_other_fields[options0-True-kinds0-3]",
    "test_cli_spectrum::test_vector_fields[u.npy-3]",
    "test_cli_spectrum::test_two_files[are_complex1-3]",
    "test_cli_kinds::test_bench_of_each_kind[dct2,c2c,r2c---]",
    "test_cli_kinds::test_bench_of_each_kind[dct3 --dtype complex64---]",
    "test_cli_bench::test_bench_with_all_peers[1-]",
    "test_cli_bench::test_bench_with_all_peers[3---kind r2c --output same]",
    "test_cli_bench::test_fftw_does_no_more_than_the_contract_asks[any-transposed-r2c]",
    "test_cli_bench::test_what_cannot_be_drawn_is_refused_before_it_is_timed[one rank]",
    "test_cli_bench::test_what_cannot_be_drawn_is_refused_before_it_is_timed[folder]",
    "test_cli_bench::test_bench_of_methods_that_cannot_be[options0-carrier]",
    "test_cli_bench::test_bench_of_methods_that_cannot_be[options1---schedule]",
    "test_cli_bench::test_bench_of_methods_that_cannot_be[options2--n]",
    "test_cli_bench::test_bench_of_methods_that_cannot_be[options6-nowhere.json]",
    "test_cli_bench::test_bench_of_methods_that_cannot_be[options7---chunks]",
    "test_cli_launch::test_ranks_given_different_arguments[2-fft other.npy out.npy]",
    "test_cli_launch::test_ranks_given_different_arguments[2-bench 6x4]",
    "test_verify::test_a_method_may_be_asked_for[messages]",
    "test_verify::test_node_aware_exchanges_may_be_asked_for[combined]",
)

# Tests that depend on the MPI library: on its start and end, and on its messages of Python arrays.
BOTH: dict[str, str] = {
    "test_cli_launch": "each MPI has a launcher of its own",
    "test_line": "exchanges of Python arrays on 1 to 5 ranks",
}

_asked = "gate"


def starts_processes() -> bool:
    """Returns whether commands of tests are new processes instead of forks, as in the nightly run."""
    return _asked == "all"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier", choices=("gate", "both", "all"), default="gate", help="see tests/python/support/tiers.py"
    )


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Removes the tests of other tiers from the collected ones."""
    global _asked
    _asked = config.getoption("--tier")
    _refuse_unknown(items)
    kept = [item for item in items if _is_in(_asked, item)]
    out = [item for item in items if not _is_in(_asked, item)]
    config.hook.pytest_deselected(items=out)
    items[:] = kept


def _is_in(tier: str, item: pytest.Item) -> bool:
    if tier == "both":
        return _is_in("gate", item) and any(_matches(key, item) for key in BOTH)
    if tier == "all" or any(_matches(key, item) for key in GATE):
        return True
    return not any(_matches(key, item) for key in NIGHTLY)


def _matches(key: str, item: pytest.Item) -> bool:
    name = f"{item.path.stem}::{item.name}"
    if "*" in key:
        return re.fullmatch(".*".join(map(re.escape, key.split("*"))), name) is not None
    return name == key or name.startswith((key + "::", key + "["))


def _refuse_unknown(items: list[pytest.Item]) -> None:
    """Refuses keys that match no test.

    Does not check if the command line names a test, because pytest then collects only a part of the file.
    """
    files = {item.path.stem for item in items}
    for key in (*NIGHTLY, *GATE, *BOTH):
        file = key.split("::")[0]
        whole = not any(os.sep in word and "::" in word for word in _words(items)) and file in files
        if whole and not any(_matches(key, item) for item in items):
            raise pytest.UsageError(f"tests/python/support/tiers.py: no test is '{key}'; give it the test's new name")


def _words(items: list[pytest.Item]) -> list[str]:
    return list(items[0].config.invocation_params.args) if items else []
