"""Plans without MPI: machines, predictions, ranks on nodes, projections, wisdom."""
