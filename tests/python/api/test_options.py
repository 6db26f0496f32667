"""The tables of options: records, their checks, and the commands made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
import weft
from typer.testing import CliRunner
from weft._support.option_types import REQUIRED, ByteSize, Count, Switch, Word, checked, given, option, options_of
from weft.cli.support.option_tables import Part, with_options
from weft.disk.options import OocOptions
from weft.options import Exchange, Planning
from weft.planning.plans import machine_of


@dataclass(frozen=True)
class Cooking:
    """A new record of options."""

    memory: int = option(ByteSize(), REQUIRED, "Size of the pan.", flags=("--pan",))
    heat: str = option(Word(("low", "high")), "low", "Strength of the flame.")
    eggs: int = option(Count(1, 12), 2, "Number of eggs.", places=("run",))
    salted: bool = option(Switch(), False, "With salt.")


def output_of(command: Any, *words: str) -> str:
    app = typer.Typer()
    app.command()(command)
    found = CliRunner().invoke(app, list(words))
    return found.output


def test_a_record_becomes_the_options_of_a_command() -> None:
    seen: list[Cooking] = []

    @with_options
    def cook(cooking: Cooking) -> None:
        seen.append(cooking)

    assert output_of(cook, "--pan", "2KiB", "--heat", "high", "--salted") == ""
    assert seen == [Cooking(2048, "high", 2, True)]
    helped = output_of(cook, "--help")
    assert all(word in helped for word in ("--pan", "BYTES", "Size of the pan.", "Number of eggs.", "--salted"))
    for words in (("--heat", "low"), ("--pan", "1", "--heat", "hot"), ("--pan", "1", "--eggs", "13")):
        assert "Error" in output_of(cook, *words) or "Usage" in output_of(cook, *words)
    assert len(seen) == 1


def test_a_command_may_have_a_part_of_a_record() -> None:
    seen: list[Cooking] = []

    @with_options
    def fry(name: str, cooking: Annotated[Cooking, Part("heat", "eggs", defaults={"eggs": 4})]) -> None:
        seen.append(cooking)

    assert output_of(fry, "eggs") == ""
    assert seen[0].eggs == 4 and seen[0].heat == "low"
    assert "--pan" not in output_of(fry, "--help")


def test_values_are_checked_by_the_table() -> None:
    assert checked(Cooking(1, "high", 3)) == {"memory": 1, "heat": "high", "eggs": 3, "salted": False}
    with pytest.raises(weft.InvalidArgument, match="eggs must be 1 to 12; given 13"):
        checked(Cooking(1, eggs=13))
    assert given(Cooking(1, eggs=3)) == {"memory": 1, "eggs": 3}


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'memory_byte'; did you mean 'memory_bytes'"):
        weft.ooc.fft("a.npy", "b.npy", memory_byte=1)
    with pytest.raises(TypeError, match=r"weft\.ooc\.fft\(\) missing 1 required keyword-only argument: 'memory_bytes'"):
        weft.ooc.fft("a.npy", "b.npy")


@pytest.mark.parametrize("wrong", [5, "fftw-mpi", weft.Planning()], ids=str)
def test_an_exchange_is_a_record_or_a_preset(wrong: Any) -> None:
    with pytest.raises(weft.InvalidArgument, match=r"exchange must be a weft\.Exchange|preset must be one of"):
        weft.plan((4, 6), ranks=2, exchange=wrong)


def test_a_planned_exchange_can_be_forced() -> None:
    for preset in ("fftw", "dmitruk", "duke", "fft2d-i", "fft2d-p"):
        planned = weft.plan((8, 6), ranks=2, exchange=preset).exchanges
        forced = weft.plan((8, 6), ranks=2, exchange=Exchange.of_planned(planned[0])).exchanges
        assert forced == planned


def test_options_of_exchange_and_planning_have_help_type_and_places() -> None:
    for record in (Exchange, Planning):
        for each in options_of(record):
            assert each.help.endswith(".") and each.type.values and each.places, each.name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exchange": 3}, r"must be a weft.Exchange; given 3; give one, or the name of a preset such as \"dmitruk\""),
        ({"planning": "measure"}, r"must be a weft.Planning; given 'measure'; give one such as weft.Planning\("),
        ({"exchange": Exchange(method="")}, 'the method must be one of .*; given ""'),
        ({"exchange": Exchange(chunks="x")}, "chunks must be a whole number, or \"slices\"; given 'x'; give a number"),
        ({"exchange": Exchange(chunks=10**30)}, "chunks must be a number of 64 bits; given 1000"),
        ({"planning": Planning(all_ranks="no")}, "all_ranks must be True or False; given 'no'"),
        ({"planning": Planning(budget_s=True)}, "budget_s must be a number of seconds; given True; give a number"),
        ({"planning": Planning(wisdom=3)}, "wisdom must be the path of a file; given 3; give a str or a pathlib.Path"),
        ({"planning": Planning(wisdom="")}, "wisdom must be the path of a file; given ''; give a name"),
        ({"planning": Planning(machine="x")}, "given 'x', which cannot be read: No such file.*; give one of these"),
        ({"overwrite_input": "x"}, "overwrite_input must be True or False; given 'x'"),
        ({"output": "x"}, 'output must be "any", "same" or a layout; given \'x\'; give a layout itself'),
        ({"norm": None}, "norm must be text; given None"),
        ({"engine": ""}, "engine must be .*; given ''"),
    ],
)
def test_a_wrong_value_names_the_rule_and_the_remedy(options: dict[str, Any], message: str) -> None:
    with pytest.raises(weft.InvalidArgument, match=message):
        weft.FFT((8, 8), **options)


def test_plans_check_their_options_as_transforms_do() -> None:
    with pytest.raises(weft.InvalidArgument, match="all_ranks must be True or False; given 'no'"):
        weft.plan((8, 8), ranks=2, all_ranks="no")  # type: ignore[arg-type]
    with pytest.raises(weft.InvalidArgument, match=r"ranks must be a number of 64 bits; given 1000"):
        weft.plan((8, 8), ranks=10**30)


def test_out_of_core_options_do_not_offer_the_fixed_rule() -> None:
    values = {
        record: next(each.type.values for each in options_of(record) if each.name == "machine")
        for record in (Planning, OocOptions)
    }
    assert "fixed-rule" in values[Planning] and "fixed-rule" not in values[OocOptions]
    with pytest.raises(weft.InvalidArgument, match='a model of a machine is needed here; given "fixed-rule"'):
        machine_of("fixed-rule")


def test_help_of_every_exchange_option_states_its_default() -> None:
    assert all("Default:" in each.help for each in options_of(Exchange))
