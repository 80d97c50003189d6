"""Blowfish (Schneier, 1993) as bcrypt uses it: the encryption, whatever its tables have become."""

import random

from ..references import blowfish
from ..statements import Entry, pairs_of, statement
from ..terms import concat, meanings, opaque, var

ENCRYPTED = Entry('kdf/bcrypt/blowfish.rs', 'blowfish', '''(
    keys: &[u32; 18], tables: &[[u32; 256]; 4], halves: &mut [u32; 2]
) {
    *halves = encrypted(keys, tables, *halves);
}''')


@statement(name='blowfish', tier='scalar', entry=ENCRYPTED,
           sentence='encrypts every block under all round keys and all tables')
def _(machine):
    keys, halves = ([var(f'{name}{index}', 32) for index in range(count)] for name, count in (('key', 18), ('half', 2)))
    # Numbers for the comparison with a CPU and for examples; to the proof the tables are any functions.
    numbers = random.Random('tables')
    tables = machine.allocate(4096, [numbers.getrandbits(32) for _ in range(1024)], 32)
    machine.tables = {tables + at: tables + at for at in range(0, 4096, 1024)}
    meanings['lookup'] = lambda bits, values, attributes: machine.load(attributes[0] + values[0], bits)

    def lookup(box, byte):
        address = concat([(2, 0), (8, byte), (54, 0)])
        if type(address) is int:
            return machine.load(tables + 1024 * box + address, 32)
        return opaque('lookup', 32, [(64, address)], (tables + 1024 * box,))

    at = machine.allocate(8, halves, 32)
    machine.call(ENCRYPTED.symbol, [machine.allocate(72, keys, 32), tables, at])
    return pairs_of(machine.words(at, 2, 32), blowfish.encipher(*halves, keys, lookup), 32)
