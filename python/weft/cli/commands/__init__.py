"""The commands of transforms, plans and machines."""
