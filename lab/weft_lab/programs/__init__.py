"""MPI programs that experiments run on the nodes; each prints one JSON document from its first rank."""
