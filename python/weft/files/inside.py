"""Checks names of new arrays in a container (an HDF5 file or a zarr store)."""

from weft import errors


def checked_inside(container: str, inside: str, reserved: str = "") -> str:
    """Returns the path of a new array in an HDF5 file or a zarr store, without a slash at its start.

    reserved : no word of the path may begin with this text.

    >>> checked_inside("data.h5", "/field/x")
    'field/x'
    """
    parts = inside.removeprefix("/").split("/")
    if any(set(part) <= {"."} or (reserved and part.startswith(reserved)) for part in parts) or not _is_text(inside):
        rule = f" and none with {reserved} at its start" if reserved else ""
        raise errors.InvalidArgument(
            f"the name of an array in a file must be words joined by /, in UTF-8, none of dots alone{rule}; given "
            f"{inside!r} in {container}; give one such as field/x"
        )
    return "/".join(parts)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name
