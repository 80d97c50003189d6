"""MD5 (RFC 1321) of several messages."""

from ..references.md5 import compress
from ..statements import statement
from .lanes import BLOCKS, NARROW, WIDE, hashes, states

for tier, runs, lanes in (('AVX-512', WIDE, 16), ('AVX2', NARROW, 8)):
    name = tier.lower().replace('-', '')
    entry = hashes('cpu/x86_64/lanes/md5.rs', f'md5_{name}', 'Md5', '[u32; 4]', runs, tier)

    @statement(name=f'md5-{name}', tier=tier, entry=entry,
               sentence=f'hashes {lanes} messages at once and fewer, {BLOCKS}, from every state')
    def _(machine, entry=entry, lanes=lanes):
        return states(machine, entry, [55] * lanes + [119, 63], compress, 4, 32, 'little')
