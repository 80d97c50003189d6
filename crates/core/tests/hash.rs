//! Known answers for every hash, and what is refused.

use crate::support::{hex, pattern, unhex};
use millrace_core::Error;
use millrace_core::catalog::{HASHES, Hash, Parameter};
use millrace_core::hash::{Params, digest};
use millrace_core::parameters::Parameters;

fn hash(name: &str, params: &Params<'_>, source: &[u8]) -> String {
    hash_to(name, params, source, None)
}

fn hash_to(name: &str, params: &Params<'_>, source: &[u8], size: Option<usize>) -> String {
    let hash = Hash::by_name(name).expect(name);
    let size = size.unwrap_or(hash.facts().digest_size);
    let mut target = vec![0xa5; size];
    digest(hash, params, source, &mut target, None).expect(name);
    hex(&target)
}

/// The digests of nothing, of "abc", and of 1000 and 5000 bytes of the pattern. SHAKE with 32
/// bytes.
///
/// The first two are in the standards (FIPS 180-4 and 202 with their examples, RFC 1321, 7693, the
/// RIPEMD-160 and Keccak papers, BLAKE3's test vectors, xxHash's sanity checks). All were made with
/// implementations that share no code with ours: OpenSSL (through Python's hashlib), PyCryptodome
/// (Keccak), and the xxHash authors' C; BLAKE3's with its authors' crate.
#[rustfmt::skip]
const ANSWERS: &[(&str, [&str; 4])] = &[
    ("md5", [
        "d41d8cd98f00b204e9800998ecf8427e",
        "900150983cd24fb0d6963f7d28e17f72",
        "a24f1e3ef66950e1327f210e3997ba2c",
        "046b3239eaade30920069f171518d956",
    ]),
    ("sha1", [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "c9c960a0b925474fab83942cc27d504fc24ac37b",
        "e6937aa016bc06eda81d3b227fffde825d881ce5",
    ]),
    ("sha224", [
        "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        "c182669a7f6629dc7fd8a9198f15af15adbbaeffa1842e854f681357",
        "e5979af35e7b24165b670e84eea4b9ad4b510b27dbe9491b28a7f902",
    ]),
    ("sha256", [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d",
        "69dbee893909fa17d1be397e0c07691336fe42049c29d403467d3d4a1fc3b5a1",
    ]),
    ("sha384", [
        "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f148\
            98b95b",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134\
            c825a7",
        "7a2f8c7f12344964a13cb9260492b845e56615d6152b9eb9e54b580fc88405e64f31813bfda10de2a642fdf167\
            6c61b4",
        "3592cbbc05f7c49ff1edb2c122f878fb78792cdb3d6883d3a705f902f43cfde95f1bc803445f48b3eac92224d5\
            4f846d",
    ]),
    ("sha512", [
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d287\
            7eec2f63b931bd47417a81a538327af927da3e",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3\
            feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "5096498d96f50f9a137c4db5b8b0cd38383ad55350fb5a98805fedc31fa1262f1f0cf4d6f12d7ecd8dedd933a4\
            c9126344fe22e937a8ad35fdeae1e876ae698b",
        "f7b8464be8c23f633cd761a6502801a7d77f59a9eb0523e50bec6b366687258a7c8e5f8b1578e56076b133a5ea\
            1f0dd3cf439d97ebca4f335818be014a085c86",
    ]),
    ("sha512-224", [
        "6ed0dd02806fa89e25de060c19d3ac86cabb87d6a0ddd05c333b84f4",
        "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa",
        "c37d5044d175f42e9993f2e3a059e14980cd85b209681dd218aa8a6b",
        "17dbd670a961b41c3101af91fb348b341b97a1c0ec40a1bbc05d818e",
    ]),
    ("sha512-256", [
        "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a",
        "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
        "974bc1ca87fcb8f487f65a650d1eeeebdc0cc269381b9eeb708cc4ea6d4954f2",
        "062cf06195273c1c4f3afd7fb3c32e4098f022f9d0bcd039f55fb3a6b33987c7",
    ]),
    ("sha3-224", [
        "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7",
        "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
        "51481b8dbd6b73dd110a967f438aa22facfcdce1eb5d2b36a5ec023f",
        "4bf885b65e6797e6314ce98b5d143a3f6c7c75d3b15f41617b45b34f",
    ]),
    ("sha3-256", [
        "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
        "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
        "48e66a01861d0eadaacdb7a6ae7db6b9ac79242ecced4154a9fbb33c4e3cc571",
        "71b18b53730a528a5aa13793e50de60280173479946a0f420d25613c1dbff48b",
    ]),
    ("sha3-384", [
        "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058\
            d5f004",
        "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228\
            376d25",
        "43e60a7ef818a0e367fcd4ede8f5fabbdb7090cb45972bb7a84038cc3abf4fc26c4f44b59d3a0306c973b66e84\
            c8890b",
        "8df4f19b6cc23d3e7c1cf2f8609dbdf91a4335a9f569eb2d8919323faa69f29aca9b0c02bf6849f11438d158ef\
            048dab",
    ]),
    ("sha3-512", [
        "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c\
            3ac558f500199d95b6d3e301758586281dcd26",
        "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647\
            e3934057340b4cf408d5a56592f8274eec53f0",
        "b8030d306ae990bc794bfb3a6100f67851889d6c272257afac7d1077a18660d6ea8d0da5d2299c3ebaa0d34baf\
            62cc58ac1fd4476506cf512a4897bb083a6fc4",
        "43fd1127b2d55122028fa3a4b7db1d8201be794917a4bb65604f46b2657f337d790153a52ee40128b2239381cf\
            6769cdf3079c94e4df2e952b206d47c5ef793d",
    ]),
    ("blake2b512", [
        "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee58531389644493\
            4eb04b903a685b1448b755d56f701afe9be2ce",
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de45\
            33cc9518d38aa8dbf1925ab92386edd4009923",
        "c11e1c0340bd7e5a1b275f1230c962fad215ecb1391486e74e31b960a2f2996381a5fad092da06841d5f26e38f\
            6ecfeaf441acbcd1c2de61aef121e7927175f5",
        "e0544a2083f83329af4c725e0cf8805ce26d686a6bc33bfd2e29d5c1b5f9a889c44f1769e496e3586dae86e56c\
            195908d6aa1d0e2cadad635902a37e812681ca",
    ]),
    ("blake2s256", [
        "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9",
        "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
        "1c067a5e746fb0f6734efac9a8cdb0e11061f0077f255184365c690115392501",
        "5b73fde71a575695f52be841b2673288e9e797465cec0ae40c231d97810d8da5",
    ]),
    ("ripemd160", [
        "9c1185a5c5e9fc54612808977ee8f548b2258d31",
        "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
        "6864b0b9f86a879be2680824c81dbce9c5350281",
        "8bbc17ad152979850e1a88aa66ed86f86bb69d05",
    ]),
    ("md5-sha1", [
        "d41d8cd98f00b204e9800998ecf8427eda39a3ee5e6b4b0d3255bfef95601890afd80709",
        "900150983cd24fb0d6963f7d28e17f72a9993e364706816aba3e25717850c26c9cd0d89d",
        "a24f1e3ef66950e1327f210e3997ba2cc9c960a0b925474fab83942cc27d504fc24ac37b",
        "046b3239eaade30920069f171518d956e6937aa016bc06eda81d3b227fffde825d881ce5",
    ]),
    ("keccak224", [
        "f71837502ba8e10837bdd8d365adb85591895602fc552b48b7390abd",
        "c30411768506ebe1c2871b1ee2e87d38df342317300a9b97a95ec6a8",
        "bade992c46a5696b8e103d74ae6fb1fb4cddff57c276d2baf67565fc",
        "ce5dad574a6bfe2f32b2b5c4dc9fda27d7288af117b5c0d3f660a1dc",
    ]),
    ("keccak256", [
        "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
        "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
        "af692982e84a5a9688359025660a7857cd28ee7c8d867cfa1677baf2e6d1f63b",
        "96c1a73504511514cb2aef9a671ba4724324ba87de1dabfe102a8eaa28335fde",
    ]),
    ("keccak384", [
        "2c23146a63a29acf99e73b88f8c24eaa7dc60aa771780ccc006afbfa8fe2479b2dd2b21362337441ac12b51591\
            1957ff",
        "f7df1165f033337be098e7d288ad6a2f74409d7a60b49c36642218de161b1f99f8c681e4afaf31a34db29fb763\
            e3c28e",
        "f2c25e476fb2c046931f4cd056efaa2c85031876364a1d462c493eb2db2707805c59d7b4a23c0acd20e3ff8d20\
            945022",
        "0ccf19b0eb79c7edaaadb2a32013a04568511d0dabc222609bcfbfe690b8d151bb069daf906f0cccee8676edb0\
            9c5deb",
    ]),
    ("keccak512", [
        "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304c00fa9caf9d87976ba469bcbe0\
            6713b435f091ef2769fb160cdab33d3670680e",
        "18587dc2ea106b9a1563e32b3312421ca164c7f1f07bc922a9c83d77cea3a1e5d0c69910739025372dc14ac964\
            2629379540c17e2a65b19d77aa511a9d00bb96",
        "dec8169d40c30076041b00181c5fdfcc36b95f2acb6ff5bbaea772c37d91885b4c85b1463c718e9e6ffed3896c\
            01d2aede2904c80c1fd6d6d4a5e87b991db490",
        "f4f54c317016fb0363392721c83f70435f9df07428bb022f82d135e7a73c2e8179e9f4916c71e190224b29f19a\
            91947b432a49cfb802724e920c1720effc3ff1",
    ]),
    ("shake128", [
        "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26",
        "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8",
        "a72440f7f5aa7c14c8e0187420611da7e2ba62f5bb2e88a91b9c9448cac30078",
        "2a594c0c724b7ebf8263c4ad4cb5330a08c3683bd7185021758e91c28df37085",
    ]),
    ("shake256", [
        "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f",
        "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739",
        "34833f03ed88bb5f083ce590c7ae5af93ede33e11f53c70e47916c7044746acb",
        "1f6c2b98546b6772218ac2de47fa809a694b2861d43540c640995d0887392e39",
    ]),
    ("blake3", [
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
        "b43670a52d1af24abdac5d2c3ed19ff4e62b60a618e823ad555888b1b0b91cff",
        "ee78d92070de3df1c57c37002abf0a6b1a6589acdeef4d8ffac7cf3d9e8f2836",
    ]),
    ("xxh32", [
        "02cc5d05",
        "32d153ff",
        "30dd1330",
        "449f80e0",
    ]),
    ("xxh64", [
        "ef46db3751d8e999",
        "44bc2cf5ad770999",
        "f306f04aa88b54d3",
        "a6833d648fd6a332",
    ]),
    ("xxh3-64", [
        "2d06800538d394c2",
        "78af5f94892f3950",
        "33ef703fb2b20ed1",
        "b418500fc42320ee",
    ]),
    ("xxh3-128", [
        "99aa06d3014798d86001c324468d497f",
        "06b05ab6733a618578af5f94892f3950",
        "18bf41bc8229e27733ef703fb2b20ed1",
        "b92ec02c39d33ce7b418500fc42320ee",
    ]),
    ("crc32", [
        "00000000",
        "352441c2",
        "721746a6",
        "c1607408",
    ]),
    ("crc32c", [
        "00000000",
        "364b3fb7",
        "11f66220",
        "83f68e3a",
    ]),
    ("crc64nvme", [
        "0000000000000000",
        "05e5cabb3fc1faeb",
        "3a2d3571b6998416",
        "c100c13501f5957a",
    ]),
];

/// The same messages with the seed 0x9e3779b185ebca8d, for xxh32 with 0x9e3779b1.
#[rustfmt::skip]
const SEEDED: &[(&str, [&str; 4])] = &[
    ("xxh32", [
        "36b78ae7",
        "a1ae7709",
        "fc8d45b0",
        "5a52b920",
    ]),
    ("xxh64", [
        "0b303d920ec349df",
        "7e49c9d7e85a4ab6",
        "6c7fc7c05f59a60b",
        "7d744c88ad673362",
    ]),
    ("xxh3-64", [
        "a8a6b918b2f0364a",
        "e279ab87437fe1d8",
        "6578680962484091",
        "193d5c3e500a91bb",
    ]),
    ("xxh3-128", [
        "00feaa732a3ce25ea986dfc5d7605bfe",
        "da60ca51845482c2e279ab87437fe1d8",
        "5d79db1235f446dd6578680962484091",
        "ba293795303ff722193d5c3e500a91bb",
    ]),
];

fn messages() -> [Vec<u8>; 4] {
    [Vec::new(), b"abc".to_vec(), pattern(1000), pattern(5000)]
}

enum Source {
    /// Bytes in hexadecimal.
    Hex(&'static str),
    /// The encoded tuple of NIST's examples: 00 01 02, and 10 to 15.
    Tuple,
    /// RFC 9861's pattern.
    Pattern(usize),
}

/// An example of each from NIST's pages for SP 800-185, with their key and blocks of 8 bytes, and
/// from RFC 9861: algorithm, message, customization, domain and digest.
#[rustfmt::skip]
const KECCAK_FAMILY: &[(&str, Source, &str, u64, &str)] = &[
    ("cshake128", Source::Hex("00010203"), "Email Signature", 0,
        "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5"),
    ("cshake256", Source::Hex("00010203"), "Email Signature", 0,
        concat!("d008828e2b80ac9d2218ffee1d070c48b8e4c87bff32c9699d5b6896eee0edd1",
            "64020e2be0560858d9c00c037e34a96937c561a74c412bb4c746469527281c8c")),
    ("kmac128", Source::Hex("00010203"), "My Tagged Application", 0,
        "3b1fba963cd8b0b59e8c1a6d71888b7143651af8ba0a7070c0979e2811324aa5"),
    ("kmac256", Source::Hex("00010203"), "My Tagged Application", 0,
        concat!("20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7",
            "f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd")),
    ("kmacxof128", Source::Hex("00010203"), "My Tagged Application", 0,
        "31a44527b4ed9f5c6101d11de6d26f0620aa5c341def41299657fe9df1a3b16c"),
    ("kmacxof256", Source::Hex("00010203"), "My Tagged Application", 0,
        concat!("1755133f1534752aad0748f2c706fb5c784512cab835cd15676b16c0c6647fa9",
            "6faa7af634a0bf8ff6df39374fa00fad9a39e322a7c92065a64eb1fb0801eb2b")),
    ("tuplehash128", Source::Tuple, "My Tuple App", 0,
        "75cdb20ff4db1154e841d758e24160c54bae86eb8c13e7f5f40eb35588e96dfb"),
    ("tuplehash256", Source::Tuple, "My Tuple App", 0,
        concat!("147c2191d5ed7efd98dbd96d7ab5a11692576f5fe2a5065f3e33de6bba9f3aa1",
            "c4e9a068a289c61c95aab30aee1e410b0b607de3620e24a4e3bf9852a1d4367e")),
    ("tuplehashxof128", Source::Tuple, "My Tuple App", 0,
        "3fc8ad69453128292859a18b6c67d7ad85f01b32815e22ce839c49ec374e9b9a"),
    ("tuplehashxof256", Source::Tuple, "My Tuple App", 0,
        concat!("6483cb3c9952eb20e830af4785851fc597ee3bf93bb7602c0ef6a65d741aeca7",
            "e63c3b128981aa05c6d27438c79d2754bb1b7191f125d6620fca12ce658b2442")),
    ("parallelhash128",
        Source::Hex("000102030405060710111213141516172021222324252627"), "Parallel Data", 0,
        "fc484dcb3f84dceedc353438151bee58157d6efed0445a81f165e495795b7206"),
    ("parallelhash256",
        Source::Hex("000102030405060710111213141516172021222324252627"), "Parallel Data", 0,
        concat!("cdf15289b54f6212b4bc270528b49526006dd9b54e2b6add1ef6900dda3963bb",
            "33a72491f236969ca8afaea29c682d47a393c065b38e29fae651a2091c833110")),
    ("parallelhashxof128",
        Source::Hex("000102030405060710111213141516172021222324252627"), "Parallel Data", 0,
        "ea2a793140820f7a128b8eb70a9439f93257c6e6e79b4a540d291d6dae7098d7"),
    ("parallelhashxof256",
        Source::Hex("000102030405060710111213141516172021222324252627"), "Parallel Data", 0,
        concat!("538e105f1a22f44ed2f5cc1674fbd40be803d9c99bf5f8d90a2c8193f3fe6ea7",
            "68e5c1a20987e2c9c65febed03887a51d35624ed12377594b5585541dc377efc")),
    ("turboshake128", Source::Pattern(289), "", 0,
        "96c77c279e0126f7fc07c9b07f5cdae1e0be60bdbe10620040e75d7223a624d2"),
    ("turboshake256", Source::Pattern(289), "", 0,
        concat!("66b810db8e90780424c0847372fdc95710882fde31c6df75beb9d4cd9305cfca",
            "e35e7b83e8b7e6eb4b78605880116316fe2c078a09b94ad7b8213c0a738b65c0")),
    ("kt128", Source::Pattern(83521), "", 0,
        "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe"),
    ("kt256", Source::Pattern(83521), "", 0,
        concat!("b06275d284cd1cf205bcbe57dccd3ec1ff6686e3ed15776383e1f2fa3c6ac8f0",
            "8bf8a162829db1a44b2a43ff83dd89c3cf1ceb61ede659766d5ccf817a62ba8d")),
];

#[test]
fn known_answers_of_the_keccak_family_are_reproduced() {
    let key = unhex("404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f");
    for (name, source, customization, domain, digest) in KECCAK_FAMILY {
        let (domain, block_size) = (domain.to_le_bytes(), 8_u64.to_le_bytes());
        let mut values: Vec<(Parameter, &[u8])> = Vec::new();
        if name.starts_with("kmac") {
            values.push((Parameter::Key, &key));
        }
        if !customization.is_empty() {
            values.push((Parameter::Customization, customization.as_bytes()));
        }
        if domain != [0; 8] {
            values.push((Parameter::Domain, &domain));
        }
        if name.starts_with("parallel") {
            values.push((Parameter::BlockSize, &block_size));
        }
        let block = Parameters::block(&values);
        let parameters = if values.is_empty() { Parameters::NONE } else { Parameters::of(&block) };
        let source = match source {
            Source::Hex(digits) => unhex(digits),
            Source::Tuple => unhex("01180001020130101112131415"),
            Source::Pattern(size) => pattern(*size),
        };
        let params = Params { parameters, ..Params::NONE };
        assert_eq!(hash_to(name, &params, &source, Some(digest.len() / 2)), *digest, "{name}");
    }
}

#[test]
fn known_answers_are_reproduced() {
    let known = ANSWERS.len() + KECCAK_FAMILY.len();
    assert_eq!(known, HASHES.len(), "an answer for every hash");
    for (name, digests) in ANSWERS {
        for (source, digest) in messages().iter().zip(digests) {
            assert_eq!(
                hash_to(name, &Params::default(), source, Some(digest.len() / 2)),
                *digest,
                "{name} of {} bytes",
                source.len()
            );
        }
    }
}

#[test]
fn seeds_give_the_known_answers() {
    for (name, digests) in SEEDED {
        let seed = if *name == "xxh32" { 0x9e37_79b1 } else { 0x9e37_79b1_85eb_ca8d };
        for (source, digest) in messages().iter().zip(digests) {
            assert_eq!(
                hash(name, &Params { seed, ..Params::NONE }, source),
                *digest,
                "{name} of {} bytes",
                source.len()
            );
        }
    }
    let low = Params { seed: 7, ..Params::NONE };
    let high = Params { seed: 7 | 1 << 32, ..Params::NONE };
    assert_eq!(
        hash("xxh32", &low, b"abc"),
        hash("xxh32", &high, b"abc"),
        "only the low 32 bits count"
    );
}

/// FIPS 180 and RIPEMD-160: one million times "a".
#[test]
fn a_million_bytes_hash_as_in_the_standards() {
    let source = vec![b'a'; 1_000_000];
    for (name, digest) in [
        ("sha1", "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ("sha256", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (
            "sha512",
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb043\
            2ce577c31b\
             eb009c5c2c49aa2e4eadb217ad8cc09b",
        ),
        ("sha3-256", "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1"),
        ("ripemd160", "52783243c1697bdbe16d37f97f68f08325dc1528"),
    ] {
        assert_eq!(hash(name, &Params::default(), &source), digest, "{name}");
    }
}

/// Output over several blocks of the sponge; the last 32 of 600 bytes by OpenSSL.
#[test]
fn shake_gives_output_of_any_size() {
    for (name, end) in [
        ("shake128", "da3fca753353cdb7053c02e11ac787fc575314ce37661adaef6b7e4419dcfef9"),
        ("shake256", "a5fe635d3ed1f8d61a91fa78e680d7effa2cfc73a676520e97795e45b66bb624"),
    ] {
        let long = hash_to(name, &Params::default(), b"abc", Some(600));
        assert!(long.ends_with(end), "{name}");
        for size in [1, 7, 8, 135, 136, 137, 167, 168, 169, 599] {
            let short = hash_to(name, &Params::default(), b"abc", Some(size));
            assert_eq!(short, long[..2 * size], "{name} with {size} bytes");
        }
    }
}

/// BLAKE3's own test vectors, with 131 bytes of output.
#[test]
fn vectors_of_blake3_are_reproduced() {
    let key: &[u8; 32] = b"whats the Elvish word for friend";
    for (size, plain, keyed) in [
        (
            0,
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262e00f03e7b69af26b7faaf0\
            9fcd333050\
             338ddfe085b8cc869ca98b206c08243a26f5487789e8f660afe6c99ef9e0c52b92e7393024a80459cf91f4\
             76f9ffdbda\
             7001c22e159b402631f277ca96f2defdf1078282314e763699a31c5363165421cce14d",
            "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26b18171a2f22a4b94822c70\
            1f107153db\
             a24918c4bae4d2945c20ece13387627d3b73cbf97b797d5e59948c7ef788f54372df45e45e4293c7dc18c1\
             d41144a975\
             8be58960856be1eabbe22c2653190de560ca3b2ac4aa692a9210694254c371e851bc8f",
        ),
        (
            1025,
            "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444f4c4a22b4b399155358a99\
            4e52bf255d\
             e60035742ec71bd08ac275a1b51cc6bfe332b0ef84b409108cda080e6269ed4b3e2c3f7d722aa4cdc98d16\
             deb554e562\
             7be8f955c98e1d5f9565a9194cad0c4285f93700062d9595adb992ae68ff12800ab67a",
            "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69362396b77fdc0d2634a552\
            9708437220\
             66c3c15902ae5097e00ff53f1e116f1cd5352720113a837ab2452cafbde4d54085d9cf5d21ca613071551b\
             25d52e69d6\
             c81123872b6f19cd3bc1333edf0c52b94de23ba772cf82636cff4542540a7738d5b930",
        ),
    ] {
        let source = pattern(size);
        assert_eq!(hash_to("blake3", &Params::default(), &source, Some(131)), plain);
        assert_eq!(hash("blake3", &Params::default(), &source), plain[..64]);
        let params = Params { key: Some(key), ..Params::NONE };
        assert_eq!(hash_to("blake3", &params, &source, Some(131)), keyed);
        assert_eq!(hash("blake3", &params, &source), keyed[..64]);
    }
}

#[test]
fn wrong_sizes_and_parameters_are_refused() {
    for facts in &HASHES {
        let run = |params: &Params<'_>, size: usize| {
            digest(facts.hash, params, b"abc", &mut vec![0; size], None)
        };
        assert_eq!(run(&Params::default(), 0), Err(Error::OutputSize), "{}", facts.name);
        if !facts.xof {
            for size in [facts.digest_size - 1, facts.digest_size + 1] {
                assert_eq!(run(&Params::default(), size), Err(Error::OutputSize), "{}", facts.name);
            }
        }
        let size = facts.digest_size.max(1);
        let seeded = run(&Params { seed: 1, ..Params::NONE }, size);
        assert_eq!(seeded.is_ok(), facts.seed_bits > 0, "{}", facts.name);
        let keyed = run(&Params { key: Some(&[0; 32]), ..Params::NONE }, size);
        assert_eq!(keyed.is_ok(), facts.takes_raw_key(), "{}", facts.name);
    }
}

#[test]
fn unaligned_sources_give_the_same_digest() {
    let bytes = pattern(3000);
    for facts in &HASHES {
        let aligned = hash(facts.name, &Params::default(), &bytes[..2000]);
        for shift in 1..9 {
            let mut moved = vec![0; shift];
            moved.extend_from_slice(&bytes[..2000]);
            assert_eq!(
                hash(facts.name, &Params::default(), &moved[shift..]),
                aligned,
                "{}",
                facts.name
            );
        }
    }
}
