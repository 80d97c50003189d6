"""ChaCha20 of RFC 8439, and HChaCha20 of draft-irtf-cfrg-xchacha."""

from ..terms import W32

# 'expand 32-byte k' as little-endian words.
CONSTANTS = [int.from_bytes(b'expand 32-byte k'[at:at + 4], 'little') for at in range(0, 16, 4)]


def quarter_round(a, b, c, d):
    """Section 2.1."""
    for first, second in ((16, 12), (8, 7)):
        a = W32.add(a, b)
        d = W32.rotl(W32.xor(d, a), first)
        c = W32.add(c, d)
        b = W32.rotl(W32.xor(b, c), second)
    return a, b, c, d


def double_round(state, quarter=quarter_round):
    """Section 2.3: a round of columns and one of diagonals."""
    state = list(state)
    for shift in (0, 1):
        for column in range(4):
            places = [4 * row + (column + shift * row) % 4 for row in range(4)]
            for place, word in zip(places, quarter(*(state[place] for place in places))):
                state[place] = word
    return state


def rounds(state, quarter=quarter_round):
    """Section 2.3: all ten double rounds."""
    for _ in range(10):
        state = double_round(state, quarter)
    return state


def block(state, quarter=quarter_round):
    """Section 2.3: returns 16 words of the key stream."""
    return [W32.add(a, b) for a, b in zip(rounds(state, quarter), state)]


def initial(key, counter, nonce):
    """Section 2.3: the state of 8 words of key, a counter and 3 words of nonce."""
    return [*CONSTANTS, *key, counter, *nonce]


def keystream(key, counter, nonce, blocks):
    """Section 2.4: returns the words of blocks whose counter has 32 bits."""
    return [word for index in range(blocks) for word in block(initial(key, W32.add(counter, index), nonce))]


def hchacha20(key, nonce):
    """Section 2.2 of the draft: returns the 8 words of a key, from 8 of key and 4 of nonce."""
    state = rounds([*CONSTANTS, *key, *nonce])
    return state[:4] + state[12:]
