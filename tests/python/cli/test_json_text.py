"""Documents have one record a line, from the library and from Python."""

import json

import pytest
import weft as weft_package
from cli_helpers import assert_done, weft
from weft.cli.support.json_text import one_record_a_line


@pytest.mark.parametrize("name", weft_package.Machine.names())
def test_both_write_a_machine_alike(name: str) -> None:
    text = weft_package.Machine.shipped(name).to_json()
    assert one_record_a_line(json.loads(text)) == text


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        1,
        None,
        "a{[",
        [[]],
        [{}],
        {"a": {}},
        [[{"b": [1, {"c": [2]}]}], {"d": "\n"}],
        {"e": {"f": [{"g": 0.1}]}},
    ],
    ids=str,
)
def test_text_reads_back_equal(value: object) -> None:
    assert json.loads(one_record_a_line(value)) == value


def test_a_profile_and_printed_json_have_one_record_a_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("probe")
    printed = weft("probe", "--seconds", "0.1", "-o", "machine.json", "--json", cwd=folder)
    assert_done(printed)
    written = (folder / "machine.json").read_text()
    assert weft_package.Machine.from_json(written) == weft_package.Machine.from_json(printed.out)
    samples = json.loads(written)["samples"]
    assert samples
    for text in (written, printed.out):
        lines = [line.strip().rstrip(",") for line in text.splitlines()]
        assert [json.loads(line) for line in lines if line.startswith('{"series"')] == samples
