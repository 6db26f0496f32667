"""`python -m weft_lab`."""

import sys


def start() -> int:
    try:
        from weft_lab.cli import main
    except ModuleNotFoundError as error:
        print(
            f"weft-lab: error: this Python has no {error.name}; set WEFT_PYTHON to one that can import weft, "
            "such as that of `make build`",
            file=sys.stderr,
        )
        return 1
    return main()


if __name__ == "__main__":
    sys.exit(start())
