"""BLAKE3: section 2.2 of its paper. The rounds are those of BLAKE2s."""

from ..terms import W32, extract
from . import blake2

INITIAL = blake2.INITIAL[32]
# Table 2.
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
# Table 3.
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8


def mix(a, b, c, d, x, y):
    """G."""
    return blake2.mix(W32, a, b, c, d, x, y)


def compress(chain, words, counter, length, flags):
    """Returns 16 words: the first 8 are the next chaining value; the counter has 64 bits."""
    low, high = extract(counter, 64, 0, 32), extract(counter, 64, 32, 32)
    state = [*chain, *INITIAL[:4], low, high, length, flags]
    for index in range(7):
        if index:
            words = [words[place] for place in PERMUTATION]
        state = blake2.round(W32, state, words)
    return [W32.xor(a, b) for a, b in zip(state[:8], state[8:])] + [
        W32.xor(a, b) for a, b in zip(state[8:], chain)]
