"""GHASH of NIST SP 800-38D and POLYVAL of RFC 8452, bit by bit."""

from ..terms import W128, Width, concat, extract

W1 = Width(1)


def times_x(v, xor=W1.xor):
    """Multiplies 128 bits by x; R is 1 + x + x^2 + x^7."""
    last, v = v[127], [0, *v[:127]]
    for place in (0, 1, 2, 7):
        v[place] = xor(v[place], last)
    return v


def multiply_bits(x, y, xor=W1.xor, product=W1.and_):
    """SP 800-38D, algorithm 1: multiplies two lists of 128 bits, from the coefficient of x^0 on."""
    z, v = [0] * 128, list(y)
    for bit in x:
        z = [xor(a, product(bit, b)) for a, b in zip(z, v)]
        v = times_x(v, xor)
    return z


def bits_of(block, order):
    """Returns the bits of 128; 'little' has the lowest first, 'big' the highest."""
    bits = [extract(block, 128, at, 1) for at in range(128)]
    return bits if order == 'little' else bits[::-1]


def word_of(bits, order):
    """Returns 128 bits as a word: the inverse of `bits_of`."""
    return concat([(1, bit) for bit in (bits if order == 'little' else bits[::-1])])


def multiply(x, y):
    """Multiplies blocks, read as big-endian words."""
    return word_of(multiply_bits(bits_of(x, 'big'), bits_of(y, 'big')), 'big')


def ghash(key, blocks):
    """SP 800-38D, algorithm 2."""
    y = 0
    for block in blocks:
        y = multiply(W128.xor(y, block), key)
    return y


def dot(a, b):
    """RFC 8452, section 3: a product times x^-128, of blocks read as little-endian words.

    By its appendix A a reversed block is an element of the field of GHASH times x.
    """
    y = times_x(bits_of(b, 'big'))
    return word_of(multiply_bits(bits_of(a, 'big'), y), 'big')


def polyval(key, blocks):
    """RFC 8452, section 3."""
    s = 0
    for block in blocks:
        s = dot(W128.xor(s, block), key)
    return s
