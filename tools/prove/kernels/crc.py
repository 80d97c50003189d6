"""CRC-32, CRC-32C and CRC-64/NVME by carry-less products: linear functions over GF(2)."""

import re

from .. import gf2, terms
from ..references import crc
from ..solvers import Failed
from ..statements import Entry, statement
from ..terms import meanings, var, zext

VARIANTS = {'CRC-32': crc.CRC32, 'CRC-32C': crc.CRC32C, 'CRC-64/NVME': crc.CRC64_NVME}


def entries(file, name, code, features='', architecture='x86_64'):
    """Returns an entry for each polynomial, which `code` has as {0}, and the text as `bytes`."""
    return {label: Entry(
        file, f'{name}_{polynomial:x}',
        '(register: u64, bytes: *const u8, size: usize) -> u64 { unsafe { '
        'let bytes = std::slice::from_raw_parts(bytes, size); ' + code.format(polynomial) + ' } }',
        features, architecture) for label, (_, polynomial) in VARIANTS.items()}


def folding(file, name, function, *rest):
    return entries(file, name, f'{function}(Polynomial::<{{0:#x}}>::CONSTANTS, register, bytes.as_chunks().0, '
                   'std::mem::transmute(()))', *rest)


class Anywhere(dict):
    """Has a table at each address, whose name is that."""

    def __contains__(self, address):
        return True

    def __missing__(self, address):
        return address


class Tables(gf2.Polynomials):
    """Polynomials with tables of 256 entries that are linear functions of the byte."""

    def __init__(self, machine):
        super().__init__()
        self.machine = machine
        meanings['lookup'] = lambda bits, values, attributes: machine.load(attributes[0] + values[0], bits)

    def _of(self, term, get):
        if term.kind != 'opaque':
            return super()._of(term, get)
        _, ((_, offset),), (address,) = term.args
        zeros = (term.bits // 8).bit_length() - 1
        byte, entries = get(offset, 64)[zeros:], self.machine.words(address, 256, term.bits)
        linear = [0]
        for at in range(8):
            linear += [entries[1 << at] ^ x for x in linear]
        if entries != linear or any(byte[8:]) or any(get(offset, 64)[:zeros]):
            raise Failed('not a linear table of bytes')
        result = [0] * term.bits
        for at, bit in enumerate(byte[:8]):
            result = [x ^ bit if entries[1 << at] >> place & 1 else x for place, x in enumerate(result)]
        return result


ONCE = re.compile(r'@(\w*4once5futex\w*4Once4call)\(')


def once(machine, arguments):
    """Calls what a `Once` is to call: the third pointer of a closure's table after its size."""
    _, _, closure, table, *_ = arguments
    # The tables that it makes are constants.
    watch, terms.watch = terms.watch, None
    machine.call(machine.names[machine.load(table + 32, 64)].strip('@"'), [closure, machine.allocate(8, [0] * 8)])
    terms.watch = watch
    machine.constants_read.clear()


def absorbs(machine, symbol, size, variant):
    """Runs an entry; returns what the register is and has to be, and the ring of both."""
    bits, _ = variant
    machine.tables = Anywhere()
    text = [var(f'text{index}', 8) for index in range(size)]
    register = var('register', bits)
    found = machine.call(symbol, [zext(register, bits, 64), machine.allocate(size, text), size])
    ring = Tables(machine)
    given, *words = ring.of([(x, x.bits) for x in (register, *text)])
    return [(found, crc.update_bits(given, sum(words, []), variant) + [0] * (64 - bits), 64)], ring


def decide(runs):
    return [x for pairs, ring in runs for x in gf2.require_equal(pairs, ring)][:1]


def state(name, tier, entries, sizes):
    for label, found in entries.items():
        @statement(name=f'{label.lower().replace("/", "-")}-{name}', tier=tier, entry=found, decider=decide,
                   method='polynomials over GF(2)',
                   sentence=f'absorbs {", ".join(map(str, sizes))} bytes of any text into any register of {label}')
        def _(machine, found=found, label=label):
            if found.file == 'cpu/any/crc.rs':
                machine.replace[ONCE.search(machine.module.text)[1]] = once
            return [absorbs(machine, found.symbol, size, VARIANTS[label]) for size in sizes]



SHORT = (16, 48, 64, 272)
state('128', 'PCLMULQDQ', folding('cpu/x86_64/crc.rs', 'crc_128', 'fold_128', 'pclmulqdq,sse2'), SHORT)
state('256', 'AVX2', folding('cpu/x86_64/crc.rs', 'crc_256', 'fold_256', 'pclmulqdq,vpclmulqdq,avx2'),
      (256, 304, 688))
state('512', 'AVX-512', folding('cpu/x86_64/crc.rs', 'crc_512', 'fold_512',
                                'pclmulqdq,vpclmulqdq,avx512f,avx512vl,avx512bw'), (256, 624, 1456))
state('aarch64', 'PMULL', folding('cpu/aarch64/crc.rs', 'crc_aarch64', 'fold', 'neon,aes', 'aarch64'), SHORT)
state('bytes', 'tables', entries('hash/crc/field.rs', 'crc_bytes',
                                 'by_tables(Polynomial::<{0:#x}>::TABLES, register, bytes)'), (8, 29))
state('words', 'tables', entries('cpu/any/crc.rs', 'crc_words',
                                 'absorb::<{0:#x}>(register, bytes)'), (16, 45))
