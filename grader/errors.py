"""Every error of ours, in one place.

    KataError                     shown as one message: what happened, why, and the next command
    ├── UsageError                exit 2: an unknown kata, an option that does not fit
    ├── UnusableSubmission        exit 3: the file cannot be graded at all (becomes a verdict "unusable")
    └── GraderError               exit 4: our fault (becomes "grader-error")
        └── NotAvailable          exit 4: the device or the isolation asked for is not there, which is nobody's fault

    WorkerLost (BaseException)    the worker died, hung or broke the protocol; ends the run of properties at once, so it
                                  must pass through hypothesis and pytest, which catch Exception

Imports nothing. Exceptions of the candidate's code are data (`verdict.CandidateException`), never re-raised as themselves.
"""

from __future__ import annotations


class KataError(Exception):
    """An error that a user should read. `next_step` is a command or an action."""

    exit_code = 70

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class UsageError(KataError):
    """The command line asks for something that does not exist or does not fit together."""

    exit_code = 2


class UnusableSubmission(KataError):
    """The submission cannot be graded: unreadable, no Python, no entry symbol, dies at import."""

    exit_code = 3


class GraderError(KataError):
    """The grader itself failed, or cannot give what was asked for."""

    exit_code = 4


class NotAvailable(GraderError):
    """This machine has not the device or the isolation that was asked for."""


class WorkerLost(BaseException):
    """The worker is gone. `kind` is "timeout", "time-limit", "crash" or "protocol"; `message` says what happened."""

    def __init__(self, kind: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line  # of the candidate's file, where it says that it was when it was stopped
        self.message = message
