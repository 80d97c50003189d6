//! The algorithms and their facts.

/// The algorithm of a key. For elliptic-curve keys this includes the curve.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Ed25519 signatures (RFC 8032).
    Ed25519,
    /// X25519 key agreement (RFC 7748).
    X25519,
    /// ECDSA and ECDH over P-256 (FIPS 186-5, SP 800-56A).
    P256,
    /// ECDSA and ECDH over P-384.
    P384,
    /// ECDSA and ECDH over P-521.
    P521,
    /// RSA signatures and encryption (RFC 8017).
    Rsa,
    /// RSA keys that sign with PSS only (RFC 4055), some with fixed parameters.
    RsaPss,
    /// ML-KEM-512 key encapsulation (FIPS 203).
    MlKem512,
    /// ML-KEM-768.
    MlKem768,
    /// ML-KEM-1024.
    MlKem1024,
    /// ML-DSA-44 signatures (FIPS 204).
    MlDsa44,
    /// ML-DSA-65.
    MlDsa65,
    /// ML-DSA-87.
    MlDsa87,
    /// X-Wing key encapsulation (draft-connolly-cfrg-xwing-kem-10): ML-KEM-768 and X25519.
    XWing,
}

/// What is known about an algorithm. Sizes are in bytes; those of RSA are 0, as they depend on the
/// key.
#[derive(Debug)]
pub struct Facts {
    /// A raw public key. A point on a NIST curve in uncompressed form.
    pub public_key: usize,
    /// A raw private key: the scalar, the seed of Ed25519 and X-Wing, or the expanded key of ML-KEM
    /// and ML-DSA.
    pub private_key: usize,
    /// The seed from which ML-KEM and ML-DSA expand a private key; otherwise 0.
    pub seed: usize,
    /// The longest signature; ECDSA's is in DER. 0 unless keys sign.
    pub signature: usize,
    /// The secret that two keys agree on. 0 unless keys agree.
    pub shared_secret: usize,
    /// The ciphertext of an encapsulated secret. 0 unless keys encapsulate.
    pub ciphertext: usize,
    /// RSA-OAEP and PKCS#1 v1.5 encryption are possible.
    pub encrypts: bool,
    /// The AlgorithmIdentifier of keys, in DER.
    pub(crate) identifier: &'static [u8],
}

/// The object identifier of `id-ecPublicKey`, in DER, and then that of a curve.
macro_rules! ec {
    ($size:literal, $($curve:literal),+) => {
        &[0x30, $size, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, $($curve),+]
    };
}

/// NIST's algorithms: 2.16.840.1.101.3.4.ARC.NUMBER.
macro_rules! nist {
    ($arc:literal, $number:literal) => {
        &[0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, $arc, $number]
    };
}

const NONE: Facts = Facts {
    public_key: 0,
    private_key: 0,
    seed: 0,
    signature: 0,
    shared_secret: 0,
    ciphertext: 0,
    encrypts: false,
    identifier: &[],
};

const fn lattice(sizes: [usize; 3], identifier: &'static [u8]) -> Facts {
    let [public_key, private_key, seed] = sizes;
    Facts { public_key, private_key, seed, identifier, ..NONE }
}

const fn nist_curve(field: usize, signature: usize, identifier: &'static [u8]) -> Facts {
    Facts {
        public_key: 1 + 2 * field,
        private_key: field,
        signature,
        shared_secret: field,
        identifier,
        ..NONE
    }
}

/// In the order of [`Algorithm`].
static FACTS: [Facts; 14] = [
    Facts {
        public_key: 32,
        private_key: 32,
        signature: 64,
        identifier: &[0x30, 5, 6, 3, 0x2b, 0x65, 0x70],
        ..NONE
    },
    Facts {
        public_key: 32,
        private_key: 32,
        shared_secret: 32,
        identifier: &[0x30, 5, 6, 3, 0x2b, 0x65, 0x6e],
        ..NONE
    },
    nist_curve(32, 72, ec!(19, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7)),
    nist_curve(48, 104, ec!(16, 6, 5, 0x2b, 0x81, 4, 0, 0x22)),
    nist_curve(66, 139, ec!(16, 6, 5, 0x2b, 0x81, 4, 0, 0x23)),
    Facts {
        encrypts: true,
        identifier: &[0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0],
        ..NONE
    },
    Facts {
        // Without parameters, which follow from the key.
        identifier: &[0x30, 11, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 10],
        ..NONE
    },
    Facts { ciphertext: 768, ..lattice([800, 1632, 64], nist!(4, 1)) },
    Facts { ciphertext: 1088, ..lattice([1184, 2400, 64], nist!(4, 2)) },
    Facts { ciphertext: 1568, ..lattice([1568, 3168, 64], nist!(4, 3)) },
    Facts { signature: 2420, ..lattice([1312, 2560, 32], nist!(3, 17)) },
    Facts { signature: 3309, ..lattice([1952, 4032, 32], nist!(3, 18)) },
    Facts { signature: 4627, ..lattice([2592, 4896, 32], nist!(3, 19)) },
    Facts {
        public_key: 1216,
        private_key: 32,
        ciphertext: 1120,
        // 1.3.6.1.4.1.62253.25722.
        identifier: &[0x30, 13, 6, 11, 0x2b, 6, 1, 4, 1, 0x83, 0xe6, 0x2d, 0x81, 0xc8, 0x7a],
        ..NONE
    },
];

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 14] = [
        Algorithm::Ed25519,
        Algorithm::X25519,
        Algorithm::P256,
        Algorithm::P384,
        Algorithm::P521,
        Algorithm::Rsa,
        Algorithm::RsaPss,
        Algorithm::MlKem512,
        Algorithm::MlKem768,
        Algorithm::MlKem1024,
        Algorithm::MlDsa44,
        Algorithm::MlDsa65,
        Algorithm::MlDsa87,
        Algorithm::XWing,
    ];

    /// Returns what is known about this algorithm.
    pub const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Returns true for P-256, P-384 and P-521.
    pub fn is_nist_curve(self) -> bool {
        matches!(self, Algorithm::P256 | Algorithm::P384 | Algorithm::P521)
    }

    /// Returns true for [`Rsa`](Self::Rsa) and [`RsaPss`](Self::RsaPss).
    pub fn is_rsa(self) -> bool {
        matches!(self, Algorithm::Rsa | Algorithm::RsaPss)
    }

    /// Returns true for ML-KEM.
    pub fn is_ml_kem(self) -> bool {
        matches!(self, Algorithm::MlKem512 | Algorithm::MlKem768 | Algorithm::MlKem1024)
    }

    /// Returns true for ML-DSA.
    pub fn is_ml_dsa(self) -> bool {
        matches!(self, Algorithm::MlDsa44 | Algorithm::MlDsa65 | Algorithm::MlDsa87)
    }

    /// Returns true if keys of this algorithm sign.
    pub fn signs(self) -> bool {
        self.is_rsa() || self.facts().signature > 0
    }

    /// Returns true if two keys of this algorithm agree on a secret.
    pub fn agrees(self) -> bool {
        self.facts().shared_secret > 0
    }

    /// Returns true for ML-KEM and X-Wing.
    pub fn encapsulates(self) -> bool {
        self.facts().ciphertext > 0
    }
}
