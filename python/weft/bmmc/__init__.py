"""Arrays on disks in the Parallel Disk Model: permutations over GF(2), and FFTs by superlevels (Cormen and Nicol 1998).

For each permutation and FFT, weft counts passes, reads, writes and messages.
"""
