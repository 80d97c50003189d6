// Readers of published test vectors, for `npm run test:vectors -- DIRECTORY`: NIST's response files
// (CAVP), as the PyPI package cryptography-vectors carries them, Project Wycheproof's JSON, and
// BLAKE3's. A reader yields `{ name, check }`; a check throws if the library differs.

import assert from 'node:assert/strict';

import millrace from 'millrace';
import promises from 'millrace/promises';

export const hex = (text = '') => Buffer.from(text, 'hex');

/** Reads `NAME = value` lines. A record ends where one of its names returns; headings go on. */
function* records(text) {
  let [heading, record] = [{}, {}];
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[([^=\]]+?)\s*(?:=\s*([^\]]*))?\]/.exec(line);
    const field = /^(\w[\w ]*?)\s*=\s*(.*)$/.exec(line);
    if (/^FAIL\b/.test(line)) record.FAIL = true;
    if (section === null && field === null) continue;
    if (section !== null || field[1] in record) {
      if (Object.keys(record).length > 0) yield { ...heading, ...record };
      record = {};
    }
    if (section !== null) heading = { ...heading, [section[1]]: section[2] };
    else record[field[1]] = field[2].trim();
  }
  if (Object.keys(record).length > 0) yield { ...heading, ...record };
}

/** Returns a reader: `make` gives the check of a record, or undefined. */
const ofRecords = (make) =>
  function* (path, text) {
    for (const record of records(text)) {
      const check = make(record, path);
      if (check !== undefined) yield { name: JSON.stringify(record).slice(0, 60), check };
    }
  };

const hashNames = [
  [/SHA(1|224|256|384|512)(Short|Long)Msg/, (match) => `sha${match[1]}`],
  [/SHA512_(224|256)(Short|Long)Msg/, (match) => `sha512-${match[1]}`],
  [/SHA3_(\d+)(Short|Long)Msg/, (match) => `sha3-${match[1]}`],
  [/SHAKE(\d+)(ShortMsg|LongMsg|VariableOut)/, (match) => `shake${match[1]}`],
  [/blake2b\.txt/, () => 'blake2b512'],
  [/blake2s\.txt/, () => 'blake2s256'],
  [/ripevectors/, () => 'ripemd160'],
  [/rfc-1321/, () => 'md5'],
];

/** At once, in updates of a third, by a promise, and in windows at an odd offset. */
export async function checkHash(algorithm, message, expected) {
  const options = /^shake/.test(algorithm) ? { outputLength: expected.length } : {};
  const odd = Buffer.concat([Buffer.alloc(3), message, Buffer.alloc(5)]).subarray(3, -5);
  const third = Math.ceil(message.length / 3) || 1;
  const hasher = millrace.createHash(algorithm, options);
  for (let at = 0; at < message.length; at += third) hasher.update(odd.subarray(at, at + third));
  const target = Buffer.alloc(expected.length + 9, 0x5a);
  millrace.hash(algorithm, odd, { ...options, target, targetOffset: 3 });
  assert.deepEqual(target.subarray(3, -6), expected);
  assert.ok([...target.subarray(0, 3), ...target.subarray(-6)].every((byte) => byte === 0x5a));
  assert.deepEqual(hasher.digest(), expected);
  assert.deepEqual(await promises.hash(algorithm, message, options), expected);
}

/** CAVP's Monte Carlo test of SHA-1 and SHA-2: each digest is of the last three. */
function* monteCarlo(algorithm, seed) {
  for (;;) {
    let last = [seed, seed, seed];
    for (let index = 0; index < 1000; index++)
      last = [last[1], last[2], millrace.hash(algorithm, Buffer.concat(last))];
    seed = last[2];
    yield seed;
  }
}

/** That of SHA-3: each digest is of the last. */
function* monteCarlo3(algorithm, seed) {
  for (;;) {
    for (let index = 0; index < 1000; index++) seed = millrace.hash(algorithm, seed);
    yield seed;
  }
}

/** That of SHAKE: each output is of the first 16 bytes of the last, and sets the next length. */
function* monteCarloShake(algorithm, seed, [least, most]) {
  let length = most;
  for (let output = seed; ;) {
    for (let index = 0; index < 1000; index++) {
      const source = Buffer.alloc(16);
      output.copy(source, 0, 0, 16);
      output = millrace.hash(algorithm, source, { outputLength: length });
      length = least + (output.readUInt16BE(output.length - 2) % (most - least + 1));
    }
    yield output;
  }
}

/** Returns the generator of a Monte Carlo file, or undefined. */
export function monteCarloOf(algorithm, seed, range) {
  if (/^shake/.test(algorithm)) return monteCarloShake(algorithm, seed, range);
  return (/^sha3-/.test(algorithm) ? monteCarlo3 : monteCarlo)(algorithm, seed);
}

function* monteCarloFile(path, text) {
  const [, family, size] = /(SHA3_|SHA512_|SHAKE|SHA)(\d+)Monte/.exec(path);
  const algorithm = `${{ SHA3_: 'sha3-', SHA512_: 'sha512-', SHAKE: 'shake', SHA: 'sha' }[family]}${size}`;
  const all = [...records(text)];
  const bits = (name) => Number(all.find((each) => each[name])?.[name]) / 8;
  const range = ['Minimum Output Length (bits)', 'Maximum Output Length (bits)'].map(bits);
  const first = all.find(({ Seed, Msg }) => Seed ?? Msg);
  const digests = monteCarloOf(algorithm, hex(first.Seed ?? first.Msg), range);
  for (const { COUNT, MD, Output } of all.filter((each) => each.MD ?? each.Output))
    yield {
      name: `${algorithm} Monte Carlo ${COUNT}`,
      check: () => assert.equal(digests.next().value.toString('hex'), MD ?? Output),
    };
}

const hashFile = ofRecords(({ Len, Msg, MD, Output }, path) => {
  const [pattern, name] = hashNames.find(([each]) => each.test(path));
  const bits = /Msg\.rsp|\.txt/.test(path);
  if ((MD ?? Output) === undefined || (bits && Len === undefined)) return undefined;
  const message = bits ? hex(Msg).subarray(0, Number(Len) / 8) : hex(Msg);
  return () => checkHash(name(pattern.exec(path)), message, hex(MD ?? Output));
});

/** An AEAD at once, incrementally, by a promise and into memory of the caller. */
export async function checkAead(algorithm, { key, nonce, aad, text, sealed, valid }) {
  const options = { key, nonce, aad };
  const tagSize = sealed.length - text.length;
  if (tagSize !== 16) options.authTagLength = tagSize;
  const opens = (source) => millrace.open(algorithm, { ...options, source });
  const target = Buffer.alloc(sealed.length - tagSize, 9);
  if (!valid) {
    assert.throws(() => opens(sealed), { code: 'ERR_AUTHENTICATION' });
    await assert.rejects(promises.open(algorithm, { ...options, source: sealed, target }), {
      code: 'ERR_AUTHENTICATION',
    });
    assert.ok(target.every((byte) => byte === 0));
    return;
  }
  assert.deepEqual(millrace.seal(algorithm, { ...options, source: text }), sealed);
  assert.deepEqual(opens(sealed), text);
  assert.deepEqual(await promises.open(algorithm, { ...options, source: sealed }), text);
  if (/siv/.test(algorithm)) return;
  const cipher = millrace.createCipher(algorithm, options);
  const pieces = [];
  for (let at = 0; at < text.length; at += 7) pieces.push(cipher.update(text.subarray(at, at + 7)));
  pieces.push(cipher.final());
  assert.deepEqual(Buffer.concat([...pieces, cipher.authTag]), sealed);
}

const gcmFile = ofRecords((record) => {
  if (record.Key === undefined || Number(record.Taglen) < 96) return undefined;
  const [key, ct, valid] = [hex(record.Key), hex(record.CT), record.FAIL === undefined];
  return () =>
    checkAead(`aes-${key.length * 8}-gcm`, {
      key,
      nonce: hex(record.IV),
      aad: hex(record.AAD),
      text: valid ? hex(record.PT) : ct,
      sealed: Buffer.concat([ct, hex(record.Tag)]),
      valid,
    });
});

export function checkWrap(algorithm, key, text, wrapped, valid) {
  if (!valid) {
    assert.throws(() => millrace.unwrapKey(algorithm, { key, source: wrapped }));
    return;
  }
  assert.deepEqual(millrace.wrapKey(algorithm, { key, source: text }), wrapped);
  assert.deepEqual(millrace.unwrapKey(algorithm, { key, source: wrapped }), text);
}

const wrapFile = ofRecords(({ K, C, P, FAIL }, path) => {
  if (K === undefined) return undefined;
  const algorithm = `aes-${K.length * 4}-${/KWP/.test(path) ? 'kwp' : 'kw'}`;
  return () => checkWrap(algorithm, hex(K), hex(P), hex(C), FAIL === undefined);
});

const ctrFile = ofRecords(({ KEY, IV, PLAINTEXT, CIPHERTEXT }) => () => {
  const made = millrace.cipher(
    `aes-${KEY.length * 4}-ctr`,
    true,
    hex(KEY),
    hex(IV),
    hex(PLAINTEXT),
  );
  assert.deepEqual(made, hex(CIPHERTEXT));
});

const sivFile = ofRecords(({ Key, IV, AAD, Plaintext, Ciphertext, Tag }) => () => {
  const [key, nonce, aad, text] = [Key, IV, AAD, Plaintext].map(hex);
  const sealed = hex(Ciphertext + Tag);
  return checkAead(`aes-${key.length * 8}-gcm-siv`, { key, nonce, aad, text, sealed, valid: true });
});

const chachaFile = ofRecords(
  ({ KEY, NONCE, INITIAL_BLOCK_COUNTER, PLAINTEXT, CIPHERTEXT }) =>
    () => {
      const iv = Buffer.concat([Buffer.alloc(4), hex(NONCE)]);
      iv.writeUInt32LE(Number(INITIAL_BLOCK_COUNTER));
      const made = millrace.cipher('chacha20', true, hex(KEY), iv, hex(PLAINTEXT));
      assert.deepEqual(made, hex(CIPHERTEXT));
    },
);

const hmacFile = ofRecords(({ Key, Msg, MD }, path) => {
  if (MD === undefined) return undefined;
  const [, algorithm] = /(md5|sha\d+|ripemd160)\.txt/.exec(path);
  return () => {
    const mac = millrace.hmac(algorithm, hex(Key), hex(Msg), 'hex');
    assert.equal(mac.slice(0, MD.length), MD.toLowerCase());
  };
});

/** Returns a derivation of a record of cryptography-vectors, and what it must be. */
function derivationOf(each, path) {
  if (each.DERIVED_KEY !== undefined && each.N !== undefined) {
    const [N, r, p, length] = [each.N, each.r, each.p, each.LENGTH].map(Number);
    const options = { N, r, p, maxmem: 2 ** 31 };
    return [() => millrace.scrypt(each.PASSWORD, each.SALT, length, options), each.DERIVED_KEY];
  }
  if (each.OKM !== undefined) {
    const hash = each.Hash.toLowerCase().replace('-', '');
    const inputs = [each.IKM, each.salt, each.info].map(hex);
    return [() => millrace.hkdf(hash, ...inputs, Number(each.L)), each.OKM];
  }
  if (each.memcost === undefined || each.output === undefined) return undefined;
  const options = {
    message: hex(each.pass),
    nonce: hex(each.salt),
    parallelism: Number(each.lanes),
    passes: Number(each.iter),
    memory: Number(each.memcost),
    tagLength: Number(each.length),
    ...(each.secret && { secret: hex(each.secret) }),
    ...(each.ad && { associatedData: hex(each.ad) }),
  };
  return [() => millrace.argon2(/argon2\w+/.exec(path)[0], options), each.output];
}

const derivationFile = ofRecords((record, path) => {
  const found = derivationOf(record, path);
  if (found === undefined) return undefined;
  const [derive, expected] = found;
  return () => assert.equal(derive().toString('hex'), expected.toLowerCase());
});

const wycheproofHash = (name) =>
  name
    .toLowerCase()
    .replace(/^(hmac|hkdf-|pbkdf2-hmac)/, '')
    .replace(/^sha-/, 'sha')
    .replace('/', '-');

/** Project Wycheproof, by the name of the algorithm in the file. */
function* wycheproof(path, text) {
  const { algorithm, testGroups } = JSON.parse(text);
  for (const group of testGroups) {
    for (const test of group.tests) {
      const check = wycheproofCheck(algorithm, group, test);
      if (check !== undefined) yield { name: `${algorithm} ${test.tcId}: ${test.comment}`, check };
    }
  }
}

function wycheproofCheck(algorithm, group, test) {
  const valid = test.result !== 'invalid';
  const key = hex(test.key);
  const aead = { 'AES-GCM': 'gcm', 'AES-GCM-SIV': 'gcm-siv' }[algorithm];
  if (aead !== undefined || /^X?CHACHA20-POLY1305$/.test(algorithm)) {
    const name = aead === undefined ? algorithm.toLowerCase() : `aes-${group.keySize}-${aead}`;
    const nonceSize = { 'XCHACHA20-POLY1305': 24 }[algorithm] ?? 12;
    // Sizes that the algorithm does not have, or that Millrace refuses.
    const ivSize = test.iv.length / 2;
    if (algorithm === 'AES-GCM' ? ivSize < 1 || ivSize > 128 : ivSize !== nonceSize)
      return undefined;
    if (!millrace.getCiphers().includes(name)) return undefined;
    const sealed = hex(test.ct + test.tag);
    const [nonce, aad, text] = [test.iv, test.aad, valid ? test.msg : test.ct].map(hex);
    return () => checkAead(name, { key, nonce, aad, text, sealed, valid });
  }
  if (/^HMACSHA/.test(algorithm)) {
    const hash = wycheproofHash(algorithm);
    if (!millrace.getHashes().includes(hash)) return undefined;
    return () => {
      const mac = millrace.hmac(hash, key, hex(test.msg), 'hex').slice(0, test.tag.length);
      assert.equal(mac === test.tag, valid);
    };
  }
  if (/^HKDF-/.test(algorithm)) {
    const inputs = [test.ikm, test.salt, test.info].map(hex);
    const derive = () => millrace.hkdf(wycheproofHash(algorithm), ...inputs, test.size);
    return () => {
      if (valid) assert.equal(derive().toString('hex'), test.okm);
      else assert.throws(derive, { code: /^ERR_/ });
    };
  }
  if (/^PBKDF2-/.test(algorithm)) {
    const { password, salt, iterationCount, dkLen, dk } = test;
    const inputs = [hex(password), hex(salt), iterationCount, dkLen, wycheproofHash(algorithm)];
    return () => assert.equal(millrace.pbkdf2(...inputs).toString('hex'), dk);
  }
  if (algorithm === 'AES-WRAP' || algorithm === 'AES-KWP') {
    const form = algorithm === 'AES-WRAP' ? 'kw' : 'kwp';
    // Keys that the standard does not wrap are valid for some.
    if (test.result === 'acceptable') return undefined;
    return () => checkWrap(`aes-${group.keySize}-${form}`, key, hex(test.msg), hex(test.ct), valid);
  }
  if (/^KMAC\d+$/.test(algorithm)) {
    const outputLength = test.tag.length / 2;
    const options = { key, outputLength, encoding: 'hex' };
    return () => {
      const made = millrace.hash(algorithm.toLowerCase(), hex(test.msg), options);
      assert.equal(made === test.tag, valid);
    };
  }
  return undefined;
}

function* blake3File(path, text) {
  const { key, context_string: context, cases } = JSON.parse(text);
  for (const { input_len: size, hash, keyed_hash: keyed, derive_key: derived } of cases) {
    const message = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    for (const [options, expected] of [
      [{}, hash],
      [{ key: Buffer.from(key) }, keyed],
      [{ context }, derived],
    ]) {
      yield {
        name: `blake3 of ${size}`,
        check: () => {
          for (const outputLength of [32, expected.length / 2]) {
            const given = { ...options, outputLength, encoding: 'hex' };
            const made = millrace.hash('blake3', message, given);
            assert.equal(made, expected.slice(0, 2 * outputLength));
          }
        },
      };
    }
  }
}

/** Which reader reads a file, by its path. */
export const readers = [
  [/hashes\/.*(SHA\d|SHA3_|SHAKE|SHA512_)\w*Monte\.rsp$/, monteCarloFile],
  [/hashes\/.*((Short|Long)Msg|VariableOut)\.rsp$/, hashFile],
  [/hashes\/.*(blake2[bs]|ripevectors)\.txt$/, hashFile],
  [/AES\/GCM\/gcm(Decrypt|EncryptExtIV)\d+\.rsp$/, gcmFile],
  [/kwtestvectors\/KWP?_A[DE]_\d+\.txt$/, wrapFile],
  [/AES\/CTR\/aes-\d+-ctr\.txt$/, ctrFile],
  [/GCM-SIV\/openssl\.txt$/, sivFile],
  [/ChaCha20\/rfc7539\.txt$/, chachaFile],
  [/HMAC\/rfc-\d+-(md5|sha\d+|ripemd160)\.txt$/, hmacFile],
  [/KDF\/(rfc-5869-HKDF-\w+|hkdf-generated|scrypt|argon2\w+)\.txt$/, derivationFile],
  [/(testvectors_v1|wycheproof)\/.*_test\.json$/, wycheproof],
  [/BLAKE3\/.*test_vectors\.json$|(^|\/)test_vectors\/test_vectors\.json$/, blake3File],
];
