"""Runs a program with a seccomp filter that refuses AF_ALG sockets with EPERM."""

import ctypes
import os
import platform
import struct
import sys

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7FFF0000, 0x00050001


def instruction(code, yes, no, value):
    return struct.pack("<HBBI", code, yes, no, value)


program = b"".join(
    [
        instruction(LOAD, 0, 0, 0),  # the number of the system call
        instruction(EQUAL, 0, 3, SOCKET),
        instruction(LOAD, 0, 0, 16),  # its first argument
        instruction(EQUAL, 0, 1, 38),
        instruction(RETURN, 0, 0, EPERM),
        instruction(RETURN, 0, 0, ALLOW),
    ]
)
held = ctypes.create_string_buffer(program, len(program))
filters = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(held)))
libc = ctypes.CDLL(None, use_errno=True)
# PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP with SECCOMP_MODE_FILTER
for option, argument in ((38, 1), (22, 2)):
    if libc.prctl(option, argument, filters if option == 22 else 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
os.execvp(sys.argv[1], sys.argv[1:])
