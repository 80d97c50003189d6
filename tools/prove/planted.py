"""Mistakes in the sources, each of which a statement must refute: `npm run prove -- --planted`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A change of one place of a file in crates/core/src, and the statement that must fail."""

    kind: str
    file: str
    before: str
    after: str
    statement: str

    def made_in(self, text: str) -> str:
        if self.before not in text:
            raise LookupError(f'{self.file} has no {self.before}')
        return text.replace(self.before, self.after, 1)


MISTAKES = (
    Mistake('rotation', 'cpu/x86_64/chacha/avx2.rs', 'left::<12, 20>', 'left::<11, 21>', 'chacha20-avx2'),
    Mistake('rotation', 'cpu/x86_64/argon2.rs', '_mm512_ror_epi64::<24>', '_mm512_ror_epi64::<25>',
            'argon2-avx512-mix'),
    Mistake('rotation', 'hash/blake2/mod.rs', '.rotate_right($r2)', '.rotate_right($r3)', 'blake2b'),
    Mistake('rotation', 'cpu/x86_64/lanes/sha1.rs', 'rotated_left::<30>($b)', 'rotated_left::<29>($b)',
            'sha-1-avx2'),
    Mistake('round constant', 'cpu/x86_64/aes/expand.rs', '0x10, 0x20, 0x40];', '0x10, 0x21, 0x40];',
            'aes-expand-256'),
    Mistake('mask', 'cipher/poly1305/mod.rs', 'high as u64 & MASK_42]', 'high as u64 & MASK_44]',
            'poly1305-multiply'),
    Mistake('shift', 'cpu/x86_64/poly1305/ifma.rs', '5 * (c >> 42)', '5 * (c >> 43)', 'poly1305-ifma'),
    Mistake('lane order', 'cpu/x86_64/argon2.rs', '_mm256_shuffle_epi32::<0xb1>', '_mm256_shuffle_epi32::<0x4e>',
            'argon2-avx2-mix'),
    Mistake('lane order', 'cpu/x86_64/crc.rs', '::<0x10>(quotient', '::<0x00>(quotient', 'crc-32-128'),
    Mistake('counter', 'cpu/x86_64/aes/vaes256.rs', '_mm256_set_epi64x(0, 1, 0, 0))',
            '_mm256_set_epi64x(0, 2, 0, 0))', 'aes-siv-10-rounds'),
    Mistake('carry', 'cipher/poly1305/mod.rs', '(around >> 44)', '(around >> 45)', 'poly1305-multiply'),
)
