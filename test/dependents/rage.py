#!/usr/bin/env python3
"""rage with some options of age, by its Python binding (pip install pyrage): for age.mjs."""

import argparse
import importlib.metadata
import sys

import pyrage

if "--version" in sys.argv:
    print("rage by pyrage", importlib.metadata.version("pyrage"))
    sys.exit()
parser = argparse.ArgumentParser()
parser.add_argument("-R", dest="recipients")
parser.add_argument("-i", dest="identities")
parser.add_argument("-d", dest="decrypts", action="store_true")
parser.add_argument("-a", dest="armored", action="store_true")
parser.add_argument("-o", dest="output")
parser.add_argument("input")
options = parser.parse_args()


def recipient(line):
    kind = pyrage.ssh if line.startswith("ssh-") else pyrage.x25519
    return kind.Recipient.from_str(line)


def identity(text):
    if text.startswith("-----"):
        return pyrage.ssh.Identity.from_buffer(text.encode())
    if text.startswith("AGE-SECRET-KEY-PQ-"):
        sys.exit("unknown identity")
    return pyrage.x25519.Identity.from_str(text.strip())


with open(options.input, "rb") as file:
    data = file.read()
if options.decrypts:
    with open(options.identities) as file:
        result = pyrage.decrypt(data, [identity(file.read())])
else:
    with open(options.recipients) as file:
        lines = file.read().split("\n")
    recipients = [recipient(line) for line in lines if line]
    result = pyrage.encrypt(data, recipients, armored=options.armored)
with open(options.output, "wb") as file:
    file.write(result)
