"""A cluster in a box: nodes are network namespaces, links have a rate, and real MPI runs over real TCP."""
