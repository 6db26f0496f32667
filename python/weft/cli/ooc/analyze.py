"""`weft ooc analyze` prints tables of the counts by weft.ooc.analyze."""

from dataclasses import asdict, dataclass
from typing import Any

from weft import ooc
from weft._planning import OutOfCoreAnalysis
from weft.bmmc import figures
from weft.cli.support.session import Session
from weft.cli.support.text import listed
from weft.planning.machine_choice import ASSUMED_MACHINE

_NUMBERS = (
    "passes",
    "parallel_ios",
    "butterfly_messages",
    "butterfly_bytes",
    "permutation_messages",
    "permutation_bytes",
    "messages",
    "bytes",
)


@dataclass(frozen=True)
class AnalyzeOptions:
    """The arguments of weft.ooc.analyze."""

    points: int
    memory_bytes: int
    block_bytes: int
    disks: int
    processors: int
    methods: tuple[str, ...]
    record_bytes: int
    asynchronous: bool
    factoring: str


def run(options: AnalyzeOptions, weights: dict[str, Any], as_json: bool, session: Session) -> None:
    found = ooc.analyze(**vars(options))
    chosen = ooc.cheapest(found, **weights)
    seconds = [ooc.message_seconds(each, **weights) for each in found]
    if as_json:
        data = [{**_as_data(each), "weighted_s": weighted} for each, weighted in zip(found, seconds, strict=True)]
        session.print_json({**asdict(options), "chosen": chosen.method, "analyses": data})
        return
    session.print(_table(found, seconds))
    session.print(f"least messages and bytes by {_weights_in_words(weights)}: {chosen.method}")
    for each in found:
        first, last = ooc.superlevel_range(1 << each.lg_span, len(each.depths))
        session.print(
            f"{each.method}: superlevels of {listed(each.depths)} stages, "
            f"{len(each.depths)} for N of {_power(first)} to {_power(last)}; permutations: {_passes(each)}"
        )


def run_paper(figure: str, as_json: bool, session: Session) -> None:
    tables = (
        {"published": figures.figure_7()}
        if figure == "fig7"
        else {factoring: figures.figure_8_rows(factoring) for factoring in ooc.FACTORINGS}
    )
    if as_json:
        session.print_json({"figure": figure, "block_bytes": figures.BLOCK_BYTES, "tables": tables})
        return
    for factoring, rows in tables.items():
        session.print(f"Cormen and Nicol, {figure.replace('fig', 'Fig. ')}; factors {factoring}")
        session.print(_paper_table(rows))
    session.print("assumptions: docs/out-of-core.md")


def _as_data(found: OutOfCoreAnalysis) -> dict[str, Any]:
    return {
        "method": found.method,
        "band_records": 1 << found.lg_band,
        "span_records": 1 << found.lg_span,
        "depths": list(found.depths),
        **{name: getattr(found, name) for name in _NUMBERS},
        "permutations": found.permutations,
    }


def _weights_in_words(weights: dict[str, Any]) -> str:
    """
    >>> _weights_in_words({"message_s": 1e-05, "byte_s": 1e-09, "machine": None})
    '1e-05 s a message and 1e-09 s a byte'
    """
    if weights["message_s"] is not None:
        return f"{weights['message_s']:g} s a message and {weights['byte_s']:g} s a byte"
    if weights["machine"] is not None:
        return f"the link between nodes of {weights['machine']}"
    return f"the link of an assumed network, {ASSUMED_MACHINE}"


def _table(found: tuple[OutOfCoreAnalysis, ...], seconds: list[float]) -> str:
    lines = [
        f"{'':<34}{'':>7}{'parallel':>14}{'butterflies':>22}{'permutations':>22}{'together':>22}{'weighted':>12}",
        f"{'method':<34}{'passes':>7}{'I/Os':>14}" + 3 * f"{'messages':>11}{'MB':>11}" + f"{'s':>12}",
    ]
    for each, weighted in zip(found, seconds, strict=True):
        counts = (
            (each.butterfly_messages, each.butterfly_bytes),
            (each.permutation_messages, each.permutation_bytes),
            (each.messages, each.bytes),
        )
        sent = "".join(f"{messages:>11}{count / 1e6:>11.4g}" for messages, count in counts)
        lines.append(f"{each.method:<34}{each.passes:>7}{each.parallel_ios:>14}{sent}{weighted:>12.4g}")
    return "\n".join(lines)


def _passes(found: OutOfCoreAnalysis) -> str:
    return ", ".join(
        f"{each['name']} {' '.join(step['kind'] for step in each['passes'])}" for each in found.permutations
    )


def _paper_table(rows: list[figures.Row]) -> str:
    columns = list(rows[0])
    texts = [columns] + [[_text(row[column]) for column in columns] for row in rows]
    widths = [max(len(text[place]) for text in texts) for place in range(len(columns))]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(text, widths, strict=True)) for text in texts)


def _text(value: Any) -> str:
    """
    >>> _text(True), _text(None), _text(76.74)
    ('yes', '-', '76.74')
    """
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return "-" if value is None else str(value)


def _power(number: int) -> str:
    return f"2^{number.bit_length() - 1}"
