"""Blowfish (Schneier, 1993) and the key schedule of bcrypt (Provos and Mazieres, 1999).

`lookup(box, byte)` returns a word of the S-boxes.
"""

from ..terms import W32, extract


def pi_words(count):
    """Returns the first words of the fractional part of pi, by Machin's formula."""
    bits = 32 * count + 64

    def arctangent_of_inverse(x):
        term, total, n = (1 << bits) // x, 0, 1
        while term:
            total += term // n if n % 4 == 1 else -(term // n)
            term //= x * x
            n += 2
        return total

    fraction = (16 * arctangent_of_inverse(5) - 4 * arctangent_of_inverse(239)) >> 64
    return [fraction >> 32 * place & 0xffffffff for place in reversed(range(count))]


def initial():
    """Returns the 18 words of P and the four S-boxes before a key is set."""
    words = pi_words(18 + 1024)
    return words[:18], [words[at:at + 256] for at in range(18, 18 + 1024, 256)]


def feistel(x, lookup):
    """F."""
    first, second, third, fourth = (lookup(box, extract(x, 32, 24 - 8 * box, 8)) for box in range(4))
    return W32.add(W32.xor(W32.add(first, second), third), fourth)


def encipher(left, right, p, lookup):
    for subkey in p[:16]:
        left = W32.xor(left, subkey)
        left, right = W32.xor(right, feistel(left, lookup)), left
    return W32.xor(right, p[17]), W32.xor(left, p[16])


def schedule_step(left, right, salt, p, lookup):
    """ExpandKey's step: enciphers the last two words, with two words of salt."""
    return encipher(W32.xor(left, salt[0]), W32.xor(right, salt[1]), p, lookup)


def expand_key(p, boxes, key, salt=(0, 0, 0, 0)):
    """ExpandKey, in place: the words of the key are repeated; the boxes are constants."""
    p[:] = [W32.xor(word, key[at % len(key)]) for at, word in enumerate(p)]
    left = right = step = 0

    def lookup(box, byte):
        return boxes[box][byte]

    for words in (p, *boxes):
        for at in range(0, len(words), 2):
            left, right = schedule_step(left, right, salt[2 * (step % 2):][:2], p, lookup)
            words[at:at + 2] = left, right
            step += 1
