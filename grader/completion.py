"""What a shell offers after Tab where a kata or a file is wanted. Names of folders are enough: no kata is read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import KataError

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def complete_kata(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The katas whose id begins so: ours, and those of the packs that are named on the line or in KATA_PATH."""
    from grader.catalog import content_root, kata_folders, normalise, pack_root

    named = [*(context.find_root().params.get("packs") or ()), *os.environ.get("KATA_PATH", "").split(os.pathsep)]
    packs = [pack for name in named if name and (pack := pack_root(Path(name))) is not None]
    ids: set[str] = set()
    for root in (content_root(), *packs):
        with suppress(KataError):  # a Tab is no moment to complain
            ids |= {folder.name for folder in kata_folders(root)}
    return sorted(id for id in ids if id.startswith(normalise(incomplete)))


def complete_file(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A path, or a kata, which means the file that `kata start` wrote for it."""
    from click.shell_completion import CompletionItem

    katas = [CompletionItem(id) for id in complete_kata(context, parameter, incomplete)]
    with suppress(OSError):
        names = sorted(name for name in os.listdir() if name.endswith(".py") and name.startswith(incomplete))
        katas += [CompletionItem(name) for name in names] if katas else []  # else the shell itself offers paths
    return katas or [CompletionItem(incomplete, type="file")]
