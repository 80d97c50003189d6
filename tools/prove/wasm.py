"""An executor of WebAssembly modules, of their bytes, over terms.

Each function is read once, at its first call, into a list of Python functions, one for each
instruction, which work on the slots of a frame: its locals, and behind them its stack. Addresses,
branches and divisors must be concrete.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from .memory import Memory
from .terms import extract, select
from .wasm_operations import BITS, LOADS, NAMES, OPERATIONS, STORES, Symbolic, Trap, concrete, is_set

__all__ = ('Instance', 'Module', 'Symbolic', 'Trap')

PAGE = 65_536
TYPES = {0x7F: 'i32', 0x7E: 'i64', 0x7D: 'f32', 0x7C: 'f64', 0x7B: 'v128', 0x70: 'funcref', 0x6F: 'externref'}
BASE = 'memory'
TWO_FLOATS = frozenset('eq ne lt gt le ge add sub mul div min max copysign store'.split())


class Reader:
    """Reads the binary format."""

    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self, bits: int) -> int:
        """Reads a signed number; returns it modulo 2^bits."""
        begin, value = self.at, self.number()
        length = 7 * (self.at - begin)
        return (value - (value >> (length - 1) << length)) & ((1 << bits) - 1)

    def name(self) -> str:
        return self.bytes(self.number()).decode()

    def list(self, read) -> list:
        return [read() for _ in range(self.number())]

    def type(self) -> str:
        return TYPES[self.byte()]

    def limits(self):
        bounded = self.byte() & 1
        return self.number(), self.number() if bounded else None

    def instruction(self):
        """Reads an instruction; returns its name and its immediates."""
        first = self.byte()
        key = (first, self.number()) if first in (0xFC, 0xFD) else (0, first)
        name = NAMES.get(key)
        if name is None:
            raise NotImplementedError(f'instruction {key[0]:#x} {key[1]:#x}')
        return name, self._immediates(name)

    def _immediates(self, name):
        if name in ('block', 'loop', 'if'):
            return [self.signed(33)]
        if name == 'br_table':
            return [*self.list(self.number), self.number()]
        if name == 'select_typed':
            return self.list(self.type)
        if name in ('i32.const', 'i64.const'):
            return [self.signed(BITS[name[:3]])]
        if name in ('f32.const', 'f64.const'):
            return list(struct.unpack(*(('<f', self.bytes(4)) if name[1] == '3' else ('<d', self.bytes(8)))))
        if name == 'v128.const':
            return [int.from_bytes(self.bytes(16), 'little')]
        if name == 'i8x16.shuffle':
            return list(self.bytes(16))
        if name in ('call_indirect', 'memory.copy'):
            return [self.number(), self.number()]
        if name in ('br', 'br_if', 'call', 'memory.size', 'memory.grow', 'memory.fill') \
                or name.startswith(('local.', 'global.')):
            return [self.number()]
        found = []
        if '.load' in name or '.store' in name:
            self.number()
            found.append(self.number())
        if '_lane' in name:
            found.append(self.byte())
        return found


@dataclass
class Function:
    """A function: its type, and where its code begins; none for an import."""

    parameters: list
    results: list
    imported: tuple | None = None
    begin: int = 0
    size: int = 0


class Module:
    """A module as its bytes describe it."""

    def __init__(self, data: bytes):
        assert data[:8] == b'\0asm\1\0\0\0', 'not a module'
        self.data = data
        self.types: list = []
        self.functions: list = []
        self.table_size = 0
        self.memory_limits = (0, 0)
        # (type, mutable, initial value)
        self.globals: list = []
        # name -> (kind, index)
        self.exports: dict = {}
        # (offset, indices of functions)
        self.elements: list = []
        # (offset, bytes)
        self.data_segments: list = []
        reader = Reader(data, 8)
        sections = {1: self._type, 2: self._import, 3: self._function, 4: self._table, 5: self._memory,
                    6: self._global, 7: self._export, 9: self._element, 11: self._data}
        while reader.at < len(data):
            kind, size = reader.byte(), reader.number()
            end = reader.at + size
            if kind in sections:
                for _ in range(reader.number()):
                    sections[kind](reader)
            elif kind == 10:
                self._code(reader)
            elif kind not in (0, 12):
                raise NotImplementedError(f'section {kind}')
            reader.at = end

    def _type(self, reader):
        assert reader.byte() == 0x60
        self.types.append((reader.list(reader.type), reader.list(reader.type)))

    def _import(self, reader):
        name = (reader.name(), reader.name())
        if reader.byte() != 0:
            raise NotImplementedError(f'the import {name}, which is no function')
        self.functions.append(Function(*self.types[reader.number()], name))

    def _function(self, reader):
        self.functions.append(Function(*self.types[reader.number()]))

    def _table(self, reader):
        reader.type()
        self.table_size = reader.limits()[0]

    def _memory(self, reader):
        self.memory_limits = reader.limits()

    def _global(self, reader):
        self.globals.append((reader.type(), reader.byte(), self._constant(reader)))

    def _export(self, reader):
        name, kind = reader.name(), reader.byte()
        self.exports[name] = (('function', 'table', 'memory', 'global')[kind], reader.number())

    def _element(self, reader):
        if reader.number() != 0:
            raise NotImplementedError('an element segment that is not active')
        self.elements.append((self._constant(reader), reader.list(reader.number)))

    def _data(self, reader):
        if reader.number() != 0:
            raise NotImplementedError('a data segment that is not active')
        self.data_segments.append((self._constant(reader), reader.bytes(reader.number())))

    def _code(self, reader):
        assert reader.number() == sum(function.imported is None for function in self.functions)
        for function in self.functions:
            if function.imported is None:
                function.size = reader.number()
                function.begin = reader.at
                reader.at += function.size

    def _constant(self, reader):
        name, (value,) = reader.instruction()
        if name == 'global.get':
            value = self.globals[value][2]
        elif not name.endswith('.const'):
            raise NotImplementedError(f'{name} in a constant')
        assert reader.instruction()[0] == 'end'
        return value

    def instructions(self, index: int):
        """Yields (offset in the module, name, immediates) of a function."""
        function = self.functions[index]
        reader = Reader(self.data, function.begin)
        reader.list(lambda: (reader.number(), reader.byte()))
        while reader.at < function.begin + function.size:
            yield reader.at, *reader.instruction()


@dataclass
class Code:
    """A function that was read: its steps take a frame, and return where to go on or None."""

    locals: list
    steps: list = field(default_factory=list)
    # (name of the operation, offset in the module) of each step.
    sources: list = field(default_factory=list)
    # Numbers of the steps that were executed.
    executed: set = field(default_factory=set)
    slots: int = 0


@dataclass
class Label:
    """Where a branch goes, with values of these types from a slot on."""

    slot: int
    types: list
    results: list
    target: int = -1
    otherwise: int = -1
    # The types of the values with which both branches of an `if` begin.
    parameters: list = field(default_factory=list)


class Instance:
    """An instance of a module. `imports` has functions by (module, name)."""

    def __init__(self, module: Module, imports=None):
        self.module = module
        self.imports = imports or {}
        # Index of a function -> function(instance, arguments) that is called in its place.
        self.replace: dict = {}
        self.pages, self.most_pages = module.memory_limits
        image = bytearray()
        for offset, data in module.data_segments:
            image.extend(bytes(max(0, offset + len(data) - len(image))))
            image[offset:offset + len(data)] = data
        self.memory = Memory(lambda address: image[address[1]] if address[1] < len(image) else 0)
        self.globals = [value for _, _, value in module.globals]
        self.table = [None] * module.table_size
        for offset, indices in module.elements:
            self.table[offset:offset + len(indices)] = indices
        # Offset of an instruction in the module -> its immediates in place of those.
        self.changed: dict = {}
        # Index of a function -> Code.
        self.codes: dict = {}

    def call(self, name: str, arguments) -> list:
        """Calls an exported function; returns its results."""
        return self.call_function(self.module.exports[name][1], list(arguments))

    def exported(self, name: str):
        """Returns the value of an exported global."""
        return self.globals[self.module.exports[name][1]]

    def change(self, change):
        """Changes the immediates of an instruction, (its offset, its name, immediates)."""
        self.changed[change[0]] = change[2]

    def changeable(self):
        """Lists changes of constants, by one bit, of instructions that were executed."""
        for index, code in sorted(self.codes.items()):
            offsets = {code.sources[at][1] for at in code.executed}
            for offset, name, immediates in self.module.instructions(index):
                if offset in offsets and (name.endswith('.const') or name == 'i8x16.shuffle'):
                    place = len(immediates) // 2
                    yield offset, name, [x ^ 1 if at == place else x for at, x in enumerate(immediates)]

    @property
    def executed(self) -> set:
        """The names of the operations that were executed."""
        return {code.sources[at][0] for code in self.codes.values() for at in code.executed}

    def call_function(self, index: int, arguments: list) -> list:
        """Calls a function by its index."""
        function = self.module.functions[index]
        if index in self.replace:
            return list(self.replace[index](self, arguments))
        if function.imported:
            return list(self.imports[function.imported](*arguments) or ())
        code = self.codes.get(index)
        if code is None:
            code = self.codes[index] = _Compiler(self, function).code
        frame = [*arguments, *code.locals, *[None] * (code.slots - len(arguments) - len(code.locals))]
        steps, executed = code.steps, code.executed
        at, end = 0, len(steps)
        while at < end:
            executed.add(at)
            following = steps[at](frame)
            at = at + 1 if following is None else following
        first = len(arguments) + len(code.locals)
        return frame[first:first + len(function.results)]

    def place(self, address, offset: int, size: int):
        """Returns the address of `size` bytes in the memory."""
        found = concrete(address, 'an address') + offset
        if found + size > self.pages * PAGE:
            raise Trap(f'address {found:#x} is beyond the memory')
        return BASE, found


class _Compiler:
    """Reads a function. The types of the slots at an instruction are those of the validation."""

    def __init__(self, instance: Instance, function: Function):
        self.instance, self.module = instance, instance.module
        self.reader = Reader(self.module.data, function.begin)
        groups = self.reader.list(lambda: (self.reader.number(), self.reader.type()))
        declared = [kind for count, kind in groups for _ in range(count)]
        self.code = Code([0.0 if kind[0] == 'f' else 0 for kind in declared])
        self.types = [*function.parameters, *declared]
        self.labels = [Label(len(self.types), function.results, function.results)]
        # Depth of blocks in code that is never reached; -1 in code that is.
        self.dead = -1
        while self.labels:
            offset = self.reader.at
            name, immediates = self.reader.instruction()
            immediates = instance.changed.get(offset, immediates)
            if self.dead >= 0 and not self._revives(name):
                continue
            step = self._step(name, immediates)
            if step:
                self.code.steps.append(step)
                self.code.sources.append((name, offset))
            self.code.slots = max(self.code.slots, len(self.types))

    def _revives(self, name) -> bool:
        if name in ('block', 'loop', 'if'):
            self.dead += 1
        elif name == 'end' or name == 'else' and self.dead == 0:
            self.dead -= 1
            return self.dead < 0
        return False

    def _step(self, name, immediates):
        """Returns the function of an instruction, or None; follows the types."""
        if name in OPERATIONS:
            operands, result, function = OPERATIONS[name]
            return self._apply(function, len(operands), result, immediates)
        if name in LOADS:
            return self._load(*LOADS[name], *immediates)
        if name in STORES:
            return self._store(*STORES[name], *immediates)
        if name.endswith('.const'):
            value, slot = immediates[0], self._push(name.split('.')[0])

            def constant(frame):
                frame[slot] = value
            return constant
        found = getattr(self, '_' + name.replace('.', '_'), None)
        return found(*immediates) if found else self._unknown(name)

    def _unknown(self, name):
        """Follows the types of an operation on floats, which cannot be executed."""
        kind, _, operation = name.partition('.')
        if kind not in ('i32', 'i64', 'f32', 'f64'):
            raise NotImplementedError(name)
        self._pop(2 if operation in TWO_FLOATS else 1)
        if operation != 'store':
            self._push('i32' if operation in ('eq', 'ne', 'lt', 'gt', 'le', 'ge') else kind)

        def step(frame):
            raise NotImplementedError(name)
        return step

    def _push(self, kind) -> int:
        self.types.append(kind)
        return len(self.types) - 1

    def _pop(self, count=1) -> int:
        """Removes values; returns the slot of the first."""
        del self.types[len(self.types) - count:]
        return len(self.types)

    # Values

    def _apply(self, function, count, result, immediates):
        slot = self._pop(count)
        self._push(result)
        if immediates:
            def step(frame):
                frame[slot] = function(*frame[slot:slot + count], *immediates)
        elif count == 1:
            def step(frame):
                frame[slot] = function(frame[slot])
        elif count == 2:
            def step(frame):
                frame[slot] = function(frame[slot], frame[slot + 1])
        else:
            def step(frame):
                frame[slot] = function(*frame[slot:slot + count])
        return step

    def _load(self, kind, bits, function, offset, lane=None):
        slot = self._pop(1 if lane is None else 2)
        self._push(kind)
        instance = self.instance

        def step(frame):
            value = instance.memory.load(instance.place(frame[slot], offset, bits // 8), bits)
            frame[slot] = function(value) if lane is None else function(value, frame[slot + 1], lane)
        return step

    def _store(self, kind, bits, function, offset, *lane):
        slot, instance = self._pop(2), self.instance

        def step(frame):
            value = function(frame[slot + 1], *lane)
            instance.memory.store(instance.place(frame[slot], offset, bits // 8), value, bits)
        return step

    def _drop(self):
        self._pop()

    def _nop(self):
        pass

    def _select(self, *_):
        slot = self._pop(2)
        bits = BITS.get(self.types[-1])
        slot -= 1

        def step(frame):
            frame[slot] = select(is_set(frame[slot + 2]), frame[slot], frame[slot + 1], bits)
        return step

    _select_typed = _select

    def _local_get(self, index):
        slot = self._push(self.types[index])

        def step(frame):
            frame[slot] = frame[index]
        return step

    def _local_set(self, index):
        slot = self._pop()

        def step(frame):
            frame[index] = frame[slot]
        return step

    def _local_tee(self, index):
        slot = len(self.types) - 1

        def step(frame):
            frame[index] = frame[slot]
        return step

    def _global_get(self, index):
        slot, values = self._push(self.module.globals[index][0]), self.instance.globals

        def step(frame):
            frame[slot] = values[index]
        return step

    def _global_set(self, index):
        slot, values = self._pop(), self.instance.globals

        def step(frame):
            values[index] = frame[slot]
        return step

    # Memory

    def _memory_size(self, _):
        slot, instance = self._push('i32'), self.instance

        def step(frame):
            frame[slot] = instance.pages
        return step

    def _memory_grow(self, _):
        slot, instance = len(self.types) - 1, self.instance

        def step(frame):
            pages = instance.pages + concrete(frame[slot], 'a size')
            allowed = pages <= (PAGE if instance.most_pages is None else instance.most_pages)
            frame[slot] = instance.pages if allowed else 0xFFFF_FFFF
            instance.pages = pages if allowed else instance.pages
        return step

    def _memory_copy(self, *_):
        slot, instance = self._pop(3), self.instance

        def step(frame):
            size = concrete(frame[slot + 2], 'a size')
            target, source = (instance.place(frame[at], 0, size) for at in (slot, slot + 1))
            instance.memory.copy(target, source, size)
        return step

    def _memory_fill(self, _):
        slot, instance = self._pop(3), self.instance

        def step(frame):
            size = concrete(frame[slot + 2], 'a size')
            byte = extract(frame[slot + 1], 32, 0, 8)
            instance.memory.fill(instance.place(frame[slot], 0, size), byte, size)
        return step

    # Control

    def _type_of_block(self, number):
        if number < 1 << 32:
            return self.module.types[number]
        kind = TYPES.get(number & 0x7F)
        return [], [kind] if kind else []

    def _block(self, number):
        parameters, results = self._type_of_block(number)
        self.labels.append(Label(len(self.types) - len(parameters), results, results))

    def _loop(self, number):
        parameters, results = self._type_of_block(number)
        slot = len(self.types) - len(parameters)
        self.labels.append(Label(slot, parameters, results, len(self.code.steps)))

    def _if(self, number):
        slot = self._pop()
        self._block(number)
        label = self.labels[-1]
        label.parameters = self.types[label.slot:]

        def step(frame):
            return None if concrete(frame[slot], 'a condition') else label.otherwise
        return step

    def _else(self):
        label = self.labels[-1]
        label.otherwise = len(self.code.steps) + 1
        self.types[label.slot:] = label.parameters
        return lambda frame: label.target

    def _end(self):
        label = self.labels.pop()
        if label.target < 0:
            label.target = len(self.code.steps)
        if label.otherwise < 0:
            label.otherwise = label.target
        self.types[label.slot:] = label.results

    def _jump(self, depth):
        """Returns the function of a branch that is taken."""
        label = self.labels[-1 - depth]
        count, end = len(label.types), len(self.types)
        if label.slot == end - count:
            return lambda frame: label.target

        def step(frame):
            frame[label.slot:label.slot + count] = frame[end - count:end]
            return label.target
        return step

    def _br(self, depth):
        self.dead = 0
        return self._jump(depth)

    def _br_if(self, depth):
        slot = self._pop()
        jump = self._jump(depth)
        return lambda frame: jump(frame) if concrete(frame[slot], 'a condition') else None

    def _br_table(self, *depths):
        slot = self._pop()
        self.dead = 0
        jumps = [self._jump(depth) for depth in depths]
        return lambda frame: jumps[min(concrete(frame[slot], 'a condition'), len(jumps) - 1)](frame)

    def _return(self):
        return self._br(len(self.labels) - 1)

    def _unreachable(self):
        self.dead = 0

        def step(frame):
            raise Trap('unreachable')
        return step

    def _call(self, index):
        function = self.module.functions[index]
        return self._call_of(function.parameters, function.results, lambda frame: index)

    def _call_indirect(self, kind, _):
        parameters, results = self.module.types[kind]
        instance, slot = self.instance, self._pop()

        def target(frame):
            place = concrete(frame[slot], 'the function of a call')
            index = instance.table[place] if place < len(instance.table) else None
            function = None if index is None else instance.module.functions[index]
            if function is None or (function.parameters, function.results) != (parameters, results):
                raise Trap('a call of no function of this type')
            return index
        return self._call_of(parameters, results, target)

    def _call_of(self, parameters, results, target):
        slot, instance = self._pop(len(parameters)), self.instance
        self.types += results

        def step(frame):
            found = instance.call_function(target(frame), frame[slot:slot + len(parameters)])
            frame[slot:slot + len(results)] = found
        return step
