"""Tells the errno by name, or ok, of opening and binding a socket of AF_ALG: bind.py KIND NAME"""

import errno
import socket
import sys

try:
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0) as transform:
        transform.bind((sys.argv[1], sys.argv[2]))
    print("ok")
except OSError as error:
    print(errno.errorcode[error.errno])
