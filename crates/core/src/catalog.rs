//! The table of algorithms: every hash and cipher with its names and sizes.
//!
//! Aliases are the names and object identifiers that OpenSSL accepts, and common spellings. Names
//! and aliases are compared without regard to case. The TypeScript tables are generated from what
//! `examples/catalog.rs` prints.

/// A hash function. The discriminant is its number in [`HASHES`] and in the binding.
#[repr(u8)]
#[allow(missing_docs)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Hash {
    Md5 = 0,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha512_224,
    Sha512_256,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Keccak224,
    Keccak256,
    Keccak384,
    Keccak512,
    Shake128,
    Shake256,
    Blake2b512,
    Blake2s256,
    Blake3,
    Ripemd160,
    Md5Sha1,
    Xxh32,
    Xxh64,
    Xxh3_64,
    Xxh3_128,
    Crc32,
    Crc32c,
    Crc64Nvme,
    CShake128,
    CShake256,
    Kmac128,
    Kmac256,
    KmacXof128,
    KmacXof256,
    TupleHash128,
    TupleHash256,
    TupleHashXof128,
    TupleHashXof256,
    ParallelHash128,
    ParallelHash256,
    ParallelHashXof128,
    ParallelHashXof256,
    TurboShake128,
    TurboShake256,
    Kt128,
    Kt256,
}

/// The hashes that one implementation computes.
#[allow(missing_docs)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Md5,
    Ripemd160,
    Sha1,
    Md5Sha1,
    Sha256,
    Sha512,
    Keccak,
    /// Trees with leaves that Keccak hashes.
    KeccakTree,
    Blake2,
    Blake3,
    Xxh,
    Xxh3,
    Crc,
}

/// A parameter of a hash. The discriminant is its number in an encoded block
/// ([`Parameters`](crate::parameters::Parameters)) and in [`Parameter::NAMES`].
#[repr(u32)]
#[allow(missing_docs)]
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Parameter {
    Key = 0,
    Salt,
    Personalization,
    Context,
    Customization,
    FunctionName,
    Domain,
    BlockSize,
    OutputLength,
}

impl Parameter {
    /// The names of the options, by number.
    pub const NAMES: [&'static str; 9] = [
        "key",
        "salt",
        "personalization",
        "context",
        "customization",
        "functionName",
        "domain",
        "blockSize",
        "outputLength",
    ];

    /// Returns true if the value is a number, false for bytes.
    pub const fn is_number(self) -> bool {
        matches!(self, Parameter::Domain | Parameter::BlockSize | Parameter::OutputLength)
    }
}

/// The values that a hash takes of a parameter.
#[derive(Debug)]
pub struct ParameterRange {
    /// The parameter.
    pub parameter: Parameter,
    /// The fewest bytes, or the least number.
    pub least: u64,
    /// The most bytes, or the greatest number.
    pub most: u64,
}

/// The most bytes of a parameter that its standard does not limit: 1 GiB.
const LONG: u64 = 1 << 30;

/// Returns the values of a parameter from `least` to `most`.
const fn range(parameter: Parameter, least: u64, most: u64) -> ParameterRange {
    ParameterRange { parameter, least, most }
}

/// The properties of a hash.
#[derive(Debug)]
pub struct HashFacts {
    /// The hash.
    pub hash: Hash,
    /// The hashes that the same implementation computes.
    pub(crate) family: Family,
    /// The standard name, in lower case.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Bytes of the digest; the default if `xof` or if there is the parameter `OutputLength`.
    pub digest_size: usize,
    /// Bytes of a block, which is also HMAC's. The rate of a sponge, the stripe of xxh, what
    /// a CRC folds at once.
    pub block_size: usize,
    /// Bytes of the state of a running hash.
    pub state_size: usize,
    /// True if the output may have any length (XOF).
    pub xof: bool,
    /// True if the message is a tuple: each item after its length (`left_encode` of SP 800-185).
    pub tuple: bool,
    /// True if there is no digest without a key (KMAC).
    pub key_required: bool,
    /// The parameters beside the seed, in ascending order.
    pub parameters: &'static [ParameterRange],
    /// Bits of the optional seed; 0 if there is none.
    pub seed_bits: u32,
    /// True if HMAC is defined over it.
    pub hmac: bool,
    /// True if a state does not reveal the whole blocks that it has absorbed: a function without an
    /// inverse compresses each as soon as it is whole. A sponge's permutation has an inverse,
    /// BLAKE2 keeps the last whole block, and BLAKE3 up to 1 KiB. The states of an HMAC hide its
    /// key only over such a hash.
    pub one_way: bool,
    /// False for checksums: their collisions and preimages are easy to compute.
    pub cryptographic: bool,
    /// True if collisions of this cryptographic hash are known.
    pub broken: bool,
    /// The standard that defines it.
    pub standard: &'static str,
    /// Nanoseconds of a message and of each of its bytes by the native engine, measured on a Zen 5
    /// core while its SMT sibling was busy: the initial cost model of `crates/cost`.
    pub cost: [f32; 2],
    /// The same of the portable engine in WebAssembly with vectors, with Node 20.
    pub portable_cost: [f32; 2],
}

/// A stream cipher or AEAD. The discriminant is its number in [`CIPHERS`] and in the binding.
#[repr(u8)]
#[allow(missing_docs)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cipher {
    Aes128Ctr = 0,
    Aes192Ctr,
    Aes256Ctr,
    ChaCha20,
    Aes128Gcm,
    Aes192Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
    XChaCha20Poly1305,
    Aes256GcmSiv,
    Aes128GcmSiv,
    Xaes256Gcm,
}

/// The properties of a cipher.
#[derive(Debug)]
pub struct CipherFacts {
    /// The cipher.
    pub cipher: Cipher,
    /// The standard name, in lower case.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Bytes of the key.
    pub key_size: usize,
    /// Bytes of the initialization vector or nonce.
    pub iv_size: usize,
    /// The most bytes of a nonce if it may have any size from 1 on; otherwise 0.
    pub iv_max: usize,
    /// True for an AEAD (`seal` and `open`), false for a stream cipher (`apply`).
    pub aead: bool,
    /// Bytes of the full tag; 0 for a stream cipher.
    pub tag_size: usize,
    /// Bytes of the shortest tag; 0 for a stream cipher. See [`CipherFacts::tag_fits`].
    pub tag_min: usize,
    /// True if sealing reads the text twice: for the tag, which is needed to encrypt.
    pub two_passes: bool,
    /// The most bytes of source under one nonce; `u64::MAX` if there is no practical limit.
    pub max_source: u64,
    /// The most bytes of additional authenticated data; 0 for a stream cipher.
    pub max_aad: u64,
    /// The standard that defines it.
    pub standard: &'static str,
    /// Nanoseconds of a message and of each of its bytes by the native engine, measured on a Zen 5
    /// core while its SMT sibling was busy: the initial cost model of `crates/cost`.
    pub cost: [f32; 2],
    /// The same of the portable engine in WebAssembly with vectors, with Node 20.
    pub portable_cost: [f32; 2],
}

impl Hash {
    /// Returns the hash with this number.
    pub fn from_id(id: u8) -> Option<Hash> {
        HASHES.get(usize::from(id)).map(|facts| facts.hash)
    }

    /// Returns its properties.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub fn facts(self) -> &'static HashFacts {
        &HASHES[self as usize]
    }

    /// Returns its family.
    pub(crate) fn family(self) -> Family {
        self.facts().family
    }

    /// Returns the hash with this name or alias, in any case.
    pub fn by_name(name: &str) -> Option<Hash> {
        HASHES.iter().find(|facts| answers(facts.name, facts.aliases, name)).map(|facts| facts.hash)
    }
}

impl Cipher {
    /// Returns the cipher with this number.
    pub fn from_id(id: u8) -> Option<Cipher> {
        CIPHERS.get(usize::from(id)).map(|facts| facts.cipher)
    }

    /// Returns its properties.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub fn facts(self) -> &'static CipherFacts {
        &CIPHERS[self as usize]
    }

    /// Returns the cipher with this name or alias, in any case.
    pub fn by_name(name: &str) -> Option<Cipher> {
        CIPHERS
            .iter()
            .find(|facts| answers(facts.name, facts.aliases, name))
            .map(|facts| facts.cipher)
    }
}

impl HashFacts {
    /// Returns the values of a parameter, `None` if the hash does not take it.
    pub fn parameter(&self, parameter: Parameter) -> Option<&'static ParameterRange> {
        self.parameters.iter().find(|range| range.parameter == parameter)
    }

    /// Returns true if the key is 32 bytes, which are passed as they are ([`Params::key`]).
    ///
    /// [`Params::key`]: crate::hash::Params::key
    pub fn takes_raw_key(&self) -> bool {
        self.parameter(Parameter::Key).is_some_and(|key| key.least == 32 && key.most == 32)
    }
}

impl CipherFacts {
    /// Returns true if an initialization vector or nonce may have this many bytes. GCM takes other
    /// sizes than [`CipherFacts::iv_size`] too (SP 800-38D, 5.2.1.1).
    #[inline]
    pub fn iv_fits(&self, size: usize) -> bool {
        size == self.iv_size || (1..=self.iv_max).contains(&size)
    }

    /// Returns true if a tag may have this many bytes.
    ///
    /// GCM takes 4, 8 and 12 to 16 (SP 800-38D, 5.2.1.2); ChaCha20-Poly1305 takes 1 to 16, as
    /// OpenSSL does; the others take the full tag only.
    #[inline]
    pub fn tag_fits(&self, size: usize) -> bool {
        match self.tag_min {
            0 => false,
            4 => matches!(size, 4 | 8 | 12..=16),
            least => (least..=self.tag_size).contains(&size),
        }
    }
}

fn answers(name: &str, aliases: &[&str], wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
        || aliases.iter().any(|alias| alias.eq_ignore_ascii_case(wanted))
}

/// Returns the items of a JSON array or object.
pub(crate) fn joined(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(",")
}

/// Removes the aliases in WebAssembly, where hashes and ciphers only have numbers.
macro_rules! without_aliases {
    ($name:ident, $facts:ty) => {
        const fn $name<const COUNT: usize>(mut all: [$facts; COUNT]) -> [$facts; COUNT] {
            let mut index = 0;
            while cfg!(target_family = "wasm") && index < COUNT {
                all[index].aliases = &[];
                index += 1;
            }
            all
        }
    };
}

without_aliases!(hashes, HashFacts);
without_aliases!(ciphers, CipherFacts);

// The values that most hashes share, and then each family. `hash` is replaced in every row.
const CRYPTOGRAPHIC: HashFacts = HashFacts {
    hash: Hash::Md5,
    family: Family::Keccak,
    name: "",
    aliases: &[],
    digest_size: 0,
    block_size: 0,
    state_size: 0,
    xof: false,
    tuple: false,
    key_required: false,
    parameters: &[],
    seed_bits: 0,
    hmac: true,
    one_way: false,
    cryptographic: true,
    broken: false,
    standard: "",
    cost: [0.0; 2],
    portable_cost: [0.0; 2],
};
const MERKLE_DAMGARD: HashFacts = HashFacts { one_way: true, ..CRYPTOGRAPHIC };
const FIPS_180_4: HashFacts = HashFacts { standard: "FIPS 180-4", ..MERKLE_DAMGARD };
const SHA_256: HashFacts = HashFacts {
    family: Family::Sha256,
    block_size: 64,
    state_size: 104,
    cost: [45.0, 0.57],
    portable_cost: [550.0, 2.4],
    ..FIPS_180_4
};
const SHA_512: HashFacts = HashFacts {
    family: Family::Sha512,
    block_size: 128,
    state_size: 200,
    cost: [125.0, 1.36],
    portable_cost: [600.0, 2.1],
    ..FIPS_180_4
};
const FIPS_202: HashFacts = HashFacts { standard: "FIPS 202", ..CRYPTOGRAPHIC };
const SHAKE: HashFacts = HashFacts { xof: true, hmac: false, ..FIPS_202 };
const SP_800_185: HashFacts =
    HashFacts { hmac: false, standard: "NIST SP 800-185", ..CRYPTOGRAPHIC };
const CSHAKE: HashFacts = HashFacts {
    xof: true,
    parameters: &[
        range(Parameter::Customization, 0, LONG),
        range(Parameter::FunctionName, 0, LONG),
    ],
    ..SP_800_185
};
const KMAC: HashFacts = HashFacts {
    key_required: true,
    parameters: &[
        range(Parameter::Key, 0, LONG),
        range(Parameter::Customization, 0, LONG),
        range(Parameter::OutputLength, 1, LONG),
    ],
    ..SP_800_185
};
const KMAC_XOF: HashFacts = HashFacts {
    xof: true,
    key_required: true,
    parameters: &[range(Parameter::Key, 0, LONG), range(Parameter::Customization, 0, LONG)],
    ..SP_800_185
};
const TUPLE_HASH: HashFacts = HashFacts {
    tuple: true,
    parameters: &[
        range(Parameter::Customization, 0, LONG),
        range(Parameter::OutputLength, 1, LONG),
    ],
    ..SP_800_185
};
const TUPLE_HASH_XOF: HashFacts =
    HashFacts { xof: true, parameters: &[range(Parameter::Customization, 0, LONG)], ..TUPLE_HASH };
const PARALLEL_HASH: HashFacts = HashFacts {
    family: Family::KeccakTree,
    parameters: &[
        range(Parameter::Customization, 0, LONG),
        range(Parameter::BlockSize, 1, LONG),
        range(Parameter::OutputLength, 1, LONG),
    ],
    ..SP_800_185
};
const PARALLEL_HASH_XOF: HashFacts = HashFacts {
    xof: true,
    parameters: &[range(Parameter::Customization, 0, LONG), range(Parameter::BlockSize, 1, LONG)],
    ..PARALLEL_HASH
};
const RFC_9861: HashFacts =
    HashFacts { xof: true, hmac: false, standard: "RFC 9861", ..CRYPTOGRAPHIC };
const TURBOSHAKE: HashFacts =
    HashFacts { parameters: &[range(Parameter::Domain, 1, 0x7f)], ..RFC_9861 };
const KANGAROO_TWELVE: HashFacts = HashFacts {
    family: Family::KeccakTree,
    parameters: &[range(Parameter::Customization, 0, LONG)],
    ..RFC_9861
};
const KECCAK: HashFacts =
    HashFacts { standard: "Keccak submission to NIST, 2011 (padding 0x01)", ..CRYPTOGRAPHIC };
const BLAKE2: HashFacts =
    HashFacts { family: Family::Blake2, standard: "RFC 7693", ..CRYPTOGRAPHIC };
const XXH: HashFacts = HashFacts {
    family: Family::Xxh,
    seed_bits: 64,
    hmac: false,
    cryptographic: false,
    standard: "xxHash specification 0.1.1",
    ..CRYPTOGRAPHIC
};
const CRC: HashFacts = HashFacts {
    family: Family::Crc,
    block_size: 16,
    hmac: false,
    cryptographic: false,
    ..CRYPTOGRAPHIC
};
const XXH3: HashFacts = HashFacts { family: Family::Xxh3, standard: "xxHash 0.8", ..XXH };

/// All hashes, in the order of their numbers.
#[rustfmt::skip] // a table: one row an algorithm
pub static HASHES: [HashFacts; 48] = hashes([
    HashFacts { hash: Hash::Md5, family: Family::Md5, name: "md5",
        cost: [87.0, 1.25], portable_cost: [520.0, 1.5],
        digest_size: 16, block_size: 64, state_size: 88, standard: "RFC 1321", broken: true,
        aliases: &["ssl3-md5", "RSA-MD5", "md5WithRSAEncryption", "1.2.840.113549.2.5"],
            ..MERKLE_DAMGARD },
    HashFacts { hash: Hash::Sha1, family: Family::Sha1, name: "sha1",
        cost: [56.0, 0.51], portable_cost: [540.0, 1.5],
        digest_size: 20, block_size: 64, state_size: 92, broken: true,
        aliases: &["sha-1", "ssl3-sha1", "RSA-SHA1", "RSA-SHA1-2", "sha1WithRSA",
            "sha1WithRSAEncryption", "1.3.14.3.2.26"], ..FIPS_180_4 },
    HashFacts { hash: Hash::Sha224, name: "sha224", digest_size: 28,
        aliases: &["sha-224", "sha2-224", "RSA-SHA224", "sha224WithRSAEncryption",
            "2.16.840.1.101.3.4.2.4"], ..SHA_256 },
    HashFacts { hash: Hash::Sha256, name: "sha256", digest_size: 32,
        aliases: &["sha-256", "sha2-256", "RSA-SHA256", "sha256WithRSAEncryption",
            "2.16.840.1.101.3.4.2.1"], ..SHA_256 },
    HashFacts { hash: Hash::Sha384, name: "sha384", digest_size: 48,
        aliases: &["sha-384", "sha2-384", "RSA-SHA384", "sha384WithRSAEncryption",
            "2.16.840.1.101.3.4.2.2"], ..SHA_512 },
    HashFacts { hash: Hash::Sha512, name: "sha512", digest_size: 64,
        aliases: &["sha-512", "sha2-512", "RSA-SHA512", "sha512WithRSAEncryption",
            "2.16.840.1.101.3.4.2.3"], ..SHA_512 },
    HashFacts { hash: Hash::Sha512_224, name: "sha512-224", digest_size: 28,
        aliases: &["sha512/224", "sha-512/224", "sha-512-224", "sha2-512/224", "RSA-SHA512/224",
            "sha512-224WithRSAEncryption", "2.16.840.1.101.3.4.2.5"], ..SHA_512 },
    HashFacts { hash: Hash::Sha512_256, name: "sha512-256", digest_size: 32,
        aliases: &["sha512/256", "sha-512/256", "sha-512-256", "sha2-512/256", "RSA-SHA512/256",
            "sha512-256WithRSAEncryption", "2.16.840.1.101.3.4.2.6"], ..SHA_512 },
    HashFacts { hash: Hash::Sha3_224, name: "sha3-224", cost: [140.0, 1.54],
        portable_cost: [700.0, 3.0], digest_size: 28, block_size: 144, state_size: 202,
        aliases: &["sha3_224", "RSA-SHA3-224", "id-rsassa-pkcs1-v1_5-with-sha3-224",
            "2.16.840.1.101.3.4.2.7"], ..FIPS_202 },
    HashFacts { hash: Hash::Sha3_256, name: "sha3-256", cost: [135.0, 1.62],
        portable_cost: [720.0, 3.2], digest_size: 32, block_size: 136, state_size: 202,
        aliases: &["sha3_256", "RSA-SHA3-256", "id-rsassa-pkcs1-v1_5-with-sha3-256",
            "2.16.840.1.101.3.4.2.8"], ..FIPS_202 },
    HashFacts { hash: Hash::Sha3_384, name: "sha3-384", cost: [105.0, 2.11],
        portable_cost: [660.0, 4.2], digest_size: 48, block_size: 104, state_size: 202,
        aliases: &["sha3_384", "RSA-SHA3-384", "id-rsassa-pkcs1-v1_5-with-sha3-384",
            "2.16.840.1.101.3.4.2.9"], ..FIPS_202 },
    HashFacts { hash: Hash::Sha3_512, name: "sha3-512", cost: [45.0, 3.06],
        portable_cost: [550.0, 6.0], digest_size: 64, block_size: 72, state_size: 202,
        aliases: &["sha3_512", "RSA-SHA3-512", "id-rsassa-pkcs1-v1_5-with-sha3-512",
            "2.16.840.1.101.3.4.2.10"], ..FIPS_202 },
    HashFacts { hash: Hash::Keccak224, name: "keccak224", cost: [140.0, 1.54],
        portable_cost: [730.0, 3.0], digest_size: 28, block_size: 144, state_size: 202,
        aliases: &["keccak-224"], ..KECCAK },
    HashFacts { hash: Hash::Keccak256, name: "keccak256", cost: [135.0, 1.62],
        portable_cost: [690.0, 3.2], digest_size: 32, block_size: 136, state_size: 202,
        aliases: &["keccak-256"], ..KECCAK },
    HashFacts { hash: Hash::Keccak384, name: "keccak384", cost: [105.0, 2.11],
        portable_cost: [650.0, 4.2], digest_size: 48, block_size: 104, state_size: 202,
        aliases: &["keccak-384"], ..KECCAK },
    HashFacts { hash: Hash::Keccak512, name: "keccak512", cost: [45.0, 3.06],
        portable_cost: [520.0, 6.0], digest_size: 64, block_size: 72, state_size: 202,
        aliases: &["keccak-512"], ..KECCAK },
    HashFacts { hash: Hash::Shake128, name: "shake128", cost: [150.0, 1.32],
        portable_cost: [770.0, 2.6], digest_size: 16, block_size: 168, state_size: 202,
        aliases: &["shake-128", "2.16.840.1.101.3.4.2.11"], ..SHAKE },
    HashFacts { hash: Hash::Shake256, name: "shake256", cost: [135.0, 1.62],
        portable_cost: [720.0, 3.2], digest_size: 32, block_size: 136, state_size: 202,
        aliases: &["shake-256", "2.16.840.1.101.3.4.2.12"], ..SHAKE },
    HashFacts { hash: Hash::Blake2b512, name: "blake2b512", cost: [85.0, 0.95],
        parameters: &[range(Parameter::Key, 1, 64), range(Parameter::Salt, 16, 16),
            range(Parameter::Personalization, 16, 16), range(Parameter::OutputLength, 1, 64)],
        portable_cost: [570.0, 0.85], digest_size: 64, block_size: 128, state_size: 200,
        aliases: &["blake2b-512", "blake2b", "1.3.6.1.4.1.1722.12.2.1.16"], ..BLAKE2 },
    HashFacts { hash: Hash::Blake2s256, name: "blake2s256", cost: [30.0, 1.52],
        parameters: &[range(Parameter::Key, 1, 32), range(Parameter::Salt, 8, 8),
            range(Parameter::Personalization, 8, 8), range(Parameter::OutputLength, 1, 32)],
        portable_cost: [460.0, 1.4], digest_size: 32, block_size: 64, state_size: 104,
        aliases: &["blake2s-256", "blake2s", "1.3.6.1.4.1.1722.12.2.2.8"], ..BLAKE2 },
    HashFacts { hash: Hash::Blake3, family: Family::Blake3, name: "blake3", cost: [50.0, 0.135],
        portable_cost: [470.0, 0.58], digest_size: 32, block_size: 64, state_size: 2648, xof: true,
        parameters: &[range(Parameter::Key, 32, 32), range(Parameter::Context, 0, LONG)],
        standard: "BLAKE3 specification, 2020",
        aliases: &["blake3-256"], ..CRYPTOGRAPHIC },
    HashFacts { hash: Hash::Ripemd160, family: Family::Ripemd160, name: "ripemd160",
        cost: [220.0, 3.2], portable_cost: [590.0, 2.0],
        digest_size: 20, block_size: 64, state_size: 92,
        standard: "ISO/IEC 10118-3",
        aliases: &["ripemd", "ripemd-160", "rmd160", "RSA-RIPEMD160", "ripemd160WithRSA",
            "1.3.36.3.2.1"], ..MERKLE_DAMGARD },
    HashFacts { hash: Hash::Md5Sha1, family: Family::Md5Sha1, name: "md5-sha1", cost: [130.0, 1.76],
        portable_cost: [740.0, 2.7], digest_size: 36, block_size: 64, state_size: 108,
        standard: "RFC 2246", broken: true,
        aliases: &[], ..MERKLE_DAMGARD },
    HashFacts { hash: Hash::Xxh32, name: "xxh32", cost: [10.0, 0.089], portable_cost: [410.0, 0.15],
        digest_size: 4, block_size: 16, state_size: 48, seed_bits: 32,
        aliases: &["xxhash32", "xxh-32"], ..XXH },
    HashFacts { hash: Hash::Xxh64, name: "xxh64", cost: [12.0, 0.051], portable_cost: [410.0, 0.1],
        digest_size: 8, block_size: 32, state_size: 80,
        aliases: &["xxhash64", "xxh-64"], ..XXH },
    HashFacts { hash: Hash::Xxh3_64, name: "xxh3-64", cost: [12.0, 0.014],
        portable_cost: [430.0, 0.1], digest_size: 8, block_size: 64, state_size: 336,
        aliases: &["xxh3", "xxh3_64", "xxh3-64bits", "xxhash3-64"], ..XXH3 },
    HashFacts { hash: Hash::Xxh3_128, name: "xxh3-128", cost: [14.0, 0.014],
        portable_cost: [440.0, 0.1], digest_size: 16, block_size: 64, state_size: 336,
        aliases: &["xxh128", "xxh3_128", "xxh3-128bits", "xxhash3-128", "xxhash128"], ..XXH3 },
    HashFacts { hash: Hash::Crc32, name: "crc32", cost: [5.0, 0.012],
        portable_cost: [420.0, 0.35], digest_size: 4, state_size: 4,
        standard: "ISO/IEC 13239 (ISO-HDLC)",
        aliases: &["crc-32", "crc32-iso-hdlc", "crc-32/iso-hdlc"], ..CRC },
    HashFacts { hash: Hash::Crc32c, name: "crc32c", cost: [5.0, 0.012],
        portable_cost: [420.0, 0.35], digest_size: 4, state_size: 4, standard: "RFC 3720",
        aliases: &["crc-32c", "crc32-iscsi", "crc-32/iscsi"], ..CRC },
    HashFacts { hash: Hash::Crc64Nvme, name: "crc64nvme", cost: [5.0, 0.012],
        portable_cost: [420.0, 0.35], digest_size: 8, state_size: 8,
        standard: "NVM Command Set Specification 1.0",
        aliases: &["crc-64nvme", "crc64-nvme", "crc-64/nvme"], ..CRC },
    HashFacts { hash: Hash::CShake128, name: "cshake128", cost: [150.0, 1.32],
        portable_cost: [770.0, 2.6], digest_size: 16, block_size: 168, state_size: 202,
        aliases: &["cshake-128"], ..CSHAKE },
    HashFacts { hash: Hash::CShake256, name: "cshake256", cost: [135.0, 1.62],
        portable_cost: [710.0, 3.2], digest_size: 32, block_size: 136, state_size: 202,
        aliases: &["cshake-256"], ..CSHAKE },
    HashFacts { hash: Hash::Kmac128, name: "kmac128", cost: [550.0, 1.32],
        portable_cost: [3600.0, 2.6], digest_size: 32, block_size: 168, state_size: 202,
        aliases: &["kmac-128"], ..KMAC },
    HashFacts { hash: Hash::Kmac256, name: "kmac256", cost: [550.0, 1.62],
        portable_cost: [3600.0, 3.2], digest_size: 64, block_size: 136, state_size: 202,
        aliases: &["kmac-256"], ..KMAC },
    HashFacts { hash: Hash::KmacXof128, name: "kmacxof128", cost: [550.0, 1.32],
        portable_cost: [3600.0, 2.6], digest_size: 32, block_size: 168, state_size: 202,
        aliases: &["kmacxof-128"], ..KMAC_XOF },
    HashFacts { hash: Hash::KmacXof256, name: "kmacxof256", cost: [550.0, 1.62],
        portable_cost: [3600.0, 3.2], digest_size: 64, block_size: 136, state_size: 202,
        aliases: &["kmacxof-256"], ..KMAC_XOF },
    HashFacts { hash: Hash::TupleHash128, name: "tuplehash128", cost: [350.0, 1.32],
        portable_cost: [2800.0, 2.6], digest_size: 32, block_size: 168, state_size: 202,
        aliases: &["tuplehash-128"], ..TUPLE_HASH },
    HashFacts { hash: Hash::TupleHash256, name: "tuplehash256", cost: [350.0, 1.62],
        portable_cost: [2800.0, 3.2], digest_size: 64, block_size: 136, state_size: 202,
        aliases: &["tuplehash-256"], ..TUPLE_HASH },
    HashFacts { hash: Hash::TupleHashXof128, name: "tuplehashxof128", cost: [350.0, 1.32],
        portable_cost: [2800.0, 2.6], digest_size: 32, block_size: 168, state_size: 202,
        aliases: &["tuplehashxof-128"], ..TUPLE_HASH_XOF },
    HashFacts { hash: Hash::TupleHashXof256, name: "tuplehashxof256", cost: [350.0, 1.62],
        portable_cost: [2800.0, 3.2], digest_size: 64, block_size: 136, state_size: 202,
        aliases: &["tuplehashxof-256"], ..TUPLE_HASH_XOF },
    HashFacts { hash: Hash::ParallelHash128, name: "parallelhash128", cost: [600.0, 0.2],
        portable_cost: [1760.0, 2.6], digest_size: 32, block_size: 168, state_size: 410,
        aliases: &["parallelhash-128"], ..PARALLEL_HASH },
    HashFacts { hash: Hash::ParallelHash256, name: "parallelhash256", cost: [600.0, 0.2],
        portable_cost: [1770.0, 3.3], digest_size: 64, block_size: 136, state_size: 410,
        aliases: &["parallelhash-256"], ..PARALLEL_HASH },
    HashFacts { hash: Hash::ParallelHashXof128, name: "parallelhashxof128", cost: [600.0, 0.2],
        portable_cost: [1790.0, 2.6], digest_size: 32, block_size: 168, state_size: 410,
        aliases: &["parallelhashxof-128"], ..PARALLEL_HASH_XOF },
    HashFacts { hash: Hash::ParallelHashXof256, name: "parallelhashxof256", cost: [600.0, 0.2],
        portable_cost: [1760.0, 3.3], digest_size: 64, block_size: 136, state_size: 410,
        aliases: &["parallelhashxof-256"], ..PARALLEL_HASH_XOF },
    HashFacts { hash: Hash::TurboShake128, name: "turboshake128", cost: [90.0, 0.66],
        portable_cost: [650.0, 1.4], digest_size: 32, block_size: 168, state_size: 202,
        aliases: &["turboshake-128"], ..TURBOSHAKE },
    HashFacts { hash: Hash::TurboShake256, name: "turboshake256", cost: [90.0, 0.81],
        portable_cost: [630.0, 1.8], digest_size: 64, block_size: 136, state_size: 202,
        aliases: &["turboshake-256"], ..TURBOSHAKE },
    HashFacts { hash: Hash::Kt128, name: "kt128", cost: [110.0, 0.1],
        portable_cost: [700.0, 1.4], digest_size: 32, block_size: 168, state_size: 418,
        aliases: &["kangarootwelve", "k12", "kt-128"], ..KANGAROO_TWELVE },
    HashFacts { hash: Hash::Kt256, name: "kt256", cost: [110.0, 0.1],
        portable_cost: [690.0, 1.8], digest_size: 64, block_size: 136, state_size: 418,
        aliases: &["kt-256"], ..KANGAROO_TWELVE },
]);

// The properties that the ciphers of a family share. `cipher` is replaced in every row.
const STREAM: CipherFacts = CipherFacts {
    cipher: Cipher::ChaCha20,
    name: "",
    aliases: &[],
    key_size: 0,
    iv_size: 0,
    iv_max: 0,
    aead: false,
    tag_size: 0,
    tag_min: 0,
    two_passes: false,
    max_source: u64::MAX,
    max_aad: 0,
    standard: "",
    cost: [0.0; 2],
    portable_cost: [0.0; 2],
};
const AES_CTR: CipherFacts = CipherFacts { iv_size: 16, standard: "NIST SP 800-38A", ..STREAM };
const AEAD: CipherFacts = CipherFacts { aead: true, tag_size: 16, max_aad: u64::MAX, ..STREAM };
const AES_GCM: CipherFacts = CipherFacts {
    iv_size: 12,
    iv_max: 128,
    tag_min: 4,
    max_source: (1 << 36) - 32,
    max_aad: (1 << 61) - 1,
    standard: "NIST SP 800-38D",
    ..AEAD
};
const AES_GCM_SIV: CipherFacts = CipherFacts {
    iv_size: 12,
    tag_min: 16,
    two_passes: true,
    max_source: 1 << 36,
    max_aad: 1 << 36,
    standard: "RFC 8452",
    ..AEAD
};
// RFC 8439 allows 2^38 - 64 bytes; AWS-LC one byte less.
const CHACHA20_POLY1305_MAX: u64 = (1 << 38) - 65;

/// All ciphers, in the order of their numbers.
#[rustfmt::skip] // a table: one row an algorithm
pub static CIPHERS: [CipherFacts; 12] = ciphers([
    CipherFacts { cipher: Cipher::Aes128Ctr, name: "aes-128-ctr", cost: [37.0, 0.044],
        portable_cost: [2300.0, 2.1], key_size: 16,
        aliases: &["aes128-ctr"], ..AES_CTR },
    CipherFacts { cipher: Cipher::Aes192Ctr, name: "aes-192-ctr", cost: [65.0, 0.052],
        portable_cost: [2300.0, 2.3], key_size: 24,
        aliases: &["aes192-ctr"], ..AES_CTR },
    CipherFacts { cipher: Cipher::Aes256Ctr, name: "aes-256-ctr", cost: [40.0, 0.061],
        portable_cost: [2500.0, 2.7], key_size: 32,
        aliases: &["aes256-ctr"], ..AES_CTR },
    CipherFacts { cipher: Cipher::ChaCha20, name: "chacha20", cost: [110.0, 0.18],
        portable_cost: [1510.0, 0.83], key_size: 32, iv_size: 16, standard: "RFC 8439",
        aliases: &[], ..STREAM },
    CipherFacts { cipher: Cipher::Aes128Gcm, name: "aes-128-gcm", cost: [135.0, 0.051],
        portable_cost: [4500.0, 5.5], key_size: 16,
        aliases: &["id-aes128-GCM", "aes128-gcm", "2.16.840.1.101.3.4.1.6"], ..AES_GCM },
    CipherFacts { cipher: Cipher::Aes192Gcm, name: "aes-192-gcm", cost: [145.0, 0.054],
        portable_cost: [4600.0, 5.8], key_size: 24,
        aliases: &["id-aes192-GCM", "aes192-gcm", "2.16.840.1.101.3.4.1.26"], ..AES_GCM },
    CipherFacts { cipher: Cipher::Aes256Gcm, name: "aes-256-gcm", cost: [145.0, 0.061],
        portable_cost: [4700.0, 6.0], key_size: 32,
        aliases: &["id-aes256-GCM", "aes256-gcm", "2.16.840.1.101.3.4.1.46"], ..AES_GCM },
    CipherFacts { cipher: Cipher::ChaCha20Poly1305, name: "chacha20-poly1305", cost: [160.0, 0.24],
        portable_cost: [2220.0, 1.3], key_size: 32, iv_size: 12, tag_min: 1,
        max_source: CHACHA20_POLY1305_MAX, standard: "RFC 8439",
        aliases: &["chacha20-poly1305-ietf", "chacha20poly1305", "1.2.840.113549.1.9.16.3.18"],
            ..AEAD },
    CipherFacts { cipher: Cipher::XChaCha20Poly1305, name: "xchacha20-poly1305",
        cost: [250.0, 0.24], portable_cost: [2300.0, 1.3], key_size: 32, iv_size: 24, tag_min: 16,
        max_source: CHACHA20_POLY1305_MAX, standard: "draft-irtf-cfrg-xchacha-03",
        aliases: &["xchacha20-poly1305-ietf", "xchacha20poly1305"], ..AEAD },
    CipherFacts { cipher: Cipher::Aes256GcmSiv, name: "aes-256-gcm-siv", cost: [125.0, 0.2],
        portable_cost: [6300.0, 5.5], key_size: 32,
        aliases: &["aes256-gcm-siv"], ..AES_GCM_SIV },
    CipherFacts { cipher: Cipher::Aes128GcmSiv, name: "aes-128-gcm-siv", cost: [110.0, 0.17],
        portable_cost: [5600.0, 5.2], key_size: 16,
        aliases: &["aes128-gcm-siv"], ..AES_GCM_SIV },
    CipherFacts { cipher: Cipher::Xaes256Gcm, name: "xaes-256-gcm", cost: [245.0, 0.061],
        portable_cost: [12_500.0, 6.0], key_size: 32, iv_size: 24, iv_max: 0, tag_min: 16,
        standard: "C2SP XAES-256-GCM", aliases: &[], ..AES_GCM },
]);
