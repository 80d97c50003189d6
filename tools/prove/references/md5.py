"""MD5 of RFC 1321."""

from decimal import Context, Decimal, localcontext

from ..terms import W32

INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
ROTATIONS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))


def sine(x):
    """Returns the sine by its series."""
    total, term, n = Decimal(0), Decimal(x), 1
    while abs(term) > Decimal('1e-40'):
        total += term
        term = -term * x * x / ((n + 1) * (n + 2))
        n += 2
    return total


# Section 3.4: 2^32 times the sine, without sign.
with localcontext(Context(prec=100)):
    CONSTANTS = [int(abs(sine(i)) * 2**32) for i in range(1, 65)]


def schedule(words):
    """Section 3.4: the word of each of the 64 steps."""
    places = (lambda i: i, lambda i: 5 * i + 1, lambda i: 3 * i + 5, lambda i: 7 * i)
    return [words[places[i // 16](i) % 16] for i in range(64)]


def function(i, x, y, z):
    """Section 3.4: F, G, H and I, each for 16 steps."""
    if i < 16:
        return W32.or_(W32.and_(x, y), W32.and_(W32.not_(x), z))
    if i < 32:
        return W32.or_(W32.and_(x, z), W32.and_(y, W32.not_(z)))
    if i < 48:
        return W32.xor(x, y, z)
    return W32.xor(y, W32.or_(x, W32.not_(z)))


def round(i, state, word):
    """Section 3.4: step `i` of 64."""
    a, b, c, d = state
    total = W32.add(a, function(i, b, c, d), word, CONSTANTS[i])
    return d, W32.add(b, W32.rotl(total, ROTATIONS[i // 16][i % 4])), b, c


def compress(state, words):
    """Section 3.4: absorbs a block of 16 little-endian words."""
    current = state
    for i, word in enumerate(schedule(words)):
        current = round(i, current, word)
    return [W32.add(a, b) for a, b in zip(current, state)]
