"""The console entry `kata`: sees to Ctrl-C before anything else is imported, so that none of it is ever a traceback."""

from __future__ import annotations

from grader import interrupt

interrupt.install()  # on import, and not in `main`: nothing is to come before it

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    from grader import cli

    cli.main()


if __name__ == "__main__":
    main()
