"""Reflected CRCs, bit by bit: the lowest bit of a byte comes first."""

from ..terms import Width, concat, sext

# The bits and the reflected polynomial.
CRC32 = 32, 0xedb88320
CRC32C = 32, 0x82f63b78
CRC64_NVME = 64, 0x9a6c9329ac4bc9b5


def update(register, values, variant):
    """Absorbs bytes into the register, which begins with ones and is inverted at the end."""
    bits, polynomial = variant
    width = Width(bits)
    for byte in values:
        register = width.xor(register, concat([(8, byte), (bits - 8, 0)]))
        for _ in range(8):
            lowest = sext(width.bit(register, 0), 1, bits)
            register = width.xor(width.shr(register, 1), width.and_(lowest, polynomial))
    return register


def update_bits(register, values, variant):
    """Absorbs bits, the lowest of a byte first; a bit is any int, and `^` its sum."""
    for bit in values:
        carry = register[0] ^ bit
        register = [x ^ carry if variant[1] >> at & 1 else x for at, x in enumerate([*register[1:], 0])]
    return register


def checksum(values, variant):
    width = Width(variant[0])
    return width.not_(update(width.not_(0), values, variant))
