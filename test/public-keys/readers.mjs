// Readers of published vectors: Project Wycheproof's, NIST's ACVP samples, those of RFC 6979 and
// 8032, and ed25519-speccheck's. A reader yields cases. `run` takes an entry point of entries.mjs
// and resolves to true if the published answer comes out, to false if another does; `expected` is
// valid, invalid or acceptable. With `verdict` it verifies a signature, which throws for no
// signature. `needs` has the names of algorithms and hashes.

import { acvpTests, hashName } from '../vectors/acvp.mjs';
import { hex } from '../vectors/suites.mjs';
import { algorithmName, numbers, pkcs8, point, rsaJwk, sec1, spki } from './keys.mjs';

const [PKCS1, PSS, OAEP] = [1, 6, 4];
const spkiBytes = (key) => key && { key: hex(key), format: 'der', type: 'spki' };
const pkcs8Bytes = (key) => key && { key: hex(key), format: 'der', type: 'pkcs8' };
const pem = (key) => key && { key };
const jwk = (key) => key && { key, format: 'jwk' };
const present = (...forms) => forms.filter((form) => form !== undefined);

/**
 * Returns a case that verifies. The forms of its key take turns, prepared and given to the call.
 *
 * @param {{
 *   forms: any[], hash?: string | null, parameters?: object, message: Buffer, index?: number
 * }} given
 */
function verifies({ forms, hash = null, parameters = {}, message, signature, index = 0 }) {
  return {
    verdict: true,
    run: (entry) =>
      entry.verify(hash, message, { ...entry.publicKey(forms, index), ...parameters }, signature),
  };
}

/** Verifies a published signature, and one that is made. */
async function signs(
  entry,
  { key, publicKey, hash = null, parameters, message, signature, fixed },
) {
  const made = await entry.sign(hash, message, { ...entry.privateKey([key], 0), ...parameters });
  if (fixed) return made.equals(signature);
  const verifier = { key: publicKey ?? entry.publicOf(key), ...parameters };
  if (!(await entry.verify(hash, message, verifier, made))) return false;
  return entry.verify(hash, message, verifier, signature);
}

const agrees = (publicKey, privateKey, secret) => ({
  run: async (entry) => {
    const made = await entry.diffieHellman({
      publicKey: entry.publicKey([publicKey], 0).key,
      privateKey: entry.privateKey([privateKey], 0).key,
    });
    return made.equals(secret);
  },
});

/** Checks the parts of an ML-KEM key that are given, its encapsulation and its answer `K`. */
const encapsulates = (name, { seed, dk, ek, c, K }) => ({
  run: async (entry) => {
    const secrets = [seed, dk].filter((each) => each !== undefined);
    const keys = secrets.map((each) => entry.privateKey([pkcs8(name, hex(each))], 0).key);
    const publicKey =
      ek === undefined
        ? entry.publicOf({ key: keys[0] })
        : entry.publicKey([spki(name, hex(ek))], 0).key;
    const { sharedKey, ciphertext } = await entry.encapsulate(publicKey);
    for (const key of keys) {
      if (!entry.publicOf({ key }).equals(publicKey)) return false;
      if (!sharedKey.equals(await entry.decapsulate(key, ciphertext))) return false;
      if (c && !hex(K).equals(await entry.decapsulate(key, hex(c)))) return false;
    }
    return true;
  },
});

/** What a group of Wycheproof tests, by the name of its type. */
const wycheproofTypes = {
  EcdsaVerify: (group) => ecdsa(group, 'der'),
  EcdsaP1363Verify: (group) => ecdsa(group, 'ieee-p1363'),
  DsaVerify: (group) => ecdsa(group, 'der'),
  DsaP1363Verify: (group) => ecdsa(group, 'ieee-p1363'),
  EddsaVerify: (group) => signatures(group, algorithmName(group.publicKey.curve), null),
  RsassaPkcs1Verify: (group) => signatures(group, 'rsa', group.sha, { padding: PKCS1 }),
  RsassaPssVerify: pss,
  RsassaPssWithParametersVerify: pss,
  RsassaPkcs1Generate: (group) => ({
    needs: ['rsa', hashName(group.sha)],
    test: ({ msg, sig }) => ({
      run: (entry) => {
        const key = pkcs8Bytes(group.privateKeyPkcs8);
        const given = { key, hash: hashName(group.sha), message: hex(msg), signature: hex(sig) };
        return signs(entry, { ...given, fixed: true });
      },
    }),
  }),
  RsaesOaepDecrypt: (group) => {
    const [oaepHash, mgf1Hash] = [hashName(group.sha), hashName(group.mgfSha)];
    return decrypts(group, ['rsa', oaepHash, mgf1Hash], { padding: OAEP, oaepHash, mgf1Hash });
  },
  RsaesPkcs1Decrypt: (group) => decrypts(group, ['rsa pkcs1 decryption'], { padding: PKCS1 }),
  MlDsaVerify: (group, name) => ({
    needs: [name],
    test: ({ msg, sig, ctx, flags }, index) => {
      const forms = present(spki(name, hex(group.publicKey)), spkiBytes(group.publicKeyDer));
      const parameters = contextOf(ctx);
      const made = verifies({ forms, parameters, message: hex(msg), signature: hex(sig), index });
      // Here it is not the signature that is wrong.
      return { ...made, verdict: !flags.some((each) => /Context|PublicKey/.test(each)) };
    },
  }),
  MlDsaSign: (group, name) => ({
    needs: [name],
    test({ msg, sig, ctx }) {
      // Node.js has no parameter for a message that is hashed already.
      if (msg === undefined) return undefined;
      const key =
        pkcs8Bytes(group.privateKeyPkcs8) ??
        pkcs8(name, hex(group.privateSeed ?? group.privateKey));
      const given = { key, parameters: contextOf(ctx), message: hex(msg), signature: hex(sig) };
      return { run: (entry) => signs(entry, given) };
    },
  }),
  EcdhTest: (group) => agreement(group, spkiBytes, sec1),
  EcdhEcpointTest: (group) => agreement(group, (key, name) => spki(name, hex(key)), sec1),
  EcdhPemTest: (group) => agreement(group, pem, (_, key) => pem(key)),
  EcdhWebcryptoTest: (group) => agreement(group, jwk, (_, key) => jwk(key)),
  XdhComp: (group) =>
    agreement(
      group,
      (key, name) => spki(name, hex(key)),
      (name, key) => pkcs8(name, hex(key)),
    ),
  XdhAsnComp: (group) => agreement(group, spkiBytes, (_, key) => pkcs8Bytes(key)),
  XdhPemComp: (group) => agreement(group, pem, (_, key) => pem(key)),
  XdhJwkComp: (group) => agreement(group, jwk, (_, key) => jwk(key)),
  ...Object.fromEntries(
    ['MLKEMTest', 'MLKEMEncapsTest', 'MLKEMKeyGen', 'MLKEMDecapsValidationTest'].map((type) => [
      type,
      ({ parameterSet }) => {
        const name = algorithmName(parameterSet);
        return { needs: [name], test: (test) => encapsulates(name, test) };
      },
    ]),
  ),
};

function signatures(group, name, hash, parameters) {
  const forms = present(
    spkiBytes(group.publicKeyDer),
    pem(group.publicKeyPem),
    jwk(group.publicKeyJwk ?? group.keyJwk),
  );
  const given = { forms, hash: hash && hashName(hash), parameters };
  return {
    needs: [name, ...(hash === null ? [] : [given.hash])],
    test: ({ msg, sig }, index) =>
      verifies({ ...given, message: hex(msg), signature: hex(sig), index }),
  };
}

function ecdsa(group, dsaEncoding) {
  const { curve = 'dsa' } = group.publicKey;
  return signatures(group, algorithmName(curve), group.sha, { dsaEncoding });
}

function pss(group) {
  const mgf1Hash = hashName(group.mgfSha || group.mgf);
  const parameters = { padding: PSS, saltLength: group.sLen, mgf1Hash };
  const made = signatures(group, 'rsa', group.sha, parameters);
  return { ...made, needs: [...made.needs, mgf1Hash] };
}

function decrypts(group, needs, { ...parameters }) {
  const forms = present(pkcs8Bytes(group.privateKeyPkcs8), pem(group.privateKeyPem));
  return {
    needs: group.file.startsWith('rsa_three') ? [...needs, 'three primes'] : needs,
    test: ({ msg, ct, label }, index) => ({
      run: async (entry) => {
        const given = { ...parameters, ...(label && { oaepLabel: hex(label) }) };
        const key = { ...entry.privateKey(forms, index), ...given };
        return (await entry.privateDecrypt(key, hex(ct))).equals(hex(msg));
      },
    }),
  };
}

function agreement(group, publicForm, privateForm) {
  const name = algorithmName(group.curve);
  return {
    needs: [name],
    test: (test) => {
      const keys = [publicForm(test.public, name), privateForm(name, test.private)];
      return keys.includes(undefined) ? undefined : agrees(...keys, hex(test.shared));
    },
  };
}

const contextOf = (context) => (context ? { context: hex(context) } : {});

function* wycheproof(path, text) {
  const { algorithm, testGroups } = JSON.parse(text);
  const file = /([^/]*)_test\.json/.exec(path)[1];
  for (const group of testGroups) {
    const type = wycheproofTypes[group.type]?.({ ...group, file }, algorithm?.toLowerCase());
    for (const [index, test] of type === undefined ? [] : group.tests.entries()) {
      const made = type.test(test, index);
      const { result: expected, tcId, comment = '' } = test;
      const name = `${file} ${tcId} ${comment}`;
      if (made)
        yield { ...made, suite: `Wycheproof ${group.type}`, name, expected, needs: type.needs };
    }
  }
}

/** By the name of the algorithm and the mode in ACVP. */
const acvpChecks = {
  'ML-KEM-keyGen'({ parameterSet, d, z }, { ek }) {
    const name = algorithmName(parameterSet);
    return { needs: [name], ...encapsulates(name, { seed: d + z, ek }) };
  },
  'ML-KEM-encapDecap'(test, { k: K, testPassed }) {
    const name = algorithmName(test.parameterSet);
    const { d, z, ...given } = test;
    const seed = d && d + z;
    const made = encapsulates(name, { ...given, seed, K });
    return { needs: [name], expected: passed(testPassed ?? true), ...made };
  },
  'ML-DSA-keyGen'({ parameterSet, seed }, { pk }) {
    const name = algorithmName(parameterSet);
    const keys = [pkcs8(name, hex(seed)), spki(name, hex(pk))];
    const run = (entry) => entry.publicOf(keys[0]).equals(entry.publicKey([keys[1]], 0).key);
    return { needs: [name], run };
  },
  'ML-DSA-sigVer'({ parameterSet, pk, message, context, signature, ...test }, { testPassed }) {
    if (!isPure(test)) return undefined;
    const name = algorithmName(parameterSet);
    const given = { message: hex(message), signature: hex(signature) };
    const forms = [spki(name, hex(pk))];
    const made = verifies({ ...given, forms, parameters: contextOf(context) });
    return { needs: [name], expected: passed(testPassed), ...made };
  },
  'ML-DSA-sigGen'({ parameterSet, seed, sk = seed, message, context, ...test }, { signature }) {
    if (!isPure(test)) return undefined;
    const name = algorithmName(parameterSet);
    const key = pkcs8(name, hex(sk));
    const given = { message: hex(message), signature: hex(signature) };
    const run = (entry) => signs(entry, { ...given, key, parameters: contextOf(context) });
    return { needs: [name], run };
  },
  'EDDSA-SigVer': eddsa,
  'EDDSA-SigGen': eddsa,
  'ECDSA-SigVer'({ curve, hashAlg, message, qx, qy, r, s }, { testPassed }) {
    const [name, hash] = [algorithmName(curve), hashName(hashAlg)];
    if (spki(name, Buffer.alloc(0)) === undefined) return undefined;
    const made = verifies({
      forms: [spki(name, point(name, qx, qy))],
      hash,
      parameters: { dsaEncoding: 'ieee-p1363' },
      message: hex(message),
      signature: numbers(name, r, s),
    });
    return { needs: [name, hash], expected: passed(testPassed), ...made };
  },
  'ECDSA-KeyVer'({ curve, qx, qy }, { testPassed }) {
    const name = algorithmName(curve);
    if (spki(name, Buffer.alloc(0)) === undefined) return undefined;
    const run = (entry) => entry.publicKey([spki(name, point(name, qx, qy))], 0).key !== undefined;
    return { needs: [name], expected: passed(testPassed), run };
  },
  'RSA-SigVer'({ sigType, n, e, hashAlg, message, signature, ...test }, { testPassed }) {
    const padding = { 'pkcs1v1.5': PKCS1, pss: PSS }[sigType];
    if (padding === undefined || (test.maskFunction ?? 'mgf1') !== 'mgf1') return undefined;
    const hash = hashName(hashAlg);
    const parameters = { padding, ...(padding === PSS && { saltLength: test.saltLen }) };
    const given = { message: hex(message), signature: hex(signature) };
    const made = verifies({ ...given, forms: [rsaJwk(n, e)], hash, parameters });
    // AWS-LC takes exponents to 2^33.
    const needs = ['rsa', hash, ...(BigInt(`0x${e}`) >> 33n > 0n ? ['large exponent'] : [])];
    return { needs, expected: passed(testPassed), ...made };
  },
};

const passed = (testPassed) => (testPassed ? 'valid' : 'invalid');
const isPure = ({ signatureInterface, preHash = 'pure' }) =>
  signatureInterface === 'external' && preHash === 'pure';

function eddsa({ curve, preHash, context, message, ...test }, expected) {
  if (preHash || context) return undefined;
  const name = algorithmName(curve);
  const { q, signature } = { ...test, ...expected };
  const given = { message: hex(message), signature: hex(signature) };
  const made = verifies({ ...given, forms: [spki(name, hex(q))] });
  return { needs: [name], expected: passed(expected.testPassed ?? true), ...made };
}

function* acvp(path, text) {
  const [, kind] = /([^/]*?)(-FIPS\d.*|-Sp800.*|-[\d.]+)?\/prompt\.json/.exec(path);
  const check = acvpChecks[kind];
  for (const { test, expected } of check === undefined ? [] : acvpTests(path, text)) {
    // Some hash the message at random before (SP 800-106).
    const made = test.conformance === undefined ? check(test, expected) : undefined;
    if (made !== undefined)
      yield { suite: `ACVP ${kind}`, name: `${kind} ${test.tcId}`, expected: 'valid', ...made };
  }
}

function* ed25519(_, text) {
  for (const { name, secretKey, publicKey, message, signature } of JSON.parse(text)) {
    const given = { message: hex(message), signature: hex(signature), fixed: true };
    const run = (entry) => signs(entry, { ...given, key: pkcs8('ed25519', hex(secretKey)) });
    const made = verifies({ ...given, forms: [spki('ed25519', hex(publicKey))] });
    for (const each of [{ run }, made])
      yield { suite: 'RFC 8032', name, expected: 'valid', needs: ['ed25519'], ...each };
  }
}

function* deterministicEcdsa(_, text) {
  for (const { curve, private: scalar, Ux, Uy, cases } of JSON.parse(text)) {
    const name = algorithmName(curve.replace('NIST ', ''));
    if (spki(name, Buffer.alloc(0)) === undefined) continue;
    for (const { hash, message, r, s } of cases) {
      const given = {
        hash: hashName(hash),
        parameters: { dsaEncoding: 'ieee-p1363' },
        message: Buffer.from(message),
        signature: numbers(name, r, s),
      };
      const made = verifies({ ...given, forms: [spki(name, point(name, Ux, Uy))] });
      const key = sec1(name, scalar);
      for (const each of [{ run: (entry) => signs(entry, { ...given, key }) }, made]) {
        const needs = [name, given.hash];
        yield {
          suite: 'RFC 6979',
          name: `${curve} ${hash} ${message}`,
          expected: 'valid',
          needs,
          ...each,
        };
      }
    }
  }
}

/** The edge cases of "Taming the many EdDSAs", for which libraries have different answers. */
function* speccheck(_, text) {
  for (const [index, { message, pub_key: key, signature }] of JSON.parse(text).entries()) {
    const given = { message: hex(message), signature: hex(signature) };
    const made = verifies({ ...given, forms: [spki('ed25519', hex(key))] });
    const facts = { suite: 'ed25519-speccheck', name: `case ${index}`, expected: 'acceptable' };
    yield { ...facts, needs: ['ed25519'], ...made };
  }
}

export const readers = [
  [
    /\/(ecdsa|dsa|ed25519|ed448|ecdh|x25519|x448|rsa|mldsa|mlkem)_[^/]*_?test\.json(\.gz)?$/,
    wycheproof,
  ],
  [/\/(ML-(KEM|DSA)|EDDSA|ECDSA|RSA)-[^/]*\/prompt\.json(\.gz)?$/, acvp],
  [/\/8032-eddsa\/ed25519\.json(\.gz)?$/, ed25519],
  [/\/6979-deterministic-ecdsa\/vectors\.json(\.gz)?$/, deterministicEcdsa],
  [/speccheck\/cases\.json$/, speccheck],
];
