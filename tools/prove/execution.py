"""The test of the executor: each call of an entry is made by the CPU, too, on random inputs.

The memory that a statement prepared is evaluated for random inputs and copied to real memory, the
entry is called, and all that the executor says is in memory afterwards must be there.
"""

from __future__ import annotations

import ctypes
import mmap
import random
from bisect import bisect_right
from pathlib import Path

from .llvm import Machine
from .solvers import Failed
from .terms import evaluate, ones, reachable

ROUNDS = 3
# Names of features in Rust that Linux has other names for.
LINUX = {'sha': 'sha_ni', 'lzcnt': 'abm', 'sse3': 'pni', 'sse4.1': 'sse4_1', 'sse4.2': 'sse4_2', 'popcnt': 'popcnt',
         'avx512vbmi2': 'avx512_vbmi2', 'avx512bitalg': 'avx512_bitalg'}


def cpu_features() -> set:
    """Returns the features of this CPU, as Linux tells them."""
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return set()
    return set(next((line.split(':')[1].split() for line in lines if line.startswith('flags')), []))


def runs_here(features: str) -> bool:
    present = cpu_features()
    return all(LINUX.get(x, x) in present for x in features.split(',') if x)


class Recorder(Machine):
    """A machine that keeps what memory held before and after each call of an entry."""

    def __init__(self, module):
        super().__init__(module)
        self.calls = []
        self._depth = 0

    def call(self, name, arguments):
        self._depth += 1
        try:
            if self._depth > 1:
                return super().call(name, arguments)
            regions, before = list(self.regions), self.memory.snapshot()
            result = super().call(name, arguments)
            self.calls.append((name, list(arguments), regions, before, self.memory.snapshot(), result,
                               self.example or {}))
            return result
        finally:
            self._depth -= 1


def execute(recorder: Recorder, library: Path):
    """Repeats the calls on this CPU; raises Failed if memory differs. Returns the number of bytes compared."""
    loaded = ctypes.CDLL(str(library))
    choose = random.Random(3)
    compared = 0
    for name, arguments, regions, before, after, result, example in recorder.calls:
        function = getattr(loaded, name)
        values = sorted({value for image in (before, after) for value, _, _ in image.values()
                         if type(value) is not int and value is not None}, key=lambda x: x.id)
        scalars = [x for x in (*arguments, result) if type(x) not in (int, type(None), list)]
        variables = [x for x in reachable([*values, *scalars]) if x.kind == 'var']
        for _ in range(ROUNDS):
            inputs = {x.args[0]: choose.getrandbits(x.bits) for x in variables} | example
            known = dict(zip(values, evaluate(values, inputs)))
            real = _RealMemory(regions)
            real.fill(before, known)
            function.restype = ctypes.c_uint64 if type(result) not in (type(None), list) else None
            given = [real.translated(x if type(x) is int else evaluate([x], inputs)[0]) for x in arguments]
            returned = function(*[ctypes.c_uint64(x) for x in given])
            compared += real.compare(after, known, name)
            if function.restype and type(result) is not int:
                expected, = evaluate([result], inputs)
                if returned & ones(result.bits) != expected:
                    raise Failed(f'the CPU returns {returned:#x} from {name}, the executor {expected:#x}')
    return compared


class _RealMemory:
    """Memory of this process for the regions of a machine."""

    def __init__(self, regions):
        self._begins = [begin for begin, _ in regions]
        self._regions = [(begin, size, mmap.mmap(-1, max(size, 1))) for begin, size in regions]
        self._addresses = [ctypes.addressof(ctypes.c_char.from_buffer(memory)) for *_, memory in self._regions]

    def _region(self, address):
        index = bisect_right(self._begins, address) - 1
        if index >= 0 and address - self._begins[index] <= self._regions[index][1]:
            return index
        return None

    def translated(self, value):
        """Returns a machine's address as one of this process, and other values as they are."""
        index = self._region(value)
        return value if index is None else self._addresses[index] + value - self._begins[index]

    def _bytes(self, image, known):
        for (_, address), (value, bits, low) in image.items():
            index = self._region(address)
            if index is not None and address < self._begins[index] + self._regions[index][1] and value is not None:
                whole = value if type(value) is int else known[value]
                if type(value) is int and bits == 64:
                    whole = self.translated(whole)
                yield address, index, whole >> low & 255

    def fill(self, image, known):
        for address, index, byte in self._bytes(image, known):
            self._regions[index][2][address - self._begins[index]] = byte

    def compare(self, image, known, name) -> int:
        compared = 0
        for address, index, byte in self._bytes(image, known):
            found = self._regions[index][2][address - self._begins[index]]
            if found != byte:
                raise Failed(f'the CPU makes another byte of {name} at {address:#x}: {found:#x}, '
                             f'the executor {byte:#x}')
            compared += 1
        return compared
