"""`weft ooc permute`, `weft ooc detect`, and `weft ooc fft --method bmmc:...`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weft import ooc
from weft.bmmc import permute, records, superlevels
from weft.bmmc.permute import PermuteOptions
from weft.bmmc.records import RecordJob
from weft.bmmc.superlevels import SuperlevelProblem
from weft.cli.support import session as sessions
from weft.cli.support.arrays import not_finite_text
from weft.cli.support.progress import Reporter
from weft.cli.support.session import Session
from weft.disk.options import OocOptions
from weft.ooc import OutOfCoreAnalysis, RecordRunReport


@dataclass(frozen=True)
class RecordRequest:
    """The parsed command. prepare : makes the job for a number of ranks. words : all arguments, to compare ranks."""

    title: str
    prepare: Callable[[int], RecordJob]
    words: str
    json: bool


def fft_request(source: str, target: str, options: OocOptions, as_json: bool) -> RecordRequest:
    return RecordRequest(
        title=f"{'inverse ' if options.inverse else ''}c2c of {source} by {options.method}",
        prepare=lambda ranks: superlevels.prepare_fft(source, target, options, ranks),
        words=superlevels.arguments_of(source, target, options),
        json=as_json,
    )


def permute_request(
    source: str, target: str, permutation: str, options: PermuteOptions, as_json: bool
) -> RecordRequest:
    back = "the inverse of " if options.inverse else ""
    return RecordRequest(
        title=f"{source} permuted by {back}{permutation}",
        prepare=lambda ranks: permute.prepare_permutation(source, target, permutation, options, ranks),
        words=permute.arguments_of(source, target, permutation, options),
        json=as_json,
    )


def run(request: RecordRequest, session: Session) -> int:
    """Runs on the ranks of the session, or serially."""
    sessions.clean_up_when_stopped()
    reporter = Reporter(session)
    try:
        if session.ranks > 1:
            job, moved = records.run_on_ranks(
                session.comm, request.prepare, request.words, reporter, session.note_temporary
            )
        else:
            job = request.prepare(1)
            moved = job.run(reporter)
    finally:
        session.clear_progress()
    if job is not None:
        if moved.found_not_finite:
            session.warn(not_finite_text(job.source.name))
        _report(request, job, moved, session)
    return 0


def run_dry(request: RecordRequest, ranks: int, session: Session) -> None:
    job = request.prepare(ranks)
    needs = [vars(need) for need in job.needs()]
    if request.json:
        session.print_json({"plan": plan_data(job), "needs": needs})
        return
    session.print(request.title)
    session.print(_plan_text(job))
    for need in job.needs():
        session.print(f"room for {need.what} in {need.directory}: {need.bytes} bytes")
    session.print("nothing was written: this was a dry run")


def run_detect(targets: str, options: OocOptions, as_json: bool, session: Session) -> bool:
    """Prints the permutation if the targets are linear over GF(2); returns whether they are."""
    found, reads = ooc.detect(targets, shape=options.shape, dtype=options.dtype)
    if as_json:
        session.print_json(
            {
                "is_permutation": found is not None,
                "matrix": None if found is None else found.text().split("\n")[: found.bits],
                "complement": None if found is None else found.complement,
                "parallel_reads": reads,
            }
        )
    elif found is None:
        session.print(f"{targets}: not a permutation over GF(2), after {reads} parallel reads")
    else:
        session.print(f"# {targets}: a permutation over GF(2), after {reads} parallel reads")
        session.print(found.text())
    return found is not None


def plan_data(job: RecordJob) -> dict[str, Any]:
    """Returns the passes for JSON."""
    plan, problem = job.plan, job.problem
    facts = {
        "method": problem.variant if isinstance(problem, SuperlevelProblem) else "permutation",
        "block_bytes": job.output.block_bytes,
        "disks": problem.disks,
        "ranks": problem.ranks,
        "parallel_ios": plan.parallel_ios,
        "messages": plan.messages,
    }
    if isinstance(plan, OutOfCoreAnalysis):
        return {**facts, "passes": plan.passes, "sent_bytes": plan.bytes, "depths": list(plan.depths)}
    return {
        **facts,
        "passes": plan.pass_count,
        "kinds": list(plan.kinds),
        "sent_bytes": plan.sent_records * problem.record_bytes,
    }


def _plan_text(job: RecordJob) -> str:
    data = plan_data(job)
    kinds = f" ({', '.join(data['kinds'])})" if "kinds" in data else f", superlevels of {data.get('depths')} stages"
    text = (
        f"{data['passes']} passes{kinds}, {data['parallel_ios']} parallel I/Os of {data['disks']} disks in blocks of "
        f"{data['block_bytes']} bytes"
    )
    if data["ranks"] > 1:
        text += f"; each of {data['ranks']} ranks sends {data['messages']} messages, {data['sent_bytes']} bytes"
    return text


def _report(request: RecordRequest, job: RecordJob, moved: RecordRunReport, session: Session) -> None:
    if request.json:
        facts = {name: getattr(moved, name) for name in ("read_bytes", "written_bytes", "parallel_ios", "messages")}
        facts.update(sent_bytes=moved.sent_bytes, seconds=moved.seconds, backend=moved.backend, parts=moved.parts)
        session.print_json({"output": job.output.path, "plan": plan_data(job), **facts})
        return
    session.print(f"{job.output.path}: {request.title}")
    session.print(_plan_text(job))
    speed = (moved.read_bytes + moved.written_bytes) / moved.seconds / 1e6
    session.print(
        f"read {moved.read_bytes} and wrote {moved.written_bytes} bytes by {moved.backend} in {moved.seconds:.3g} s, "
        f"{speed:.4g} MB/s, in {moved.parallel_ios} parallel I/Os"
    )
    if job.problem.ranks > 1:
        session.print(
            f"the busiest rank sent {moved.messages} messages; a rank sent {moved.sent_bytes} bytes on average"
        )
    parts = ", ".join(f"{name} {seconds:.3g} s" for name, seconds in moved.parts.items() if seconds > 0)
    session.print(f"of a rank's time: {parts}")
