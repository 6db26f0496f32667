"""Entry point of `python -m weft`, which is the command weft."""

import sys

from weft.cli import main

sys.exit(main())
