"""The console entry `kata`: sees to Ctrl-C before anything else is imported, so that none of it is ever a traceback."""

from __future__ import annotations

from typing import NoReturn

from grader import interrupt


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    interrupt.install()
    from grader import cli

    cli.main()


if __name__ == "__main__":
    main()
