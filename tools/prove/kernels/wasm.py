"""The WebAssembly modules of the package: whole messages, by the functions that JavaScript calls."""

from .. import bytewise
from ..integers import require
from ..references import aes, blake2, blake3, chacha20, ghash, md5, sha1, sha256, sha512, xxh
from ..statements import Shipped, pairs_of, statement
from ..terms import W8, W32, W64, W128, Width, concat, var
from .chacha20 import advanced
from .ghash import decide, summed
from .keccak import sponge
from .poly1305 import METHOD, Inputs, absorbed

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


def hashes(family, number, size, width, digest, *parameters, order='little', of=''):
    """States that a hash is that of a message, whose digest is computed here, too."""
    @statement(name=f'wasm-{family}', tier=TIER, entry=Shipped(family),
               sentence=f'hashes every message of {size} bytes{of}')
    def _(instance):
        places, text = Places(instance), message(size, width, order)
        target, expected = places.put(size=64), digest(text)
        arguments = [number, 0, places.put(text), size, target, len(expected)]
        seeds = [var(x, 32) if type(x) is str else x for x in parameters]
        status, = instance.call('finish', [*arguments, *seeds])
        return [(status, 0, 32), *pairs_of(places.get(target, len(expected)), expected, 8)]


def bytes_of(words, width, order):
    return [byte for word in words for byte in width.to_bytes(word, order)]


def merkle_damgard(family, number, size, width, order, initial, compress):
    def digest(text):
        state = initial
        for block in blocks(padded(text, width, order), width, order):
            state = compress(state, block)
        return bytes_of(state, width, order)

    hashes(family, number, size, width, digest, order=order, of=', with its padding')


# The numbers of the hashes in the catalog.
MD5, SHA1, SHA256, SHA512 = 0, 1, 3, 5
merkle_damgard('md5', MD5, 119, W32, 'little', md5.INITIAL, md5.compress)
merkle_damgard('sha1', SHA1, 116, W32, 'big', sha1.INITIAL, sha1.compress)
merkle_damgard('sha256', SHA256, 116, W32, 'big', sha256.INITIAL, sha256.compress)
merkle_damgard('sha512', SHA512, 232, W64, 'big', sha512.INITIAL, sha512.compress)
hashes('sha3', 9, 64, W64, lambda text: sponge(text, [0] * 25), of=' with SHA3-256')
# No key; no seed, or every one.
PLAIN = 0, 0, 0, 0
SEEDED = 0, 0, 'seed0', 'seed1'


def blake2_digest(width):
    """RFC 7693, section 3.3, without a key: the digest of a text of two blocks."""
    def digest(text):
        size, width_bytes = len(text), width.bits // 8
        state = [*blake2.INITIAL[width.bits]]
        state[0] ^= 0x01010000 + 8 * width_bytes
        words = blocks([*text, *[0] * (-size % (16 * width_bytes))], width, 'little')
        for index, block in enumerate(words):
            last = index == len(words) - 1
            state = blake2.compress(width, state, block, size if last else 16 * width_bytes * (index + 1), last)
        return bytes_of(state, width, 'little')
    return digest


hashes('blake2b', 18, 200, W64, blake2_digest(W64), *PLAIN)
hashes('blake2s', 19, 100, W32, blake2_digest(W32), *PLAIN)


def blake3_digest(text):
    """The hash of a single chunk."""
    chain, words = blake3.INITIAL, blocks([*text, *[0] * (-len(text) % 64)], W32, 'little')
    for index, block in enumerate(words):
        last = index == len(words) - 1
        flags = blake3.CHUNK_START * (index == 0) | (blake3.CHUNK_END | blake3.ROOT) * last
        chain = blake3.compress(chain, block, 0, len(text) - 64 * index if last else 64, flags)[:8]
    return bytes_of(chain, W32, 'little')


hashes('blake3', 20, 200, W32, blake3_digest, *PLAIN)


def seed_words():
    return [var('seed0', 32), var('seed1', 32)]


def xxh32_digest(text):
    lanes = xxh.initial32(seed_words()[0])
    for index, word in enumerate(word for block in blocks(text, W32, 'little') for word in block):
        lanes[index % 4] = xxh.round32(lanes[index % 4], word)
    return W32.to_bytes(xxh.avalanche32(W32.add(xxh.converge32(lanes), len(text))), 'big')


def xxh64_digest(text):
    lanes = xxh.initial64(concat([(32, x) for x in seed_words()]))
    for index, word in enumerate(word for block in blocks(text, W64, 'little') for word in block):
        lanes[index % 4] = xxh.round64(lanes[index % 4], word)
    return W64.to_bytes(xxh.avalanche64(W64.add(xxh.converge64(lanes), len(text))), 'big')


hashes('xxh32', 23, 64, W32, xxh32_digest, *SEEDED, of=' with every seed')
hashes('xxh64', 24, 96, W64, xxh64_digest, *SEEDED, of=' with every seed')


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


for size in (16, 24, 32):
    @statement(name=f'wasm-aes-ctr-{8 * size}', tier=TIER, entry=Shipped('aes-ctr'), decider=bytewise.require_equal,
               as_given=True, method='sums of functions of bytes',
               sentence=f'encrypts 16 bytes for every key of {size} bytes, which it expands, and every first block')
    def _(instance, size=size):
        places = Places(instance)
        key, iv, text = ([var(f'{name}{index}', 8) for index in range(count)]
                         for name, count in (('key', size), ('iv', 16), ('text', 16)))
        place = places.put(text)
        status, = instance.call('apply', [places.put(key), size, places.put(iv), 0.0, place, 16])
        keys = aes.key_expansion(key)
        expected = [W8.xor(x, y) for x, y in zip(text, aes.encrypt(iv, keys))]
        # Seven blocks of zeros are encrypted, too, whose bits are next to those of the text.
        others = aes.encrypt([0] * 16, keys)
        return [(status, 0, 32), *pairs_of(places.get(place, 16), expected, 8), *((x, x, 8) for x in others)]


@statement(name='wasm-poly1305', tier=TIER, entry=Shipped('chacha20-poly1305'), decider=require, method=METHOD,
           sentence='absorbs 64 bytes of ciphertext into a sum of limbs of at most 46 bits, for every r')
def _(instance):
    places, key, nonce = Places(instance), [0x01234567] * 8, [0] * 3
    size, = instance.call('size', [])
    place = places.put(size=size)
    instance.call('begin', [place, places.put(key, 32), 32, places.put(nonce, 32), 12, 0, 0])
    once, stream = ([byte for word in chacha20.block([*chacha20.CONSTANTS, *key, number, *nonce])
                       for byte in W32.to_bytes(word, 'little')] for number in range(2))
    # The limbs of this key's r, after which those of the sum are, give way to variables.
    r = W128.from_bytes(once[:16], 'little') & 0x0ffffffc0ffffffc0ffffffc0fffffff
    limbs = [byte for low, bits in ((0, 44), (44, 44), (88, 40))
             for byte in (r >> low & 2**bits - 1).to_bytes(8, 'little')]
    at = next((at for at in range(place, place + size) if places.get(at, 24) == limbs), None)
    if at is None:
        raise LookupError('r is not in the message')
    inputs = Inputs()
    r, factor = inputs.key()
    before, number = inputs.limbs('sum', [2**46 - 1] * 3)
    places.memory.write(('memory', at), [*r, *before], 64)
    words, numbers = inputs.text(4)
    mask = [W64.from_bytes(stream[begin:begin + 8], 'little') for begin in range(0, 64, 8)]
    instance.call('seal', [place, places.put([W64.xor(x, y) for x, y in zip(words, mask)], 64), 64])
    found = places.memory.words(('memory', at + 24), 3, 64)
    return inputs.equal(found, absorbed(number, factor, numbers), [2**44 - 1, 2**44 - 1, 2**43])


@statement(name='wasm-ghash', tier=TIER, entry=Shipped('aes-gcm'), decider=decide, method='polynomials over GF(2)',
           sentence='adds a block of ciphertext to every sum, and multiplies by every H')
def _(instance):
    places, key = Places(instance), [*range(16)]
    size, = instance.call('size', [])
    place = places.put(size=size)
    instance.call('begin', [place, places.put(key), 16, places.put([0] * 12), 12, 0, 0])
    keys = aes.key_expansion(key)

    def where(number):
        found = [at for at in range(place, place + size, 8) if places.get(at, 16) == [*number.to_bytes(16, 'little')]]
        if len(found) != 1:
            raise LookupError('a number is not in the message')
        return found[0]

    # H divided by x, and the sum after a block of zeros, of this key give way to variables.
    h = aes.encrypt([0] * 16, keys)
    factor = int.from_bytes(bytes(h), 'big') << 1
    factor = factor & 2**128 - 1 ^ (0xc2 << 120 | 1) * (factor >> 128)
    first, stream = (aes.encrypt([0] * 15 + [count], keys) for count in (2, 3))
    instance.call('seal', [place, places.put([0] * 16), 16])
    numbers = [var(name, 128) for name in ('power', 'sum', 'block')]
    at, total = where(factor), where(ghash.multiply(*(W128.from_bytes(x, 'big') for x in (first, h))))
    places.memory.write(('memory', at), [numbers[0]], 128)
    places.memory.write(('memory', total), [numbers[1]], 128)
    text = [W8.xor(x, y) for x, y in zip(W128.to_bytes(numbers[2], 'big'), stream)]
    instance.call('seal', [place, places.put(text), 16])
    found = W128.from_bytes(places.get(total, 16), 'little')
    return [summed(found, numbers[2:], numbers[:1], numbers[1])]
