"""The compression of Argon2: RFC 9106."""

from ..terms import W64, extract, zext


def multiply_add(a, b):
    """Section 3.6: the sum of both words and twice the product of their lower halves."""
    low = [zext(extract(word, 64, 0, 32), 32, 64) for word in (a, b)]
    return W64.add(a, b, W64.mul(2, W64.mul(*low)))


def mix(a, b, c, d, plus=multiply_add):
    """Section 3.6: GB."""
    for first, second in ((32, 24), (16, 63)):
        a = plus(a, b)
        d = W64.rotr(W64.xor(d, a), first)
        c = plus(c, d)
        b = W64.rotr(W64.xor(b, c), second)
    return a, b, c, d


def permutation(words, plus=multiply_add):
    """Section 3.6: P on 16 words, first on columns and then on diagonals."""
    words = list(words)
    for shift in (0, 1):
        for column in range(4):
            places = [4 * row + (column + shift * row) % 4 for row in range(4)]
            for place, word in zip(places, mix(*(words[place] for place in places), plus)):
                words[place] = word
    return words


def compress(x, y, plus=multiply_add):
    """Section 3.5: G on blocks of 128 words, which are 8 rows of 8 pairs."""
    r = [W64.xor(a, b) for a, b in zip(x, y)]
    z = list(r)
    rows = [range(16 * row, 16 * row + 16) for row in range(8)]
    columns = [[16 * row + 2 * column + half for row in range(8) for half in (0, 1)] for column in range(8)]
    for places in rows + columns:
        for place, word in zip(places, permutation([z[place] for place in places], plus)):
            z[place] = word
    return [W64.xor(a, b) for a, b in zip(z, r)]
