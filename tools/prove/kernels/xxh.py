"""XXH32 (xxhash_spec.md 0.2.0): stripes with products in vectors, and in scalar code."""

from ..references import xxh
from ..statements import Entry, statement
from ..terms import W32, var


def takes(machine, name, bits, count):
    """Returns variables and the address where they are."""
    words = [var(f'{name}{index}', bits) for index in range(count)]
    return words, machine.allocate(count * bits // 8, words, bits)


def rounds(name, entry, tier, count, *arguments):
    """States that whole stripes are absorbed."""
    @statement(name=name, tier=tier, entry=entry, fast=True,
               sentence=f'absorbs {count} stripes, all four lanes')
    def _(machine):
        lanes, at = takes(machine, 'lane', 32, 4)
        words, text = takes(machine, 'text', 32, 4 * count)
        machine.call(entry.symbol, [at, text, count, *(machine.allocate(1) for _ in arguments)])
        for index, word in enumerate(words):
            lanes[index % 4] = xxh.round32(lanes[index % 4], word)
        return list(zip(machine.words(at, 4, 32), lanes, [32] * 4))


XXH32 = Entry('cpu/x86_64/xxh.rs', 'xxh32_avx2',
              '''(lanes: &mut [u32; 4], stripes: *const [[u8; 16]; 8], count: usize, proof: &Avx2) {
                  *lanes = consume(*lanes, unsafe { std::slice::from_raw_parts(stripes, count / 8) }, *proof);
              }''', 'avx2')
XXH32_SCALAR = Entry('cpu/any/xxh.rs', 'xxh32_scalar',
                     '''(lanes: &mut [u32; 4], stripes: *const [u8; 16], count: usize) {
                         *lanes = consume_32(*lanes, unsafe { std::slice::from_raw_parts(stripes, count) });
                     }''')

rounds('xxh32-avx2', XXH32, 'AVX2', 16, 'proof')
rounds('xxh32', XXH32_SCALAR, 'scalar', 5)
