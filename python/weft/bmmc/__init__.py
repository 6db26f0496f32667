"""Arrays on disks in the Parallel Disk Model: permutations over GF(2), FFTs by superlevels, and their counts."""
