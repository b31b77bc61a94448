"""What a command works with: the streams, this folder, the katas and the journal, each made when first asked for."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.output import Output

if TYPE_CHECKING:
    from grader.catalog import Kata, UnknownKata
    from grader.journal.events import Journal
    from grader.workspace import Target


class Desk:
    """One run of the command line."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.given_packs: tuple[str, ...] = ()  # of --katas, as the user wrote them
        self.broken_packs: dict[Path, str] = {}  # those of KATA_PATH that are left out, and why

    @cached_property
    def folder(self) -> Path:
        try:
            return Path(os.getcwd())
        except OSError:
            raise UsageError("the current folder is gone", "cd to a folder that exists") from None

    @property
    def command(self) -> str:
        """What a next step begins with: `kata`, and the packs that the user gave with --katas."""
        from grader.workspace import quote

        return " ".join(["kata", *(f"--katas {quote(name)}" for name in self.given_packs)])

    @cached_property
    def packs(self) -> tuple[Path, ...]:
        """The packs of katas from elsewhere: those of --katas, then those of KATA_PATH, each once.

        A broken one of KATA_PATH, which a person may have set long ago, is left out: it must not take all else with it.
        """
        from grader.catalog import content_root, fault_of_pack, pack_root
        from grader.workspace import quote

        found: dict[Path, None] = {}
        for name in self.given_packs:
            pack = pack_root(self.folder / name)
            if pack is None:
                raise UsageError(f"--katas {name}: no folder katas/ in it", "kata dev new ID --into DIR begins a pack")
            found[pack.resolve()] = None
        for name in os.environ.get("KATA_PATH", "").split(os.pathsep):
            pack = pack_root(self.folder / name) if name else None
            if pack is None:
                if name:
                    self.output.warn(f"KATA_PATH: no folder katas/ in {name}; it is left out")
                continue
            pack = pack.resolve()
            if pack in found or pack in self.broken_packs or pack == content_root():
                continue
            fault = fault_of_pack(pack, [content_root(), *found])
            if fault:
                self.broken_packs[pack] = fault
                check = f"kata dev check {quote(str(pack))}"
                self.output.warn(f"KATA_PATH: the pack {pack} is left out: {fault}; to mend it: {check}")
            else:
                found[pack] = None
        found.pop(content_root(), None)
        return tuple(found)

    @property
    def roots(self) -> tuple[Path, ...]:
        """Every folder with katas/ and reference/: our own, then the packs, and those that wait to be mended."""
        from grader.catalog import content_root

        return content_root(), *self.packs, *self.broken_packs

    @cached_property
    def katas(self) -> dict[str, Kata]:
        from grader.catalog import find_katas

        return find_katas(self.packs)

    @cached_property
    def journal(self) -> Journal:
        from grader.journal.events import Journal, home

        return Journal(home(), warn=self.output.warn)

    def explained(self, error: UnknownKata) -> UsageError:
        """The same error, if the kata is one of a pack that is left out: where it is."""
        from grader.workspace import quote

        for pack in self.broken_packs:
            if (pack / "katas" / error.id).is_dir():
                where = f"{error.id} is a kata of {pack}, which is broken and left out"
                return UsageError(where, f"kata dev check {quote(str(pack))}")
        return error

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
            return get_kata(name, self.packs)
        here = self.current()
        if here is None:
            from grader.workspace import nothing_started

            raise nothing_started(self.folder, self.katas, self.journal.started())
        return here.kata
