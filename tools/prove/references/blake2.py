"""BLAKE2b and BLAKE2s of RFC 7693: W64 and W32 tell them apart."""

from ..terms import extract
from . import sha256, sha512

# Section 2.1: rounds, rotations and initial values, by the bits of a word.
ROUNDS = {32: 10, 64: 12}
ROTATIONS = {32: (16, 12, 8, 7), 64: (32, 24, 16, 63)}
INITIAL = {32: sha256.INITIAL, 64: sha512.INITIAL}
# Section 2.7.
SIGMA = [[int(digit, 16) for digit in row] for row in (
    '0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8', '905724afe1bc683d',
    '2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5', 'a2847615fb9e3cd0')]


def mix(width, a, b, c, d, x, y):
    """Section 3.1: G."""
    rotations = ROTATIONS[width.bits]
    for word, first, second in ((x, *rotations[:2]), (y, *rotations[2:])):
        a = width.add(a, b, word)
        d = width.rotr(width.xor(d, a), first)
        c = width.add(c, d)
        b = width.rotr(width.xor(b, c), second)
    return a, b, c, d


def round(width, state, words):
    """Section 3.2: mixes 16 words, in the round's order, into the columns and the diagonals."""
    state = list(state)
    for index in range(8):
        places = [4 * row + (index + (row if index > 3 else 0)) % 4 for row in range(4)]
        mixed = mix(width, *(state[place] for place in places), words[2 * index], words[2 * index + 1])
        for place, word in zip(places, mixed):
            state[place] = word
    return state


def compress(width, chain, words, offset, last):
    """Section 3.2: F, where the offset has two words and `last` is true in the final block.

    `last` may also be the word that inverts v[14].
    """
    bits = width.bits
    initial = INITIAL[bits]
    if type(last) is bool:
        last = 2**bits - 1 if last else 0
    state = [*chain, *initial[:4], width.xor(initial[4], extract(offset, 2 * bits, 0, bits)),
             width.xor(initial[5], extract(offset, 2 * bits, bits, bits)), width.xor(initial[6], last),
             initial[7]]
    for index in range(ROUNDS[bits]):
        state = round(width, state, [words[place] for place in SIGMA[index % 10]])
    return [width.xor(a, b, c) for a, b, c in zip(chain, state[:8], state[8:])]
