//! Known answers for HMAC with every hash, in one call and with a prepared key.

use crate::support::{hex, pattern};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash};
use millrace_core::hasher::state_size;
use millrace_core::hmac::{KeyStates, MacKey, hmac, key_states};

fn mac(name: &str, key: &[u8], source: &[u8]) -> String {
    let hash = Hash::by_name(name).expect(name);
    let mut target = vec![0xa5; hash.facts().digest_size];
    hmac(hash, key, source, &mut target).expect(name);

    let mut again = vec![0x5a; hash.facts().digest_size];
    let prepared = MacKey::new(hash, key).expect(name);
    for _ in 0..2 {
        prepared.mac(source, &mut again, None).expect(name);
        assert_eq!(target, again, "{name} with a prepared key");
    }
    let states = states(hash, key);
    let states = KeyStates::new(hash, &states).expect(name);
    states.finish(&[], source, &mut again).expect(name);
    assert_eq!(target, again, "{name} from the states of its key");
    let (first, rest) = source.split_at(source.len() / 3);
    let mut state = vec![0; state_size(hash)];
    states.update(&[], first, &mut state, None).expect(name);
    let mut next = state.clone();
    states.update(&state, rest, &mut next, None).expect(name);
    states.finish(&next, &[], &mut again).expect(name);
    assert_eq!(target, again, "{name} from the states of its key, incrementally");
    hex(&target)
}

fn states(hash: Hash, key: &[u8]) -> Vec<u8> {
    let mut states = vec![0; 2 * state_size(hash)];
    key_states(hash, key, &mut states).expect("states");
    states
}

#[test]
fn wrong_states_of_keys_are_refused() {
    let hash = Hash::by_name("sha256").expect("sha256");
    let mut short = vec![0; 2 * state_size(hash) - 1];
    assert_eq!(key_states(hash, b"key", &mut short), Err(Error::OutputSize));
    assert_eq!(KeyStates::new(hash, &short).err(), Some(Error::State));
    let xof = Hash::by_name("shake128").expect("shake128");
    assert_eq!(
        key_states(xof, b"key", &mut vec![0; 2 * state_size(xof)]),
        Err(Error::NotSupported)
    );
    assert_eq!(KeyStates::new(xof, &vec![0; 2 * state_size(xof)]).err(), Some(Error::State));
    let forged = vec![0xff; 2 * state_size(hash)];
    let forged =
        KeyStates::new(hash, &forged).expect("the contents are checked when they are used");
    assert_eq!(forged.finish(&[], b"", &mut [0; 32]), Err(Error::State));
}

#[test]
fn states_of_keys_hide_the_key() {
    let key = pattern(40);
    for facts in HASHES.iter().filter(|facts| facts.one_way) {
        let states = states(facts.hash, &key);
        for pad in [0, 0x36, 0x5c] {
            let part: Vec<u8> = key[..8].iter().map(|byte| byte ^ pad).collect();
            assert!(!states.windows(8).any(|bytes| bytes == part), "{}", facts.name);
        }
    }
}

/// HMAC of 1000 bytes of the pattern under no key, under 0, 1, .., 19, and under 200 bytes of the
/// pattern.
///
/// By OpenSSL (through Python's hmac); for Keccak and BLAKE3 by RFC 2104 written out over
/// PyCryptodome's and the authors' hashes.
#[rustfmt::skip]
const ANSWERS: &[(&str, [&str; 3])] = &[
    ("md5", [
        "f26d3279355b5233ed57ac665c9755dd",
        "7f2f4279b3cb9ae01b04ef033844fee9",
        "770204521d6579819e0eb63a91d8e008",
    ]),
    ("sha1", [
        "74af9f4c41fae3c0b7fd95f799592a03e09acd78",
        "dec300d59226860239deb05fbbe9392dcb4ce01d",
        "46587b673fa52653af995cf4d17f1a1bb47c6687",
    ]),
    ("sha224", [
        "f350c31c16217a964ce4da551501e0c4b9c0f9ce87d265df112b54b3",
        "89ea268124863bcf7d2b20cb12fe084caa926609b0d0b6d94d804f82",
        "36b952ae522cb2d79e4535a7ae3da7f81a7b9f0bf17a4b0e57d57ab5",
    ]),
    ("sha256", [
        "192683c6c993d8514ff6107597a93cf26e5e76bb16e22dd54128545866f7563d",
        "1ddea8d5fb3487bb3e75c94a63eb71c711dca5226922a3a36cc1decf2682211f",
        "500b9225feee9492f0543440802c75c48ba08d8557ce8734b26714960cc38549",
    ]),
    ("sha384", [
        "5ae0dadb5b91604d952466abfbfc71667e58711142165e905e1ee09db785c8c6a4d4866b60bdd47a7d38726284\
            d189f2",
        "7bab2327e549e898e422f70287c05a92126cfbf4ee90d6def1c41675fe0df92a6a796a0593e8f338378165f7ce\
            854d88",
        "39dcd3ff63aef696fe1dd0642b26efa557d8a3369cffb175376723a6805de8b985fd8341e59caa44d7317b3114\
            bf8a55",
    ]),
    ("sha512", [
        "d78e8bc41b21c31bbceadd767f00c1de7e9191f06643e608efc8da0276edce32c6ff6d04be6e0959c44aa3ae17\
            3411accd9a4b8139da0efb743d1e8a4a45db86",
        "6434b7bebd27ece5c0243e761e5b0ad14eec30b9e6c7dff7b46abb165bb7a0caeaf5f5ad5e8f091c8b995f0225\
            97363de09b5f15ffeae700e603f815488c648d",
        "84414f42ab22431c98f840ce0339b00aa302be5c0f34cc9c3a6910210650735bc134f98b9695792d8a948ff912\
            5d3ce227d9bb6e629031076d651ad945e22203",
    ]),
    ("sha512-224", [
        "d17fa764db1a366e3d177feb19546c2ffffd5f9e83cc1aa340d8179e",
        "1284998ef9b8b84760f3de02fea57deb401dd84517f1b121a81616bf",
        "b86ec1b5ec5f05dce04ab8363cdee4d5f18e383e199fa7409a484b07",
    ]),
    ("sha512-256", [
        "d349ae958bac085dafa7e4a7bc3349ba4146ccd671df979aa2944f00b11886b9",
        "31d33f92d32d43c839682ccef1b7351b0e00119a98bd2caffe344b2ff19af69f",
        "b744390cf1b6e389260ea3d73bf40562262e850f211f8eff872887eb96b21ab8",
    ]),
    ("sha3-224", [
        "5d990add5cd513a89e7456c1c2f30098db1167f3464561be26470a97",
        "f46ef014e231247cae72993f0c3fb3e243b30ca6d6d05973c47c89c5",
        "1a1f968e84d2ceb409afcbdd1b581bf0fece2ce8700dfc8c2299ccb3",
    ]),
    ("sha3-256", [
        "da3bd27f96d2dd8904bf2708c6e09f2ee8cade0d62b20143e3613d534d57775d",
        "b3e6b98b6927aac2dfc82625b7597ea12d5b73777132e0e9b30906c61d7d4829",
        "7cd2aceaad4cd0bea38b87ecf91e8489cff84617933b0a2f930b03f04549885e",
    ]),
    ("sha3-384", [
        "a98121a6750db37077c7b131ffb30486c556485d53fad3afafca5b7616d0e31f7677415301eac785165a5fe47a\
            0c486e",
        "761afceaf285b934a200835617ceb0e6f03ad93434fb4e9d57a17bd0ed55d1feca33e8bc1cfd2cfdece869ce75\
            06547e",
        "d47aba4326e6f3a0ec310d9a2ffb13fecaa811697b5f0be1d12df18c49d09945f13eac6be9b947c6470c272124\
            b58c8a",
    ]),
    ("sha3-512", [
        "3e6c320e62f57a342e4e608b39cbe2d50e5cd7e54b7d52f2b661fd0f5134ccea0e4856c341bb3f5e1183c8dff9\
            95510ec9bebf4157053e809d5882ad37ad77e0",
        "ca784599fb47d7095fc557e2ca43bcca30a9e41e63a8186ab716a71b4a83a7b1fe5629bf537c550932374e8545\
            f0ecf1fac70b64b1828b9d5fdaf8347bee36b2",
        "a834e71f39b8f5b2b9ba70f7089a5643e6cc85a250ee81895546a151af60a422c93679ccea2785c8fd4ab0a465\
            9be802eed0d31e252ab09f8ed945231156e2c1",
    ]),
    ("blake2b512", [
        "4dab35a9c7c0d365a1bbafe1203f34be70618d92b9ce1149bf62139307cda28fd572fd8568e133290d1f161ff9\
            e347cafc38d9afef4257c717ab9b3a64f98139",
        "d43328d5add31ff4d94c5058f0f0593567264ecc0cdef40d46b5a9769a57cb57c8212c667cf7b2a4ef04584d27\
            dd213d09d19c64f03ff88403cf4cf3ef5789e8",
        "d94499456011aadb8b8c269137b2cf2cb9337a8bf76e96d05c25a19b168dcd44bfe1b0b16af146475b751b12f1\
            a4ad4f564934070014f169176ef8a205e8baa5",
    ]),
    ("blake2s256", [
        "0f74031bb1fac7a7cedc9dfac4d358431d541efd9f2bb6fd69ebf1320bc94edf",
        "8be8384edb8e031035db6e54af4299dd1b66aa6e273bd5095b1090cd9800ee89",
        "b0d53b61b3c640ce455c347558e6bfc119bd04c2460330f9de207580932b69dd",
    ]),
    ("ripemd160", [
        "8c9e9c6ca1530647cf6c4162fa5e513bfab80b30",
        "043bd11272faf19d0a5f36ab59b1d56c96016e3f",
        "95da9666ca2523027b68f79fb620d5162f3f09c1",
    ]),
    ("md5-sha1", [
        "b8615fb0977f5e209061a54de78c3ccc719e17685df389c32246638e6560119e4a9f2a77",
        "8dffa12768a2557bc927fa325b6af7f7ce35d6f87b7cef5656c09fad623ef84362a47ca6",
        "ba0e97137adf13e203aff38fcf457649143be61231bd03562684dad5d66aab7f055a7815",
    ]),
    ("keccak224", [
        "9445b9658d778aa8825a0c1896f65cb81e95280d8f90c3ebd583535f",
        "2c7962997857e2e44b281d890e8b779c025f255d8e0f5316cd90f1f6",
        "8c79e2fd2aaa783947a077b05ff8eeeaba9b194157aa4f614b09d081",
    ]),
    ("keccak256", [
        "4a1363f3364ce52eb45d6b8709bd51252e517b1893b0a10049fdfbc0f3a702cf",
        "382f30a50739f784b27723a4955bd6810ef988a0b954c4b43a0583b92f6103ea",
        "f9d1a4abf761b6b5917c5311197ec9eed352cc012a1c9d04fd8374890b4270c3",
    ]),
    ("keccak384", [
        "2a1906b3db8dc2aee43858c927a2fd8d38e6cee8182666087050ca9235ca19e0cc34501d77816f8325bd570b47\
            3547a9",
        "1fe727f096391d8b62535b42cb8fde4024308f13037b0487f66ae365c5438041e94d54ec0cd736a64266accbda\
            fc69bf",
        "374f7f345b0aca183255a6dcc1775e26f3015dda0fae92111bf997b0d9bf6af268d96b7fbdc7a2e882b9e9648d\
            498e1b",
    ]),
    ("keccak512", [
        "62356a34c0a51570012fe165a9bac6931e6683b54397ce28544747ee513710ea7595fd14d92675ef34a94ea23e\
            4258608cd866beb05f2f042c429e826e6069e8",
        "3d96667ad9873881a30c3ea2e0e213defaaae97412ea446f9c8fa7c77e4c8ac81012e957342a8bb3ad5a7278a8\
            6be3d108d4fe14055cd80c9ee765a7c8472ddd",
        "7e70440a1f856505b4efc881803ba729c9d677c637056d4785e736c559b4cddb6f3e667ded904bdbacfbc25d61\
            7d72ccd8089e7499d7357882505224adcb6ecb",
    ]),
    ("blake3", [
        "8796e0895aff6e088b80b74f0f1dcdf7e49f4fd826396486d8f28eae0cfdd88d",
        "796d5514e2f9ea4bc2c1f634164218b99092851b15c4ad7813eee2f19ce27836",
        "b58a1b089174553f21f1c7d6f12119da223085cc8327772d72a4be2dd2c4b31e",
    ]),
];

#[test]
fn known_answers_are_reproduced() {
    let defined = HASHES.iter().filter(|facts| facts.hmac).count();
    assert_eq!(ANSWERS.len(), defined, "an answer for every hash under HMAC");
    let keys = [Vec::new(), (0..20).collect(), pattern(200)];
    for (name, macs) in ANSWERS {
        for (key, answer) in keys.iter().zip(macs) {
            assert_eq!(
                mac(name, key, &pattern(1000)),
                *answer,
                "{name} with a key of {} bytes",
                key.len()
            );
        }
    }
}

/// RFC 4231, cases 1 to 4, 6 and 7, without the fifth, which is truncated.
#[test]
fn the_cases_of_rfc_4231_are_reproduced() {
    let long = [0xaa; 131];
    let counted: Vec<u8> = (1..=25).collect();
    let cases: [(&[u8], &[u8], &str); 6] = [
        (&[0x0b; 20], b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (b"Jefe", b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (&[0xaa; 20], &[0xdd; 50],
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (&counted, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (
            &long,
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            &long,
            b"This is a test using a larger than block-size key and a larger than block-size data. \
            The key needs \
              to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ];
    for (key, source, answer) in cases {
        assert_eq!(mac("sha256", key, source), answer);
    }
    assert_eq!(
        mac("sha512", b"Jefe", b"what do ya want for nothing?"),
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8\
        f0e6fdcaeab1a34d4a\
         6b4b636e070a38bce737"
    );
}

/// RFC 2202, cases 1 and 2 of each.
#[test]
fn the_cases_of_rfc_2202_are_reproduced() {
    assert_eq!(mac("md5", &[0x0b; 16], b"Hi There"), "9294727a3638bb1c13f48ef8158bfc9d");
    assert_eq!(
        mac("md5", b"Jefe", b"what do ya want for nothing?"),
        "750c783e6ab0b503eaa86e310a5db738"
    );
    assert_eq!(mac("sha1", &[0x0b; 20], b"Hi There"), "b617318655057264e28bc0b6fb378c8ef146be00");
    assert_eq!(
        mac("sha1", b"Jefe", b"what do ya want for nothing?"),
        "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    );
}

/// Every length of key and of source about a border, against HMAC written out over the hash.
#[test]
fn keys_and_messages_at_borders_of_blocks_are_right() {
    let digest = |hash: Hash, parts: &[&[u8]]| {
        let mut target = vec![0; hash.facts().digest_size];
        millrace_core::hash::digest(hash, &Default::default(), &parts.concat(), &mut target, None)
            .expect("fits");
        target
    };
    for facts in HASHES.iter().filter(|facts| facts.hmac) {
        let block = facts.block_size;
        for key_size in [0, 1, block - 1, block, block + 1, 2 * block] {
            for source_size in
                [0, 1, block - 9, block - 1, block, block + 1, 2 * block, 5 * block + 3]
            {
                let (key, source) = (pattern(key_size), pattern(source_size));
                let mut pad =
                    if key.len() > block { digest(facts.hash, &[&key]) } else { key.clone() };
                pad.resize(block, 0);
                let inner: Vec<u8> = pad.iter().map(|byte| byte ^ 0x36).collect();
                let outer: Vec<u8> = pad.iter().map(|byte| byte ^ 0x5c).collect();
                let answer = digest(facts.hash, &[&outer, &digest(facts.hash, &[&inner, &source])]);
                assert_eq!(
                    mac(facts.name, &key, &source),
                    hex(&answer),
                    "{} {key_size} {source_size}",
                    facts.name
                );
            }
        }
    }
}

#[test]
fn wrong_sizes_and_hashes_are_refused() {
    for facts in &HASHES {
        let size = facts.digest_size;
        if facts.hmac {
            for wrong in [0, size - 1, size + 1] {
                assert_eq!(hmac(facts.hash, b"", b"", &mut vec![0; wrong]), Err(Error::OutputSize));
                let key = MacKey::new(facts.hash, b"").expect("defined");
                assert_eq!(key.mac(b"", &mut vec![0; wrong], None), Err(Error::OutputSize));
                assert_eq!(key.hash(), facts.hash);
            }
        } else {
            assert_eq!(hmac(facts.hash, b"", b"", &mut vec![0; size]), Err(Error::NotSupported));
            assert_eq!(MacKey::new(facts.hash, b"").err(), Some(Error::NotSupported));
        }
    }
}

#[test]
fn a_key_may_be_shared_by_threads() {
    let key = MacKey::new(Hash::Sha256, b"Jefe").expect("defined");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut target = [0; 32];
                for _ in 0..1000 {
                    key.mac(b"what do ya want for nothing?", &mut target, None).expect("fits");
                    assert_eq!(target[..4], [0x5b, 0xdc, 0xc1, 0x46]);
                }
            });
        }
    });
}
