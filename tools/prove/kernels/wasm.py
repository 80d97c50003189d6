"""The WebAssembly modules of the package: whole messages, by the functions that JavaScript calls."""

from ..references import chacha20, md5, sha1, sha256, sha512
from ..statements import Shipped, pairs_of, statement
from ..terms import W8, W32, W64, Width, var
from .chacha20 import advanced

TIER = 'WebAssembly, as shipped'


class Places:
    """Room in the memory of an instance, behind what its module has there."""

    def __init__(self, instance):
        self.memory, self.next = instance.memory, instance.exported('__heap_base') + 15 & -16

    def put(self, values=(), bits=8, size=0):
        """Writes values, or leaves room; returns the address."""
        address = self.next
        self.memory.write(('memory', address), values, bits)
        self.next += max(size, len(values) * bits // 8) + 15 & -16
        return address

    def get(self, address, size):
        return self.memory.bytes(('memory', address), size)


def message(size, width, order):
    """Returns the bytes of a message, whole words of which are variables."""
    count = 8 * size // width.bits
    words = [byte for index in range(count) for byte in width.to_bytes(var(f'word{index}', width.bits), order)]
    return words + [var(f'byte{index}', 8) for index in range(size - len(words))]


def padded(text, width, order):
    """The padding of Merkle and Damgard: a one bit, zeros and the number of bits, in blocks of 16 words."""
    block = 2 * width.bits
    length = Width(2 * width.bits).to_bytes(8 * len(text), order)
    zeros = -(len(text) + 1 + len(length)) % block
    return [*text, 0x80, *[0] * zeros, *length]


def blocks(data, width, order):
    """Returns blocks of 16 words."""
    step = width.bits // 8
    words = [width.from_bytes(data[at:at + step], order) for at in range(0, len(data), step)]
    return [words[at:at + 16] for at in range(0, len(words), 16)]


def merkle_damgard(family, number, size, width, order, initial, compress):
    @statement(name=f'wasm-{family}', tier=TIER, entry=Shipped(family), fast=family == 'md5',
               sentence=f'hashes every message of {size} bytes, with its padding')
    def check(instance):
        places, text = Places(instance), message(size, width, order)
        target = places.put(size=64)
        state = initial
        for block in blocks(padded(text, width, order), width, order):
            state = compress(state, block)
        digest = [byte for word in state for byte in width.to_bytes(word, order)]
        status, = instance.call('finish', [number, 0, places.put(text), size, target, len(digest)])
        return [(status, 0, 32), *pairs_of(places.get(target, len(digest)), digest, 8)]


# The numbers of the hashes in the catalog.
MD5, SHA1, SHA256, SHA512 = 0, 1, 3, 5
merkle_damgard('md5', MD5, 119, W32, 'little', md5.INITIAL, md5.compress)
merkle_damgard('sha1', SHA1, 116, W32, 'big', sha1.INITIAL, sha1.compress)
merkle_damgard('sha256', SHA256, 116, W32, 'big', sha256.INITIAL, sha256.compress)
merkle_damgard('sha512', SHA512, 232, W64, 'big', sha512.INITIAL, sha512.compress)


@statement(name='wasm-chacha20', tier=TIER, entry=Shipped('chacha20'),
           sentence='encrypts 512 bytes and 63 more for every key, nonce and number of the first block')
def _(instance):
    places, size = Places(instance), 575
    key, iv = ([var(f'{name}{index}', 32) for index in range(count)] for name, count in (('key', 8), ('iv', 4)))
    text = [var(f'text{index}', 8) for index in range(size)]
    place = places.put(text)
    status, = instance.call('apply', [places.put(key, 32), 32, places.put(iv, 32), 0.0, place, size])
    state = [*chacha20.CONSTANTS, *key, *iv]
    stream = [byte for index in range(9) for word in chacha20.block(advanced(state, index))
              for byte in W32.to_bytes(word, 'little')]
    return [(status, 0, 32), *pairs_of(places.get(place, size), [W8.xor(x, y) for x, y in zip(text, stream)], 8)]
