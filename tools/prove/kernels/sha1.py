"""SHA-1 (FIPS 180-4): several messages at once, and HMAC iterations."""

from ..references.sha1 import compress
from ..statements import statement
from .lanes import BLOCKS, FEATURES, NARROW, WIDE, hashes, interleaved, iterates, iterations, states

FILE = 'cpu/x86_64/lanes/sha1.rs'

for tier, runs, kernel, lanes in (('AVX-512', WIDE, 'Wide::iterate::<5>', 16),
                                  ('AVX2', NARROW, 'Narrow::iterate::<5>', 8),
                                  ('SHA-NI', interleaved(4, 3, 2), 'iterate_interleaved::<4, 5>', 4)):
    name = tier.lower().replace('-', '')
    hashed = hashes(FILE, f'sha1_{name}', 'Sha1', '[u32; 5]', runs, tier)
    iterated = iterates(FILE, f'sha1_iterations_{name}', kernel, 'u32', 5, lanes, FEATURES[tier])
    batches = ([116, 60, 60, 116], [52] * 3, [116, 60]) if tier == 'SHA-NI' else ([52] * lanes + [116, 60],)

    @statement(name=f'sha-1-{name}', tier=tier, entry=hashed,
               sentence=f'hashes {lanes} messages at once and fewer, {BLOCKS}, from every state')
    def _(machine, entry=hashed, batches=batches):
        return [pair for sizes in batches for pair in states(machine, entry, sizes, compress, 5, 32, 'big')]

    @statement(name=f'sha-1-iterations-{name}', tier=tier, entry=iterated,
               sentence=f'computes two HMAC iterations of {lanes} blocks')
    def _(machine, entry=iterated, lanes=lanes):
        return iterations(machine, entry, lanes, compress, 2, 5, 32, 5)
