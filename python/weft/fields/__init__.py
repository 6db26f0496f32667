"""Functions of fields, which a transform calls on tiles while they are in cache."""
