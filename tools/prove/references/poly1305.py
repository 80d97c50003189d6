"""Poly1305 of RFC 8439, section 2.5, on integers."""

PRIME = 2**130 - 5


def clamp(r: int) -> int:
    return r & 0x0ffffffc0ffffffc0ffffffc0fffffff


def absorb(accumulator: int, r: int, block: int, bits: int = 128) -> int:
    """Adds a block of `bits` with a one above them, and multiplies."""
    return (accumulator + block + (1 << bits)) * r % PRIME


def finish(accumulator: int, s: int) -> int:
    return (accumulator % PRIME + s) % 2**128


def tag(key: bytes, message: bytes) -> bytes:
    r, s = clamp(int.from_bytes(key[:16], 'little')), int.from_bytes(key[16:], 'little')
    accumulator = 0
    for at in range(0, len(message), 16):
        block = message[at:at + 16]
        accumulator = absorb(accumulator, r, int.from_bytes(block, 'little'), 8 * len(block))
    return finish(accumulator, s).to_bytes(16, 'little')
