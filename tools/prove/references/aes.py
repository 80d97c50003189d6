"""AES of FIPS 197: a state is a list of 16 bytes, column by column.

The S-boxes are opaque on terms. The `unkeyed` functions are the rounds before the key is added, on
128 bits with the first byte lowest, and opaque on terms too.
"""

from ..terms import W8, W32, W128, meanings, opaque, sext


def xtime(byte):
    """Section 4.2.1: multiplies by x."""
    overflow = sext(W8.bit(byte, 7), 1, 8)
    return W8.xor(W8.shl(byte, 1), W8.and_(overflow, 0x1b))


def multiply(byte, factor: int):
    """Section 4.2: multiplies by a constant."""
    product = 0
    while factor:
        if factor & 1:
            product = W8.xor(product, byte)
        byte, factor = xtime(byte), factor >> 1
    return product


def _affine(byte):
    """Section 5.1.1."""
    return W8.xor(byte, *(W8.rotl(byte, k) for k in range(1, 5)), 0x63)


def _inverses():
    """Returns the inverse of each byte, by the powers of the generator 3."""
    powers = [1]
    while len(powers) < 255:
        powers.append(multiply(powers[-1], 3))
    inverses = [0] * 256
    for exponent, power in enumerate(powers):
        inverses[power] = powers[-exponent % 255]
    return inverses


SBOX = [_affine(byte) for byte in _inverses()]
INVERSE_SBOX = [SBOX.index(byte) for byte in range(256)]
meanings['sbox'] = lambda bits, values, attributes: SBOX[values[0]]
meanings['inverse_sbox'] = lambda bits, values, attributes: INVERSE_SBOX[values[0]]


def sbox(byte):
    return SBOX[byte] if type(byte) is int else opaque('sbox', 8, [(8, byte)])


def inverse_sbox(byte):
    return INVERSE_SBOX[byte] if type(byte) is int else opaque('inverse_sbox', 8, [(8, byte)])


def sub_bytes(state):
    """Section 5.1.1."""
    return [sbox(byte) for byte in state]


def shift_rows(state):
    """Section 5.1.2: row `r` of column `c` comes from column `c + r`."""
    return [state[(4 * (at % 4) + at) % 16] for at in range(16)]


def mix_columns(state, factors=(2, 3, 1, 1)):
    """Section 5.1.3."""
    mixed = []
    for column in range(0, 16, 4):
        for row in range(4):
            mixed.append(W8.xor(*(multiply(state[column + at], factors[(at - row) % 4]) for at in range(4))))
    return mixed


def inverse_sub_bytes(state):
    """Section 5.3.2."""
    return [inverse_sbox(byte) for byte in state]


def inverse_shift_rows(state):
    """Section 5.3.1."""
    return [state[(at - 4 * (at % 4)) % 16] for at in range(16)]


def inverse_mix_columns(state):
    """Section 5.3.3."""
    return mix_columns(state, (14, 11, 13, 9))


def add_round_key(state, key):
    """Section 5.1.4."""
    return [W8.xor(a, b) for a, b in zip(state, key)]


def round(state, key):
    return add_round_key(mix_columns(shift_rows(sub_bytes(state))), key)


def last_round(state, key):
    return add_round_key(shift_rows(sub_bytes(state)), key)


def inverse_round(state, key):
    """Section 5.3.5: a round of the equivalent inverse cipher."""
    return add_round_key(inverse_mix_columns(inverse_shift_rows(inverse_sub_bytes(state))), key)


def inverse_last_round(state, key):
    return add_round_key(inverse_shift_rows(inverse_sub_bytes(state)), key)


def key_expansion(key):
    """Section 5.2: returns the round keys of a key of 16, 24 or 32 bytes."""
    length = len(key) // 4
    words = [list(key[at:at + 4]) for at in range(0, len(key), 4)]
    constant = 1
    for index in range(length, 4 * (length + 7)):
        word = words[-1]
        if index % length == 0:
            word = sub_bytes(word[1:] + word[:1])
            word[0] = W8.xor(word[0], constant)
            constant = xtime(constant)
        elif length > 6 and index % length == 4:
            word = sub_bytes(word)
        words.append(add_round_key(words[index - length], word))
    return [sum(words[at:at + 4], []) for at in range(0, len(words), 4)]


def inverse_keys(keys):
    """Section 5.3.5: returns the round keys of the equivalent inverse cipher, in its order."""
    return [keys[-1], *(inverse_mix_columns(key) for key in keys[-2:0:-1]), keys[0]]


def _cipher(block, keys, add, middle, last):
    """Section 5.1, whose shape the equivalent inverse cipher shares."""
    state = add(block, keys[0])
    for key in keys[1:-1]:
        state = middle(state, key)
    return last(state, keys[-1])


def encrypt(block, keys):
    return _cipher(block, keys, add_round_key, round, last_round)


def decrypt(block, keys):
    """Section 5.3.5, with keys of `inverse_keys`."""
    return _cipher(block, keys, add_round_key, inverse_round, inverse_last_round)


UNKEYED = {
    'aes_round': lambda state: mix_columns(shift_rows(sub_bytes(state))),
    'aes_last_round': lambda state: shift_rows(sub_bytes(state)),
    'aes_inverse_round': lambda state: inverse_mix_columns(inverse_shift_rows(inverse_sub_bytes(state))),
    'aes_inverse_last_round': lambda state: inverse_shift_rows(inverse_sub_bytes(state)),
    'aes_inverse_mix_columns': inverse_mix_columns,
}


def _meaning(function):
    return lambda bits, values, attributes: W128.from_bytes(
        function(W128.to_bytes(values[0], 'little')), 'little')


meanings.update({name: _meaning(function) for name, function in UNKEYED.items()})


def unkeyed(name, state):
    """Returns a round without its key."""
    return meanings[name](128, [state], ()) if type(state) is int else opaque(name, 128, [(128, state)])


def encrypt_word(block, keys):
    """Encrypts 128 bits by unkeyed rounds, with keys of 128 bits."""
    return _cipher(block, keys, W128.xor,
                   lambda state, key: W128.xor(unkeyed('aes_round', state), key),
                   lambda state, key: W128.xor(unkeyed('aes_last_round', state), key))


def decrypt_word(block, keys):
    """Decrypts 128 bits by unkeyed rounds, with keys of 128 bits."""
    return _cipher(block, keys, W128.xor,
                   lambda state, key: W128.xor(unkeyed('aes_inverse_round', state), key),
                   lambda state, key: W128.xor(unkeyed('aes_inverse_last_round', state), key))


def increment_ctr(block, number=1):
    """SP 800-38A, appendix B.1, with all 128 bits."""
    return W128.to_bytes(W128.add(W128.from_bytes(block, 'big'), number), 'big')


def increment_gcm(block, number=1):
    """SP 800-38D, section 6.2: the last 32 bits."""
    return block[:12] + W32.to_bytes(W32.add(W32.from_bytes(block[12:], 'big'), number), 'big')


def increment_gcm_siv(block, number=1):
    """RFC 8452, section 4: the first 32 bits."""
    return W32.to_bytes(W32.add(W32.from_bytes(block[:4], 'little'), number), 'little') + block[4:]
