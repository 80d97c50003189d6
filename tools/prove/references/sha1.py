"""SHA-1 of FIPS 180-4."""

from math import isqrt

from ..terms import W32

INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
# Section 4.2.1: 2^30 times the square roots of 2, 3, 5 and 10.
CONSTANTS = [isqrt(number << 60) for number in (2, 3, 5, 10)]


def schedule(words):
    """Section 6.1.2, step 1: expands 16 words to 80."""
    words = list(words)
    for t in range(16, 80):
        words.append(W32.rotl(W32.xor(words[t - 3], words[t - 8], words[t - 14], words[t - 16]), 1))
    return words


def function(t, x, y, z):
    """Section 4.1.1: Ch, Parity, Maj and Parity, each for 20 rounds."""
    if t < 20:
        return W32.xor(W32.and_(x, y), W32.and_(W32.not_(x), z))
    if 40 <= t < 60:
        return W32.xor(W32.and_(x, y), W32.and_(x, z), W32.and_(y, z))
    return W32.xor(x, y, z)


def round(t, state, word):
    """Section 6.1.2, step 3."""
    a, b, c, d, e = state
    total = W32.add(W32.rotl(a, 5), function(t, b, c, d), e, CONSTANTS[t // 20], word)
    return total, a, W32.rotl(b, 30), c, d


def compress(state, words):
    """Section 6.1.2: absorbs a block of 16 big-endian words."""
    current = state
    for t, word in enumerate(schedule(words)):
        current = round(t, current, word)
    return [W32.add(a, b) for a, b in zip(current, state)]
