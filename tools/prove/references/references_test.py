"""Known answers of the references, and that they compute the same on terms as on integers."""

import hashlib
import random
import struct

from ..terms import W32, W64, evaluate, meanings, opaque, reset, var
from . import (aes, argon2, blake2, blake3, blowfish, chacha20, crc, ghash, keccak, md5, poly1305,
               salsa20, sha1, sha256, sha512, xxh)

KEY = bytes(range(32))
MESSAGE = bytes(range(256)) * 10


def words(data, bits=32, order='little'):
    size = bits // 8
    return [int.from_bytes(data[at:at + size], order) for at in range(0, len(data), size)]


def joined(values, bits=32, order='little'):
    return b''.join(value.to_bytes(bits // 8, order) for value in values)


def equal(actual, expected):
    expected = bytes.fromhex(expected) if type(expected) is str else expected
    assert actual == expected, (actual, expected)


def chacha20_answers():
    # RFC 8439, section 2.3.2.
    stream = chacha20.keystream(words(KEY), 1, words(bytes.fromhex('000000090000004a00000000')), 1)
    equal(joined(stream), '10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e'
                          'd2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e')
    # draft-irtf-cfrg-xchacha-03, section 2.2.1.
    derived = chacha20.hchacha20(words(KEY), words(bytes.fromhex('000000090000004a0000000031415927')))
    equal(joined(derived), '82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc')


def scrypt_answers():
    n, r = 16, 2
    derived = hashlib.pbkdf2_hmac('sha256', b'password', b'salt', 1, 128 * r)
    blocks = [words(derived[at:at + 64]) for at in range(0, len(derived), 64)]
    rows = []
    for _ in range(n):
        rows.append(blocks)
        blocks = salsa20.block_mix(blocks)
    for _ in range(n):
        row = rows[blocks[-1][0] % n]
        blocks = salsa20.block_mix([[a ^ b for a, b in zip(x, y)] for x, y in zip(blocks, row)])
    mixed = b''.join(joined(block) for block in blocks)
    equal(hashlib.pbkdf2_hmac('sha256', b'password', mixed, 1, 32),
          hashlib.scrypt(b'password', salt=b'salt', n=n, r=r, p=1, dklen=32))


def keccak_answers():
    def sponge(rate, suffix, message, rounds=24):
        block = bytearray(message + bytes([suffix]) + bytes(199 - len(message)))
        block[rate - 1] ^= 0x80
        return joined(keccak.permutation(words(block, 64), rounds), 64)[:32]
    equal(sponge(136, 0x06, b'abc'), hashlib.sha3_256(b'abc').digest())
    equal(sponge(168, 0x1f, b'abc'), hashlib.shake_128(b'abc').digest(32))
    # RFC 9861, section 5: TurboSHAKE128.
    equal(sponge(168, 0x1f, b'', 12),
          '1e415f1c5983aff2169217277d17bb538cd945a397ddec541f1ce41af2c1b74c')


def merkle_damgard_answers():
    for module, bits, order in ((sha1, 32, 'big'), (sha256, 32, 'big'), (sha512, 64, 'big'),
                                (md5, 32, 'little')):
        for length in (0, 3, 2 * bits, 1000):
            message, state = MESSAGE[:length], module.INITIAL
            padded = message + b'\x80' + bytes(-(length + 1 + bits // 4) % (2 * bits))
            padded += (8 * length).to_bytes(bits // 4, order)
            for at in range(0, len(padded), 2 * bits):
                state = module.compress(state, words(padded[at:at + 2 * bits], bits, order))
            name = module.__name__.rpartition('.')[2]
            equal(joined(state, bits, order), hashlib.new(name, message).digest())


def blake_answers():
    for width, function in ((W32, hashlib.blake2s), (W64, hashlib.blake2b)):
        bits = width.bits
        chain = list(blake2.INITIAL[bits])
        chain[0] ^= 0x01010000 ^ bits
        message = MESSAGE[:3 * bits]
        for at in (0, 2 * bits):
            end = min(len(message), at + 2 * bits)
            block = message[at:end].ljust(2 * bits, b'\0')
            chain = blake2.compress(width, chain, words(block, bits), end, end == len(message))
        equal(joined(chain, bits), function(message).digest())
    flags = blake3.CHUNK_START | blake3.CHUNK_END | blake3.ROOT
    # The BLAKE3 test vectors, 64 bytes of input.
    equal(joined(blake3.compress(blake3.INITIAL, words(MESSAGE[:64]), 0, 64, flags)),
          '4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98'
          'fc9cc56cb831ffe33ea8e7e1d1df09b26efd2767670066aa82d023b1dfe8ab1b')


def argon2_answers():
    # Argon2d with 8 KiB, one pass and one lane; the reference implementation has the same result.
    def extended(data, length):
        data = struct.pack('<I', length) + data
        if length <= 64:
            return hashlib.blake2b(data, digest_size=length).digest()
        digest = hashlib.blake2b(data).digest()
        result = digest[:32]
        while length - len(result) > 64:
            digest = hashlib.blake2b(digest).digest()
            result += digest[:32]
        return result + hashlib.blake2b(digest, digest_size=length - len(result)).digest()
    seed = hashlib.blake2b(struct.pack('<7I', 1, 32, 8, 1, 0x13, 0, 8) + b'password' + struct.pack('<I', 8)
                           + b'somesalt' + bytes(8)).digest()
    blocks = [words(extended(seed + struct.pack('<II', index, 0), 1024), 64) for index in (0, 1)]
    for index in range(2, 8):
        chosen = blocks[-1][0] % 2**32
        place = index - 2 - ((index - 1) * (chosen**2 >> 32) >> 32)
        blocks.append(argon2.compress(blocks[-1], blocks[place]))
    equal(extended(joined(blocks[-1], 64), 32),
          'c519e603ac603ec1aeb5b71ec44a6179e3f3975b14c0c97e3914c79e6363e178')


def blowfish_answers():
    # Schneier's test vectors.
    for key, expected in ((0, '4ef997456198dd78'), (0xffffffff, 'f21e9a77b71c49bc')):
        p, boxes = blowfish.initial()
        blowfish.expand_key(p, boxes, [key])
        equal(joined(blowfish.encipher(0, 0, p, lambda box, byte: boxes[box][byte]), order='big'), expected)
    # bcrypt of 'abc' with cost 4; the bcrypt package has the same result.
    salt = words(bytes.fromhex('71d79f8218a39259a7a29aabb2dbafc3'), order='big')
    key = words(b'abc\0', order='big')
    p, boxes = blowfish.initial()
    blowfish.expand_key(p, boxes, key, salt)
    for _ in range(2**4):
        blowfish.expand_key(p, boxes, key)
        blowfish.expand_key(p, boxes, salt)
    text = words(b'OrpheanBeholderScryDoubt', order='big')
    for at in range(0, 6, 2):
        for _ in range(64):
            text[at:at + 2] = blowfish.encipher(*text[at:at + 2], p, lambda box, byte: boxes[box][byte])
    equal(joined(text, order='big')[:23], '124dfbc13777809f4f0a72c156280b82dbf49a94ab6a9e')


def aes_answers():
    # FIPS 197, appendix C.
    block = [17 * at for at in range(16)]
    for length, expected in ((16, '69c4e0d86a7b0430d8cdb78070b4c55a'),
                             (24, 'dda97ca4864cdfe06eaf70a0ec0d7191'),
                             (32, '8ea2b7ca516745bfeafc49904b496089')):
        keys = aes.key_expansion(KEY[:length])
        encrypted = aes.encrypt(block, keys)
        equal(bytes(encrypted), expected)
        assert aes.decrypt(encrypted, aes.inverse_keys(keys)) == block
        word, *word_keys = (int.from_bytes(bytes(value), 'little') for value in (block, *keys))
        inverse = [int.from_bytes(bytes(value), 'little') for value in aes.inverse_keys(keys)]
        encrypted_word = aes.encrypt_word(word, word_keys)
        equal(encrypted_word.to_bytes(16, 'little'), expected)
        assert aes.decrypt_word(encrypted_word, inverse) == word
    full = [0] * 4 + [255] * 12
    assert aes.increment_ctr(full) == [0] * 3 + [1] + [0] * 12
    assert aes.increment_gcm(full) == [0] * 4 + [255] * 8 + [0] * 4
    assert aes.increment_gcm_siv(full, 256) == [0, 1, 0, 0] + [255] * 12


def authenticator_answers():
    # The GCM specification, test case 2, and RFC 8452, appendix A.
    assert ghash.ghash(0x66e94bd4ef8a2c3b884cfa59ca342b2e, [0x0388dace60b6a392f328c2b971b2fe78, 0x80]) == \
        0xf38cbb1ad69223dcc3457ae5b6b0f885
    key, *blocks, expected = (int.from_bytes(bytes.fromhex(text), 'little') for text in (
        '25629347589242761d31f826ba4b757b', '4f4f95668c83dfb6401762bb2d01a262',
        'd1a24ddd2721d006bbe45f20d3c9f362', 'f7a3b47b846119fae5b7866cf5e5b77e'))
    assert ghash.polyval(key, blocks) == expected
    # RFC 8439, section 2.5.2.
    key = bytes.fromhex('85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b')
    equal(poly1305.tag(key, b'Cryptographic Forum Research Group'), 'a8061dc1305136c6c22b8baf0c0127a9')


def checksum_answers():
    # The check values of the catalogue of parametrised CRC algorithms.
    for variant, expected in ((crc.CRC32, 0xcbf43926), (crc.CRC32C, 0xe3069283),
                              (crc.CRC64_NVME, 0xae8b14860a799888)):
        assert crc.checksum(b'123456789', variant) == expected


def xxh_answers():
    # The reference implementation has the same results.
    for bits, begin, step, converge, avalanche, expected in (
            (32, xxh.initial32, xxh.round32, xxh.converge32, xxh.avalanche32, 0x096eb0b2),
            (64, xxh.initial64, xxh.round64, xxh.converge64, xxh.avalanche64, 0xca2f2dfc94c5bfb6)):
        state = begin(7)
        for at in range(0, 96, bits // 2):
            state = [step(a, word) for a, word in zip(state, words(MESSAGE[at:at + bits // 2], bits))]
        assert avalanche(converge(state) + 96) == expected

    def long(message, seed, high=False):
        secret = joined(xxh.seeded_secret(seed), 64)
        state = xxh.INITIAL
        stripes = range(0, len(message) - 1 - (len(message) - 1) % 64, 64)
        for number, at in enumerate(stripes):
            keys = xxh.secret_words(number % 16 * 8, 8, secret)
            state = xxh.accumulate(state, words(message[at:at + 64], 64), keys)
            if number % 16 == 15:
                state = xxh.scramble(state, xxh.secret_words(128, 8, secret))
        state = xxh.accumulate(state, words(message[-64:], 64), xxh.secret_words(121, 8, secret))
        product = len(message) * xxh.PRIME64[1 if high else 0]
        initial = (~product if high else product) % 2**64
        return xxh.merge(state, initial, xxh.secret_words(117 if high else 11, 8, secret))
    assert long(MESSAGE[:1100], 0) == 0xfad7fe10e03e3686
    assert long(MESSAGE[:2500], 0x0123456789abcdef) == 0x54ea5c7348f48caf
    assert long(MESSAGE[:2500], 0, high=True) == 0xa33f31995d65e80b


def lookup(box, byte):
    return opaque('box', 32, [(2, box), (8, byte)])


def symbolic():
    """Compares the results on terms, evaluated at random inputs, with those on integers."""
    boxes = [[random.getrandbits(32) for _ in range(256)] for _ in range(4)]
    meanings['box'] = lambda bits, values, attributes: boxes[values[0]][values[1]]

    def encipher(x):
        constant = all(type(word) is int for word in x)
        table = (lambda box, byte: boxes[box][byte]) if constant else lookup
        return blowfish.encipher(x[0], x[1], x[2:], table)
    factor = 0x0123456789abcdeffedcba9876543210
    cases = (
        (16, 32, chacha20.block), (32, 32, lambda x: sum(salsa20.block_mix([x[:16], x[16:]]), [])),
        (25, 64, lambda x: keccak.permutation(x, 1)), (21, 32, lambda x: sha1.compress(x[:5], x[5:])),
        (24, 32, lambda x: sha256.compress(x[:8], x[8:])),
        (10, 32, lambda x: sha256.two_rounds(x[:8], x[8:])),
        (24, 64, lambda x: sha512.compress(x[:8], x[8:])), (20, 32, lambda x: md5.compress(x[:4], x[4:])),
        (24, 32, lambda x: blake2.compress(W32, x[:8], x[8:], 64, True)),
        (24, 64, lambda x: blake2.compress(W64, x[:8], x[8:], 128, False)),
        (24, 32, lambda x: blake3.compress(x[:8], x[8:], 5, 64, 0)),
        (256, 64, lambda x: argon2.compress(x[:128], x[128:])), (20, 32, encipher),
        (16, 8, lambda x: aes.encrypt(x, aes.key_expansion(KEY[:16]))),
        (16, 8, lambda x: aes.decrypt(x, aes.key_expansion(KEY))),
        (32, 8, lambda x: sum(aes.key_expansion(x), [])),
        (12, 128, lambda x: [aes.encrypt_word(x[0], x[1:])]),
        (12, 128, lambda x: [aes.decrypt_word(x[0], x[1:])]),
        (16, 8, aes.increment_ctr), (16, 8, aes.increment_gcm), (16, 8, aes.increment_gcm_siv),
        (1, 128, lambda x: [ghash.multiply(factor, x[0]), ghash.dot(x[0], factor)]),
        (16, 8, lambda x: [crc.checksum(x, variant) for variant in (crc.CRC32, crc.CRC32C, crc.CRC64_NVME)]),
        (16, 64, lambda x: [
            xxh.merge(xxh.accumulate(x[:8], x[8:], xxh.secret_words(8)), 9, xxh.secret_words(11))]),
        (8, 64, lambda x: xxh.scramble(x, xxh.secret_words(128))), (1, 64, lambda x: xxh.seeded_secret(x[0])),
        (4, 64, lambda x: [xxh.avalanche64(xxh.converge64(x))]),
        (4, 32, lambda x: [xxh.avalanche32(xxh.converge32([xxh.round32(a, 5) for a in x]))]))
    for count, bits, function in cases:
        reset()
        inputs = {f'x{at}': random.getrandbits(bits) for at in range(count)}
        result = function([var(name, bits) for name in inputs])
        assert evaluate(result, inputs) == list(function(list(inputs.values()))), (count, bits)


def main():
    for check in (chacha20_answers, scrypt_answers, keccak_answers, merkle_damgard_answers,
                  blake_answers, argon2_answers, blowfish_answers, aes_answers, authenticator_answers,
                  checksum_answers, xxh_answers, symbolic):
        check()
        print(check.__name__)


if __name__ == '__main__':
    main()
