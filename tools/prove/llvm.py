"""An executor of LLVM IR over terms.

Each instruction is read once into a Python function. A value of iN is an int or a Term, a vector or
an aggregate is a list, a pointer is an int: memory has concrete addresses, and the lengths that a
statement gives are concrete, so that loops and branches are. What is undefined is None.
"""

from __future__ import annotations

import re

from . import intrinsics
from .memory import Memory
from .terms import concat, evaluate, extract, icmp, op, ones, select, sext, signed, zext

ADDRESS_BITS = 64


class Unsupported(Exception):
    """The executor has no model of an instruction."""


class Symbolic(Exception):
    """A branch or an address depends on a symbolic value."""


# Types: int (bits of an integer or pointer), ('v', n, type), ('a', n, type), ('s', types, packed), None (void)

def split(text: str) -> list:
    """Splits at the commas outside of brackets."""
    found, depth, begin = [], 0, 0
    quoted = False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in '<([{':
            depth += 1
        elif char in '>)]}':
            depth -= 1
        elif char == ',' and depth == 0:
            found.append(text[begin:index].strip())
            begin = index + 1
    last = text[begin:].strip()
    return found + [last] if last else found


_types: dict = {}


def type_of(text: str):
    text = text.strip()
    if text not in _types:
        _types[text] = _type_of(text)
    return _types[text]


def _type_of(text):
    if text == 'ptr':
        return ADDRESS_BITS
    if text in ('float', 'double'):
        return 32 if text == 'float' else 64
    if text == 'void':
        return None
    if re.fullmatch(r'i\d+', text):
        return int(text[1:])
    if match := re.fullmatch(r'<(\d+) x (.*)>', text):
        return 'v', int(match[1]), type_of(match[2])
    if match := re.fullmatch(r'\[(\d+) x (.*)\]', text):
        return 'a', int(match[1]), type_of(match[2])
    if text.startswith('<{'):
        return 's', tuple(type_of(x) for x in split(text[2:-2])), True
    if text.startswith('{'):
        return 's', tuple(type_of(x) for x in split(text[1:-1])), False
    raise Unsupported(f'the type {text}')


def take_type(text: str):
    """Splits a type off the beginning: (type, rest)."""
    text = text.lstrip()
    if text[0] in '<[{':
        depth = 0
        for index, char in enumerate(text):
            depth += char in '<[{'
            depth -= char in '>]}'
            if depth == 0:
                return type_of(text[:index + 1]), text[index + 1:].lstrip()
    word = re.match(r'\w+', text)[0]
    return type_of(word), text[len(word):].lstrip()


def size_of(kind) -> int:
    """Returns the bytes that a type takes in memory."""
    if type(kind) is int:
        bits = kind
        return {1: 1}.get(bits, (bits + 7) // 8)
    if kind[0] == 'v':
        return (kind[1] * kind[2] + 7) // 8
    if kind[0] == 'a':
        return kind[1] * size_of(kind[2])
    return offsets_of(kind)[-1]


def align_of(kind) -> int:
    if type(kind) is int:
        return min(16, size_of(kind))
    if kind[0] == 'v':
        return size_of(kind)
    if kind[0] == 'a':
        return align_of(kind[2])
    return 1 if kind[2] else max((align_of(x) for x in kind[1]), default=1)


def offsets_of(kind) -> list:
    """Returns the offset of each field of a structure, and its size."""
    offsets, at = [], 0
    for field in kind[1]:
        if not kind[2]:
            at += -at % align_of(field)
        offsets.append(at)
        at += size_of(field)
    if not kind[2]:
        at += -at % align_of(kind)
    return [*offsets, at]


def lanes(kind) -> int:
    """Returns the number of a vector's elements, 0 for another type."""
    return kind[1] if type(kind) is tuple and kind[0] == 'v' else 0


def element(kind) -> int:
    return kind[2] if lanes(kind) else kind


FLAGS = {'atomic', 'nuw', 'nsw', 'exact', 'disjoint', 'inbounds', 'nneg', 'samesign', 'volatile', 'nusw', 'fast'}


def without_flags(text: str) -> str:
    while True:
        word, _, rest = text.partition(' ')
        if word not in FLAGS:
            return text
        text = rest


# Instructions whose constants say what is computed, not where values are.
CHANGED = re.compile(
    r'(?:= (?:add|sub|mul|and|or|xor|shl|lshr|ashr|shufflevector)\b|@llvm\.(?:fsh|x86\.|aarch64\.))')

NAME = r'%(?:[\w.$-]+|"[^"]*")'


class Machine:
    """The state of one execution: memory, and what was executed."""

    def __init__(self, module):
        self.module = module
        self.memory = Memory(self._initial)
        self._next = 1 << 32
        # (address, bytes) of what was allocated.
        self.regions = []
        self._undefined = []
        self._globals = {}
        self.names = {}
        # What was executed: numbers of debug locations, (function, label), and models of instructions.
        self.executed = set()
        self.blocks = set()
        self.models = set()
        # Constants in memory that were used: name -> bytes.
        self.constants_read = {}
        # Name of a function -> function of (machine, arguments) that is called instead.
        self.replace = {}
        self._code = {}
        self._changed = {}
        self._changed_constants = {}
        # Inputs for which symbolic branches are decided, and the conditions under which they go there.
        self.example = None
        self.path = []
        # Base address -> name, of memory that may be read at symbolic addresses.
        self.tables = {}

    def change(self, change):
        """Changes an instruction, (function, label, index, text), or a constant, (name, first byte)."""
        if len(change) == 2:
            self._changed_constants[change[0]] = change[1]
        else:
            self._changed[change[:3]] = change[3]

    def changeable(self):
        """Lists changes of constants, by one bit, of instructions that were executed and of memory."""
        for function, label in sorted(self.blocks):
            for index, (text, _) in enumerate(self.module.function(function).blocks[label]):
                if CHANGED.search(text):
                    for match in re.finditer(r'(?:\bi\d+ |, )(-?\d+)\b', text):
                        changed = str(int(match[1]) ^ 1)
                        yield function, label, index, text[:match.start(1)] + changed + text[match.end(1):]
        for name, size in sorted(self.constants_read.items()):
            for at in range(size):
                yield name, at

    # Memory

    def allocate(self, size: int, values=None, bits: int = 8) -> int:
        """Returns the address of new memory, after which comes nothing."""
        address = self._next
        self._next += size + 8192 & ~4095
        self.regions.append((address, size))
        if values is not None:
            self.write(address, values, bits)
        return address

    def write(self, address: int, values, bits: int = 8):
        self.memory.write((0, address), values, bits)

    def words(self, address: int, count: int, bits: int) -> list:
        return self.memory.words((0, address), count, bits)

    def _initial(self, address):
        for begin, end in self._undefined:
            if begin <= address[1] < end:
                return None
        raise LookupError(f'a read of memory at {address[1]:#x}, which was never written')

    def load(self, address, kind):
        if type(address) is not int:
            return self._lookup(address, kind)
        if type(kind) is int:
            return self.memory.load((0, address), kind)
        if kind[0] == 'v':
            count, bits = kind[1], kind[2]
            if bits % 8:
                whole = self.memory.load((0, address), count * bits)
                return [extract(whole, count * bits, i * bits, bits) for i in range(count)]
            return self.memory.words((0, address), count, bits)
        if kind[0] == 'a':
            return [self.load(address + i * size_of(kind[2]), kind[2]) for i in range(kind[1])]
        return [self.load(address + at, field) for at, field in zip(offsets_of(kind), kind[1])]

    def store(self, address, kind, value):
        if type(address) is not int:
            raise Symbolic('a store at an address that depends on the input')
        if type(kind) is int:
            self.memory.store((0, address), value, kind)
        elif kind[0] == 'v' and kind[2] % 8:
            bits = kind[2]
            self.memory.store((0, address), concat([(bits, x) for x in value]), bits * kind[1])
        elif kind[0] in 'va':
            for index, x in enumerate(value if value is not None else [None] * kind[1]):
                self.store(address + index * size_of(kind[2]), kind[2], x)
        else:
            for at, field, x in zip(offsets_of(kind), kind[1], value):
                self.store(address + at, field, x)

    def _lookup(self, address, kind):
        constant = offset = None
        if address.kind == 'sum':
            constant = address.args[0]
            offset = op('sub', address, constant, 64)
        elif address.kind == 'concat':
            # No bit is one in both.
            constant, offset = (concat([(size, part if (type(part) is int) == fixed else 0)
                                        for size, part in address.args]) for fixed in (True, False))
        if constant not in self.tables or type(kind) is not int:
            raise Symbolic('a load at an address that depends on the input')
        from .terms import opaque
        return opaque('lookup', kind, [(64, offset)], (self.tables[constant],))

    # Values

    def _taken(self, condition, text):
        """Takes a branch as the example does, if there is one."""
        if self.example is None:
            raise Symbolic(f'a branch: {text}')
        value, = evaluate([condition], self.example)
        self.path.append(condition if value else op('xor', condition, 1, 1))
        return value

    def constant(self, text: str, kind):
        """Reads a constant of a type."""
        if text in ('poison', 'undef'):
            return [None] * kind[1] if lanes(kind) else self._aggregate(kind, None) if type(kind) is tuple else None
        if text == 'zeroinitializer':
            return self._aggregate(kind, 0) if type(kind) is tuple else 0
        if type(kind) is int:
            if text == 'null':
                return 0
            if text in ('true', 'false'):
                return int(text == 'true')
            if text[0] == '@':
                return self.global_address(text)
            if match := re.match(r'(getelementptr|ptrtoint|inttoptr|sub|add|trunc)\b', text):
                return self._expression(match[1], text)
            return int(text) & ones(kind)
        if match := re.fullmatch(r'splat \((.*)\)', text):
            of, rest = take_type(match[1])
            return [self.constant(rest, of)] * kind[1]
        if text.startswith('c"'):
            return list(_string(text[2:-1]))
        inner = text[2:-2] if text.startswith('<{') else text[1:-1]
        found = []
        for part in split(inner):
            of, rest = take_type(part)
            found.append(self.constant(rest, of))
        return found

    def _aggregate(self, kind, value):
        if type(kind) is int:
            return value
        if kind[0] == 's':
            return [self._aggregate(x, value) for x in kind[1]]
        return [self._aggregate(kind[2], value) for _ in range(kind[1])]

    def _expression(self, name, text):
        inner = text[text.index('(') + 1:text.rindex(')')]
        if name == 'getelementptr':
            of, *rest = split(inner)
            base_kind, base = take_type(rest[0])
            return self._element_address(type_of(of), self.constant(base, base_kind), [
                self.constant(take_type(x)[1], take_type(x)[0]) for x in rest[1:]])
        if name in ('ptrtoint', 'inttoptr', 'trunc'):
            kind, rest = take_type(inner)
            value, _, to = rest.partition(' to ')
            return self.constant(value, kind) & ones(type_of(to))
        one, other = (self.constant(take_type(x)[1], take_type(x)[0]) for x in split(inner))
        return op(name, one, other, 64)

    def global_address(self, name: str) -> int:
        """Returns the address of a global, which is written to memory at the first call."""
        if name not in self._globals:
            text = self.module.constant(name)
            if text is None:
                # A function, whose address is only compared or called.
                self._globals[name] = self.allocate(0)
                self.names[self._globals[name]] = name
                return self._globals[name]
            kind, rest = take_type(text)
            address = self._globals[name] = self.allocate(size_of(kind))
            self.names[address] = name
            self.constants_read[name] = size_of(kind)
            self.store(address, kind, self.constant(_first(rest), kind))
            if name in self._changed_constants:
                at = address + self._changed_constants[name]
                self.store(at, 8, op('xor', self.load(at, 8), 1, 8))
        return self._globals[name]

    def _element_address(self, kind, address, indices):
        first, *rest = indices
        address = _offset(address, first, size_of(kind))
        for index in rest:
            if kind[0] == 's':
                address = op('add', address, offsets_of(kind)[index], 64)
                kind = kind[1][index]
            else:
                kind = kind[2]
                address = _offset(address, index, size_of(kind))
        return address

    # Execution

    def call(self, name: str, arguments):
        """Calls a function of the module; returns its result."""
        if name in self.replace:
            return self.replace[name](self, arguments)
        function = self.module.function(name)
        if function is None:
            raise Unsupported(f'the function {name}')
        env = {parameter: value for (_, parameter), value in zip(function.parameters, arguments, strict=True)}
        label, before = function.first, None
        code = self._code_of(function)
        while True:
            self.blocks.add((name, label))
            step = self._block(code[label], env, before)
            if step[0] == 'return':
                return step[1]
            before, label = label, step[1]

    def _block(self, block, env, before):
        phis, steps, last = block
        if phis:
            env.update([(dest, incoming[before](env)) for dest, incoming in phis])
        for dest, run, dbg in steps:
            if dbg is not None:
                self.executed.add(dbg)
            value = run(env)
            if dest is not None:
                env[dest] = value
        return last(env)

    def _code_of(self, function):
        if function.name not in self._code:
            self._code[function.name] = {
                label: self._read_block(function.name, label, instructions)
                for label, instructions in function.blocks.items()}
        return self._code[function.name]

    def _read_block(self, function, label, instructions):
        phis, steps = [], []
        for index, (text, dbg) in enumerate(instructions):
            text = self._changed.get((function, label, index), text)
            dest = None
            if match := re.match(rf'({NAME}) = ', text):
                dest, text = match[1], text[match.end():]
            jump = None
            if text.startswith('invoke '):
                # A panic is not executed: nothing unwinds.
                text, jump = re.match(r'invoke (.*) to (label .*) unwind label ', text).groups()
                text = f'call {text}'
            if text.startswith('phi '):
                phis.append((dest, self._phi(text[4:])))
            elif (last := self._terminator(text, steps, dbg)) is not None:
                return phis, steps, last
            else:
                # Instructions on paths that are never taken need no model.
                try:
                    run = self._instruction(text)
                except Unsupported as error:
                    run = _raiser(error)
                steps.append((dest, run, dbg))
                if jump:
                    return phis, steps, self._terminator(f'br {jump}', steps, dbg)
        raise Unsupported(f'a block without an end: {function} {label}')

    def _phi(self, text):
        kind, rest = take_type(without_flags(text))
        incoming = {}
        for part in split(rest):
            value, label = split(part[1:-1])
            incoming[label[1:].strip('"')] = self._operand(value, kind)
        return incoming

    def _terminator(self, text, steps, dbg):
        word = text.split(' ', 1)[0]
        if text == 'ret void':
            return lambda env: ('return', None)
        if word == 'ret':
            kind, rest = take_type(text[4:])
            value = self._operand(rest, kind)
            return lambda env: ('return', value(env))
        if word == 'br':
            targets = re.findall(r'label %("[^"]*"|[\w.$-]+)', text)
            targets = [x.strip('"') for x in targets]
            if len(targets) == 1:
                return lambda env: ('to', targets[0])
            condition = self._operand(text[len('br i1 '):].split(',')[0], 1)

            def branch(env):
                value = condition(env)
                if type(value) is not int:
                    value = self._taken(value, text)
                return 'to', targets[0 if value else 1]

            return branch
        if word == 'switch':
            head, _, cases = text.partition('[')
            kind, rest = take_type(head[len('switch '):])
            value, default = split(rest)
            value = self._operand(value, kind)
            default = default.split('%')[1].strip().strip('"')
            table = {int(v) & ones(kind): label.strip('"') for v, label in re.findall(
                r'i\d+ (-?\d+), label %("[^"]*"|[\w.$-]+)', cases)}

            def choose(env):
                found = value(env)
                if type(found) is not int:
                    raise Symbolic(f'a branch: {text}')
                return 'to', table.get(found, default)

            return choose
        if word in ('unreachable', 'resume'):
            def fail(env):
                raise AssertionError('unreachable')
            return fail
        return None

    def _operand(self, text, kind):
        text = text.strip()
        if text[0] == '%':
            return lambda env: env[text]
        value = self.constant(text, kind)
        return lambda env: value

    def _typed(self, text):
        """Reads "type value": (type, function of the environment)."""
        kind, rest = take_type(text)
        rest = re.sub(r'^(?:(?:noundef|nonnull|readonly|writeonly|readnone|noalias|nofree|immarg|returned|zeroext|'
                      r'signext|inreg|dead_on_return|nocapture|captures\([^)]*\)|align \d+|'
                      r'dereferenceable(?:_or_null)?\(\d+\)|range\([^)]*\)|'
                      r'initializes\(.*\)\)|sret\([^)]*\)|byval\([^)]*\)) )+', '', rest)
        return kind, self._operand(rest, kind)

    def _instruction(self, text):
        text = without_flags(text)
        word, _, rest = text.partition(' ')
        if word in ('tail', 'musttail', 'notail'):
            word, _, rest = rest.partition(' ')
        reader = getattr(self, f'_read_{word}', None)
        if reader:
            return reader(without_flags(rest))
        if word in BINARY:
            return self._binary(word, without_flags(rest))
        if word in CASTS:
            return self._cast(word, without_flags(rest))
        raise Unsupported(text)

    def _binary(self, word, text):
        kind, rest = take_type(text)
        one, other = (self._operand(x, kind) for x in split(rest))
        bits = element(kind)
        compute = BINARY[word]
        self.models.add(word)
        return _mapped(lambda x, y: None if x is None or y is None else compute(x, y, bits), lanes(kind), one, other)

    def _cast(self, word, text):
        source, _, target = text.rpartition(' to ')
        kind, value = self._typed(source)
        to = type_of(target.split(',')[0])
        self.models.add(word)
        if word == 'bitcast':
            return lambda env: bitcast(value(env), kind, to)
        compute, of, bits = CASTS[word], element(kind), element(to)
        return _mapped(lambda x: None if x is None else compute(x, of, bits), lanes(kind), value)

    def _read_icmp(self, text):
        predicate, _, rest = text.partition(' ')
        if predicate in FLAGS:
            predicate, _, rest = rest.partition(' ')
        kind, rest = take_type(rest)
        one, other = (self._operand(x, kind) for x in split(rest))
        bits = element(kind)
        self.models.add(f'icmp {predicate}')
        return _mapped(lambda x, y: None if x is None or y is None else icmp(predicate, x, y, bits),
                       lanes(kind), one, other)

    def _read_select(self, text):
        (of, condition), (kind, one), (_, other) = (self._typed(x) for x in split(text)[:3])
        bits = element(kind)
        self.models.add('select')
        if lanes(of):
            return _mapped(lambda c, x, y: choose(c, x, y, bits), lanes(kind), condition, one, other)

        def run(env):
            bit, x, y = condition(env), one(env), other(env)
            if type(x) is list:
                return [choose(bit, a, b, bits) for a, b in zip(x, y)]
            return choose(bit, x, y, bits)

        return run

    def _read_freeze(self, text):
        kind, value = self._typed(text)

        def run(env):
            found = value(env)
            if type(found) is list:
                return [0 if x is None else x for x in found]
            return 0 if found is None else found

        return run

    def _read_load(self, text):
        kind, rest = take_type(text)
        address = split(rest)[0] if rest[0] != ',' else split(rest[1:])[0]
        address = self._typed(re.sub(r' (?:monotonic|acquire|seq_cst)$', '', address))[1]
        self.models.add('load')
        return lambda env: self.load(address(env), kind)

    def _read_store(self, text):
        first, second = split(text)[:2]
        kind, value = self._typed(first)
        address = self._typed(second)[1]
        self.models.add('store')
        return lambda env: self.store(address(env), kind, value(env))

    def _read_alloca(self, text):
        kind = take_type(split(text)[0] + ' ')[0]

        def run(env):
            address = self.allocate(size_of(kind))
            self._undefined.append((address, address + size_of(kind)))
            return address

        return run

    def _read_getelementptr(self, text):
        of, base, *indices = split(text)
        kind = type_of(of)
        base_kind, base = self._typed(base)
        indices = [self._typed(x) for x in indices]
        count = max(lanes(base_kind), *[lanes(x) for x, _ in indices])
        self.models.add('getelementptr')

        def address(from_, places):
            return self._element_address(kind, from_, [
                signed(x, bits) if type(x) is int else sext(x, bits, 64) for x, bits in places])

        def run(env):
            from_, places = base(env), [(index(env), element(of)) for of, index in indices]
            if not count:
                return address(from_, places)
            return [address(from_[n] if lanes(base_kind) else from_,
                            [(x[n] if type(x) is list else x, bits) for x, bits in places]) for n in range(count)]

        return run

    def _read_shufflevector(self, text):
        (kind, one), (_, other), (mask_kind, mask) = (self._typed(x) for x in split(text)[:3])
        places = mask({})
        self.models.add('shufflevector')

        def run(env):
            both = [*one(env), *other(env)]
            return [None if place is None else both[place] for place in places]

        return run

    def _read_insertelement(self, text):
        (_, vector), (_, value), (_, place) = (self._typed(x) for x in split(text)[:3])
        self.models.add('insertelement')

        def run(env):
            found = list(vector(env))
            found[place(env)] = value(env)
            return found

        return run

    def _read_extractelement(self, text):
        (_, vector), (_, place) = (self._typed(x) for x in split(text)[:2])
        self.models.add('extractelement')
        return lambda env: vector(env)[place(env)]

    def _read_extractvalue(self, text):
        first, *places = split(text)
        value = self._typed(first)[1]
        places = [int(x) for x in places]

        def run(env):
            found = value(env)
            for place in places:
                found = found[place]
            return found

        return run

    def _read_insertvalue(self, text):
        first, second, place, *more = split(text)
        if more:
            raise Unsupported(text)
        aggregate, value = self._typed(first)[1], self._typed(second)[1]

        def run(env):
            found = list(aggregate(env))
            found[int(place)] = value(env)
            return found

        return run

    def _read_call(self, text):
        if ' asm ' in text:
            return self._assembly(text)
        match = re.search(r'(@(?:"[^"]*"|[\w.$]+)|%[\w.$-]+)\(', text)
        if match is None:
            raise Unsupported(f'call {text}')
        # Attributes of the result are before its type, which is the last word.
        head = text[:match.start()].strip()
        kind = _result_type(head)
        inner = _balanced(text, match.end() - 1)
        arguments = [self._typed(x) for x in split(inner) if not x.startswith('metadata')]
        name = match[1]
        if name.startswith('@llvm.'):
            return self._intrinsic(name[6:], kind, arguments)
        if name[0] == '%':
            return lambda env: self.call(self._function_at(env[name]), [value(env) for _, value in arguments])
        name = name[1:].strip('"')
        return lambda env: self.call(name, [value(env) for _, value in arguments])

    def _function_at(self, address):
        if address not in self.names:
            raise Unsupported('a call of an unknown address')
        return self.names[address][1:].strip('"')

    def _assembly(self, text):
        match = re.search(r'asm (?:\w+ )*"([^"]*)", "([^"]*)"', text)
        kind = _result_type(text[:match.start()].strip())
        arguments = [self._typed(x)[1] for x in split(_balanced(text, match.end()))]

        def run(env):
            outputs = intrinsics.assembly(self, match[1], match[2], [value(env) for value in arguments])
            return None if kind is None else outputs[0] if type(kind) is int else outputs

        return run

    def _intrinsic(self, name, kind, arguments):
        if name.startswith(NOTHING):
            return lambda env: None
        model = intrinsics.find(name)
        if model is None:
            raise Unsupported(f'llvm.{name}')
        values = [value for _, value in arguments]
        kinds = [of for of, _ in arguments]
        self.models.add(model.__name__ if name.startswith(('x86.', 'aarch64.')) else name.split('.')[0])
        self.models.add(f'llvm.{name}')
        return lambda env: model(self, kind, kinds, *[value(env) for value in values])


NOTHING = ('lifetime', 'assume', 'dbg', 'experimental.noalias', 'prefetch', 'x86.avx.vzeroupper')


def _raiser(error):
    def run(env):
        raise error
    return run


def _first(text):
    """Returns the first of a global's initializer and its attributes."""
    return split(text)[0]


def _string(text):
    at = 0
    while at < len(text):
        if text.startswith('\\\\', at):
            yield ord('\\')
            at += 2
        elif text[at] == '\\':
            yield int(text[at + 1:at + 3], 16)
            at += 3
        else:
            yield ord(text[at])
            at += 1


def _balanced(text, begin):
    depth = 0
    for index in range(begin, len(text)):
        depth += text[index] in '(<[{'
        depth -= text[index] in ')>]}'
        if depth == 0:
            return text[begin + 1:index]
    raise Unsupported(text)


def _result_type(head):
    """Returns the type at the end of attributes, before a name (and a list of parameters)."""
    if head.endswith(')'):
        head = head[:head.rindex('(')].strip()
    if head[-1] in '>]}':
        depth = 0
        for index in range(len(head) - 1, -1, -1):
            depth += head[index] in '>]}'
            depth -= head[index] in '<[{'
            if depth == 0:
                return type_of(head[index:])
    return type_of(head.split()[-1])


def _mapped(compute, count, *values):
    if len(values) == 1:
        value, = values
        return (lambda env: [compute(x) for x in value(env)]) if count else (lambda env: compute(value(env)))
    if len(values) == 2:
        one, other = values
        if count:
            return lambda env: [compute(x, y) for x, y in zip(one(env), other(env))]
        return lambda env: compute(one(env), other(env))
    return lambda env: [compute(*xs) for xs in zip(*[value(env) for value in values])]


def choose(bit, x, y, bits):
    if bit is None or x is None or y is None:
        return (x if bit else y) if type(bit) is int else None
    return select(bit, x, y, bits)


def _offset(address, index, size):
    if type(address) is int and type(index) is int:
        return address + index * size & ones(64)
    return op('add', address, op('mul', index if type(index) is not int else index & ones(64), size, 64), 64)


def bitcast(value, kind, to):
    """Reads the bits of a value as another type."""
    bits, out = element(kind), element(to)
    values = value if lanes(kind) else [value]
    if bits == out:
        found = list(values)
    elif bits > out:
        found = []
        for x in values:
            found += [None] * (bits // out) if x is None else [extract(x, bits, at, out) for at in range(0, bits, out)]
    else:
        size = out // bits
        found = []
        for at in range(0, len(values), size):
            part = values[at:at + size]
            found.append(None if None in part else concat([(bits, x) for x in part]))
    return found if lanes(to) else found[0]


def _divide(x, y, bits):
    if type(x) is int and type(y) is int:
        return x // y
    if type(y) is int and y & (y - 1) == 0:
        return op('lshr', x, y.bit_length() - 1, bits)
    raise Unsupported('a division of symbolic values')


def _remainder(x, y, bits):
    if type(x) is int and type(y) is int:
        return x % y
    if type(y) is int and y & (y - 1) == 0:
        return op('and', x, y - 1, bits)
    raise Unsupported('a division of symbolic values')


BINARY = {name: (lambda x, y, bits, name=name: op(name, x, y, bits)) for name in (
    'add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'lshr', 'ashr')}
BINARY['udiv'], BINARY['urem'] = _divide, _remainder

CASTS = {
    'zext': zext, 'sext': sext, 'trunc': lambda x, of, to: extract(x, of, 0, to),
    'bitcast': None, 'ptrtoint': lambda x, of, to: extract(x, of, 0, to), 'inttoptr': lambda x, of, to: x,
    'addrspacecast': lambda x, of, to: x,
}
