//! The vectors of the kernels, with a word of each message, in four kinds. All have the
//! same operations by the same names, so that the rounds of a family are written once.
//!
//! Blocks come in rows and are turned into columns: a vector for each word, with that word of all
//! messages. Rows are loaded whole and shuffled. Loading quarters of rows to their places with
//! masks saves half the shuffles for as many loads: for SHA-256 on Zen 5 3 % slower, or the same.
//! Gathers of single words are far behind.
//!
//! ```text
//! U32x16   16 rows of 16 words:  of each 4 rows, transpose 4 by 4 words within quarters (VPUNPCK);
//!          across the four groups, transpose quarters (VSHUFI32X4, twice)
//! U32x8    8 rows: load 16 bytes of message j and of 4 + j into one register; the first step alone
//! U64x8    8 rows of 8 words:    pairs of rows (VPUNPCK), then VSHUFI64X2 twice
//! U64x4    4 rows of 4 words:    pairs of rows (VPUNPCK), then VPERM2I128
//! ```
//!
//! Digests are turned back to rows alike, those of U32x8 word by word. Padding with AVX-512 is in
//! registers too: a masked load, the mark and the length by masks.

use std::arch::x86_64::*;

/// Makes functions for these instructions.
macro_rules! operations {
    ($features:literal, $kind:ident:
     $($(#[$doc:meta])* fn $name:ident $(<const
         $by:ident: i32>)? ($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {
        #[allow(dead_code)] // each hash takes those that it needs
        impl $kind {$(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn $name $(<const $by: i32>)? ($($argument: $type),*) -> $result $body
        )*}
    };
}

/// Defines words with AVX-512. `$order` is that of bytes in reversed words.
macro_rules! by_512 {
    ($(#[$doc:meta])* $kind:ident: [$word:ty as $signed:ty; $lanes:literal] under $mask:ty,
     $order:expr, $all:ident, $put:ident, $add:ident, $left:ident, $right:ident,
     $shifted:ident) => {
        $(#[$doc])*
        pub(super) struct $kind;

        operations! {"avx512f,avx512vl,avx512bw", $kind:
            fn load(row: &[$word; $lanes]) -> __m512i {
                // SAFETY: reads the row.
                unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
            }

            fn store(row: &mut [$word; $lanes], words: __m512i) -> () {
                // SAFETY: writes the row.
                unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), words) }
            }

            fn all(word: $word) -> __m512i {
                $all(word as $signed)
            }

            /// Sets a word in the lanes of the bit set.
            fn put(words: __m512i, lanes: u32, word: $word) -> __m512i {
                $put(words, lanes as $mask, word as $signed)
            }

            /// Returns the words as they are.
            fn kept(words: __m512i) -> __m512i {
                words
            }

            /// Reverses the bytes of each word.
            fn reversed(words: __m512i) -> __m512i {
                let [high, low] = $order;
                _mm512_shuffle_epi8(words, _mm512_set4_epi64(high, low, high, low))
            }

            fn add(x: __m512i, y: __m512i) -> __m512i {
                $add(x, y)
            }

            fn xor(x: __m512i, y: __m512i) -> __m512i {
                _mm512_xor_si512(x, y)
            }

            fn xor_3(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
                _mm512_ternarylogic_epi64::<0x96>(x, y, z)
            }

            /// Bits of `y` where those of `x` are set, else of `z`.
            fn choice(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
                _mm512_ternarylogic_epi64::<0xca>(x, y, z)
            }

            fn majority(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
                _mm512_ternarylogic_epi64::<0xe8>(x, y, z)
            }

            /// Returns `y ^ (x | !z)`, as MD5 has it.
            fn odd(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
                _mm512_ternarylogic_epi64::<0x39>(x, y, z)
            }

            /// Returns `x ^ (!y & z)`, as Keccak has it.
            fn chi(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
                _mm512_ternarylogic_epi64::<0xd2>(x, y, z)
            }

            fn rotated_left<const BY: i32>(words: __m512i) -> __m512i {
                $left::<BY>(words)
            }

            fn rotated_right<const BY: i32>(words: __m512i) -> __m512i {
                $right::<BY>(words)
            }

            fn shifted_right<const BY: i32>(words: __m512i) -> __m512i {
                $shifted(words, _mm_cvtsi32_si128(BY))
            }
        }
    };
}

/// Defines words with AVX2, as [`by_512`] does. `$places` are the bits of the lanes.
macro_rules! by_256 {
    ($(#[$doc:meta])* $kind:ident: [$word:ty as $signed:ty; $lanes:literal] at $places:expr,
     $order:expr, $all:ident, $equal:ident, $add:ident, $left:ident, $right:ident) => {
        $(#[$doc])*
        pub(super) struct $kind;

        operations! {"avx2", $kind:
            fn load(row: &[$word; $lanes]) -> __m256i {
                // SAFETY: reads the row.
                unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
            }

            fn store(row: &mut [$word; $lanes], words: __m256i) -> () {
                // SAFETY: writes the row.
                unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), words) }
            }

            fn all(word: $word) -> __m256i {
                $all(word as $signed)
            }

            /// Returns all ones in the lanes of the bit set.
            fn lanes(set: u32) -> __m256i {
                let places = $places;
                $equal(_mm256_and_si256(Self::all(set.into()), places), places)
            }

            /// Sets a word in the lanes of the bit set.
            fn put(words: __m256i, lanes: u32, word: $word) -> __m256i {
                _mm256_blendv_epi8(words, Self::all(word), Self::lanes(lanes))
            }

            /// Returns the words as they are.
            fn kept(words: __m256i) -> __m256i {
                words
            }

            /// Reverses the bytes of each word.
            fn reversed(words: __m256i) -> __m256i {
                let [high, low] = $order;
                _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low)))
            }

            fn add(x: __m256i, y: __m256i) -> __m256i {
                $add(x, y)
            }

            fn xor(x: __m256i, y: __m256i) -> __m256i {
                _mm256_xor_si256(x, y)
            }

            fn xor_3(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                _mm256_xor_si256(_mm256_xor_si256(x, y), z)
            }

            /// Bits of `y` where those of `x` are set, else of `z`.
            fn choice(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(y, z), x), z)
            }

            // SHA-2 asks for the majority of its newest word and two that were the newest ones
            // before: the compiler keeps their XOR from one round to the next.
            fn majority(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                let [one, other] = [_mm256_xor_si256(x, y), _mm256_xor_si256(y, z)];
                _mm256_xor_si256(_mm256_and_si256(one, other), y)
            }

            /// Returns `y ^ (x | !z)`, as MD5 has it.
            fn odd(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                let inverse = _mm256_xor_si256(z, _mm256_set1_epi32(-1));
                _mm256_xor_si256(_mm256_or_si256(inverse, x), y)
            }

            /// Returns `x ^ (!y & z)`, as Keccak has it.
            fn chi(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                _mm256_xor_si256(x, _mm256_andnot_si256(y, z))
            }

            fn rotated_left<const BY: i32>(words: __m256i) -> __m256i {
                let back = $right(words, _mm_cvtsi32_si128(<$word>::BITS as i32 - BY));
                _mm256_or_si256($left(words, _mm_cvtsi32_si128(BY)), back)
            }

            fn rotated_right<const BY: i32>(words: __m256i) -> __m256i {
                let back = $left(words, _mm_cvtsi32_si128(<$word>::BITS as i32 - BY));
                _mm256_or_si256($right(words, _mm_cvtsi32_si128(BY)), back)
            }

            fn shifted_right<const BY: i32>(words: __m256i) -> __m256i {
                $right(words, _mm_cvtsi32_si128(BY))
            }
        }
    };
}

/// The order of 16 bytes in which those of words are reversed.
const REVERSED_32: [i64; 2] = [0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203];
const REVERSED_64: [i64; 2] = [0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607];

by_512!(
    /// 16 words of 32 bits, with AVX-512.
    U32x16: [u32 as i32; 16] under u16, REVERSED_32, _mm512_set1_epi32, _mm512_mask_set1_epi32,
    _mm512_add_epi32, _mm512_rol_epi32, _mm512_ror_epi32, _mm512_srl_epi32
);
by_512!(
    /// Eight words of 64 bits, with AVX-512.
    U64x8: [u64 as i64; 8] under u8, REVERSED_64, _mm512_set1_epi64, _mm512_mask_set1_epi64,
    _mm512_add_epi64, _mm512_rol_epi64, _mm512_ror_epi64, _mm512_srl_epi64
);
by_256!(
    /// Eight words of 32 bits, with AVX2.
    U32x8: [u32 as i32; 8] at _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1), REVERSED_32,
    _mm256_set1_epi32, _mm256_cmpeq_epi32, _mm256_add_epi32, _mm256_sll_epi32, _mm256_srl_epi32
);
by_256!(
    /// Four words of 64 bits, with AVX2.
    U64x4: [u64 as i64; 4] at _mm256_set_epi64x(8, 4, 2, 1), REVERSED_64, _mm256_set1_epi64x,
    _mm256_cmpeq_epi64, _mm256_add_epi64, _mm256_sll_epi64, _mm256_srl_epi64
);

// ---- blocks into columns, and columns into digests ------------------------------------------

impl U32x16 {
    /// Returns the 16 words of a block of each message, in memory order.
    ///
    /// # Safety
    /// 64 bytes must be readable at each pointer plus `offset`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) unsafe fn block(at: &[*const u8; 16], offset: usize) -> [__m512i; 16] {
        // SAFETY: 64 bytes can be read at each pointer plus `offset`.
        let blocks: [__m512i; 16] =
            at.map(|block| unsafe { _mm512_loadu_si512(block.wrapping_add(offset).cast()) });
        // rows[g][j] has words j, 4+j, 8+j and 12+j of blocks 4g..4g+4.
        let rows: [[__m512i; 4]; 4] = std::array::from_fn(|group| {
            Self::quarters(std::array::from_fn(|index| blocks[4 * group + index]))
        });
        let mut words = [_mm512_setzero_si512(); 16];
        for index in 0..4 {
            let [a, b, c, d] = std::array::from_fn(|group| rows[group][index]);
            let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
            let [ef, gh] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
            words[index] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
            words[4 + index] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
            words[8 + index] = _mm512_shuffle_i32x4::<0x88>(ef, gh);
            words[12 + index] = _mm512_shuffle_i32x4::<0xdd>(ef, gh);
        }
        words
    }

    /// Transposes each quarter: four words of four rows become four rows of four words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn quarters([x, y, z, w]: [__m512i; 4]) -> [__m512i; 4] {
        let [xy, zw] = [_mm512_unpacklo_epi32(x, y), _mm512_unpacklo_epi32(z, w)];
        let [uv, st] = [_mm512_unpackhi_epi32(x, y), _mm512_unpackhi_epi32(z, w)];
        [
            _mm512_unpacklo_epi64(xy, zw),
            _mm512_unpackhi_epi64(xy, zw),
            _mm512_unpacklo_epi64(uv, st),
            _mm512_unpackhi_epi64(uv, st),
        ]
    }

    /// Writes the words of each message to its row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn rows<const WORDS: usize, const BYTES: usize>(
        words: [__m512i; WORDS],
        rows: &mut [[u8; BYTES]; 16],
    ) {
        const { assert!(BYTES >= 4 * WORDS) };
        let (fours, others) = words.as_chunks();
        for (group, &four) in fours.iter().enumerate() {
            for (index, four) in Self::quarters(four).into_iter().enumerate() {
                let quarters = [
                    _mm512_castsi512_si128(four),
                    _mm512_extracti32x4_epi32::<1>(four),
                    _mm512_extracti32x4_epi32::<2>(four),
                    _mm512_extracti32x4_epi32::<3>(four),
                ];
                for (quarter, four) in quarters.into_iter().enumerate() {
                    let target = rows[4 * quarter + index][16 * group..][..16].as_mut_ptr();
                    // SAFETY: writes the 16 bytes.
                    unsafe { _mm_storeu_si128(target.cast(), four) };
                }
            }
        }
        for (index, &other) in others.iter().enumerate() {
            let mut column = [0; 16];
            Self::store(&mut column, other);
            for (row, word) in rows.iter_mut().zip(column) {
                row[4 * (4 * fours.len() + index)..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// Pads the last bytes of a message, less than 64, with the end mark and `length`, as it is to
    /// stand in memory, to one block or two. All in registers: the length written into a block
    /// that is read as a vector right after would cost a wait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn pad(tail: &mut [u8; 128], rest: &[u8], length: [u8; 8]) {
        debug_assert!(rest.len() < 64);
        let mark = 1 << rest.len();
        // SAFETY: reads the rest, as much as there is by the mask.
        let last = unsafe { _mm512_maskz_loadu_epi8(mark - 1, rest.as_ptr().cast()) };
        let last = _mm512_mask_set1_epi8(last, mark, 0x80_u8 as i8);
        let ended = |block| _mm512_mask_set1_epi64(block, 0x80, i64::from_ne_bytes(length));
        let blocks =
            if rest.len() < 56 { [ended(last); 2] } else { [last, ended(_mm512_setzero_si512())] };
        for (target, block) in tail.as_chunks_mut::<64>().0.iter_mut().zip(blocks) {
            // SAFETY: writes the block.
            unsafe { _mm512_storeu_si512(target.as_mut_ptr().cast(), block) };
        }
    }
}

impl U32x8 {
    /// Returns the 16 words of a block of each message, in memory order.
    ///
    /// # Safety
    /// 64 bytes must be readable at each pointer plus `offset`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn block(at: &[*const u8; 8], offset: usize) -> [__m256i; 16] {
        let mut words = [_mm256_setzero_si256(); 16];
        for (group, words) in words.as_chunks_mut().0.iter_mut().enumerate() {
            // Four words of message j, and in the upper half those of message 4+j.
            let rows = std::array::from_fn(|index| {
                let [low, high] =
                    [index, 4 + index].map(|lane| at[lane].wrapping_add(offset + 16 * group));
                // SAFETY: 16 of the 64 bytes at the pointers of two messages plus `offset`.
                unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) }
            });
            *words = Self::halves(rows);
        }
        words
    }

    /// Transposes each half: four words of four rows become four rows of four words.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves([x, y, z, w]: [__m256i; 4]) -> [__m256i; 4] {
        let [xy, zw] = [_mm256_unpacklo_epi32(x, y), _mm256_unpacklo_epi32(z, w)];
        let [uv, st] = [_mm256_unpackhi_epi32(x, y), _mm256_unpackhi_epi32(z, w)];
        [
            _mm256_unpacklo_epi64(xy, zw),
            _mm256_unpackhi_epi64(xy, zw),
            _mm256_unpacklo_epi64(uv, st),
            _mm256_unpackhi_epi64(uv, st),
        ]
    }

    /// Writes the words of each message to its row.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn rows<const WORDS: usize, const BYTES: usize>(
        words: [__m256i; WORDS],
        rows: &mut [[u8; BYTES]; 8],
    ) {
        for (index, word) in words.into_iter().enumerate() {
            let mut column = [0; 8];
            Self::store(&mut column, word);
            for (row, word) in rows.iter_mut().zip(column) {
                row[4 * index..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

/// Defines what 64-bit words have in common beyond their operations: columns and rows.
macro_rules! columns_64 {
    ($kind:ident: $lanes:literal, $vector:ty, $features:literal, $zero:ident) => {
        impl $kind {
            /// Returns the 16 words of a block of each message, in memory order.
            ///
            /// # Safety
            /// 128 bytes must be readable at each pointer plus `offset`.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn block(at: &[*const u8; $lanes], offset: usize) -> [$vector; 16] {
                let mut words = [$zero(); 16];
                for (part, words) in words.as_chunks_mut().0.iter_mut().enumerate() {
                    // SAFETY: `$lanes` of the 16 words at each pointer plus `offset`.
                    *words = unsafe { Self::columns(at, offset + 8 * $lanes * part, $lanes) };
                }
                words
            }

            /// Returns at most `$lanes` words of each message, as they are in memory; zeros after
            /// them.
            ///
            /// # Safety
            /// `words` words must be readable at each pointer plus `offset`.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn columns(
                at: &[*const u8; $lanes],
                offset: usize,
                words: usize,
            ) -> [$vector; $lanes] {
                let row = |row: *const u8| {
                    // SAFETY: reads `words` words, which are there, and no others.
                    unsafe { Self::first(row.wrapping_add(offset).cast(), words) }
                };
                Self::turned(at.map(row))
            }

            /// Writes the words of each message, a multiple of `$lanes`, in a row.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn rows<const WORDS: usize, const BYTES: usize>(
                words: [$vector; WORDS],
                rows: &mut [[u8; BYTES]; $lanes],
            ) {
                for (part, &words) in words.as_chunks().0.iter().enumerate() {
                    Self::part(words, rows, 8 * $lanes * part);
                }
            }

            /// Writes `$lanes` words of each message in a row, from a byte on.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn part<const BYTES: usize>(
                words: [$vector; $lanes],
                rows: &mut [[u8; BYTES]; $lanes],
                at: usize,
            ) {
                for (row, words) in rows.iter_mut().zip(Self::turned(words)) {
                    let place = row[at..][..8 * $lanes].as_mut_ptr();
                    // SAFETY: writes the bytes, as many as a vector has.
                    unsafe { place.cast::<$vector>().write_unaligned(words) };
                }
            }
        }
    };
}

columns_64!(U64x8: 8, __m512i, "avx512f,avx512vl,avx512bw", _mm512_setzero_si512);
columns_64!(U64x4: 4, __m256i, "avx2", _mm256_setzero_si256);

impl U64x8 {
    /// Returns the first words at an address; zeros after them.
    ///
    /// # Safety
    /// `words` words must be readable there, 8 at most.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    unsafe fn first(at: *const i64, words: usize) -> __m512i {
        // SAFETY: the mask reads `words` words.
        unsafe { _mm512_maskz_loadu_epi64(0xff_u8 >> (8 - words), at) }
    }

    /// Transposes rows and columns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn turned(rows: [__m512i; 8]) -> [__m512i; 8] {
        // pairs[p][i] has words i, 2+i, 4+i and 6+i of rows 2p and 2p+1.
        let pairs: [[__m512i; 2]; 4] = std::array::from_fn(|pair| {
            let [x, y] = [rows[2 * pair], rows[2 * pair + 1]];
            [_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y)]
        });
        let mut words = [_mm512_setzero_si512(); 8];
        for index in 0..2 {
            let [a, b, c, d] = std::array::from_fn(|pair| pairs[pair][index]);
            let [ab, cd] = [_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d)];
            let [ef, gh] = [_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d)];
            words[index] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
            words[2 + index] = _mm512_shuffle_i64x2::<0x88>(ef, gh);
            words[4 + index] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
            words[6 + index] = _mm512_shuffle_i64x2::<0xdd>(ef, gh);
        }
        words
    }

    /// Pads the last bytes of a message, less than 128; see [`U32x16::pad`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn pad(tail: &mut [u8; 256], rest: &[u8], length: [u8; 8]) {
        debug_assert!(rest.len() < 128);
        let [first, last] = Self::marked(rest, 0x80);
        let ended = |part| _mm512_mask_set1_epi64(part, 0x80, i64::from_ne_bytes(length));
        let zeros = _mm512_setzero_si512();
        let end = if rest.len() < 112 {
            [first, ended(last), zeros, zeros]
        } else {
            [first, last, zeros, ended(zeros)]
        };
        for (target, part) in tail.as_chunks_mut::<64>().0.iter_mut().zip(end) {
            // SAFETY: writes the part.
            unsafe { _mm512_storeu_si512(target.as_mut_ptr().cast(), part) };
        }
    }

    /// Returns the last bytes of a message with the end mark, followed by zeros.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn marked<const PARTS: usize>(rest: &[u8], mark: u8) -> [__m512i; PARTS] {
        std::array::from_fn(|part| {
            let place = if rest.len() / 64 == part { 1_u64 << (rest.len() % 64) } else { 0 };
            let before = match rest.len() / 64 {
                at if at > part => u64::MAX,
                at if at == part => place - 1,
                _ => 0,
            };
            // SAFETY: reads as much of the rest as there is by the mask.
            let bytes = unsafe {
                _mm512_maskz_loadu_epi8(before, rest.as_ptr().wrapping_add(64 * part).cast())
            };
            _mm512_mask_set1_epi8(bytes, place, mark as i8)
        })
    }
}

impl U64x4 {
    /// Returns the first words at an address; zeros after them.
    ///
    /// # Safety
    /// `words` words must be readable there, 4 at most.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn first(at: *const i64, words: usize) -> __m256i {
        // SAFETY: the mask reads `words` words.
        unsafe { _mm256_maskload_epi64(at, Self::lanes((1 << words) - 1)) }
    }

    /// Transposes rows and columns.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn turned([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        let [ab, cd] = [_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d)];
        let [ef, gh] = [_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d)];
        [
            _mm256_permute2x128_si256::<0x20>(ab, cd),
            _mm256_permute2x128_si256::<0x20>(ef, gh),
            _mm256_permute2x128_si256::<0x31>(ab, cd),
            _mm256_permute2x128_si256::<0x31>(ef, gh),
        ]
    }
}
