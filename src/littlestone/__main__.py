"""``python -m littlestone`` is the command line, and so is the program ``littlestone``."""

import os
import signal

__all__ = ["run"]


def run() -> None:
    """Console entry point: load the command line, so that Ctrl-C ends also that with one line."""
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if waiting:  # else interruptions are ignored, as in the background
        signal.signal(signal.SIGINT, _stop)
    from littlestone.cli.main import run as command_line  # noqa: PLC0415 - that takes its time

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


def _stop(number: int, frame: object) -> None:
    """End at once: nothing has been read, and an exception could be lost in what is loaded."""
    os.write(2, b"littlestone: Interrupted: nothing was done.\n")
    os._exit(130)


if __name__ == "__main__":
    run()
