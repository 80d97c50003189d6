"""Salsa20/8 and scryptBlockMix of RFC 7914."""

from ..terms import W32


def quarter_round(a, b, c, d):
    """A quarter of the rounds of section 3."""
    b = W32.xor(b, W32.rotl(W32.add(a, d), 7))
    c = W32.xor(c, W32.rotl(W32.add(b, a), 9))
    d = W32.xor(d, W32.rotl(W32.add(c, b), 13))
    a = W32.xor(a, W32.rotl(W32.add(d, c), 18))
    return a, b, c, d


def double_round(state):
    """A round of columns and one of rows, each of which begins at the diagonal."""
    state = list(state)
    for across, along in ((1, 4), (4, 1)):
        for line in range(4):
            places = [across * line + along * ((line + step) % 4) for step in range(4)]
            for place, word in zip(places, quarter_round(*(state[place] for place in places))):
                state[place] = word
    return state


def salsa20_8(words):
    """Section 3: maps 16 words to 16."""
    state = words
    for _ in range(4):
        state = double_round(state)
    return [W32.add(a, b) for a, b in zip(state, words)]


def block_mix(blocks):
    """Section 4: maps 2r blocks of 16 words to 2r; those with an even index come first."""
    x, mixed = blocks[-1], []
    for block in blocks:
        x = salsa20_8([W32.xor(a, b) for a, b in zip(x, block)])
        mixed.append(x)
    return mixed[::2] + mixed[1::2]
