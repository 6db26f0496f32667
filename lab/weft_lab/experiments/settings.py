"""The settings of all experiments."""

from collections.abc import Callable
from dataclasses import dataclass

from weft_lab.topology import Spec


@dataclass(frozen=True)
class Settings:
    """The options of experiments. `tcp`: the congestion control; `say` gets a line for each step."""

    nodes: tuple[int, ...] = (2, 4, 8, 16)
    repeat: int = 3
    quick: bool = False
    rate_bits_per_s: int = 100_000_000
    tcp: str = ""
    mpi: str = "openmpi"
    say: Callable[[str], None] = print

    @property
    def extent(self) -> int:
        """Returns the size, along each axis, for an experiment with a single size."""
        return 64 if self.quick else 128

    def spec(self, nodes: int, switch: str = "small", hub: int = 0, backplane_bits_per_s: int = 0) -> Spec:
        return Spec(nodes, self.rate_bits_per_s, switch, hub, backplane_bits_per_s, self.tcp)
