"""Opens and binds an AF_ALG socket and prints ok or the errno's name: bind.py KIND NAME"""

import errno
import socket
import sys

try:
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0) as transform:
        transform.bind((sys.argv[1], sys.argv[2]))
    print("ok")
except OSError as error:
    print(errno.errorcode[error.errno])
