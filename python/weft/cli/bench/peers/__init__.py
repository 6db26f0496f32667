"""The libraries with which `weft bench` compares weft. Each is a contestant, unless it cannot run the problem."""

from collections.abc import Callable

from weft.cli.bench.contest import Contestant, Contract, NotRun
from weft.cli.support.session import Session


def make_peer(name: str, contract: Contract, session: Session) -> Contestant:
    """Collective: returns the peer with its fastest setting. Raises NotRun, with the reason, on all ranks."""
    if contract.case.truncated_axes and name != "mpi4py-fft":
        raise NotRun("it does not truncate a spectrum")
    return PEERS[name](contract, session)


def _fftw_mpi(contract: Contract, session: Session) -> Contestant:
    from weft.cli.bench.peers.fftw_mpi import make

    return make(contract, session)


def _fftw_threads(contract: Contract, session: Session) -> Contestant:
    from weft.cli.bench.peers.fftw_threads import make

    return make(contract, session)


def _mpi4py_fft(contract: Contract, session: Session) -> Contestant:
    from weft.cli.bench.peers.mpi4py_fft import make

    return make(contract, session)


PEERS: dict[str, Callable[[Contract, Session], Contestant]] = {
    "fftw-mpi": _fftw_mpi,
    "fftw-threads": _fftw_threads,
    "mpi4py-fft": _mpi4py_fft,
}

__all__ = ["PEERS", "NotRun", "make_peer"]
