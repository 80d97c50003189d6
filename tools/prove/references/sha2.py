"""The functions that FIPS 180-4 defines alike for SHA-256 and SHA-512, and their constants."""

from itertools import count, islice
from math import isqrt


def primes(number):
    return list(islice((n for n in count(2) if all(n % d for d in range(2, isqrt(n) + 1))), number))


def cube_root(number):
    """Returns the integer part of a cube root, bit by bit."""
    root = 0
    for bit in reversed(range(number.bit_length() // 3 + 1)):
        if (root | 1 << bit) ** 3 <= number:
            root |= 1 << bit
    return root


class Sha2:
    """A hash function of words of `width`.

    Each of `sums` and `small` has three numbers to rotate to the right; the last of `small` shifts.
    """

    def __init__(self, width, rounds, sums, small):
        self.width, self.sums, self.small = width, sums, small
        bits = width.bits
        # The first bits of the fractional parts of cube roots and of square roots of primes.
        self.constants = [cube_root(prime << 3 * bits) % 2**bits for prime in primes(rounds)]
        self.initial = [isqrt(prime << 2 * bits) % 2**bits for prime in primes(8)]

    def sum(self, index, x):
        """Sections 4.1.2 and 4.1.3: the functions with a capital sigma."""
        return self.width.xor(*(self.width.rotr(x, k) for k in self.sums[index]))

    def sigma(self, index, x):
        """Sections 4.1.2 and 4.1.3: the functions with a small sigma."""
        first, second, shift = self.small[index]
        return self.width.xor(self.width.rotr(x, first), self.width.rotr(x, second), self.width.shr(x, shift))

    def choose(self, x, y, z):
        return self.width.xor(self.width.and_(x, y), self.width.and_(self.width.not_(x), z))

    def majority(self, x, y, z):
        and_ = self.width.and_
        return self.width.xor(and_(x, y), and_(x, z), and_(y, z))

    def schedule(self, words):
        """Sections 6.2.2 and 6.4.2, step 1: expands 16 words to one for each round."""
        words = list(words)
        for t in range(16, len(self.constants)):
            words.append(self.width.add(self.sigma(1, words[t - 2]), words[t - 7],
                                        self.sigma(0, words[t - 15]), words[t - 16]))
        return words

    def round(self, state, sum_):
        """Step 3, where `sum_` is the word of the schedule plus the round's constant."""
        a, b, c, d, e, f, g, h = state
        first = self.width.add(h, self.sum(1, e), self.choose(e, f, g), sum_)
        second = self.width.add(self.sum(0, a), self.majority(a, b, c))
        return self.width.add(first, second), a, b, c, self.width.add(d, first), e, f, g

    def two_rounds(self, state, sums):
        """Does the two rounds of one sha256rnds2 or sha512rnds2."""
        return self.round(self.round(state, sums[0]), sums[1])

    def compress(self, state, words):
        """Absorbs a block of 16 big-endian words."""
        current = state
        for word, constant in zip(self.schedule(words), self.constants):
            current = self.round(current, self.width.add(word, constant))
        return [self.width.add(a, b) for a, b in zip(current, state)]
