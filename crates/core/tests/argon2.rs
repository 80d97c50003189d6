//! Argon2: the vectors of RFC 9106, another library over random parameters, limits.

mod support;

use millrace_core::Error;
use millrace_core::kdf::Memory;
use millrace_core::kdf::argon2::{self, Cost, Input, Kind, Version};
use millrace_core::pace::{Pace, Unpaced};
use support::{Random, hex};

const KINDS: [(Kind, ::argon2::Algorithm); 3] =
    [(Kind::D, ::argon2::Algorithm::Argon2d), (Kind::I, ::argon2::Algorithm::Argon2i), (Kind::Id, ::argon2::Algorithm::Argon2id)];

/// RFC 9106, section 5.
#[test]
fn vectors_of_the_standard() {
    for (kind, expected) in [
        (Kind::D, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
        (Kind::I, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"),
        (Kind::Id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
    ] {
        let cost = Cost::new(kind, 32, 3, 4).expect("a cost");
        let input = Input { password: &[1; 32], salt: &[2; 16], secret: &[3; 8], associated: &[4; 12] };
        let mut target = [0; 32];
        argon2::derive(&cost, &input, &mut target).expect("derived");
        assert_eq!(hex(&target), expected, "{kind:?}");
    }
}

/// The argon2 crate over random parameters.
#[test]
fn another_library_agrees() {
    let mut random = Random(1);
    for round in 0..120 {
        let (kind, algorithm) = KINDS[round % 3];
        let (version, their_version) =
            if random.below(2) == 0 { (Version::V10, ::argon2::Version::V0x10) } else { (Version::V13, ::argon2::Version::V0x13) };
        let lanes = 1 + random.below(5) as u32;
        let memory = 8 * lanes + random.below(if round % 10 == 0 { 9000 } else { 300 }) as u32;
        let passes = 1 + random.below(4) as u32;
        let (password, salt, secret, associated) = (random.below(200), 8 + random.below(100), random.below(40), random.below(40));
        let (password, salt) = (random.bytes(password), random.bytes(salt));
        let (secret, associated) = (random.bytes(secret), random.bytes(associated.min(32)));
        let size = 4 + random.below(300);

        let mut builder = ::argon2::ParamsBuilder::new();
        builder.m_cost(memory).t_cost(passes).p_cost(lanes).output_len(size);
        builder.data(::argon2::AssociatedData::new(&associated).expect("short"));
        let params = builder.build().expect("parameters");
        let judge = ::argon2::Argon2::new_with_secret(&secret, algorithm, their_version, params).expect("a secret");
        let mut expected = vec![0; size];
        judge.hash_password_into(&password, &salt, &mut expected).expect("derived");

        let cost = Cost::new(kind, memory, passes, lanes).expect("a cost").with_version(version);
        let input = Input { password: &password, salt: &salt, secret: &secret, associated: &associated };
        let mut target = vec![0; size];
        argon2::derive(&cost, &input, &mut target).expect("derived");
        assert_eq!(hex(&target), hex(&expected), "{cost:?}");
    }
}
