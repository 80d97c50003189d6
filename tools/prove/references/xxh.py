"""XXH32, XXH64 and XXH3: xxhash_spec.md 0.2.0 of the xxHash project."""

from ..terms import W32, W64, W128, extract, zext

PRIME32 = 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1
PRIME64 = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
           0x27d4eb2f165667c5)
SECRET = bytes.fromhex(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221'
    'b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8'
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb'
    '170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e')
PRIME_MX1 = 0x165667919e3779f9
# The accumulators of XXH3 before the first stripe.
INITIAL = [PRIME32[2], PRIME64[0], PRIME64[1], PRIME64[2], PRIME64[3], PRIME32[1], PRIME64[4], PRIME32[0]]


def secret_words(offset, count=8, secret=SECRET):
    """Returns little-endian words of the secret from a byte on."""
    return [W64.from_bytes(secret[at:at + 8], 'little') for at in range(offset, offset + 8 * count, 8)]


def seeded_secret(seed):
    """Returns the 24 words of the secret that a seed makes: it is added and subtracted in turn."""
    return [(W64.sub if at % 2 else W64.add)(word, seed) for at, word in enumerate(secret_words(0, 24))]


def round32(accumulator, lane):
    """XXH32, step 2."""
    return W32.mul(W32.rotl(W32.add(accumulator, W32.mul(lane, PRIME32[1])), 13), PRIME32[0])


def initial32(seed):
    """XXH32, step 1."""
    return [W32.add(seed, PRIME32[0], PRIME32[1]), W32.add(seed, PRIME32[1]), seed, W32.sub(seed, PRIME32[0])]


def converge32(accumulators):
    """XXH32, step 3."""
    return W32.add(*(W32.rotl(word, k) for word, k in zip(accumulators, (1, 7, 12, 18))))


def avalanche32(word):
    """XXH32, step 6."""
    word = W32.mul(W32.xor(word, W32.shr(word, 15)), PRIME32[1])
    word = W32.mul(W32.xor(word, W32.shr(word, 13)), PRIME32[2])
    return W32.xor(word, W32.shr(word, 16))


def round64(accumulator, lane):
    """XXH64, step 2."""
    return W64.mul(W64.rotl(W64.add(accumulator, W64.mul(lane, PRIME64[1])), 31), PRIME64[0])


def initial64(seed):
    """XXH64, step 1."""
    return [W64.add(seed, PRIME64[0], PRIME64[1]), W64.add(seed, PRIME64[1]), seed, W64.sub(seed, PRIME64[0])]


def converge64(accumulators):
    """XXH64, step 3."""
    result = W64.add(*(W64.rotl(word, k) for word, k in zip(accumulators, (1, 7, 12, 18))))
    for word in accumulators:
        result = W64.add(W64.mul(W64.xor(result, round64(0, word)), PRIME64[0]), PRIME64[3])
    return result


def avalanche64(word):
    """XXH64, step 6."""
    word = W64.mul(W64.xor(word, W64.shr(word, 33)), PRIME64[1])
    word = W64.mul(W64.xor(word, W64.shr(word, 29)), PRIME64[2])
    return W64.xor(word, W64.shr(word, 32))


def multiply_fold(a, b):
    """XXH3: the exclusive or of the halves of a product of 128 bits."""
    product = W128.mul(zext(a, 64, 128), zext(b, 64, 128))
    return W64.xor(extract(product, 128, 0, 64), extract(product, 128, 64, 64))


def accumulate(accumulators, stripe, secret):
    """XXH3, step 2-1: absorbs 8 words of input with 8 of the secret."""
    result = list(accumulators)
    for lane, (word, key) in enumerate(zip(stripe, secret)):
        value = W64.xor(word, key)
        low, high = (zext(extract(value, 64, at, 32), 32, 64) for at in (0, 32))
        result[lane ^ 1] = W64.add(result[lane ^ 1], word)
        result[lane] = W64.add(result[lane], W64.mul(low, high))
    return result


def scramble(accumulators, secret):
    """XXH3, step 2-2: after a block of stripes, with the last 64 bytes of the secret."""
    return [W64.mul(W64.xor(word, W64.shr(word, 47), key), PRIME32[0])
            for word, key in zip(accumulators, secret)]


def avalanche3(word):
    """XXH3: its own avalanche."""
    word = W64.mul(W64.xor(word, W64.shr(word, 37)), PRIME_MX1)
    return W64.xor(word, W64.shr(word, 32))


def merge(accumulators, initial, secret):
    """XXH3, step 3: merges the accumulators with 8 words of the secret."""
    pairs = zip(accumulators[::2], accumulators[1::2], secret[::2], secret[1::2])
    products = [multiply_fold(W64.xor(a, k), W64.xor(b, m)) for a, b, k, m in pairs]
    return avalanche3(W64.add(initial, *products))
