"""Memory with concrete addresses and symbolic bytes."""

from __future__ import annotations

from .terms import concat, extract


class Memory:
    """Bytes at addresses, which are any hashable (base, offset) pairs or ints.

    A byte is an int or a term of 8 bits, kept as (value, width, first bit) so that what was stored
    is loaded as the same term.
    """

    def __init__(self, initial=None):
        # Called with an address that was never written; returns a byte, or raises.
        self.initial = initial
        self._bytes: dict = {}

    def store(self, address, value, bits: int):
        """Stores a value of whole bytes, little endian. Bits above a width like 1 are zeros."""
        base, offset = address
        if bits % 8:
            value, bits = concat([(bits, value), (-bits % 8, 0)]), bits + -bits % 8
        for index in range(bits // 8):
            self._bytes[base, offset + index] = (value, bits, 8 * index)

    def load(self, address, bits: int):
        """Loads a value of whole bytes, little endian."""
        base, offset = address
        width = bits + -bits % 8
        parts = []
        for index in range(width // 8):
            found = self._bytes.get((base, offset + index))
            if found is None:
                found = (self._never_written((base, offset + index)), 8, 0)
            value, of, low = found
            if parts and parts[-1][0] is value and parts[-1][1] == of and parts[-1][2] + parts[-1][3] == low:
                parts[-1][3] += 8
            else:
                parts.append([value, of, low, 8])
        if len(parts) == 1 and parts[0][1] == parts[0][3] == bits:
            return parts[0][0]
        if any(value is None for value, *_ in parts):
            return None
        joined = concat([(count, extract(value, of, low, count)) for value, of, low, count in parts])
        return joined if width == bits else extract(joined, width, 0, bits)

    def _never_written(self, address):
        if self.initial is None:
            raise LookupError(f'a read of {address}, which was never written')
        return self.initial(address)

    def copy(self, target, source, size: int):
        """Copies bytes, which may overlap."""
        (base, offset), (of, at) = target, source
        read = []
        for index in range(size):
            found = self._bytes.get((of, at + index))
            read.append((self._never_written((of, at + index)), 8, 0) if found is None else found)
        for index, byte in enumerate(read):
            self._bytes[base, offset + index] = byte

    def fill(self, target, byte, size: int):
        base, offset = target
        for index in range(size):
            self._bytes[base, offset + index] = (byte, 8, 0)

    def snapshot(self) -> dict:
        """Returns {address: (value, its bits, first bit of the byte)} of what was written."""
        return dict(self._bytes)

    def bytes(self, address, size: int):
        """Returns the bytes from an address on."""
        base, offset = address
        return [self.load((base, offset + index), 8) for index in range(size)]

    def write(self, address, values, bits: int = 8):
        """Writes values of `bits` each, one after the other."""
        base, offset = address
        for index, value in enumerate(values):
            self.store((base, offset + index * bits // 8), value, bits)

    def words(self, address, count: int, bits: int):
        """Returns `count` values of `bits` each."""
        base, offset = address
        return [self.load((base, offset + index * bits // 8), bits) for index in range(count)]
