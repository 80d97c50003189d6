"""Cases with a name, each told on a line of its own: what truth.mjs turns into tests."""

import os
import traceback

cases = []


def case(function):
    cases.append(function)
    return function


def run():
    for function in cases:
        name = function.__doc__.strip()
        try:
            function()
            print("ok", name, flush=True)
        except Exception:
            print("not ok", name, flush=True)
            print("".join("  " + line + "\n" for line in traceback.format_exc().splitlines()), end="", flush=True)


def errno_of(function, *arguments):
    """The errno a call fails with; 0 if it does not."""
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0


def open_files():
    return len(os.listdir("/proc/self/fd"))
