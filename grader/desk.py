"""What a command works with: the streams, this folder, the katas and the journal, each made when first asked for."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.output import Output

if TYPE_CHECKING:
    from grader.catalog import Kata
    from grader.journal import Journal
    from grader.workspace import Target


class Desk:
    """One run of the command line."""

    def __init__(self, output: Output) -> None:
        self.output = output

    @cached_property
    def folder(self) -> Path:
        try:
            return Path(os.getcwd())
        except OSError:
            raise UsageError("the current folder is gone", "cd to a folder that exists") from None

    @cached_property
    def katas(self) -> dict[str, Kata]:
        from grader.catalog import find_katas

        return find_katas()

    @cached_property
    def journal(self) -> Journal:
        from grader.journal import Journal, home

        return Journal(home(), warn=self.output.warn)

    def close(self) -> None:
        """Let go of the journal, if it was asked for."""
        if "journal" in self.__dict__:
            self.journal.close()

    def current(self) -> Target | None:
        """The kata last started in this folder whose file is still there."""
        from grader.workspace import current

        return current(self.folder, self.katas, self.journal.started())

    def kata(self, name: str | None) -> Kata:
        """The kata by name, else the one last started here."""
        from grader.catalog import get_kata

        if name is not None:
            return get_kata(name)
        here = self.current()
        if here is None:
            raise UsageError("no kata was started in this folder", "name one of kata list")
        return here.kata
