"""Runs named cases and prints a line for each, which truth.mjs reports as a test."""

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
            print(
                "".join("  " + line + "\n" for line in traceback.format_exc().splitlines()),
                end="",
                flush=True,
            )


def errno_of(function, *arguments):
    """Returns the errno of a call that fails, or 0."""
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0


def open_files():
    return len(os.listdir("/proc/self/fd"))
