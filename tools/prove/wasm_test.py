"""Compares the executor of WebAssembly with Node's: each operation, and the modules that are shipped."""

from __future__ import annotations

import base64
import json
import random
import struct
import subprocess
import time
from pathlib import Path

from .terms import evaluate, reset, var
from .wasm import BASE, PAGE, TYPES, Instance, Module, Symbolic, Trap, _Compiler
from .wasm_operations import BITS, LOADS, NAMES, OPERATIONS, SHAPES, STORES

MODULES = Path(__file__).parents[2] / 'dist' / 'edge' / 'wasm'
ROUNDS = 24

NODE = '''
const tasks = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const decode = (value) => (typeof value === 'string' ? BigInt(value) : value);
console.log(JSON.stringify(tasks.map(({ module, writes, calls }) => {
  const compiled = new WebAssembly.Module(Buffer.from(module, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, {});
  for (const [at, bytes] of writes)
    new Uint8Array(exports.memory.buffer).set(Buffer.from(bytes, 'base64'), at);
  const results = calls.map(([name, values]) => {
    try {
      const result = exports[name](...values.map(decode));
      return result === undefined ? [] : [typeof result === 'bigint' ? `${result}` : result];
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      return 'trap';
    }
  });
  return { results, memory: Buffer.from(exports.memory.buffer).toString('base64') };
})));
'''


class Task:
    """Calls of a module, after writes to its memory: [(address, bytes)], [(name, arguments)]."""

    def __init__(self, module: bytes):
        self.module, self.writes, self.calls = module, [], []

    def described(self):
        return {'module': base64.b64encode(self.module).decode(),
                'writes': [(at, base64.b64encode(bytes(data)).decode()) for at, data in self.writes],
                'calls': self.calls}

    def executed(self):
        """Returns the results, the memory and the instance of the executor."""
        instance = Instance(Module(self.module))
        for at, data in self.writes:
            instance.memory.write((BASE, at), data)
        results = []
        for name, arguments in self.calls:
            try:
                results.append(instance.call(name, arguments))
            except Trap:
                results.append('trap')
        return results, bytes(instance.memory.bytes((BASE, 0), instance.pages * PAGE)), instance


def node(tasks):
    """Returns the results and the memory of each task in Node's engine."""
    text = json.dumps([task.described() for task in tasks])
    answer = subprocess.run(
        ['node', '-e', NODE], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout

    def read(found):
        results = [x if x == 'trap' else [int(y) % (1 << 32) for y in x] for x in found['results']]
        return results, base64.b64decode(found['memory'])

    return [read(found) for found in json.loads(answer)]


# An assembler

NUMBERS = {name: key for key, name in NAMES.items()}
KINDS = {name: number for number, name in TYPES.items()}


def unsigned(value: int) -> bytes:
    found = []
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def signed(value: int) -> bytes:
    found = []
    while not -64 <= value < 64:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value & 127])


def several(items) -> bytes:
    return unsigned(len(items)) + b''.join(items)


def instruction(name, *immediates) -> bytes:
    prefix, number = NUMBERS[name]
    code = bytes([prefix]) + unsigned(number) if prefix else bytes([number])
    if name in ('i32.const', 'i64.const'):
        bits = int(name[1:3])
        return code + signed((immediates[0] ^ 1 << bits - 1) - (1 << bits - 1))
    if name == 'f64.const':
        return code + struct.pack('<d', immediates[0])
    if name == 'v128.const':
        return code + immediates[0].to_bytes(16, 'little')
    if name == 'br_table':
        return code + unsigned(len(immediates) - 1) + b''.join(map(unsigned, immediates))
    return code + b''.join(map(unsigned, immediates))


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def assembled(types, functions, pages, data=b'', table=()):
    """Returns a module; `functions` are (exported name, number of the type, i32 locals, code)."""
    def name(text):
        return several([bytes([byte]) for byte in text.encode()])

    def kinds(names):
        return several([bytes([KINDS[kind]]) for kind in names])

    bodies = []
    for _, _, extra, code in functions:
        body = several([unsigned(extra) + b'\x7f'] if extra else []) + code + instruction('end')
        bodies.append(unsigned(len(body)) + body)
    exports = [name(text) + b'\0' + unsigned(at) for at, (text, *_) in enumerate(functions)]
    zero = instruction('i32.const', 0) + instruction('end')
    return b''.join((
        b'\0asm\1\0\0\0',
        section(1, several([b'\x60' + kinds(given) + kinds(results) for given, results in types])),
        section(3, several([unsigned(kind) for _, kind, _, _ in functions])),
        section(4, several([b'\x70\0' + unsigned(len(table) + 1)])),
        section(5, several([b'\1' + unsigned(pages) + unsigned(pages + 3)])),
        section(6, several([b'\x7f\1' + instruction('i32.const', 3) + instruction('end')])),
        section(7, several([*exports, name('memory') + b'\2\0'])),
        section(9, several([b'\0' + zero + several([unsigned(index) for index in table])])),
        section(10, several(bodies)),
        section(11, several([b'\0' + zero + several([bytes([byte]) for byte in data])])),
    ))


# Each operation

def chosen(choose, bits, other=0):
    """Returns a value of lanes, some of which are at a limit or those of another value."""
    if choose.randrange(4) == 0:
        return other & (1 << bits) - 1
    size = choose.choice([x for x in (8, 16, 32, 64) if x <= bits])
    most = (1 << size) - 1
    # No lane is zero if this is one.
    least = choose.choice((0, 1))
    value = 0
    for at in range(0, bits, size):
        value |= least << at
        value |= choose.choice((
            choose.getrandbits(size), choose.getrandbits(size), choose.getrandbits(4), 0, most,
            1 << size - 1, most >> 1, *[other >> at & most] * 4)) << at
    return value


def constants(choose, kinds):
    """Returns code that puts constants on the stack."""
    code, value = b'', 0
    for kind in kinds:
        if kind == 'f64':
            value = choose.choice((choose.uniform(-3, 300), choose.uniform(-2**66, 2**66), float('nan'),
                                   float('inf'), -0.0))
        else:
            value = chosen(choose, BITS[kind], value)
        code += instruction(f'{kind}.const', value)
    return code


def lane_of(choose, name):
    if name == 'i8x16.shuffle':
        return [choose.randrange(32) for _ in range(16)]
    if '_lane' not in name:
        return []
    shape = name.split('.')[0]
    bits = {**LOADS, **STORES}[name][1] if shape == 'v128' else SHAPES[shape]
    return [choose.randrange(128 // bits)]


DATA, SLOTS = 1024, 16


def operation_code(choose, name, at):
    """Returns code that writes what an operation makes of constants to a slot of the memory."""
    def address(place):
        offset = choose.randrange(place)
        return instruction('i32.const', place - offset), [0, offset]

    if name in STORES:
        kind, bits, _ = STORES[name]
        before, access = address(at + choose.randrange(SLOTS - bits // 8 + 1))
        return before + constants(choose, [kind]) + instruction(name, *access, *lane_of(choose, name))
    if name in LOADS:
        kind, bits, _ = LOADS[name]
        before, access = address(choose.randrange(1, DATA - bits // 8))
        value = before + (constants(choose, [kind]) if '_lane' in name else b'')
        value += instruction(name, *access, *lane_of(choose, name))
    else:
        operands, kind, _ = OPERATIONS[name]
        value = constants(choose, operands)
        value += instruction(name, *lane_of(choose, name))
    return instruction('i32.const', at) + value + instruction(f'{kind}.store', 0, 0)


def operations_task(choose):
    """Returns a task that executes each operation of the executor some times, and their names."""
    names = [name for name in (*OPERATIONS, *LOADS, *STORES) for _ in range(ROUNDS)]
    functions = [(f'{name} {index}', 0, 0, operation_code(choose, name, DATA + SLOTS * index))
                 for index, name in enumerate(names)]
    pages = (DATA + SLOTS * len(names)) // PAGE + 1
    task = Task(assembled([([], [])], functions, pages, choose.randbytes(DATA)))
    task.calls = [(name, []) for name, *_ in functions]
    return task, names


def control_task():
    """Returns a task of what has no values to compute: branches, calls, locals and the memory."""
    block, i32 = 0x40, 0x7F
    main = [
        ('block', i32), ('block', block), ('block', block), ('local.get', 0), ('br_table', 0, 1, 0), ('end',),
        ('i32.const', 5), ('i32.const', 11), ('br', 1), ('i32.const', 1), ('drop',), ('block', block),
        ('end',), ('end',), ('i32.const', 22), ('end',),
        ('local.get', 0), ('if', i32), ('i32.const', 5), ('else',), ('i32.const', 7), ('end',),
        ('i32.add',),
        ('local.get', 0), ('i32.const', 1), ('i32.and',), ('call_indirect', 0, 0), ('local.set', 1),
        ('loop', block), ('local.get', 1), ('i32.const', 3), ('i32.add',), ('local.tee', 1),
        ('i32.const', 1000), ('i32.lt_u',), ('br_if', 0), ('end',),
        ('local.get', 1), ('local.get', 0), ('local.get', 0), ('select',), ('global.get', 0), ('nop',),
        ('block', 1), ('i32.sub',), ('end',), ('global.set', 0),
        ('local.get', 0), ('if', block), ('i32.const', 9), ('drop',), ('end',),
        ('memory.size', 0), ('i32.const', 1), ('memory.grow', 0), ('i32.const', 9999), ('memory.grow', 0),
        ('i32.add',), ('i32.add',), ('global.get', 0), ('local.get', 1), ('local.get', 0),
        ('select_typed', 1, i32), ('i32.add',), ('call', 2), ('return',), ('unreachable',)]
    helpers = [
        [('local.get', 0), ('i32.const', 100), ('i32.add',)],
        [('i32.const', 40), ('i32.const', 0x1AB), ('i32.const', 20), ('memory.fill', 0),
         ('i32.const', 50), ('i32.const', 44), ('i32.const', 30), ('memory.copy', 0, 0), ('local.get', 0)],
        [('unreachable',)]]
    codes = [b''.join(instruction(*step) for step in code) for code in (main, *helpers)]
    functions = [(name, 0, 1, code) for name, code in zip(('main', 'add', 'move', 'trap'), codes)]
    task = Task(assembled([(['i32'], ['i32']), (['i32', 'i32'], ['i32'])], functions, 1, b'', (1, 3)))
    task.calls = [('main', [number]) for number in (0, 1, 2, 7, 8)] + [('trap', [1])]
    return task


def expected_names():
    """Returns the operations that the executor models, but those without a step."""
    control = {name for name in NAMES.values() if hasattr(_Compiler, '_' + name.replace('.', '_'))}
    constants = {f'{kind}.const' for kind in ('i32', 'i64', 'f64', 'v128')}
    return {*OPERATIONS, *LOADS, *STORES, *control, *constants} - {'block', 'loop', 'end', 'nop', 'drop'}


def operations():
    """Compares each operation, and requires that none is left out."""
    choose = random.Random(1)
    calculations, names = operations_task(choose)
    tasks = [calculations, control_task()]
    executed = set()
    for task, (results, memory) in zip(tasks, node(tasks)):
        found, bytes_, instance = task.executed()
        executed |= instance.executed
        for (name, arguments), one, other in zip(task.calls, found, results):
            assert one == other, (name, arguments, one, other)
        if task is calculations:
            for index, name in enumerate(names):
                at = DATA + SLOTS * index
                assert bytes_[at:at + SLOTS] == memory[at:at + SLOTS], (name, index)
        assert bytes_ == memory
    missing = expected_names() - executed
    assert not missing, f'not executed: {missing}'


def symbolic_operations():
    """Compares each operation on terms with itself on constants."""
    choose = random.Random(2)
    for name, (operands, _, function) in OPERATIONS.items():
        if 'f64' in operands:
            continue
        reset()
        lane = lane_of(choose, name)
        given = [var(f'x{index}', BITS[kind]) for index, kind in enumerate(operands)]
        try:
            result = function(*given, *lane)
        except Symbolic:
            continue
        for _ in range(ROUNDS):
            values = []
            for kind in operands:
                values.append(chosen(choose, BITS[kind], values[-1] if values else 0))
            found = evaluate([result], {f'x{index}': value for index, value in enumerate(values)})
            assert found == [function(*values, *lane)], (name, values)


# The modules

def shipped():
    """Requires that all instructions of the modules are modelled, but those on floats."""
    modelled = expected_names() | {'block', 'loop', 'end', 'nop', 'drop'}
    for path in MODULES.glob('*.wasm'):
        module = Module(path.read_bytes())
        for index, function in enumerate(module.functions):
            if not function.imported:
                missing = {name for _, name, _ in module.instructions(index)} - modelled
                assert all(name.startswith(('f32.', 'f64.')) for name in missing), (path.stem, missing)


class Layout:
    """A task of a module of the package, with places in its memory."""

    def __init__(self, family: str):
        self.task = Task((MODULES / f'{family}.wasm').read_bytes())
        self.module = Module(self.task.module)
        self.at = Instance(self.module).exported('__heap_base')

    def place(self, data):
        """Returns the address of bytes; of zeros if `data` is their number."""
        at = self.at = -(-self.at // 64) * 64
        data = bytes(data) if type(data) is int else data
        self.task.writes.append((at, data))
        self.at += len(data)
        return at

    def call(self, name, *arguments):
        given = self.module.functions[self.module.exports[name][1]].parameters
        self.task.calls.append((name, list(arguments)[:len(given)]))


def hash_task(choose, family, number, state_size, digest_size):
    layout = Layout(family)
    first, rest = (layout.place(choose.randbytes(size)) for size in (1500, 333))
    state, next_state, digest = (layout.place(size) for size in (state_size, state_size, digest_size))
    seeded = [layout.place(1), 0, choose.getrandbits(31), choose.getrandbits(31)]
    if family == 'blake2b':
        seeded[2:] = 0, 0
    layout.call('update', number, 0, first, 1500, state, state_size, *seeded)
    layout.call('update', number, state, rest, 100, next_state, state_size, *seeded)
    layout.call('finish', number, next_state, rest, 333, digest, digest_size, *seeded)
    if 'iterate' in layout.module.exports:
        block = layout.place(choose.randbytes(128))
        inner, outer = layout.place(state_size), layout.place(state_size)
        total, last = layout.place(digest_size), layout.place(choose.randbytes(digest_size))
        layout.call('update', number, 0, block, 128, inner, state_size)
        layout.call('update', number, 0, block, 128, outer, state_size)
        layout.call('iterate', number, inner, outer, last, total, digest_size, 2)
        layout.call('mac', number, inner, outer, rest, 70, total, digest_size)
    return layout.task


def stream_task(choose, family, key_size, size, offset):
    layout = Layout(family)
    key, iv, text = (layout.place(choose.randbytes(count)) for count in (key_size, 16, size))
    layout.call('apply', key, key_size, iv, offset, text, size)
    return layout.task


def aead_task(choose, family, key_size, nonce_size, size):
    layout = Layout(family)
    message_size = Instance(layout.module).call('size', [])[0]
    message, tag = layout.place(message_size), layout.place(16)
    key, nonce, aad, text = (
        layout.place(choose.randbytes(count)) for count in (key_size, nonce_size, 45, size))
    begin = message, key, key_size, nonce, nonce_size, aad, 45
    layout.call('size')
    layout.call('begin', *begin)
    layout.call('seal', message, text, size)
    layout.call('tag', message, tag, 16)
    for right in (True, False):
        layout.call('begin', *begin)
        layout.call('open', message, text, size, tag, 16 if right else 15)
        layout.call('verify', message, tag, 16)
    return layout.task


HASHES = (('md5', 0, 88, 16), ('sha1', 1, 92, 20), ('sha256', 3, 104, 32), ('sha256', 2, 104, 28),
          ('sha512', 5, 200, 64), ('sha512', 4, 200, 48), ('sha3', 9, 202, 32), ('sha3', 15, 202, 64),
          ('blake2b', 18, 200, 64), ('xxh3', 25, 336, 8), ('xxh3', 26, 336, 16),
          ('crc', 27, 4, 4), ('crc', 28, 4, 4), ('crc', 29, 8, 8))
STREAMS = (('chacha20', 32, 1000, 0), ('chacha20', 32, 130, 77), ('chacha20', 32, 1024, 2**38),
           ('aes-ctr', 16, 200, 16), ('aes-ctr', 24, 77, 16), ('aes-ctr', 32, 513, 16))
AEADS = (('aes-gcm', 16, 12, 300), ('aes-gcm', 32, 20, 64), ('chacha20-poly1305', 32, 12, 300),
         ('chacha20-poly1305', 32, 24, 1024))


def modules():
    """Compares functions of the modules: their results and all of their memory."""
    choose = random.Random(3)
    tasks = [hash_task(choose, *row) for row in HASHES]
    tasks += [stream_task(choose, *row) for row in STREAMS]
    tasks += [aead_task(choose, *row) for row in AEADS]
    for task, (results, memory) in zip(tasks, node(tasks)):
        found, bytes_, _ = task.executed()
        # Calls succeed, but those with a wrong tag, and `size` returns a size.
        for (name, _), result in zip(task.calls, results):
            assert result == [0] or name in ('size', 'open', 'verify') and result != 'trap', (name, result)
        assert found == results, (task.calls, found, results)
        assert bytes_ == memory, task.calls


def symbolic_chacha20():
    """Compares ChaCha20 on symbolic texts, keys and nonces."""
    choose = random.Random(4)
    for size in (64, 100, 320):
        layout = Layout('chacha20')
        sizes = {'key': 32, 'iv': 16, 'text': size}
        places = {name: (layout.place(count), count) for name, count in sizes.items()}
        (key, _), (iv, _), (text, _) = places.values()
        reset()
        instance = Instance(layout.module)
        for name, (at, count) in places.items():
            instance.memory.write((BASE, at), [var(f'{name}{index}', 8) for index in range(count)])
        assert instance.call('apply', [key, 32, iv, 128.0, text, size]) == [0]
        result = instance.memory.bytes((BASE, text), size)
        inputs = [{f'{name}{index}': choose.getrandbits(8) for name, (_, count) in places.items()
                   for index in range(count)} for _ in range(4)]
        tasks = []
        for values in inputs:
            task = Task(layout.task.module)
            task.writes = [(at, [values[f'{name}{index}'] for index in range(count)])
                           for name, (at, count) in places.items()]
            task.calls = [('apply', [key, 32, iv, 128, text, size])]
            tasks.append(task)
        for values, (_, memory) in zip(inputs, node(tasks)):
            assert bytes(evaluate(result, values)) == memory[text:text + size], size


def main():
    for check in (operations, symbolic_operations, shipped, modules, symbolic_chacha20):
        begin = time.monotonic()
        check()
        print(f'{check.__name__} {time.monotonic() - begin:.1f} s')


if __name__ == '__main__':
    main()
